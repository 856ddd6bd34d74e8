package voice

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"parley/internal/agent"
	"parley/internal/dialogue"
	"parley/internal/voice/providers"
)

const ms = time.Millisecond

// scenario is a conversation in virtual time: a session, everything around it
// scripted, and what came of it.
type scenario struct {
	controls chan Control
	*testing.T
	line        *fakeLine
	recognizer  *fakeRecognizer
	model       *fakeModel
	synthesizer *fakeSynthesizer
	ear2        *fakeRecognizer  // the fallbacks
	brain2      *fakeModel       // of all
	mouth2      *fakeSynthesizer // three
	journal     *fakeJournal
	session     *Session
	tools       *fakeTools
	duplex      *duplex
	options     Options

	missing map[string]bool // providers that cannot be used
	cache   *fakeCache      // nil for none
	cancel  context.CancelCauseFunc
	ended   chan struct{}
	end     End
	err     error
}

func (s *scenario) Recognizer(name string) (dialogue.Recognizer, error) {
	if name == "ear2" {
		return s.ear2, s.usable(name)
	}
	return s.recognizer, s.usable(name)
}

func (s *scenario) Synthesizer(name string) (dialogue.Synthesizer, error) {
	if name == "mouth2" {
		return s.mouth2, s.usable(name)
	}
	return s.synthesizer, s.usable(name)
}

func (s *scenario) SpeechCache(provider string, o dialogue.VoiceOptions) providers.SpeechCache {
	if s.cache == nil {
		return nil
	}
	return cachedVoice{s.cache, fmt.Sprintf("%s %+v", provider, o)}
}

func (s *scenario) LanguageModel(name string) (dialogue.LanguageModel, error) {
	if name == "brain2" {
		return s.brain2, s.usable(name)
	}
	return s.model, s.usable(name)
}

func (s *scenario) usable(name string) error {
	if s.missing[name] {
		return dialogue.NewError("there is no key for it")
	}
	return nil
}

func config(greeting string) agent.Config {
	return agent.Config{
		Prompt: agent.Prompt{System: "You are kind.", Greeting: greeting},
		STT:    agent.STT{Provider: "recognizer", Model: "e1"},
		TTS:    agent.TTS{Provider: "synthesizer", VoiceID: "anna"},
		LLM:    agent.LLM{Provider: "model", Model: "b1"},
	}
}

// perform plays a conversation. Prepare changes what is set up, act plays the
// caller; when act returns the call is cancelled unless it has ended.
func perform(t *testing.T, prepare func(s *scenario), act func(s *scenario), check func(s *scenario)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := &scenario{T: t, line: &fakeLine{frames: make(chan []int16)}, recognizer: &fakeRecognizer{lag: 100 * ms},
			synthesizer: &fakeSynthesizer{delay: 80 * ms}, ear2: &fakeRecognizer{lag: 100 * ms}, mouth2: &fakeSynthesizer{delay: 80 * ms}, journal: &fakeJournal{}, missing: map[string]bool{}, ended: make(chan struct{})}
		s.model = &fakeModel{reply: func(dialogue.Prompt) []step { return []step{{after: 150 * ms, text: "We open at nine."}} }}
		s.brain2 = &fakeModel{reply: func(dialogue.Prompt) []step { return []step{{after: 150 * ms, text: "The other one says ten."}} }}
		s.options = Options{
			Plan: Plan{Agent: "anna", Agents: map[string]agent.Config{"anna": config("Hello there.")}},
			Line: s.line, Providers: s, Journal: s.journal, SilenceTimeout: time.Minute,
			Log: slog.New(slog.DiscardHandler),
		}
		ctx, cancel := context.WithCancelCause(t.Context())
		defer cancel(nil)
		s.cancel = cancel
		if prepare != nil {
			prepare(s)
		}
		var err error
		if s.session, err = New(s.options); err != nil {
			t.Fatal(err)
		}
		if s.err = s.session.Prepare(ctx); s.err != nil {
			s.session.Close()
			check(s)
			return
		}
		hungUp := make(chan struct{})
		go s.line.run(hungUp)
		go func() {
			defer close(s.ended)
			s.end, s.err = s.session.Run(ctx)
		}()
		act(s)
		cancel(errHungUp)
		<-s.ended
		s.session.Close()
		s.session.Close()
		close(hungUp)
		synctest.Wait()
		if s.synthesizer.open+s.mouth2.open != 0 {
			t.Errorf("%d voices left open", s.synthesizer.open+s.mouth2.open)
		}
		check(s)
	})
}

var errHungUp = errors.New("hung up")

// say has the caller speak for a while, without waiting for it.
func (s *scenario) say(text string, d time.Duration) {
	if text != "" {
		s.recognizer.mu.Lock()
		s.recognizer.texts = append(s.recognizer.texts, text)
		s.recognizer.mu.Unlock()
	}
	s.line.mu.Lock()
	s.line.until, s.line.spoken = time.Now().Add(d), 0
	s.line.mu.Unlock()
}

func (s *scenario) wait(d time.Duration) {
	select {
	case <-time.After(d):
	case <-s.ended:
	}
}

// waitEnd waits for the conversation to end by itself.
func (s *scenario) waitEnd(want End) {
	s.Helper()
	select {
	case <-s.ended:
		if s.end != want || s.err != nil {
			s.Errorf("ended with %q, %v; want %q", s.end, s.err, want)
		}
	case <-time.After(20 * time.Minute):
		s.Error("did not end")
	}
}

func (s *scenario) wantLines(want ...string) {
	s.Helper()
	if diff := cmp.Diff(want, s.journal.lines); diff != "" {
		s.Errorf("transcript (-want +got):\n%s", diff)
	}
}

func (s *scenario) wantTurns(want ...Turn) {
	s.Helper()
	if diff := cmp.Diff(want, s.journal.turns, cmpopts.IgnoreFields(Turn{}, "Providers")); diff != "" {
		s.Errorf("turns (-want +got):\n%s", diff)
	}
}

// wantProblems compares the error log: level, service, provider and the
// message from the provider's name on.
func (s *scenario) wantProblems(want ...string) {
	s.Helper()
	var got []string
	for _, p := range s.journal.problems {
		level := "warning"
		if p.Critical {
			level = "error"
		}
		got = append(got, strings.Join([]string{level, string(p.Service), strings.TrimPrefix(p.Message, string(p.Service)+" provider ")}, " "))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		s.Errorf("problems (-want +got):\n%s", diff)
	}
}

func TestChain(t *testing.T) {
	s, err := New(Options{Line: &fakeLine{}, Plan: Plan{Agent: "anna", Agents: map[string]agent.Config{"anna": config("")}}})
	if err != nil {
		t.Fatal(err)
	}
	want := "line 16 kHz → vad → stt recognizer/e1 → turn → llm model/b1 → tts synthesizer/anna → playout 24 kHz → line"
	if got := s.String(); got != want {
		t.Errorf("chain is %s, want %s", got, want)
	}
}

func TestQuestionAndAnswer(t *testing.T) {
	perform(t, nil, func(s *scenario) {
		s.wait(2 * time.Second) // the greeting
		s.say("when do you open", 1000*ms)
		s.wait(5 * time.Second)
	}, func(s *scenario) {
		s.wantLines("assistant: Hello there.", "user: when do you open", "assistant: We open at nine.")
		s.wantTurns(Turn{Agent: "anna", Endpointing: 600 * ms, STT: 300 * ms, LLM: 150 * ms, TTS: 80 * ms, VoiceToVoice: 600 * ms})
		if !errors.Is(s.err, errHungUp) || s.end != "" {
			s.Errorf("ended with %q, %v", s.end, s.err)
		}
		if diff := cmp.Diff([]State{Speaking, Listening, Thinking, Speaking, Listening}, s.line.states); diff != "" {
			s.Errorf("states (-want +got):\n%s", diff)
		}
	})
}
