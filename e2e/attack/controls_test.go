package attack

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"parley/client"
	"parley/e2e/binary"
	"parley/internal/media"
)

// controls are the live controls with a body that each accepts.
var controls = map[string]string{
	"say": `{"text":"Hello."}`, "message": `{"text":"A fact."}`, "context": `{"user_context":{"plan":"gold"}}`, "mute": `{"muted":true}`,
	"transfer": `{"mode":"bridge","to":["+4930123456"]}`, "listen": "", "take-over": "",
}

// liveCall is an active call of a tenant, whose caller is silent.
func liveCall(t *testing.T, s *binary.Server, key string) (id string, caller *media.Participant) {
	t.Helper()
	answer, text := send(t, s, key, http.MethodPost, "/api/v1/calls", `{"workflow_slug":"desk"}`)
	var d client.Dispatch
	if err := json.Unmarshal(text, &d); err != nil || answer.StatusCode != http.StatusCreated {
		t.Fatalf("%s %s", answer.Status, text)
	}
	caller, err := joiner.Join(t.Context(), media.JoinOptions{URL: d.URL, Token: d.Token})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(caller.Leave)
	await(t, "the call is active", func() bool { return callStatus(t, s, key, d.CallID) == "active" })
	return d.CallID, caller
}

func callStatus(t *testing.T, s *binary.Server, key, id string) string {
	t.Helper()
	_, text := send(t, s, key, http.MethodGet, "/api/v1/calls/"+id, "")
	var c client.Call
	if err := json.Unmarshal(text, &c); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return c.Status
}

// controlCall sends a control, with an idempotency key if there is one. It may be called beside the test.
func controlCall(t *testing.T, s *binary.Server, key, id, control, body, once string) (status int, answer string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/api/v1/calls/"+id+"/"+control, strings.NewReader(body))
	if err != nil {
		t.Error(err)
		return 0, ""
	}
	r.Header.Set("Authorization", "Bearer "+key)
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	if once != "" {
		r.Header.Set("Idempotency-Key", once)
	}
	return answerTo(t, r)
}

// withoutRequestID is an answer without what differs in each.
func withoutRequestID(answer string) string {
	before, rest, found := strings.Cut(answer, `"request_id":"`)
	if !found {
		return answer
	}
	_, after, _ := strings.Cut(rest, `"`)
	return before + after
}

// Nobody controls, hears or takes over a call of another tenant, without the scope, with a test key, or with what belongs to another call; and
// texts of any size cost no more than a refusal.
func TestControlsInWrongHands(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	owner, stranger := newTenant(t, s, "owner", "*"), newTenant(t, s, "stranger", "*")
	newDesk(t, s, owner)
	newDesk(t, s, stranger)
	id, _ := liveCall(t, s, owner)
	other, _ := liveCall(t, s, owner)
	unscoped, testKey := newKey(t, s, "owner", "--scopes", "calls:read,calls:write,agents:*"), newTestKey(t, s, "owner")
	const nowhere = "01a21a00-0000-7000-8000-000000000000"
	for control, body := range controls {
		_, missing := controlCall(t, s, stranger, nowhere, control, body, "")
		if status, answer := controlCall(t, s, stranger, id, control, body, ""); status != http.StatusNotFound || withoutRequestID(answer) != withoutRequestID(missing) {
			t.Errorf("%s of another tenant's call: %d %s, and of none %s", control, status, answer, missing)
		}
		if status, answer := controlCall(t, s, testKey, id, control, body, ""); status != http.StatusNotFound {
			t.Errorf("%s with a test key: %d %s", control, status, answer)
		}
		if status, answer := controlCall(t, s, unscoped, id, control, body, ""); status != http.StatusForbidden {
			t.Errorf("%s without the scope: %d %s", control, status, answer)
		}
		if status, answer := controlCall(t, s, "", id, control, body, ""); status != http.StatusUnauthorized {
			t.Errorf("%s without a credential: %d %s", control, status, answer)
		}
	}

	say := controls["say"]
	if status, answer := controlCall(t, s, owner, id, "say", say, "the-key"); status != http.StatusOK {
		t.Fatalf("say: %d %s", status, answer)
	}
	for what, try := range map[string]func() (int, string){
		"another tenant's key on the same call": func() (int, string) { return controlCall(t, s, stranger, id, "say", say, "the-key") },
		"the key with another text": func() (int, string) {
			return controlCall(t, s, owner, id, "say", `{"text":"Give me the money."}`, "the-key")
		},
		"the key with another control": func() (int, string) { return controlCall(t, s, owner, id, "message", say, "the-key") },
	} {
		if status, answer := try(); status != http.StatusNotFound && status != http.StatusUnprocessableEntity {
			t.Errorf("%s: %d %s", what, status, answer)
		}
	}
	_, first := controlCall(t, s, owner, id, "say", say, "the-key")
	if status, answer := controlCall(t, s, owner, other, "say", say, "the-key"); status != http.StatusOK || withoutRequestID(answer) == withoutRequestID(first) {
		t.Errorf("the key of another call: %d %s", status, answer)
	}

	grew := watchMemory(t, s, func() {
		for control, bodies := range map[string][]string{
			"say":      {`{"text":"` + strings.Repeat("x", 4001) + `"}`, `{"text":"` + strings.Repeat("x", 8<<20) + `"}`},
			"message":  {`{"text":"` + strings.Repeat("\u0000", 100) + `"}`, strings.Repeat("[", 1<<20)},
			"context":  {`{"user_context":{"a":"` + strings.Repeat("x", 64<<10) + `"}}`, `{"user_context":` + strings.Repeat(`{"a":`, 10_000) + "1" + strings.Repeat("}", 10_000) + "}"},
			"transfer": {`{"mode":"bridge","to":["` + strings.Repeat("9", 100_000) + `"]}`, `{"mode":"bridge","to":["+4930123456"],"summary":"` + strings.Repeat("x", 2001) + `"}`},
		} {
			for _, body := range bodies {
				if status, answer := controlCall(t, s, owner, id, control, body, ""); status != http.StatusUnprocessableEntity && status != http.StatusRequestEntityTooLarge && status != http.StatusBadRequest {
					t.Errorf("%s of %d bytes: %d %.200s", control, len(body), status, answer)
				}
			}
		}
	})
	if grew > 200<<20 {
		t.Errorf("the server's memory grew by %d MiB", grew>>20)
	}
	if status := callStatus(t, s, owner, id); status != "active" {
		t.Errorf("the call is %s", status)
	}
}

// A tenant that floods its own call gets 409, and disturbs neither the call nor a neighbour's.
func TestFloodOfControls(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	greedy, neighbour := newTenant(t, s, "greedy", "*"), newTenant(t, s, "neighbour", "*")
	newDesk(t, s, greedy)
	newDesk(t, s, neighbour)
	id, _ := liveCall(t, s, greedy)
	beside, _ := liveCall(t, s, neighbour)
	var applied, refused atomic.Int64
	var flood sync.WaitGroup
	n := size(300, 6_000)
	slots := make(chan struct{}, 100)
	for i := range n {
		slots <- struct{}{}
		flood.Go(func() {
			defer func() { <-slots }()
			control, body := "say", `{"text":"Something that takes its time to be said, as all that is said does."}`
			if i%3 == 0 {
				control, body = "mute", fmt.Sprintf(`{"muted":%t}`, i%2 == 0)
			}
			switch status, answer := controlCall(t, s, greedy, id, control, body, ""); status {
			case http.StatusOK:
				applied.Add(1)
			case http.StatusConflict, http.StatusTooManyRequests:
				refused.Add(1)
			default:
				t.Errorf("%s: %d %s", control, status, answer)
			}
		})
	}
	for range 5 {
		if status, answer := controlCall(t, s, neighbour, beside, "message", controls["message"], ""); status != http.StatusOK || !strings.Contains(answer, `"applied"`) {
			t.Errorf("the neighbour's request: %d %s", status, answer)
		}
	}
	flood.Wait()
	t.Logf("%d requests were taken, %d refused", applied.Load(), refused.Load())
	if refused.Load() == 0 || applied.Load() > 5_000 {
		t.Errorf("%d requests were taken, %d refused", applied.Load(), refused.Load())
	}
	_, timeline := send(t, s, greedy, http.MethodGet, "/api/v1/calls/"+id+"/timeline", "")
	if waiting := strings.Count(string(timeline), `"control_status":"pending"`); waiting > 32 {
		t.Errorf("%d requests wait", waiting)
	}
	for _, of := range []struct{ key, id string }{{greedy, id}, {neighbour, beside}} {
		if status := callStatus(t, s, of.key, of.id); status != "active" {
			t.Errorf("a call is %s", status)
		}
	}
}

// What lets one hear a call, or take it over, is of no use after the call's end, and cannot be had where the tenant forbids it; while the call
// runs, it opens no other room, and no further door.
func TestAccessToCallsInWrongHands(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	owner := newTenant(t, s, "owner", "*")
	newDesk(t, s, owner)
	id, caller := liveCall(t, s, owner)
	joins := func(a client.RoomAccess) error {
		p, err := joiner.Join(t.Context(), media.JoinOptions{URL: a.URL, Token: a.Token, Data: true})
		if err == nil {
			p.Leave()
		}
		return err
	}
	access := map[string]client.RoomAccess{}
	for _, control := range []string{"listen", "take-over"} {
		status, answer := controlCall(t, s, owner, id, control, "", "")
		var a client.RoomAccess
		if err := json.Unmarshal([]byte(answer), &a); err != nil || status != http.StatusOK {
			t.Fatalf("%s: %d %s", control, status, answer)
		}
		access[control] = a
		for _, path := range []string{"calls/" + id, "calls/" + id + "/transcript", "agents", "auth/me"} {
			if answer, text := send(t, s, a.Token, http.MethodGet, "/api/v1/"+path, ""); answer.StatusCode != http.StatusUnauthorized {
				t.Errorf("%s with the token of %s: %s %s", path, control, answer.Status, text)
			}
		}
	}
	if err := joins(access["listen"]); err == nil { // with a microphone
		t.Error("somebody who listens publishes a microphone")
	}
	if !strings.HasPrefix(access["take-over"].RoomName, access["listen"].RoomName) || access["take-over"].RoomName == access["listen"].RoomName {
		t.Errorf("the rooms are %q and %q", access["listen"].RoomName, access["take-over"].RoomName)
	}
	caller.Leave()
	await(t, "the call has ended", func() bool { return callStatus(t, s, owner, id) == "completed" })
	for control, a := range access {
		if err := joins(a); err == nil {
			t.Errorf("the token of %s lets one into the room of a call that has ended", control)
		}
		if status, answer := controlCall(t, s, owner, id, control, "", ""); status != http.StatusConflict {
			t.Errorf("%s after the end: %d %s", control, status, answer)
		}
	}

	id, _ = liveCall(t, s, owner)
	command(t, s, "", "tenant", "set", "owner", "--no-listening")
	for _, control := range []string{"listen", "take-over"} {
		status, answer := controlCall(t, s, owner, id, control, "", "")
		if status != http.StatusForbidden || !strings.Contains(answer, "does not permit listening to calls") {
			t.Errorf("%s where it is forbidden: %d %s", control, status, answer)
		}
	}
	command(t, s, "", "tenant", "set", "owner", "--listening")
	if status, answer := controlCall(t, s, owner, id, "listen", "", ""); status != http.StatusOK {
		t.Errorf("permitted again: %d %s", status, answer)
	}
	_, log := send(t, s, owner, http.MethodGet, "/api/v1/audit-log?action=call.listen", "")
	if n := strings.Count(string(log), `"call.listen"`); n != 2 {
		t.Errorf("the audit log has %d entries of listening", n)
	}
}
