package e2e

import (
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"parley/client"
	"parley/internal/dialogue"
	"parley/internal/provider/emulator"
)

// In a spoken call, two utterances in another language of the agent change recogniser, voice and prompt before the second is answered. The
// timeline and an event say so.
func TestLanguagesAutoInACall(t *testing.T) {
	t.Parallel()
	const first, second, third = "ich möchte einen tisch reservieren", "haben sie morgen um fünf noch etwas frei", "vielen dank bis morgen dann"
	v := newVendors(t, script{heard: map[string][]string{"deepgram": {hours, first, second}, "assemblyai": {third}}, answers: func(_ string, p dialogue.Prompt) emulator.Reply {
		if strings.HasPrefix(p.System, "Du bist der Empfang.") {
			return emulator.Reply{Text: "Sehr gern, das geht."}
		}
		return emulator.Reply{Text: "Yes of course we do."}
	}})
	s := serve(t, filepath.Join(t.TempDir(), "data"), v.settings(keyOf))
	newAgent(t, s, "desk", choices["deepgram"], choices["openai"], choices["cartesia"])
	ask(t, s, http.MethodPut, "/api/v1/agents/desk", object{"config": object{"languages": []string{"en", "de"}, "default_language": "en", "languages_auto": true,
		"by_language": object{"de": object{"prompt": object{"system": "Du bist der Empfang."}, "stt": choices["assemblyai"], "tts": choices["elevenlabs"]}}}}, nil)

	w := receive(t)
	hook, err := s.API.Webhooks.Set(t.Context(), client.WebhookSettings{URL: w.URL})
	if err != nil {
		t.Fatal(err)
	}
	w.use(hook.Secret)

	const yes, gern = "yes of course", "sehr gern"
	r := converse(t, s, []string{hours, first, second, third}, []string{yes, yes, gern, gern}, "--agent", "desk", "--hang-up")
	measured(t, s, "deepgram stt", "assemblyai stt", "cartesia tts", "elevenlabs tts")
	var moments []struct {
		Type, Language string
	}
	ask(t, s, http.MethodGet, "/api/v1/calls/"+r.CallID+"/timeline", nil, &moments)
	changed := 0
	for _, m := range moments {
		if m.Type == "language_changed" {
			changed++
			if m.Language != "de" {
				t.Errorf("%+v", m)
			}
		}
	}
	if changed != 1 {
		t.Errorf("the language changed %d times: %+v", changed, moments)
	}
	w.delivered(t, r.CallID, "call.language.changed")
	if items := errorsOf(t, s, r.CallID); len(items) > 0 {
		t.Errorf("error log: %+v", items)
	}
}
