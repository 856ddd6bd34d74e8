package attack

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"parley/client"
	"parley/e2e/binary"
	"parley/e2e/callers"
	"parley/internal/dialogue"
	"parley/internal/media"
	"parley/internal/provider/emulator"
)

var joiner = media.NewJoiner(nil)

// countingModel is an emulated language model that counts what calls have it do.
type countingModel struct {
	*emulator.Server
	mu         sync.Mutex
	requests   int
	characters int // of all messages of all prompts
	longest    int // characters of the longest prompt
}

const modelKey = "key-of-the-model"

func newCountingModel(t *testing.T, answer string) *countingModel {
	t.Helper()
	m := new(countingModel)
	m.Server = emulator.NewOpenAI(t, emulator.Options{Key: modelKey}, emulator.Script{Answer: func(p dialogue.Prompt) emulator.Reply {
		size := utf8.RuneCountInString(p.System)
		for _, message := range p.Messages {
			size += utf8.RuneCountInString(message.Content)
		}
		m.mu.Lock()
		defer m.mu.Unlock()
		m.requests++
		m.characters += size
		m.longest = max(m.longest, size)
		return emulator.Reply{Text: answer}
	}})
	t.Cleanup(m.Close)
	return m
}

func (m *countingModel) counted() (requests, characters, longest int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.requests, m.characters, m.longest
}

// settings lead a server to the model.
func (m *countingModel) settings() map[string]string {
	return map[string]string{"OPENAI_BASE_URL": m.URL, "OPENAI_API_KEY": modelKey}
}

// newModelDesk makes the agent desk, which speaks offline and answers with a model of OpenAI.
func newModelDesk(t *testing.T, s *binary.Server, key string) {
	t.Helper()
	post(t, s, key, "/api/v1/agents", object{"name": "desk", "config": object{
		"stt": object{"provider": "offline", "model": "pocketsphinx"}, "tts": object{"provider": "offline", "voice_id": "slt"},
		"llm": object{"provider": "openai", "model": "gpt-4.1"}, "prompt": object{"system": "You are a desk.", "greeting": "Hello."}}})
}

// joinDesk starts a call of the agent desk, whose caller joins, is silent and may write.
func joinDesk(t *testing.T, s *binary.Server, agent string) (*client.Dispatch, *media.Participant) {
	t.Helper()
	d, err := s.API.Calls.TestAgent(t.Context(), client.TestAgent{AgentName: agent})
	if err != nil {
		t.Fatal(err)
	}
	p, err := joiner.Join(t.Context(), media.JoinOptions{URL: d.URL, Token: d.Token, Data: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Leave)
	go callers.StayQuiet(p)
	return d, p
}

// floodTexts is a caller who sends so many texts of so many bytes a second until the context ends. It returns how many were sent.
func floodTexts(ctx context.Context, p *media.Participant, perSecond, size int) (sent int) {
	text := strings.Repeat("spend ", size/6)
	tick := time.NewTicker(time.Second / time.Duration(perSecond))
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			if p.SendText(media.TopicChat, text) == nil {
				sent++
			}
		case <-ctx.Done():
			return sent
		}
	}
}

// errorMessages are the messages of a tenant's error log.
func errorMessages(t *testing.T, s *binary.Server, key string) string {
	t.Helper()
	_, text := send(t, s, key, http.MethodGet, "/api/v1/analytics/errors?limit=200", "")
	var page struct{ Items []struct{ Message string } }
	if err := json.Unmarshal(text, &page); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	var all []string
	for _, item := range page.Items {
		all = append(all, item.Message)
	}
	return strings.Join(all, "\n")
}

// A caller who sends 20 texts of 8 kB a second has the model asked no more often than the limits of a call allow, and stays in the call.
func TestCallerFloodsTexts(t *testing.T) {
	t.Parallel()
	model := newCountingModel(t, "Yes.")
	s := start(t, model.settings())
	newModelDesk(t, s, s.Key)
	d, caller := joinDesk(t, s, "desk")
	await(t, "the call is active", func() bool {
		c, err := s.API.Calls.Get(t.Context(), d.CallID)
		return err == nil && c.Status == client.Active
	})
	began := time.Now()
	ctx, cancel := context.WithTimeout(t.Context(), time.Duration(size(8, 60))*time.Second)
	defer cancel()
	sent := floodTexts(ctx, caller, 20, 8000)
	requests, characters, longest := model.counted()
	seconds := time.Since(began).Seconds()
	t.Logf("%d texts sent: %d requests, %d characters of prompts, the longest %d, in %.1f s", sent, requests, characters, longest, seconds)
	// 10 texts at once and 30 a minute, each answered, some generated again with the next one.
	if most := 2 * (10 + int(seconds/2) + 1); requests > most {
		t.Errorf("%d requests in %.1f s, want %d at most", requests, seconds, most)
	}
	if most := 100_000 + 10_000 + 1000; longest > most {
		t.Errorf("a prompt has %d characters, want %d at most", longest, most)
	}
	if c, err := s.API.Calls.Get(t.Context(), d.CallID); err != nil || c.Status != client.Active {
		t.Errorf("the caller's call: %+v, %v", c, err)
	}
	await(t, "the error log names the limits", func() bool {
		items := errorMessages(t, s, s.Key)
		return strings.Contains(items, "limit texts_per_minute") && strings.Contains(items, "limit text_characters")
	})
}
