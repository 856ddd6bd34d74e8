package e2e

import (
	"context"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"parley/client"
	"parley/e2e/binary"
	"parley/internal/caller"
	"parley/internal/dialogue"
	"parley/internal/provider/emulator"
)

// kinds are what the vendors do.
var kinds = map[string]string{"deepgram": "stt", "assemblyai": "stt", "openai": "llm", "anthropic": "llm", "cartesia": "tts", "elevenlabs": "tts"}

// refusals are what the error log says of vendors that refuse a key. It repeats nothing that they send.
var refusals = map[string]string{"deepgram": keyRefused, "openai": keyRefused, "cartesia": keyRefused}

const keyRefused = "the key is refused by the provider (HTTP 401"

// A call with a key that is missing or refused fails when its caller joins, and the error log names the provider and the
// reason. The tenant's own key has precedence over the platform's, from the next call on, and until it is deleted.
func TestVendorsKeys(t *testing.T) {
	t.Parallel()
	v := newVendors(t, script{answers: func(string, dialogue.Prompt) emulator.Reply { return emulator.Reply{Text: "Good evening!"} }})
	s := serve(t, filepath.Join(t.TempDir(), "data"), v.settings(func(vendor string) string {
		if refusals[vendor] == "" {
			return "" // the platform has none
		}
		return "platform-key-that-is-refused"
	}))
	for vendor, kind := range kinds {
		of := map[string]object{"stt": choices["hear"], "llm": choices["think"], "tts": choices["speak"]}
		of[kind] = choices[vendor]
		newAgent(t, s, vendor, of["stt"], of["llm"], of["tts"])
	}
	refused := func(t *testing.T, vendor string) {
		t.Helper()
		r, warnings := join(t, s, vendor)
		if r.Status != client.Failed || r.StatusReason != "provider_error" {
			t.Errorf("the call ended as %s with %s", r.Status, r.StatusReason)
		}
		items := errorsOf(t, s, r.CallID)
		if len(items) != 1 {
			t.Fatalf("error log: %+v, want one item", items)
		}
		item, reason, warned := items[0], refusals[vendor], 0
		if reason == "" {
			reason, warned = "it needs "+strings.ToUpper(vendor)+"_API_KEY", 1
		}
		if item.Service != kinds[vendor] || item.Level != "error" || item.Details.Provider != vendor || !strings.Contains(item.Message, vendor) || !strings.Contains(item.Message, reason) {
			t.Errorf("error log: %+v, want one of %s with %s", item, vendor, reason)
		}
		if len(warnings) != warned || warned == 1 && !strings.Contains(warnings[0], reason) {
			t.Errorf("warnings %q", warnings)
		}
	}
	t.Run("refused", func(t *testing.T) {
		for vendor := range kinds {
			t.Run(vendor, func(t *testing.T) {
				t.Parallel()
				refused(t, vendor)
			})
		}
	})

	var ids []string
	for vendor, kind := range kinds {
		var kept struct{ ID string }
		ask(t, s, http.MethodPost, "/api/v1/provider-keys", object{"provider_type": kind, "provider_name": vendor, "api_key": keyOf(vendor), "base_url": v[vendor].URL}, &kept)
		ids = append(ids, kept.ID)
	}
	// The model opens the conversation: each of the three is used.
	t.Run("the tenant's own", func(t *testing.T) {
		for _, trio := range [][3]string{{"deepgram", "openai", "cartesia"}, {"assemblyai", "anthropic", "elevenlabs"}} {
			agent := strings.Join(trio[:], "-")
			newAgent(t, s, agent, choices[trio[0]], choices[trio[1]], choices[trio[2]])
			ask(t, s, http.MethodPut, "/api/v1/agents/"+agent, object{"config": object{"prompt": object{"greeting": nil}}}, nil)
			t.Run(agent, func(t *testing.T) {
				t.Parallel()
				r, warnings := join(t, s, agent)
				if r.Status != client.Completed || len(warnings) > 0 || len(r.Transcript) != 1 || r.Transcript[0].Content != "Good evening!" {
					t.Errorf("%+v, warnings %q, error log %+v", r, warnings, errorsOf(t, s, r.CallID))
				}
			})
		}
	})
	// Keys that are deleted while a call waits for its caller are not used in it.
	r := talk(t, s, caller.Options{Agent: "deepgram-openai-cartesia", Dispatched: func(d *client.Dispatch) {
		for _, id := range ids {
			ask(t, s, http.MethodDelete, "/api/v1/provider-keys/"+id, nil, nil)
		}
	}})
	if r.Status != client.Failed || r.StatusReason != "provider_error" {
		t.Errorf("with keys that were deleted before the caller came: %+v", r)
	}
	for _, vendor := range []string{"openai", "elevenlabs"} {
		t.Run("without "+vendor+"'s key", func(t *testing.T) { refused(t, vendor) })
	}
	if strings.Contains(s.Log.String(), "key-of-") || strings.Contains(s.Log.String(), "platform-key") {
		t.Error("the log holds keys")
	}
}

// join places a call whose caller says nothing and leaves after the greeting, if there is one.
func join(t *testing.T, s *binary.Server, agent string) (r *caller.Result, warnings []string) {
	t.Helper()
	r = talk(t, s, caller.Options{Agent: agent, Dispatched: func(d *client.Dispatch) { warnings = d.Warnings }})
	return r, warnings
}

// talk places a call in this process.
func talk(t *testing.T, s *binary.Server, o caller.Options) *caller.Result {
	t.Helper()
	if len(o.Say) > 0 {
		defer acquireLine()()
	}
	ctx, cancel := context.WithTimeout(t.Context(), callTimeout)
	defer cancel()
	o.Server, o.APIKey, o.HangUp = s.URL, s.Key, true
	r, err := caller.Run(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}
