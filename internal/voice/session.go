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
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"sync"
	"time"

	"parley/internal/audio"
	"parley/internal/dialogue"
	"parley/internal/template"
	"parley/internal/tool"
	"parley/internal/voice/playout"
	"parley/internal/voice/turn"
)

// Options is what a session needs.
type Options struct {
	Plan      Plan
	Line      Line
	Providers Providers
	Journal   Journal
	// Tools runs the plan's tools; without it none is offered.
	Tools Tools
	// Phone is the call's leg in the telephone network; nil when it has none.
	Phone tool.Phone
	// User is the call's user_context.
	User map[string]any
	// History is what was said before the call was taken over from a worker
	// that vanished, and Resume the agent that spoke then; "" for a new call.
	History []dialogue.Message
	Resume  string
	// Keep takes what a worker needs, besides these, to take the call over, and
	// Kept is what one took; it holds what the caller told and is to be
	// sealed. Keep does not wait; what it returns is closed when the context is
	// kept.
	Keep func(context json.RawMessage) (kept <-chan struct{})
	Kept json.RawMessage
	// Turn is what agents override; the zero value means turn.DefaultOptions.
	Turn turn.Options
	// SilenceTimeout ends a call in which nobody speaks; 0 means never.
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

// Session is one conversation.
type Session struct {
	o     Options
	scope template.Scope
	flow  *flow

	cast      cast
	castings  chan casting
	casting   bool // providers are being opened
	handing   bool // the call goes over to an agent whose providers are being opened
	unheard   bool // the agent has the call by a handoff, and neither it nor the caller has said anything
	breaks    int  // of recognitions, lately
	lastBreak time.Time
	broken    dialogue.Recognition // the last that did

	lost map[seat]bool // what failed in this call

	turn   *turn.Detector
	listen *turn.SpeechTracker
	feed   feed
	out    *playout.Queue

	history []dialogue.Message
	current *answer
	latency Turn      // of the caller's turn being answered
	spokeAt time.Time // the caller's last sound in it
	parts   chan part

	mask         tool.Mask
	uses         uses
	transferring bool
	transfers    chan error

	options    turn.Options // of the current agent
	finalAt    time.Time    // when the last final transcript came
	quiet      quiet
	lastPlayed time.Time // when the agent was last heard
	ending     End       // what follows when the current answer was heard
	endAt      time.Time // when it does
	unknown    map[string]bool

	callerWords captions
	agentWords  captions

	state  State
	states chan State

	work sync.WaitGroup // every goroutine of the session
}

// New makes a session. It fails when the plan names no agent to begin with.
func New(o Options) (*Session, error) {
	if o.Turn == (turn.Options{}) {
		o.Turn = turn.DefaultOptions
	}
	if o.Tools == nil {
		o.Plan.Tools = nil
	}
	s := &Session{o: o, mask: tool.NewMask(o.User), uses: uses{ended: make(chan ran)}, transfers: make(chan error, 1), history: o.History, unknown: map[string]bool{}, lost: map[seat]bool{},
		parts: make(chan part, 16), castings: make(chan casting, 1), states: make(chan State, 1)}
	s.scope = template.Scope{"user": o.User, "params": map[string]any{}}
	flow, err := newFlow(o.Plan, s.scope)
	if err != nil {
		return nil, Problem{Service: Workflow, Critical: true, Message: err.Error(), At: time.Now()}
	}
	if o.Resume != "" {
		flow.resume(o.Resume)
	}
	s.flow = flow
	s.restore(o.Kept)
	s.lackInputs()
	s.turn = turn.NewDetector(o.Turn)
	s.tune()
	s.listen = turn.NewSpeechTracker(s.turn)
	s.out = playout.NewQueue(o.Line.Play)
	s.callerWords = captions{role: dialogue.RoleUser, publish: o.Line.Caption}
	s.agentWords = captions{role: dialogue.RoleAssistant, publish: o.Line.Caption}
	return s, nil
}

// Agent is the name of the agent that speaks now. While Run runs, only the
// Journal's methods may ask.
func (s *Session) Agent() string { return s.flow.agent }

// Prepare opens the first agent's providers, so that Run can greet at once.
// The context ends their streams. Its error is a Problem, or, when the context
// ends before they are open, its cause.
func (s *Session) Prepare(ctx context.Context) error {
	o := s.opening()
	o.first = true
	opened := o.open(ctx)
	s.lose(opened.losses...)
	s.cast = opened.cast
	var problem Problem
	if errors.As(opened.err, &problem) {
		return s.masked(problem)
	}
	return opened.err
}

// opening is what it takes to open the current agent's providers.
func (s *Session) opening() opening {
	return opening{providers: s.o.Providers, name: s.flow.agent, config: s.flow.config(), language: s.language(), chosen: s.chosenLanguage(), old: s.cast, lost: maps.Clone(s.lost)}
}

// String prints the audio chain, from the caller's frames to the agent's.
func (s *Session) String() string {
	c := s.flow.config()
	return fmt.Sprintf("line 16 kHz → vad → stt %s/%s → turn → llm %s/%s → tts %s/%s → playout 24 kHz → line",
		c.STT.Provider, c.STT.Model, c.LLM.Provider, c.LLM.Model, c.TTS.Provider, c.TTS.VoiceID)
}

// Close ends the providers' streams. It follows Run, or Prepare without Run,
// and may be called twice. No goroutine of the session is left then.
func (s *Session) Close() {
	s.drop()
	s.work.Wait()
	select {
	case c := <-s.castings: // came too late for Run
		c.cast.closeBut(s.cast)
	default:
	}
	s.cast.closeBut(cast{})
}

// Run holds the conversation until it ends by itself, which End names, or the
// context is cancelled, whose cause is returned. What was said until then is
// in the journal in both cases. It follows Prepare and runs once.
func (s *Session) Run(ctx context.Context) (End, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer s.conclude()
	s.announceStates()
	defer close(s.states)
	s.o.Log.InfoContext(ctx, "conversation begins", "chain", s.String())
	s.quiet.broken(time.Now())
	if len(s.history) == 0 {
		s.open(ctx, "The call begins. Greet the caller.")
	} else {
		s.cue(ctx, "The line was interrupted for a moment. Say so in a few words and go on with the conversation.")
	}
	timer := time.NewTimer(0)
	defer timer.Stop()
	frames := s.o.Line.Frames()
	for {
		s.wake(timer)
		select {
		case <-ctx.Done():
			if s.handedOn() {
				return AgentEnded, nil
			}
			return "", context.Cause(ctx)
		case frame, ok := <-frames:
			if !ok {
				frames = nil // the line is gone; the context will say so
				continue
			}
			s.hearFrame(ctx, frame, time.Now())
		case text := <-s.o.Line.Typed():
			s.readText(ctx, text, time.Now())
		case t, ok := <-s.transcripts():
			if !ok {
				s.recognitionEnded(ctx, time.Now())
				continue
			}
			s.hearText(ctx, t, time.Now())
		case p := <-s.parts:
			s.take(ctx, p)
		case c := <-s.castings:
			s.recast(ctx, c)
		case n := <-s.uses.ended:
			s.useEnded(ctx, n)
		case err := <-s.transfers:
			s.transferred(ctx, err)
		case <-timer.C:
		}
		now := time.Now()
		s.fillGap(ctx, now)
		s.feedRecogniser(ctx, now)
		s.do(ctx, s.turn.Elapsed(now), now)
		s.introduceLate(ctx)
		s.promptSilence(ctx, now)
		s.tellLate(ctx)
		if end := s.advance(ctx, now); end != "" {
			return end, nil
		}
	}
}

// conclude keeps what was said until the end.
func (s *Session) conclude() {
	now := time.Now()
	s.settle(now)
	for _, u := range s.uses.unfinished() {
		s.keepUse(u, 0)
	}
	if text := s.turn.Text(); text != "" {
		s.o.Journal.Said(Entry{Role: dialogue.RoleUser, Text: text, At: s.turn.LastSpeech(), Agent: s.flow.agent})
	}
}

// wake sets the timer to the next moment at which time alone changes things.
func (s *Session) wake(timer *time.Timer) {
	var next time.Time
	for _, t := range []time.Time{
		s.endAt, s.silenceDue(), s.promptDue(), s.fillerDue(), s.turnDue(),
		s.out.NextFrameAt(), s.listen.GapDue(), s.feed.due(s.cast.recognition),
	} {
		if !t.IsZero() && (next.IsZero() || t.Before(next)) {
			next = t
		}
	}
	if next.IsZero() {
		timer.Stop()
		return
	}
	timer.Reset(time.Until(next))
}

// turnDue is when the turn-taker makes a move by itself; zero for never as
// things stand.
func (s *Session) turnDue() time.Time {
	if !s.hearing() {
		return time.Time{}
	}
	return s.turn.Deadline()
}

// hearing reports whether the turn-taker's moves are carried out: not while
// the call goes over to another agent, nor once it is bound to end.
func (s *Session) hearing() bool { return !s.handing && !s.transferring && s.ending == "" }

// idle reports whether nobody has the floor, nor is about to take it.
func (s *Session) idle() bool {
	return s.current == nil && s.hearing() && !s.turn.TranscriptDue() && s.turn.Text() == ""
}

func (s *Session) transcripts() <-chan dialogue.Transcript {
	if s.cast.recognition == nil {
		return nil
	}
	return s.cast.recognition.Transcripts()
}

func (s *Session) hearFrame(ctx context.Context, pcm []int16, now time.Time) {
	owed := s.turn.TranscriptDue()
	s.feed.push(pcm)
	heard := s.listen.PushFrame(pcm, now)
	if s.listen.Speaking() {
		s.quiet.broken(now)
	}
	switch {
	case heard.Change == audio.Started:
		s.feed.finalize = false
		if !owed {
			s.feed.keep(heard.Speech + preroll)
		}
	case heard.Change == audio.Ended:
		s.feed.finalize = true
	case !s.listen.Speaking() && !owed && s.cast.recognition != nil:
		s.feed.idle()
	}
	s.feed.quiet = !heard.Voiced && !s.listen.Speaking() && !owed
	s.do(ctx, heard.Action, now)
}

// feedRecogniser passes the caller's audio on.
func (s *Session) feedRecogniser(ctx context.Context, now time.Time) {
	if s.cast.recognition == nil {
		return
	}
	if err := s.feed.pass(s.cast.recognition, now); err != nil {
		s.o.Log.DebugContext(ctx, "recogniser refuses audio", "error", err)
	}
}

// fillGap stands in for frames that do not come while the caller speaks.
func (s *Session) fillGap(ctx context.Context, now time.Time) {
	for frame, at, missing := s.listen.MissingFrame(now); missing; frame, at, missing = s.listen.MissingFrame(now) {
		s.hearFrame(ctx, frame, at)
	}
}

func (s *Session) hearText(ctx context.Context, t dialogue.Transcript, now time.Time) {
	if t.Final {
		s.finalAt = now
		s.feed.keep(unsettled)
	}
	s.do(ctx, s.turn.TranscriptReceived(t, now), now)
	s.captionCaller(now)
}

// do carries out a move of the turn-taker.
func (s *Session) do(ctx context.Context, action turn.Action, now time.Time) {
	if !s.hearing() {
		if action == turn.Generate {
			s.turn.GenerationDropped(now)
		}
		return
	}
	switch action {
	case turn.Generate:
		s.answer(ctx, s.turn.Text(), true)
	case turn.Discard:
		s.drop()
	case turn.Commit:
		s.commit(ctx, now)
	case turn.Pause:
		s.out.Pause()
	case turn.Resume:
		s.out.Resume()
	case turn.Interrupt:
		s.latency.Interrupted = true
		s.settle(now)
		s.setState(Listening)
	case turn.Continue:
		s.cue(ctx, "A noise interrupted you; the caller said nothing. Go on where you stopped.")
	}
}

// problem tells of something that went wrong.
func (s *Session) problem(p Problem) { s.o.Journal.Problem(s.masked(p)) }

// masked hides the values of the user's context: what others say of an error
// may repeat what they were sent.
func (s *Session) masked(p Problem) Problem {
	p.Message = s.mask.Text(p.Message)
	return p
}

// announceStates tells the line of the agent's states, the newest when it
// cannot follow.
func (s *Session) announceStates() {
	s.work.Go(func() {
		for state := range s.states {
			s.o.Line.SetState(state)
		}
	})
}

func (s *Session) setState(state State) {
	if s.state == state {
		return
	}
	s.state = state
	select {
	case <-s.states: // one that the line has not taken is old now
	default:
	}
	s.states <- state
}
