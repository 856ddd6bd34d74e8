package attack

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
)

// A tenant cannot receive the calls of another's number by allowing the addresses that they come from. The operator's
// assignment moves a number.
func TestSquattedNumbers(t *testing.T) {
	t.Parallel()
	s, port := phoneServer(t, nil)
	acme, squatter := newTenant(t, s, "acme", "*"), newTenant(t, s, "squatter", "*")
	newDesk(t, s, acme)
	newDesk(t, s, squatter)
	const byAddress, byDigest = "+4930555001", "+4930555002"
	carrier := object{"allowed_addresses": []string{"127.0.0.2"}}
	newNumber(t, s, acme, byAddress, carrier)
	newNumber(t, s, acme, byDigest, object{"username": "acme", "password": "pa55word"})

	// refused checks an answer, which says what to do and nothing about the other tenant.
	refused := func(what string, answer *http.Response, text []byte) {
		t.Helper()
		if message := string(text); answer.StatusCode != http.StatusConflict || !strings.Contains(message, "digest") || !strings.Contains(message, "operator") || strings.Contains(message, "acme") {
			t.Errorf("%s: %s %s", what, answer.Status, text)
		}
	}
	trunk := object{"name": "trunk", "address": "127.0.0.1:9", "allowed_addresses": []string{"127.0.0.0/16"}}
	wide := post(t, s, squatter, "/api/v1/sip-trunks", trunk)
	for what, number := range map[string]string{"a number of the same addresses": byAddress, "a number that asks for a digest": byDigest} {
		answer, text := send(t, s, squatter, http.MethodPost, "/api/v1/phone-numbers", fmt.Sprintf(`{"number":%q,"agent_name":"desk","trunk_id":%q}`, number, wide))
		refused(what, answer, text)
	}
	elsewhere := newNumber(t, s, squatter, byAddress, object{"allowed_addresses": []string{"127.0.0.3"}})
	newNumber(t, s, squatter, byDigest, object{"username": "squatter", "password": "secret"})
	for what, patch := range map[string]string{"a trunk that takes the addresses": `{"allowed_addresses":["127.0.0.2","127.0.0.3"]}`, "a trunk that takes digests alone": `{"allowed_addresses":null,"username":"u","password":"p"}`} {
		answer, text := send(t, s, squatter, http.MethodPatch, "/api/v1/sip-trunks/"+elsewhere, patch)
		refused(what, answer, text)
	}

	phone := newPhone(t, "127.0.0.2", port)
	reaches := func(what, id, number, key, other string) {
		t.Helper()
		own, _ := listedCalls(t, s, key, "")
		others, _ := listedCalls(t, s, other, "")
		phone.invite(t, id, number, 1)
		if got := phone.status(t, id, false); got != "180" && got != "200" {
			t.Errorf("%s: a call is answered with %s", what, got)
		}
		await(t, what, func() bool { n, _ := listedCalls(t, s, key, ""); return n > own })
		phone.cancel(t, id, number, 1)
		if n, _ := listedCalls(t, s, other, ""); n != others {
			t.Errorf("%s: another tenant has the call", what)
		}
	}
	reaches("its tenant", "first", byAddress, acme, squatter)
	phone.challenged(t, "digest", byDigest)

	// The operator finds that the number is the other's.
	command(t, s, "", "number", "assign", "--tenant", "squatter", byAddress)
	phone.invite(t, "moved", byAddress, 1)
	if got := phone.status(t, "moved", true); got != "404" {
		t.Errorf("the tenant that lost the number is called: %s", got)
	}
	if answer, text := send(t, s, squatter, http.MethodPatch, "/api/v1/sip-trunks/"+elsewhere, `{"allowed_addresses":["127.0.0.2"]}`); answer.StatusCode != http.StatusOK {
		t.Errorf("%s %s", answer.Status, text)
	}
	reaches("the tenant that it is assigned to", "second", byAddress, squatter, acme)
	for key, action := range map[string]string{acme: "phone_number.unassign", squatter: "phone_number.assign"} {
		if _, text := send(t, s, key, http.MethodGet, "/api/v1/audit-log?action="+action, ""); !strings.Contains(string(text), byAddress) {
			t.Errorf("the audit log has no %s: %s", action, text)
		}
	}

	// The operator removes the assignment: by now both tenants' trunks have the calls' address, so neither is called.
	if listed := string(command(t, s, "", "number", "list")); !strings.Contains(listed, byAddress+" squatter") {
		t.Errorf("assigned numbers: %s", listed)
	}
	command(t, s, "", "number", "release", byAddress)
	if listed := string(command(t, s, "", "number", "list", "--tenant", "squatter")); strings.Contains(listed, byAddress) {
		t.Errorf("assigned numbers after the release: %s", listed)
	}
	phone.invite(t, "ambiguous", byAddress, 1)
	if got := phone.status(t, "ambiguous", true); got != "404" {
		t.Errorf("a released number that two tenants' trunks bring: %s", got)
	}

	// Concurrently: each number is assigned to one of both.
	var all sync.WaitGroup
	var mu sync.Mutex
	holders := map[string]int{}
	for n := range size(10, 100) {
		number := fmt.Sprintf("+4930556%03d", n)
		for _, key := range []string{acme, squatter} {
			id := post(t, s, key, "/api/v1/sip-trunks", object{"name": "trunk", "address": "127.0.0.1:9", "allowed_addresses": []string{"127.0.0.9"}})
			all.Go(func() {
				answer, text := send(t, s, key, http.MethodPost, "/api/v1/phone-numbers", fmt.Sprintf(`{"number":%q,"agent_name":"desk","trunk_id":%q}`, number, id))
				switch answer.StatusCode {
				case http.StatusCreated:
					mu.Lock()
					holders[number]++
					mu.Unlock()
				case http.StatusConflict:
				default:
					t.Errorf("%s %s", answer.Status, text)
				}
			})
		}
	}
	all.Wait()
	for number, n := range holders {
		if n != 1 {
			t.Errorf("%s has %d tenants", number, n)
		}
	}
	if len(holders) != size(10, 100) {
		t.Errorf("%d numbers have a tenant", len(holders))
	}
}
