package e2e

import (
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

// Calls spoken over each vendor's wire, with the platform's keys: what the caller says is understood, answered, and the answer is
// heard.
func TestVendorsWires(t *testing.T) {
	t.Parallel()
	v := newVendors(t, script{heard: map[string][]string{"deepgram": {hours, name}, "assemblyai": {hours, name}}, answers: waiter})
	s := serve(t, filepath.Join(t.TempDir(), "data"), v.settings(keyOf))
	for _, test := range [][3]string{{"deepgram", "openai", "cartesia"}, {"assemblyai", "anthropic", "elevenlabs"}} {
		agent := strings.Join(test[:], "-")
		newAgent(t, s, agent, choices[test[0]], choices[test[1]], choices[test[2]])
		t.Run(agent, func(t *testing.T) {
			t.Parallel()
			recording := filepath.Join(t.TempDir(), "agent.wav")
			r := call(t, s, 0, "--agent", agent, "--hang-up", "--record", recording, "--say", hours, "--say", name)
			understood(t, r, hours, name)
			replied(t, r, "eleven in the morning", "helen")
			if heard := transcribe(t, recording); commonWords(r, heard) < 0.6 {
				t.Errorf("pocketsphinx recognises %.0f %% of the agent's words in the recording, want 60: %q", 100*commonWords(r, heard), heard)
			}
			if items := errorsOf(t, s, r.CallID); len(items) > 0 {
				t.Errorf("error log: %+v", items)
			}
			measured(t, s, test[0]+" stt", test[1]+" llm", test[2]+" tts")
		})
	}
}
