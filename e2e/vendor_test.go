package e2e

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"parley/internal/dialogue"
	"parley/internal/provider/emulator"
)

const (
	hours = "what are your opening hours"
	name  = "what is your name"
)

// waiter answers questions about a restaurant.
func waiter(_ string, p dialogue.Prompt) emulator.Reply {
	asked := ""
	for _, m := range p.Messages {
		if m.Role == dialogue.RoleUser {
			asked = m.Content
		}
	}
	switch strings.ToLower(strings.Trim(asked, ".?! ")) {
	case hours:
		return emulator.Reply{Text: "We are open from eleven in the morning until ten in the evening."}
	case name:
		return emulator.Reply{Text: "My name is Helen and I take your order."}
	}
	return emulator.Reply{Text: "I did not understand that."}
}

// informed is a waiter who looks the opening hours up with a tool, and answers with its result.
func informed(vendor string, p dialogue.Prompt) emulator.Reply {
	last := p.Messages[len(p.Messages)-1]
	switch {
	case last.Role == dialogue.RoleTool:
		var result struct{ Open string }
		if err := json.Unmarshal([]byte(last.Content), &result); err != nil {
			return emulator.Reply{Text: "My list is broken."}
		}
		return emulator.Reply{Text: "We are open from " + result.Open + " until ten in the evening."}
	case last.Content == hours:
		return emulator.Reply{ToolCalls: []dialogue.ToolCall{{ID: "call_1", Name: "opening_hours", Arguments: json.RawMessage(`{"day":"monday"}`)}}}
	}
	return waiter(vendor, p)
}

// Calls spoken over each vendor's wire, with the platform's keys: the caller's words are understood and answered with the result of
// a tool, and the answer is audible.
func TestVendorsWires(t *testing.T) {
	t.Parallel()
	backend := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("day") != "monday" {
			t.Errorf("the tool's backend is asked %s", r.URL)
		}
		w.Write([]byte(`{"open":"eleven in the morning"}`))
	}))
	t.Cleanup(backend.Close)
	v := newVendors(t, script{heard: map[string][]string{"deepgram": {hours, name}, "assemblyai": {hours, name}, "elevenlabs": {hours, name}}, answers: informed})
	s := serve(t, filepath.Join(t.TempDir(), "data"), v.settings(keyOf))
	ask(t, s, http.MethodPost, "/api/v1/tools", object{"name": "opening_hours", "config": object{
		"parameters": []object{{"name": "day", "type": "string", "required": true}},
		"actions":    []object{{"type": "api_call", "method": "GET", "url": backend.URL + "/hours?day={{params.day}}", "timeout": 5}},
	}}, nil)
	for _, test := range [][3]string{{"deepgram", "openai", "cartesia"}, {"assemblyai", "anthropic", "elevenlabs"}, {"scribe", "openai", "elevenlabs"}} {
		agent := strings.Join(test[:], "-")
		newAgent(t, s, agent, choices[test[0]], choices[test[1]], choices[test[2]])
		ask(t, s, http.MethodPut, "/api/v1/agents/"+agent, object{"config": object{"tools": []string{"opening_hours"}}}, nil)
		t.Run(agent, func(t *testing.T) {
			t.Parallel()
			r := converseAloud(t, s, []string{hours, name}, []string{"eleven in the morning", "helen"}, agent)
			if items := errorsOf(t, s, r.CallID); len(items) > 0 {
				t.Errorf("error log: %+v", items)
			}
			measured(t, s, choices[test[0]]["provider"].(string)+" stt", test[1]+" llm", test[2]+" tts")
		})
	}
}
