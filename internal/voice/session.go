// Package voice holds a conversation: it listens to a caller, decides whose
// turn it is, has a language model answer and speaks the answer.
//
// One loop (Session.Run) owns all state. Frames, transcripts and the parts of
// an answer in the making come to it over channels, each with the time it
// happened; the loop asks the turn-taker (turn.go) for a move and carries it
// out on the playout (playout.go). Nothing in it waits for a provider.
package voice

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"parley/internal/dialogue"
	"parley/internal/template"
)

// Options is what a session needs.
type Options struct {
	Plan      Plan
	Line      Line
	Providers Providers
	Journal   Journal
	// User is the call's user_context.
	User map[string]any
	// History is what was said before another worker took the call over.
	History []dialogue.Message
	// Turn overrides DefaultTurnOptions; the zero value means the defaults.
	Turn TurnOptions
	// SilenceTimeout ends a call in which nobody speaks.
	SilenceTimeout time.Duration
	Log            *slog.Logger
}

// End is why a conversation ended by itself.
type End string

// The ends of a conversation.
const (
	AgentEnded    End = "agent_ended"
	Silence       End = "silence"
	ProviderError End = "provider_error"
)

// farewellTail is how long the line stays open after the last frame, so that
// the caller's side plays it out.
const farewellTail = 300 * time.Millisecond

// apology is spoken when a provider failed and nothing can take its place.
const apology = "I am sorry, I have a technical problem. Please call again later."

// Session is one conversation.
type Session struct {
	o     Options
	scope template.Scope
	flow  *flow
	cast  cast

	turn   *TurnTaker
	listen *listener
	out    playout

	history []dialogue.Message
	current *answer
	latency Turn // of the caller's turn being answered
	parts   chan part

	retired   []*answer // cancelled, their goroutines ending
	finalAt   time.Time // when the last final transcript came
	lastSound time.Time // of either side
	state     State
	ending    End       // what follows when the current answer was heard
	endAt     time.Time // when it does
}

// New makes a session. It fails when the plan names no agent to begin with.
func New(o Options) (*Session, error) {
	if o.Turn == (TurnOptions{}) {
		o.Turn = DefaultTurnOptions
	}
	s := &Session{o: o, history: o.History, parts: make(chan part, 16)}
	s.scope = template.Scope{"user": o.User, "workflow": map[string]any{}, "flags": map[string]any{}, "params": map[string]any{}}
	flow, err := newFlow(o.Plan, s.scope)
	if err != nil {
		return nil, Problem{Service: Workflow, Critical: true, Message: err.Error(), At: time.Now()}
	}
	s.flow = flow
	s.cast.providers = o.Providers
	s.turn = NewTurnTaker(o.Turn)
	s.listen = newListener(s.turn)
	s.out.play = o.Line.Play
	return s, nil
}

// Agent is the name of the agent that speaks now.
func (s *Session) Agent() string { return s.flow.agent }

// Prepare opens the first agent's providers, so that Run can greet at once.
// Its error is a Problem.
func (s *Session) Prepare(ctx context.Context) error {
	return s.cast.take(ctx, s.flow.agent, s.flow.config())
}

// String prints the audio chain, from the caller's frames to the agent's.
func (s *Session) String() string {
	c := s.flow.config()
	return fmt.Sprintf("line 16 kHz → vad → stt %s/%s → turn → llm %s/%s → tts %s/%s → playout 24 kHz → line",
		c.STT.Provider, c.STT.Model, c.LLM.Provider, c.LLM.Model, c.TTS.Provider, c.TTS.VoiceID)
}

// Close ends the providers' streams. It follows Run, or Prepare without Run.
func (s *Session) Close() {
	s.drop()
	for _, a := range s.retired {
		a.done.Wait()
	}
	s.cast.close()
}

// Run holds the conversation until it ends by itself, which End names, or the
// context is cancelled, whose cause is returned. What was said until then is
// in the journal in both cases.
func (s *Session) Run(ctx context.Context) (End, error) {
	s.o.Log.InfoContext(ctx, "conversation begins", "chain", s.String())
	s.lastSound = time.Now()
	if len(s.history) == 0 {
		s.open(ctx, "The call begins. Greet the caller.")
	} else {
		s.setState(Listening)
	}
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		s.wake(timer)
		select {
		case <-ctx.Done():
			s.settle(time.Now())
			return "", context.Cause(ctx)
		case frame, ok := <-s.o.Line.Frames():
			if !ok {
				<-ctx.Done()
				continue
			}
			s.hearFrame(ctx, frame, time.Now())
		case t, ok := <-s.transcripts():
			if !ok {
				s.recognitionEnded(ctx)
				continue
			}
			s.hearText(ctx, t, time.Now())
		case p := <-s.parts:
			s.take(ctx, p)
		case <-timer.C:
		}
		now := time.Now()
		if s.turn.CallerSpeaks() {
			s.fillGap(ctx, now)
		}
		s.do(ctx, s.turn.Elapsed(now), now)
		if end := s.advance(ctx, now); end != "" {
			return end, nil
		}
	}
}

// wake sets the timer to the next moment at which time alone changes things.
func (s *Session) wake(timer *time.Timer) {
	next := s.lastSound.Add(s.o.SilenceTimeout)
	for _, t := range []time.Time{s.turn.Deadline(), s.out.next(), s.listen.gapDue(), s.endAt} {
		if !t.IsZero() && t.Before(next) {
			next = t
		}
	}
	timer.Reset(time.Until(next))
}

func (s *Session) transcripts() <-chan dialogue.Transcript {
	if s.cast.recognition == nil {
		return nil
	}
	return s.cast.recognition.Transcripts()
}

func (s *Session) hearFrame(ctx context.Context, pcm []int16, now time.Time) {
	recognition := s.cast.recognition
	move, ended, err := s.listen.frame(pcm, recognition, now)
	if s.turn.CallerSpeaks() {
		s.lastSound = now
	}
	if ended && recognition != nil && err == nil {
		err = recognition.Finalize()
	}
	if err != nil {
		s.o.Log.DebugContext(ctx, "recogniser refuses audio", "error", err)
	}
	s.do(ctx, move, now)
}

// fillGap stands in for frames that do not come while the caller speaks.
func (s *Session) fillGap(ctx context.Context, now time.Time) {
	for due := s.listen.gapDue(); !due.IsZero() && !due.After(now); due = s.listen.gapDue() {
		s.hearFrame(ctx, silentFrame, s.listen.lastFrame.Add(dialogue.FrameDuration))
	}
}

func (s *Session) hearText(ctx context.Context, t dialogue.Transcript, now time.Time) {
	if t.Final {
		s.finalAt = now
	}
	if s.ending != "" && s.out.finished() {
		return
	}
	s.do(ctx, s.turn.Heard(t.Text, t.Final, t.EndOfTurn, now), now)
}

// recognitionEnded opens a new recognition in place of one that broke.
func (s *Session) recognitionEnded(ctx context.Context) {
	err := s.cast.recognition.Err()
	s.cast.recognition.Close()
	s.cast.recognition = nil
	s.o.Journal.Problem(Problem{Service: STT, Message: fmt.Sprintf("stt provider %s: %v", s.flow.config().STT.Provider, err),
		Provider: s.flow.config().STT.Provider, Agent: s.flow.agent, At: time.Now()})
	s.takeCast(ctx)
}

// takeCast opens the current agent's providers; when that cannot be done the
// call ends with an apology.
func (s *Session) takeCast(ctx context.Context) bool {
	err := s.cast.take(ctx, s.flow.agent, s.flow.config())
	if err != nil && ctx.Err() == nil {
		s.fail(ctx, err)
	}
	return err == nil
}

// do carries out a move of the turn-taker.
func (s *Session) do(ctx context.Context, move Move, now time.Time) {
	switch move {
	case Draft:
		s.drop()
		s.answer(ctx, s.turn.Text(), true)
	case Discard:
		s.drop()
	case Commit:
		s.commit(ctx, now)
	case Pause:
		s.out.pause()
	case Resume:
		s.out.resume()
	case Interrupt:
		s.latency.Interrupted = true
		s.ending, s.endAt = "", time.Time{}
		s.settle(now)
		s.setState(Listening)
	}
}

// commit ends the caller's turn: the answer drafted to these very words is
// heard at once, or one is begun.
func (s *Session) commit(ctx context.Context, now time.Time) {
	text := s.turn.Taken()
	s.latency = Turn{Agent: s.flow.agent, Endpointing: now.Sub(s.turn.LastSpeech())}
	if s.finalAt.After(s.turn.LastSpeech()) {
		s.latency.STT = s.finalAt.Sub(s.turn.LastSpeech())
	}
	s.o.Journal.Said(Entry{Role: dialogue.RoleUser, Text: text, At: s.turn.LastSpeech(), Agent: s.flow.agent})
	if s.current == nil || !s.current.draft || s.current.to != text {
		s.drop()
		s.answer(ctx, text, false)
	}
	s.history = append(s.history, dialogue.Message{Role: dialogue.RoleUser, Content: text})
	s.current.draft = false
	s.turn.AgentHasFloor(true, now)
	s.out.release()
	s.setState(Thinking)
}

// open has the agent speak first: its greeting, or what the model makes of a
// cue.
func (s *Session) open(ctx context.Context, cue string) {
	greeting, _ := template.Render(s.flow.config().Prompt.Greeting, s.scope)
	if personal, ok := s.o.User["greeting"].(string); ok && personal != "" && len(s.history) == 0 {
		greeting = personal
	}
	s.history = append(s.history, dialogue.Message{Role: dialogue.RoleSystem, Content: cue})
	if strings.TrimSpace(greeting) == "" {
		s.answer(ctx, "", false)
		return
	}
	a := s.begin(ctx, "", false)
	a.recite(s.brief(), greeting, s.parts)
}

// answer begins the model's answer to the history and the caller's words.
func (s *Session) answer(ctx context.Context, to string, draft bool) {
	a := s.begin(ctx, to, draft)
	b := s.brief()
	if to != "" {
		b.prompt.Messages = append(b.prompt.Messages, dialogue.Message{Role: dialogue.RoleUser, Content: to})
	}
	a.think(b, s.parts)
}

func (s *Session) begin(ctx context.Context, to string, draft bool) *answer {
	a := &answer{to: to, draft: draft, begun: time.Now()}
	a.ctx, a.cancel = context.WithCancel(ctx)
	s.current = a
	s.out.begin(draft)
	if !draft {
		s.turn.AgentHasFloor(true, a.begun)
	}
	return a
}

func (s *Session) brief() brief {
	c := s.flow.config()
	system, _ := template.Render(c.Prompt.System, s.scope)
	b := brief{model: s.cast.model, voice: s.cast.voice, agent: s.flow.agent, prompt: dialogue.Prompt{
		Model: c.LLM.Model, System: system, Tools: s.flow.tools(), Temperature: c.LLM.Temperature,
		Messages: s.history[:len(s.history):len(s.history)],
	}}
	if c.LLM.MaxTokens != nil {
		b.prompt.MaxTokens = *c.LLM.MaxTokens
	}
	b.provider.llm, b.provider.tts = c.LLM.Provider, c.TTS.Provider
	offered := map[string]bool{}
	for _, tool := range b.prompt.Tools {
		offered[tool.Name] = true
	}
	b.offered = func(name string) bool { return offered[name] }
	return b
}

func (s *Session) setState(state State) {
	if s.state != state {
		s.state = state
		s.o.Line.SetState(state)
	}
}
