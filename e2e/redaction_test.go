package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"parley/internal/audio"
	"parley/internal/dialogue"
	"parley/internal/provider/emulator"
)

// In a spoken call no request to a language model holds the card that the caller names, neither the agent's nor the analysis' after it; the
// tool is called with it, and the voice says it.
func TestRedactionBeforeTheModel(t *testing.T) {
	t.Parallel()
	const card, number = "my card is 4242 4242 4242 4242", "4242 4242 4242 4242"
	var mu sync.Mutex
	var charged, leaked []string
	analysed := false
	shop := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mu.Lock()
		defer mu.Unlock()
		charged = append(charged, string(body))
		fmt.Fprintf(w, `{"charged":%q}`, number)
	}))
	t.Cleanup(shop.Close)
	answers := func(_ string, p dialogue.Prompt) emulator.Reply {
		encoded, _ := json.Marshal(p)
		mu.Lock()
		defer mu.Unlock()
		if strings.Contains(string(encoded), "4242") {
			leaked = append(leaked, string(encoded))
		}
		last := p.Messages[len(p.Messages)-1]
		switch {
		case !strings.Contains(p.System, "answer the phone"):
			analysed = true
			return emulator.Reply{Text: `{"data":{"topic":"a card"}}`}
		case last.Role == dialogue.RoleTool:
			return emulator.Reply{Text: "Your card [card_1] was charged."}
		case last.Content == "my card is [card_1]":
			return emulator.Reply{ToolCalls: []dialogue.ToolCall{{ID: "call_1", Name: "charge", Arguments: json.RawMessage(`{"card":"[card_1]"}`)}}}
		}
		return emulator.Reply{Text: "I did not understand that."}
	}
	v := newVendors(t, script{heard: map[string][]string{"deepgram": {card}}, answers: answers})
	s := serve(t, filepath.Join(t.TempDir(), "data"), v.settings(keyOf))
	ask(t, s, http.MethodPost, "/api/v1/tools", object{"name": "charge", "config": object{
		"parameters": []object{{"name": "card", "type": "string", "required": true}},
		"actions":    []object{{"type": "api_call", "method": "POST", "url": shop.URL, "body": object{"card": "{{params.card}}"}, "timeout": 5}},
	}}, nil)
	ask(t, s, http.MethodPost, "/api/v1/analyses", object{"name": "topic", "schema": object{"type": "object", "properties": object{"topic": object{"type": "string"}}}}, nil)
	newAgent(t, s, "till", choices["deepgram"], choices["openai"], choices["cartesia"])
	ask(t, s, http.MethodPut, "/api/v1/agents/till", object{"config": object{"tools": []string{"charge"}, "analyses": []string{"topic"}, "redaction": object{"before_model": true}}}, nil)
	r := converse(t, s, []string{card}, []string{"was charged"}, "--agent", "till", "--hang-up")
	await(t, "the analysis has asked", func() bool {
		mu.Lock()
		defer mu.Unlock()
		return analysed
	})
	mu.Lock()
	defer mu.Unlock()
	if len(leaked) > 0 {
		t.Errorf("a model got the card: %s", leaked[0])
	}
	if want := `{"card":"` + number + `"}`; len(charged) == 0 || charged[0] != want {
		t.Errorf("the tool was called with %q, want %s", charged, want)
	}
	for _, e := range r.Transcript {
		if e.Role == "assistant" && strings.Contains(e.Content, "4242") {
			t.Errorf("the agent's words in the transcript: %s", e.Content)
		}
	}
	if items := errorsOf(t, s, r.CallID); len(items) > 0 {
		t.Errorf("error log: %+v", items)
	}
}

// The recording of a call is silent on the caller's side while they say a number, and holds what else they say, also of the same utterance
// where the recogniser has the times of its words.
func TestRedactionOfTheRecording(t *testing.T) {
	t.Parallel()
	const number = "good morning it is 030 1234567 thank you and goodbye"
	v := newVendors(t, script{heard: map[string][]string{"deepgram": {hours, number, name}}, answers: func(_ string, p dialogue.Prompt) emulator.Reply {
		if strings.HasSuffix(p.Messages[len(p.Messages)-1].Content, number) {
			return emulator.Reply{Text: "I have noted your number."}
		}
		return waiter("", p)
	}})
	s := serve(t, filepath.Join(t.TempDir(), "data"), v.settings(keyOf))
	newAgent(t, s, "desk", choices["deepgram"], choices["openai"], choices["cartesia"])
	ask(t, s, http.MethodPut, "/api/v1/agents/desk", object{"config": object{"recording": true, "redaction": object{"recordings": true}}}, nil)
	r := converse(t, s, []string{hours, number, name}, []string{"open from eleven", "noted your number", "my name is helen"}, "--agent", "desk", "--hang-up")
	var recording []byte
	await(t, "the recording is there", func() bool {
		var err error
		recording, err = s.API.Calls.Recording(t.Context(), r.CallID)
		return err == nil
	})
	left, right := sides(t, recording)
	answers := pauses(right)
	if len(answers) < 4 {
		t.Fatalf("the agent speaks %d times in the recording", len(answers))
	}
	// The caller speaks between what the agent says.
	for n := range 3 {
		between := left[answers[n].end:answers[n+1].start]
		heard := pauses(between)
		if len(heard) == 0 {
			t.Fatalf("nothing is heard of the caller's utterance %d", n)
		}
		whole := between[heard[0].start:heard[len(heard)-1].end]
		part := func(from, to int) float64 { return audio.Level(whole[len(whole)*from/100 : len(whole)*to/100]) }
		if begin, middle, end := part(0, 20), part(48, 52), part(80, 100); begin < -50 || end < -50 || (middle < -60) != (n == 1) {
			t.Errorf("the caller's utterance %d has %.0f dBFS at its beginning, %.0f in its middle and %.0f at its end", n, begin, middle, end)
		}
	}
}

// spoken is where somebody speaks in a recording, in samples.
type spoken struct{ start, end int }

// pauses returns where somebody speaks, with pauses of a second between.
func pauses(pcm []int16) (list []spoken) {
	const step, gap = dialogue.ListenRate / 50, dialogue.ListenRate
	for at := 0; at+step <= len(pcm); at += step {
		if audio.Level(pcm[at:at+step]) < -45 {
			continue
		}
		if len(list) == 0 || at-list[len(list)-1].end > gap {
			list = append(list, spoken{start: at})
		}
		list[len(list)-1].end = at + step
	}
	return list
}
