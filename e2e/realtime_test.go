package e2e

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"parley/e2e/binary"
	"parley/internal/caller"
	"parley/internal/dialogue"
	"parley/internal/provider/emulator"
)

// parrot speaks the text that it is instructed to say verbatim, and otherwise answers as the informed waiter does.
func parrot(vendor string, p dialogue.Prompt) emulator.Reply {
	last := p.Messages[len(p.Messages)-1]
	if _, text, verbatim := strings.Cut(last.Content, "word for word, and nothing else:\n"); verbatim {
		return emulator.Reply{Text: text}
	}
	return informed(vendor, p)
}

// duplex are agents' choices of speech-to-speech models.
var duplex = map[string]object{
	"openai": {"provider": "openai", "model": "gpt-realtime-2.1", "voice": "marin"},
	"google": {"provider": "google", "model": "gemini-3.8-live", "voice": "Puck"},
}

// newRealtimeAgent returns an agent with a speech-to-speech model, and with a cascade as its fallback if it is given one.
func newRealtimeAgent(t *testing.T, s *binary.Server, name string, realtime object, cascade object) {
	t.Helper()
	config := object{"prompt": object{"system": "You answer the phone of a restaurant.", "greeting": greeting}, "realtime": realtime, "tools": []string{"opening_hours"}}
	for kind, choice := range cascade {
		config[kind] = choice
	}
	ask(t, s, http.MethodPost, "/api/v1/agents", object{"name": name, "config": config}, nil)
}

// Calls spoken with speech-to-speech models: the caller's words are understood and answered with the result of a tool, the answer
// is audible, and the call has transcript and figures as every call. An agent whose model is unreachable uses its cascade.
func TestRealtimeWires(t *testing.T) {
	t.Parallel()
	backend := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Write([]byte(`{"open":"eleven in the morning"}`))
	}))
	t.Cleanup(backend.Close)
	lines := []string{hours, name}
	v := newVendors(t, script{heard: map[string][]string{"deepgram": lines, "openai": lines, "google": lines}, answers: parrot})
	s := serve(t, filepath.Join(t.TempDir(), "data"), v.settings(keyOf))
	ask(t, s, http.MethodPost, "/api/v1/tools", object{"name": "opening_hours", "config": object{
		"parameters": []object{{"name": "day", "type": "string", "required": true}},
		"actions":    []object{{"type": "api_call", "method": "GET", "url": backend.URL + "/hours?day={{params.day}}", "timeout": 5}},
	}}, nil)
	for vendor, choice := range duplex {
		newRealtimeAgent(t, s, vendor, choice, nil)
		r := converseAloud(t, s, []string{hours, name}, []string{"eleven in the morning", "helen"}, vendor)
		if items := errorsOf(t, s, r.CallID); len(items) > 0 {
			t.Errorf("%s: error log: %+v", vendor, items)
		}
		measured(t, s, vendor+" stt", vendor+" llm") // a model may speak before it sends its words, as if it took no time
		var call struct {
			Metrics struct {
				TotalTokens int     `json:"total_tokens"`
				STT         float64 `json:"stt_latency_ms"`
				LLM         float64 `json:"llm_latency_ms"`
			}
		}
		ask(t, s, http.MethodGet, "/api/v1/calls/"+r.CallID, nil, &call)
		if m := call.Metrics; m.TotalTokens == 0 || m.STT == 0 || m.LLM == 0 {
			t.Errorf("%s: metrics %+v", vendor, m)
		}
	}
}

// A caller interrupts a speech-to-speech model: transcript and the model's context are truncated at what was played, or the model
// gets a message with what was played.
func TestRealtimeBargeIn(t *testing.T) {
	t.Parallel()
	const story = "We open at nine and close at ten, and in between we cook soups, stews, roasts, pies, cakes and whatever else our guests may want to eat."
	for vendor, choice := range duplex {
		t.Run(vendor, func(t *testing.T) {
			t.Parallel()
			known := make(chan string, 16)
			v := newVendors(t, script{heard: map[string][]string{vendor: {hours, name}}, answers: func(vendor string, p dialogue.Prompt) emulator.Reply {
				switch last := p.Messages[len(p.Messages)-1]; last.Content {
				case hours:
					return emulator.Reply{Text: story}
				case name:
					for _, m := range p.Messages {
						_, told, _ := strings.Cut(m.Content, "heard only: ")
						switch {
						case m.Role == dialogue.RoleAssistant && vendor == "openai" && strings.HasPrefix(m.Content, "We open"):
							known <- m.Content
						case told != "":
							known <- strings.Trim(told, `"`)
						}
					}
				}
				return parrot(vendor, p)
			}})
			s := serve(t, filepath.Join(t.TempDir(), "data"), v.settings(keyOf))
			ask(t, s, http.MethodPost, "/api/v1/tools", object{"name": "opening_hours", "config": object{"parameters": []object{}, "actions": []object{{"type": "set_flag", "name": "asked"}}}}, nil)
			newRealtimeAgent(t, s, "desk", choice, nil)
			r := converse(t, s, []string{hours, name}, nil, "--agent", "desk", "--hang-up", "--interrupt-after", "1500ms")
			heard := ""
			for _, e := range r.Transcript {
				if e.Role == "assistant" && strings.HasPrefix(e.Content, "We open") {
					heard = e.Content
				}
			}
			if heard == "" || heard == story || !strings.HasPrefix(story, heard) {
				t.Errorf("the transcript has %q", heard)
			}
			select {
			case text := <-known:
				if text == story || !strings.HasPrefix(story, text) {
					t.Errorf("the model knows %q", text)
				}
			default:
				t.Error("the model knows nothing of its answer")
			}
		})
	}
}

// A speech-to-speech model hands the call over to an agent with another: each speaks in its turn.
func TestRealtimeHandoff(t *testing.T) {
	t.Parallel()
	lines := []string{hours, name}
	v := newVendors(t, script{heard: map[string][]string{"openai": lines[1:], "google": lines[:1]}, answers: func(vendor string, p dialogue.Prompt) emulator.Reply {
		if last := p.Messages[len(p.Messages)-1]; vendor == "google" && last.Content == hours {
			return emulator.Reply{ToolCalls: []dialogue.ToolCall{{ID: "call_1", Name: "handoff_to_farewell", Arguments: json.RawMessage(`{}`)}}}
		}
		return parrot(vendor, p)
	}})
	s := serve(t, filepath.Join(t.TempDir(), "data"), v.settings(keyOf))
	for agent, vendor := range map[string]string{"desk": "google", "farewell": "openai"} {
		ask(t, s, http.MethodPost, "/api/v1/agents", object{"name": agent, "config": object{
			"prompt": object{"system": "You answer the phone of a restaurant.", "greeting": "Good day, this is the " + agent + "."}, "realtime": duplex[vendor]}}, nil)
	}
	ask(t, s, http.MethodPost, "/api/v1/workflows", object{"slug": "hours", "name": "Hours", "config": object{
		"nodes":       []object{{"id": "a", "agent_name": "desk", "is_entry": true}, {"id": "b", "agent_name": "farewell", "is_exit": true}},
		"connections": []object{{"source_id": "a", "target_id": "b"}}}}, nil)
	r := converse(t, s, lines, []string{"farewell", "helen"}, "--workflow", "hours", "--hang-up")
	if items := errorsOf(t, s, r.CallID); len(items) > 0 {
		t.Errorf("error log: %+v", items)
	}
	measured(t, s, "google llm", "openai llm")
}

// A speech-to-speech model that cannot be used, or that breaks in every answer: the agent's cascade speaks in its place, and
// without one the call ends with provider_error.
func TestRealtimeFails(t *testing.T) {
	t.Parallel()
	for vendor, choice := range duplex {
		t.Run(vendor, func(t *testing.T) {
			t.Parallel()
			lines := []string{name}
			v := newVendors(t, script{heard: map[string][]string{"deepgram": lines, vendor: lines}, answers: parrot})
			s := serve(t, filepath.Join(t.TempDir(), "data"), v.settings(keyOf))
			ask(t, s, http.MethodPost, "/api/v1/tools", object{"name": "opening_hours", "config": object{
				"parameters": []object{}, "actions": []object{{"type": "set_flag", "name": "asked"}},
			}}, nil)
			cascade := object{"stt": choices["deepgram"], "llm": choices["anthropic"], "tts": choices["cartesia"]}
			newRealtimeAgent(t, s, "both", choice, cascade)
			newRealtimeAgent(t, s, "alone", choice, nil)
			newRealtimeAgent(t, s, "voiceless", object{"provider": vendor, "model": choice["model"], "voice": "nobody"}, cascade)
			for _, test := range []struct {
				agent string
				fault emulator.Fault
				error string
			}{
				{"both", emulator.Broken, "the provider fails with status 50"},
				{"both", emulator.Drop, "dropped the connection"},
				{"voiceless", emulator.None, "refused by the provider"},
			} {
				v[vendor].Fail(test.fault)
				r := converse(t, s, lines, []string{"helen"}, "--agent", test.agent, "--hang-up")
				items := errorsOf(t, s, r.CallID)
				if n := len(items); n == 0 || items[n-1].Service != "llm" || !strings.Contains(items[n-1].Message, test.error) || !strings.Contains(items[n-1].Message, "the fallback takes its place") {
					t.Errorf("%s with fault %d: error log: %+v", test.agent, test.fault, items)
				}
			}
			v[vendor].Fail(emulator.Broken)
			if r := talk(t, s, caller.Options{Agent: "alone"}); r.Status != "failed" || r.StatusReason != "provider_error" {
				t.Errorf("without a cascade the call is %s (%s)", r.Status, r.StatusReason)
			}
		})
	}
}
