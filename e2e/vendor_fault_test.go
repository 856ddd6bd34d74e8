package e2e

import (
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"parley/client"
	"parley/e2e/binary"
	"parley/internal/caller"
	"parley/internal/provider/emulator"
)

// Connections that break in the middle of a call are made again, and the caller notices nothing.
func TestVendorsDropConnections(t *testing.T) {
	t.Parallel()
	v := newVendors(t, script{heard: map[string][]string{"deepgram": {hours}}, answers: waiter})
	s := serve(t, filepath.Join(t.TempDir(), "data"), v.settings(keyOf))
	newAgent(t, s, "desk", choices["deepgram"], choices["openai"], choices["cartesia"])
	before := 0
	r := converseAfter(t, func() {
		before = v["deepgram"].Connections()
		v["deepgram"].Fail(emulator.DropOnce) // at the first words
	}, s, []string{hours}, []string{"eleven in the morning"}, "--agent", "desk", "--hang-up")
	if n := v["deepgram"].Connections() - before; n != 2 {
		t.Errorf("%d connections to the recogniser, want 2", n)
	}
	if items := errorsOf(t, s, r.CallID); len(items) != 1 || items[0].Level != "warning" || items[0].Details.Provider != "deepgram" {
		t.Errorf("error log: %+v, want one warning of the recogniser", items)
	}
}

// talkOverFault makes a call of the agent "desk" to whose vendor something happens once it is dispatched: the question is answered all
// the same.
func talkOverFault(t *testing.T, s *binary.Server, vendor *emulator.Server, fault emulator.Fault) (r *caller.Result) {
	t.Helper()
	undisturbed(t, func() string {
		vendor.Fail(emulator.None)
		r = talk(t, s, caller.Options{Agent: "desk", Say: []string{hours}, Dispatched: func(*client.Dispatch) { vendor.Fail(fault) }})
		if r.Status != client.Completed || !repliedWith(r, "eleven in the morning") {
			return fmt.Sprintf("the call is %s with turns %+v", r.Status, r.Turns)
		}
		return ""
	})
	return r
}

// All vendors fail in the middle of a call: the fallbacks replace them, and no turn is lost.
func TestVendorsFallbacks(t *testing.T) {
	t.Parallel()
	v := newVendors(t, script{heard: map[string][]string{"deepgram": {hours, "lost"}, "assemblyai": {name}}, answers: waiter})
	s := serve(t, filepath.Join(t.TempDir(), "data"), v.settings(keyOf))
	newAgent(t, s, "desk", withFallback("deepgram", "assemblyai"), withFallback("openai", "anthropic"), withFallback("cartesia", "elevenlabs"))
	var outage sync.Once
	r := talk(t, s, caller.Options{Agent: "desk", Say: []string{hours, name}, Ready: func(line int) bool {
		if line == 1 { // the first answer has been heard
			outage.Do(func() {
				v["openai"].Fail(emulator.Broken)
				v["cartesia"].Close()
				v["deepgram"].Close()
			})
		}
		return true
	}})
	if r.Status != client.Completed {
		t.Errorf("status %q", r.Status)
	}
	if !understood(r, hours, name) {
		t.Errorf("transcript: %+v", r.Transcript)
	}
	replied(t, r, "eleven in the morning", "helen")
	replaced := map[string]bool{}
	for _, item := range errorsOf(t, s, r.CallID) {
		if item.Level != "warning" || item.Service != kinds[item.Details.Provider] || strings.Contains(item.Message, "://") {
			t.Errorf("error log: %+v", item)
		}
		if strings.Contains(item.Message, "the fallback takes its place") {
			replaced[item.Details.Provider] = true
		}
	}
	if len(replaced) != 3 || !replaced["deepgram"] || !replaced["openai"] || !replaced["cartesia"] {
		t.Errorf("the error log has the replacement of %v", replaced)
	}
	// The first turn has the vendors that failed after it, the second one their fallbacks.
	moments, err := s.API.Calls.Timeline(t.Context(), r.CallID)
	if err != nil {
		t.Fatal(err)
	}
	var turns [][3]string
	for _, m := range moments {
		if m.Type == client.MomentTurn {
			turns = append(turns, [3]string{m.STTProvider, m.LLMProvider, m.TTSProvider})
		}
	}
	if len(turns) != 2 || turns[0][0] != "deepgram" || turns[1] != [3]string{"assemblyai", "anthropic", "elevenlabs"} {
		t.Errorf("the timeline's turns: %v", turns)
	}
	measured(t, s, "assemblyai stt", "anthropic llm", "elevenlabs tts")
}

// A vendor that fails permanently, without a fallback, ends the call: the agent speaks an apology, and status, error log and
// webhook have the reason.
func TestVendorFailsForGood(t *testing.T) {
	t.Parallel()
	brain := emulator.NewOpenAI(t, emulator.Options{Key: keyOf("openai")}, emulator.Script{})
	t.Cleanup(brain.Close)
	s := serve(t, filepath.Join(t.TempDir(), "data"), vendors{"openai": brain}.settings(keyOf))
	newAgent(t, s, "desk", choices["hear"], choices["openai"], choices["speak"])
	r := receive(t)
	hook, err := s.API.Webhooks.Set(t.Context(), client.WebhookSettings{URL: r.URL})
	if err != nil {
		t.Fatal(err)
	}
	r.use(hook.Secret)
	ask(t, s, http.MethodPut, "/api/v1/agents/desk", object{"config": object{"prompt": object{"greeting": nil}}}, nil) // the model opens
	brain.Fail(emulator.Broken)
	d, _ := silentWith(t, s, "desk")
	c := awaitEnd(t, s, d.CallID, client.Disconnected, "provider_error")
	if c.StartedAt == nil {
		t.Error("the call was not active")
	}
	if said := entries(t, s, d.CallID, 1); len(said) != 1 || said[0].Role != "assistant" || !strings.Contains(said[0].Content, "sorry") {
		t.Errorf("transcript: %+v", said)
	}
	if items := errorsOf(t, s, d.CallID); len(items) != 1 || items[0].Level != "error" || items[0].Service != "llm" || items[0].Details.Provider != "openai" {
		t.Errorf("error log: %+v, want one error of the model", items)
	}
	if data := r.delivered(t, d.CallID, client.CallDisconnected); data.Status != client.Disconnected || data.StatusReason == nil || *data.StatusReason != "provider_error" {
		t.Errorf("the webhook's data: %+v", data)
	}
}
