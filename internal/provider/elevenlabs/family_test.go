package elevenlabs

import (
	"errors"
	"net/url"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/dialogue"
)

func TestFamilies(t *testing.T) {
	for model, want := range map[string][3]string{ // model_id, language_code, apply_text_normalization
		"":                       {"eleven_flash_v2_5", "de", ""},
		"eleven_flash_v2_5":      {"eleven_flash_v2_5", "de", ""},
		"eleven_turbo_v2_5":      {"eleven_turbo_v2_5", "de", ""},
		"eleven_multilingual_v2": {"eleven_multilingual_v2", "", "on"},
		"eleven_flash_v2":        {"eleven_flash_v2", "", "on"},
	} {
		address, _ := wireOf(t, dialogue.VoiceOptions{Model: model, VoiceID: "v", Language: "de-AT"}).Endpoint()
		u, err := url.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		q := u.Query()
		if diff := cmp.Diff(want, [3]string{q.Get("model_id"), q.Get("language_code"), q.Get("apply_text_normalization")}); diff != "" {
			t.Errorf("%q (-want +got):\n%s", model, diff)
		}
	}
}

// The agent's setting has precedence over the family's default.
func TestTextNormalizationOfTheAgent(t *testing.T) {
	for _, c := range []struct{ model, set, want string }{
		{"eleven_flash_v2_5", "on", "on"}, {"eleven_flash_v2_5", "auto", "auto"}, {"eleven_multilingual_v2", "off", "off"}, {"eleven_flash_v2", "", "on"},
	} {
		address, _ := wireOf(t, dialogue.VoiceOptions{Model: c.model, VoiceID: "v", TextNormalization: c.set}).Endpoint()
		u, err := url.Parse(address)
		if reads := New(Options{}).NormalizesText(dialogue.VoiceOptions{Model: c.model, VoiceID: "v", TextNormalization: c.set}); reads != (c.want == "on" || c.want == "auto") {
			t.Errorf("%s with %q: reads numbers %t", c.model, c.set, reads)
		}
		if err != nil || u.Query().Get("apply_text_normalization") != c.want {
			t.Errorf("%s, %q: %s, %v", c.model, c.set, address, err)
		}
	}
}

// The vendor answers the handshake with 403, without the reason.
func TestModelsWithoutAWebSocketAreRefused(t *testing.T) {
	for _, model := range []string{"eleven_v3", "eleven_v3_conversational"} {
		_, err := newWire(Options{Key: "k"}, dialogue.VoiceOptions{Model: model, VoiceID: "v"})
		if !errors.Is(err, dialogue.ErrRefused) || err.Error() != "the request is refused by the provider: "+model+": ElevenLabs does not serve it over a WebSocket" {
			t.Errorf("%s: %v", model, err)
		}
	}
}
