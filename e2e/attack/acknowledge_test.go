package attack

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"parley/e2e/binary"
)

// carrierNumber is a number whose calls come from 127.0.0.2 to 127.0.0.15 without a digest.
const carrierNumber = "+4930555003"

// newCarrierTenant returns a key of a tenant that answers carrierNumber.
func newCarrierTenant(t *testing.T, s *binary.Server, name string) (key string) {
	t.Helper()
	key = newTenant(t, s, name, "*")
	newDesk(t, s, key)
	newNumber(t, s, key, carrierNumber, object{"allowed_addresses": []string{"127.0.0.0/28"}})
	return key
}

// attackWithoutACK calls a number n times from an address and acknowledges no answer until so long after the first one; then it gives up the
// calls that ring. It returns how many calls were answered with 200.
func attackWithoutACK(t *testing.T, address, sipPort, number string, n int, wait time.Duration) (answered int) {
	t.Helper()
	phone := newPhone(t, address, sipPort)
	for id := range n {
		phone.invite(t, fmt.Sprint("no-ack-", id), number, 1)
		phone.receive(t, 50*time.Millisecond)
	}
	count := func() (answered int) {
		for _, response := range phone.responses {
			if strings.HasPrefix(response, "SIP/2.0 200") {
				answered++
			}
		}
		return answered
	}
	await(t, "a call is answered", func() bool { phone.receive(t, 100*time.Millisecond); return count() > 0 })
	for until := time.Now().Add(wait); time.Now().Before(until); {
		phone.receive(t, 100*time.Millisecond)
	}
	for id := range n {
		if phone.responses[fmt.Sprint("no-ack-", id)] == "" || strings.HasPrefix(phone.responses[fmt.Sprint("no-ack-", id)], "SIP/2.0 1") {
			phone.cancel(t, fmt.Sprint("no-ack-", id), number, 1)
		}
	}
	return count()
}

// A call begins when the caller acknowledges the answer. Calls that nobody acknowledges are never active, fail, are few for each address,
// and give their agents back.
func TestCallsWithoutACK(t *testing.T) {
	s, port := phoneServer(t, map[string]string{"PARLEY_LOG_LEVEL": "warn"})
	acme := newCarrierTenant(t, s, "acme")
	began := time.Now()
	answered := attackWithoutACK(t, "127.0.0.2", port, carrierNumber, size(16, 60), 13*time.Second)
	if answered == 0 || answered > 10 {
		t.Errorf("%d calls of an address that acknowledges none were answered", answered)
	}
	await(t, "all calls have ended", func() bool { return openCalls(t, s, acme) == 0 })
	t.Logf("%d calls answered; the last agent was free after %.0f s", answered, time.Since(began).Seconds())
	_, text := send(t, s, acme, http.MethodGet, "/api/v1/calls?limit=100", "")
	if strings.Contains(string(text), `"started_at":"`) {
		t.Errorf("calls that nobody acknowledged have begun: %.500s", text)
	}
	if n, _ := listedCalls(t, s, acme, "?status=failed"); n < answered {
		t.Errorf("%d of %d calls failed", n, answered)
	}

	// A caller who acknowledges the answer begins a call, then and not before.
	phone := newPhone(t, "127.0.0.3", port)
	phone.invite(t, "caller", carrierNumber, 1)
	if got := phone.status(t, "caller", true); got != "200" {
		t.Fatalf("another address is answered with %s", got)
	}
	if n, _ := listedCalls(t, s, acme, "?status=active"); n != 0 {
		t.Error("the call is active before the ACK")
	}
	phone.send(t, "ACK", "caller", carrierNumber, toTagForm.FindStringSubmatch(phone.responses["caller"])[1], 1, "")
	await(t, "the call is active", func() bool { n, _ := listedCalls(t, s, acme, "?status=active"); return n == 1 })
}

// attackDigests presents wrong digests for a number's trunk, some from each of many addresses. It returns how many were verified, and
// how many refused without.
func attackDigests(t *testing.T, sipPort, number string, addresses, each int) (verified, refused int) {
	t.Helper()
	for a := range addresses {
		guesser := newPhone(t, fmt.Sprintf("127.0.1.%d", a+1), sipPort)
		for n := range each {
			switch got := guesser.called(t, fmt.Sprintf("guess-%d-%d", a, n), number, "acme", "guess"+strconv.Itoa(n)); got {
			case "403":
				verified++
			case "503":
				refused++
			default:
				t.Fatalf("a wrong digest is answered with %s", got)
			}
		}
	}
	return verified, refused
}

// Credentials of a trunk cannot be guessed from many addresses, and its carrier is not locked out meanwhile.
func TestDigestsFromManyAddresses(t *testing.T) {
	s, port := phoneServer(t, nil)
	const number, second = "+4930555001", "+4930555002"
	acme := newTenant(t, s, "acme", "*")
	newDesk(t, s, acme)
	newNumber(t, s, acme, number, object{"username": "acme", "password": "pa55word"})
	newNumber(t, s, acme, second, object{"username": "acme", "password": "other"})
	carrier := newPhone(t, "127.0.0.2", port)
	rings := func(id, number, password string) {
		t.Helper()
		if got := carrier.called(t, id, number, "acme", password); got != "180" && got != "200" {
			t.Errorf("%s: the carrier is answered with %s", id, got)
		}
		carrier.cancel(t, id, number, 2)
	}
	rings("before", number, "pa55word")
	began := time.Now()
	verified, refused := attackDigests(t, port, number, 25, 10)
	most := 60 + int(time.Since(began).Minutes()*60) + 1 // one is allowed again each second
	t.Logf("%d wrong digests verified and %d refused in %.1f s", verified, refused, time.Since(began).Seconds())
	if verified > most {
		t.Errorf("%d wrong digests were verified, want at most %d", verified, most)
	}
	rings("during", number, "pa55word")
	rings("another-trunk", second, "other")
	if log := s.Log.String(); !strings.Contains(log, "wrong digests for a trunk") || strings.Contains(log, number[1:8]) {
		t.Errorf("the log does not warn of the guesses, or names a number:\n%s", log)
	}
}
