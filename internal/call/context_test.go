package call_test

import (
	"encoding/json"
	"testing"

	"parley/internal/call"
)

// Numbers of a user_context keep their digits, in the call and for a webhook
// that asks for the context, redacted or not.
func TestNumbersOfTheUserContext(t *testing.T) {
	const given = `{"account":9007199254740993,"id":1234567890123456789,"tiny":1e-400,"tenth":0.1,"limit":1E5,"minus":-0,"list":[{"n":0.10}]}`
	each(t, defaults, func(t *testing.T, h *fixture) {
		c, _, err := h.calls.Dispatch(t.Context(), call.Request{TenantID: acme, AgentName: "desk", CallType: call.VoIP, UserContext: json.RawMessage(given)})
		if err != nil {
			t.Fatal(err)
		}
		user, err := h.calls.UserContext(h.get(c.ID))
		if err != nil {
			t.Fatal(err)
		}
		for name, want := range map[string]json.Number{"account": "9007199254740993", "id": "1234567890123456789", "tiny": "1e-400", "tenth": "0.1", "limit": "1E5", "minus": "-0"} {
			if user[name] != want {
				t.Errorf("%s is %v (%T), want %s", name, user[name], user[name], want)
			}
		}
		for _, redacts := range []bool{false, true} {
			h.set(c.ID, "redact = ?", redacts)
			extra, err := call.EventExtras{Calls: h.calls}.Context(t.Context(), acme, c.ID)
			if err != nil || string(extra) != given {
				t.Errorf("redacted %v: a webhook gets %s, %v", redacts, extra, err)
			}
		}
	})
}
