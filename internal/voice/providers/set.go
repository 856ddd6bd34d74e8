package providers

import (
	"cmp"
	"context"
	"maps"
	"sync"
	"time"

	"parley/internal/agent"
	"parley/internal/dialogue"
	"parley/internal/voice/speechtext"
)

// A recognition that fails is reopened, unless more than MaxBreaks have failed, each
// within breakMemory of the one before.
const (
	MaxBreaks   = 3
	breakMemory = 30 * time.Second
)

// Set is the provider set of a call: which providers are in use, have failed, or are being opened. Its methods are for the
// session's loop and do not wait; goroutines open providers, and Results returns what they opened.
type Set struct {
	source        Source
	reportFailure func(Failure)
	work          *sync.WaitGroup
	streams       streams
	failed        map[Choice]bool
	proven        map[Choice]bool          // have answered, or spoken, in this call
	silence       map[Choice]time.Duration // of language models, in answers that the caller interrupted, since they last answered
	results       chan Opened
	opening       bool

	breaks    int // of recognitions or conversations, each within breakMemory of the one before
	lastBreak time.Time
	broken    dialogue.Recognition // the last that failed
}

// NewSet makes an empty set. report receives the failure of each choice that its
// fallback replaces, once; work counts the goroutines.
func NewSet(source Source, work *sync.WaitGroup, report func(Failure)) *Set {
	return &Set{source: source, reportFailure: report, work: work, failed: map[Choice]bool{}, proven: map[Choice]bool{}, silence: map[Choice]time.Duration{}, results: make(chan Opened, 1)}
}

// OpenFirst opens the first agent's providers. The context ends their streams.
// The error is a Failure, or, when the context ends first, its cause.
func (s *Set) OpenFirst(ctx context.Context, n AgentSpec) error {
	o := s.newOpening(n)
	o.first = true
	opened := o.open(ctx)
	s.recordFailures(opened.failures...)
	s.streams = opened.streams
	return opened.Err
}

func (s *Set) newOpening(n AgentSpec) opening {
	return opening{AgentSpec: n, source: s.source, old: s.streams, failed: maps.Clone(s.failed)}
}

// Open opens an agent's providers in a goroutine, unless one is running: the caller
// of ApplyOpened calls Open again if its result was for another agent.
func (s *Set) Open(ctx context.Context, n AgentSpec) {
	if s.opening {
		return
	}
	s.opening = true
	o := s.newOpening(n)
	s.work.Go(func() {
		opened := o.open(ctx)
		opened.Language = n.Language
		select {
		case s.results <- opened:
		case <-ctx.Done():
			opened.streams.closeExcept(o.old)
		}
	})
}

// Results returns the channel of what Open has opened, for ApplyOpened.
func (s *Set) Results() <-chan Opened { return s.results }

// ApplyOpened puts the opened providers into use, and closes those that are not in use any more. It reports whether there
// is a new recognition.
func (s *Set) ApplyOpened(ctx context.Context, o Opened) (newRecognition bool) {
	s.opening = false
	s.recordFailures(o.failures...)
	if ctx.Err() != nil { // the call is over
		o.streams.closeExcept(s.streams)
		return false
	}
	if o.Err != nil {
		return false
	}
	old := s.streams
	s.streams = o.streams
	if s.streams.recognition != nil && s.streams.recognition == s.broken {
		s.streams.recognition, s.streams.realtime.conversation = nil, nil // it was to stay in use, and failed meanwhile
	}
	s.work.Go(func() { old.closeExcept(o.streams) })
	return old.recognition != s.streams.recognition
}

// Close closes all streams. It follows the end of all goroutines, and may be
// called twice.
func (s *Set) Close() {
	select {
	case o := <-s.results: // opened after the session had ended
		o.streams.closeExcept(s.streams)
	default:
	}
	s.streams.closeExcept(streams{})
}

// recordFailures excludes the choices that failed for the rest of the call.
func (s *Set) recordFailures(failures ...Failure) {
	for _, f := range failures {
		if !s.failed[f.Choice] {
			s.failed[f.Choice] = true
			s.reportFailure(f)
		}
	}
}

// RecordModelReplaced records that a language model failed and its fallback is in use.
func (s *Set) RecordModelReplaced(f Failure) { s.recordFailures(f) }

// Recognition returns the open recognition, or conversation with a realtime model; nil while there is none.
func (s *Set) Recognition() dialogue.Recognition { return s.streams.recognition }

// Transcripts returns the transcripts of the open recognition; nil while there is none.
func (s *Set) Transcripts() <-chan dialogue.Transcript {
	if s.streams.recognition == nil {
		return nil
	}
	return s.streams.recognition.Transcripts()
}

// STT returns the name of the recogniser's provider.
func (s *Set) STT() string {
	return cmp.Or(s.streams.realtime.choice.Provider, s.streams.stt.Provider)
}

// LLM returns the name of the language model's provider.
func (s *Set) LLM() string {
	if name := s.streams.realtime.choice.Provider; name != "" {
		return name
	}
	return s.Models()[0].Provider
}

// TTS returns the name of the voice's provider.
func (s *Set) TTS() string {
	return cmp.Or(s.streams.realtime.choice.Provider, s.streams.tts.Provider)
}

// Models returns the language models that have not failed, in order.
func (s *Set) Models() []Model {
	return withoutFailed(s.streams.models, Model.Choice, s.failed)
}

// Speaker returns the voice in use, with an agent's settings.
func (s *Set) Speaker(c agent.Config) Speaker {
	return Speaker{Voice: s.streams.voice, TTS: s.streams.tts, HasFallback: s.voiceHasFallback(c), Proven: s.proven[ttsChoice(s.streams.tts)],
		Language: s.streams.language, Cache: s.streams.cache, pronunciations: speechtext.NewPronunciations(c.TTS.Pronunciations), normalizer: s.streams.normalizer}
}

// RecordSpeech records that the voice in use has spoken.
func (s *Set) RecordSpeech() { s.proven[ttsChoice(s.streams.tts)] = true }

// RecordAnswer records that the language model in use has answered.
func (s *Set) RecordAnswer() {
	model := s.Models()[0].Choice()
	s.proven[model] = true
	delete(s.silence, model)
}

// RecordSilence records that the language model in use sent nothing for so long, until its answer was interrupted.
func (s *Set) RecordSilence(d time.Duration) {
	if d >= minSilence {
		s.silence[s.Models()[0].Choice()] += d
	}
}

// ModelSilence returns for how long the language model in use has sent nothing in answers that were interrupted, since it last answered.
func (s *Set) ModelSilence() time.Duration { return s.silence[s.Models()[0].Choice()] }

// ModelProven reports whether the language model in use has answered in this call.
func (s *Set) ModelProven() bool { return s.proven[s.Models()[0].Choice()] }

// HasVoice reports whether a voice, or a conversation with a realtime model, is open.
func (s *Set) HasVoice() bool { return s.streams.voice != nil || s.Conversation() != nil }

func (s *Set) voiceHasFallback(c agent.Config) bool {
	return hasOther(c.TTS.Choices(), ttsChoice, ttsChoice(s.streams.tts), s.failed)
}

// CanReplaceVoice reports whether the voice in use has failed, and the agent has
// another one to be opened.
func (s *Set) CanReplaceVoice(c agent.Config) bool {
	return s.failed[ttsChoice(s.streams.tts)] && s.voiceHasFallback(c)
}

// Replacement is what replaces a provider that failed.
type Replacement int

// The replacements.
const (
	NoReplacement Replacement = iota // nothing
	Ready                            // a fallback that is open already
	Opening                          // a fallback, to be opened by Open
	Reopening                        // the same provider, to be opened again by Open
)

// ReplaceVoice handles the failure of a voice.
func (s *Set) ReplaceVoice(failed Choice, n AgentSpec, err error) Replacement {
	switch {
	case failed != ttsChoice(s.streams.tts): // replaced after the failure of another answer
		return Ready
	case s.voiceHasFallback(n.Config):
		s.recordFailures(NewReplacedFailure(failed, n.Agent, err))
		return Opening
	}
	return NoReplacement
}

// HandleRecognitionEnd handles the end of the open recognition and closes it. The same recogniser is to be reopened, or
// its fallback opened.
func (s *Set) HandleRecognitionEnd(n AgentSpec, now time.Time) (Failure, Replacement) {
	broken := s.streams.recognition
	s.broken, s.streams.recognition = broken, nil
	err := broken.Err()
	s.work.Go(func() { broken.Close() })
	if err == nil {
		err = dialogue.NewError("the stream ended")
	}
	if s.UsesRealtime() {
		return s.decideConversationReplacement(n, err, now)
	}
	choice := sttChoice(s.streams.stt)
	failure := NewFailure(choice, n.Agent, err)
	if now.Sub(s.lastBreak) > breakMemory {
		s.breaks = 0
	}
	s.breaks, s.lastBreak = s.breaks+1, now
	if s.breaks <= MaxBreaks && !isRefused(err) {
		return failure, Reopening
	}
	if !hasOther(n.Config.STT.Choices(), sttChoice, choice, s.failed) {
		return failure, NoReplacement
	}
	s.breaks = 0
	s.recordFailures(NewReplacedFailure(choice, n.Agent, err))
	return failure, Opening
}
