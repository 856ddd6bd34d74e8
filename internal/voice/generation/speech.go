package generation

import (
	"context"
	"slices"
	"strings"
	"time"
	"unicode"

	"parley/internal/audio"
	"parley/internal/dialogue"
	"parley/internal/voice/playout"
	"parley/internal/voice/providers"
	"parley/internal/voice/routing"
	"parley/internal/voice/speechtext"
)

var (
	errCutShort = dialogue.NewError("the audio ended before the text")
	errNoSound  = dialogue.NewError("no audio came of the text")
	errNoise    = dialogue.NewError("the audio is noise: it is not the PCM that was asked for")
)

// checkedSound is how much of an utterance is checked for noise, in samples: a second.
const checkedSound = dialogue.SpeakRate

// maxAhead is the audio ahead of playout from which no more text is sent to the voice: a long answer would fill the
// memory, and be billed, long before it is played, if ever.
const maxAhead = 15 * time.Second

// synthesize has the voice speak the segments of an answer, and reports the
// audio. A voice that fails is retried, and then replaced, if the session has
// another one: the audio so far is kept, and the new voice speaks the rest. Of a
// preemptive answer only the first segment is synthesised: the rest is discarded
// too often. fixed are the texts of a fixed text before the segments; nil for none.
func (a *Answer) synthesize(speaker providers.Speaker, segments <-chan segment, fixed []speechtext.Text) {
	s := &synthesis{Answer: a, speaker: speaker, segments: segments}
	if len(fixed) > 0 {
		s.beginFixed(fixed, true)
	}
	var err error
	for {
		err = providers.Retry(a.ctx, s.speaker.HasFallback, func() error { return providers.CatchPanic(s.speakUtterance) })
		if err == nil && (s.nextUtterance() || s.replaceRefusedTexts()) || s.skipRefusedText(err) {
			continue
		}
		if err == nil || a.ctx.Err() != nil {
			break
		}
		a.report(VoiceFailed{s.speaker.Choice(), err})
		next, replaced := s.awaitReplacement()
		if !replaced {
			break
		}
		s.speaker = next
	}
	a.report(AudioEnded{})
	if err != nil {
		a.cancel() // more text is of no use
	}
}

// awaitReplacement waits for another voice; replaced is false if there is none.
func (s *synthesis) awaitReplacement() (next providers.Speaker, replaced bool) {
	for {
		select {
		case next, replaced = <-s.replacement:
			return next, replaced
		case text := <-s.holding:
			s.speakWhileReplaced(text)
		case <-s.ctx.Done():
			return next, false
		}
	}
}

// synthesis is the synthesis of an answer, over all utterances and attempts.
type synthesis struct {
	*Answer
	speaker       providers.Speaker
	segments      <-chan segment    // nil after the last one
	flushing      bool              // the utterance is to end before the next segment is read
	cacheable     bool              // texts is all of a fixed text
	fixed         []speechtext.Text // of a fixed text, which is the next utterance; nil for none
	textReceived  bool              // a segment was received
	texts         []speechtext.Text // segments of the utterance that may not have been spoken
	textsStarted  int               // of texts, those whose audio has begun to arrive
	audioReceived bool              // in this attempt
	spoke         bool              // audio was received in any attempt
	skipped       int               // texts that the voice refused, since it last spoke
	noise         audio.NoiseDetector
	checked       int // samples of this attempt that were checked for noise
}

// nextUtterance waits for the segment that follows a flush, to begin another
// utterance. It reports false when there is none.
func (s *synthesis) nextUtterance() bool {
	if !s.flushing {
		return false
	}
	s.report(UtteranceEnded{})
	s.texts, s.textsStarted, s.flushing, s.cacheable = nil, 0, false, false
	if len(s.fixed) > 0 {
		s.beginFixed(s.fixed, true)
		s.fixed = nil
		return true
	}
	if s.segments == nil {
		return false
	}
	for {
		select {
		case seg, more := <-s.segments:
			if !more {
				return false
			}
			if len(seg.fixed) > 0 {
				s.beginFixed(seg.fixed, true)
				return true
			}
			if len(seg.text) > 0 {
				s.texts = []speechtext.Text{seg.text}
				return true
			}
		case text := <-s.holding:
			s.beginFixed(split(text.Text, s.speaker.Language), isCacheable(text))
			return true
		case <-s.ctx.Done():
			return false
		}
	}
}

// prepareRetry reduces texts to what was not spoken.
func (s *synthesis) prepareRetry() error {
	if s.textsStarted > 0 {
		rest := make(chan []speechtext.Text, 1)
		s.report(DropIncompleteRequested{rest})
		select {
		case unspoken := <-rest:
			s.texts, s.cacheable = append(unspoken, s.texts[s.textsStarted:]...), false
		case <-s.ctx.Done():
			return s.ctx.Err()
		}
	}
	s.textsStarted, s.audioReceived = 0, false
	s.noise, s.checked = audio.NoiseDetector{}, 0
	return nil
}

// speakUtterance makes one attempt at an utterance, and reports its audio.
func (s *synthesis) speakUtterance() error {
	ctx, cancel := context.WithCancel(s.ctx)
	defer cancel()
	if err := s.prepareRetry(); err != nil {
		return err
	}
	if s.segments == nil && len(s.texts) == 0 && s.textReceived {
		return nil
	}
	if s.cacheable && s.insertCached(s.texts) {
		s.textsStarted, s.spoke = len(s.texts), true
		return nil
	}
	utterance, err := s.beginUtterance(ctx)
	if err != nil {
		return err
	}
	recorder := s.newRecorder()
	limit := providers.AudioTimeout(s.speaker.HasFallback, false)
	stall := time.NewTimer(limit)
	defer stall.Stop()
	for {
		segments, committed, room := s.inputs()
		select {
		case <-room:
		case text := <-s.holdingInput():
			spoken, err := s.speakMeanwhile(utterance, text)
			if err != nil {
				return err
			}
			recorder = s.newRecorder()
			if !spoken {
				continue // the voice is not less late
			}
		case seg, more := <-segments:
			s.dropHolding()
			if len(seg.fixed) > 0 && len(s.texts) == 0 { // the utterance is not needed
				s.fixed, s.flushing = seg.fixed, true
				return nil
			}
			if err := s.sendSegment(utterance, seg, more); err != nil {
				return err
			}
		case <-committed:
		case speech, more := <-utterance.Audio():
			if !more {
				err := s.audioEnded(utterance)
				if err == nil {
					s.cache(recorder)
				}
				return err
			}
			if err := s.checkSound(speech.PCM); err != nil {
				return err
			}
			if len(speech.PCM) > 0 {
				s.dropHolding()
				s.audioReceived, s.spoke, s.skipped = true, true, 0
				limit = providers.AudioTimeout(s.speaker.HasFallback, true)
			}
			e := s.audioReceivedOf(speech)
			recorder.add(e)
			s.report(e)
		case <-stall.C:
			if s.isAudioDue() {
				return providers.TimeoutError(limit)
			}
		case <-ctx.Done():
			return ctx.Err()
		}
		stall.Reset(limit)
	}
}

// checkSound checks the first sound of an utterance: data that is not the PCM that was asked for must not reach the caller.
func (s *synthesis) checkSound(pcm []int16) error {
	if s.checked >= checkedSound {
		return nil
	}
	if s.checked == 0 && audio.DetectFormat(audio.Bytes(pcm)) != audio.Unmarked || s.noise.Push(pcm) {
		return errNoise
	}
	s.checked += len(pcm)
	return nil
}

// beginUtterance opens an utterance and sends it the text so far.
func (s *synthesis) beginUtterance(ctx context.Context) (dialogue.Utterance, error) {
	utterance, err := s.speaker.Speak(ctx)
	if err != nil {
		return nil, err
	}
	if len(s.texts) > 0 {
		s.reportTextSent()
	}
	for i := range s.texts {
		if err := s.say(utterance, i); err != nil {
			return nil, err
		}
	}
	if s.segments == nil || s.flushing {
		if err := utterance.End(); err != nil {
			return nil, err
		}
	}
	return utterance, nil
}

// inputs returns the channels to wait for besides audio: segments, unless the answer is preemptive and has one, or
// synthesis is more than maxAhead of playout; the commitment of a preemptive one; and the time at which synthesis is not that far
// ahead any more. nil for those not to wait for.
func (s *synthesis) inputs() (segments <-chan segment, committed <-chan struct{}, room <-chan time.Time) {
	segments = s.segments
	if s.isPreemptive() {
		committed = s.committed
		if s.textReceived { // the first segment is synthesised either way
			segments = nil
		}
	}
	if s.flushing {
		segments = nil
	}
	if ahead := s.bufferedAhead(); segments != nil && ahead > maxAhead {
		segments, room = nil, time.After(ahead-maxAhead)
	}
	return segments, committed, room
}

func (a *Answer) isPreemptive() bool {
	select {
	case <-a.committed:
		return false
	default:
		return true
	}
}

// holdingInput returns the channel of the text to speak while there is nothing else to be heard; nil while the voice gives audio, or the
// turn is not over.
func (s *synthesis) holdingInput() <-chan routing.Rendered {
	if s.owesAudio() && s.audioReceived || s.isPreemptive() {
		return nil
	}
	return s.holding
}

// owesAudio reports whether the voice has text that it has not spoken, or has to end the utterance.
func (s *synthesis) owesAudio() bool {
	return s.textsStarted < len(s.texts) || s.flushing || s.segments == nil
}

// dropHolding drops the text to speak while there is none: there is one.
func (s *synthesis) dropHolding() {
	select {
	case <-s.holding:
	default:
	}
}

// sendSegment sends a segment to the voice, or ends its utterance.
func (s *synthesis) sendSegment(utterance dialogue.Utterance, seg segment, more bool) error {
	switch {
	case !more:
		s.segments = nil
		return utterance.End()
	case len(seg.text) == 0:
		s.fixed, s.flushing = seg.fixed, true
		return utterance.End()
	}
	s.reportTextSent()
	s.texts = append(s.texts, seg.text)
	return s.say(utterance, len(s.texts)-1)
}

func (s *synthesis) reportTextSent() {
	if !s.textReceived {
		s.report(TextSent{})
	}
	s.textReceived = true
}

// say sends a text of texts to the voice, as it speaks it.
func (s *synthesis) say(utterance dialogue.Utterance, i int) error {
	s.texts[i] = s.speaker.Render(s.texts[i])
	return utterance.Say(s.texts[i].Spoken())
}

// audioReceivedOf returns the event of a voice's audio, with the text that begins with it. A voice may leave out a text that has no
// sound.
func (s *synthesis) audioReceivedOf(speech dialogue.Speech) AudioReceived {
	e := AudioReceived{Speech: speech}
	if speech.Text == "" || s.textsStarted == len(s.texts) {
		return e
	}
	next := slices.IndexFunc(s.texts[s.textsStarted:], func(t speechtext.Text) bool { return t.Spoken() == speech.Text })
	if next < 0 {
		s.textsStarted++
		return e
	}
	s.textsStarted += next + 1
	e.Speech.Text, e.Text = "", s.texts[s.textsStarted-1]
	return e
}

// audioEnded checks an utterance whose audio has ended, and returns why it is incomplete; nil if it is not.
func (s *synthesis) audioEnded(utterance dialogue.Utterance) error {
	if err := utterance.Err(); err != nil {
		return err
	}
	switch {
	case s.segments != nil && !s.flushing:
		return errCutShort
	case !s.audioReceived && slices.ContainsFunc(s.texts, isSpeakable):
		return errNoSound
	}
	return nil
}

// bufferedAhead estimates how much audio waits to be played or is being synthesised.
func (s *synthesis) bufferedAhead() time.Duration {
	bytes := 0
	for _, text := range s.texts[s.textsStarted:] {
		bytes += len(text.Spoken())
	}
	return time.Duration(s.buffered.Load()) + playout.EstimateDuration(bytes)
}

// isAudioDue reports whether the voice has text without audio.
func (s *synthesis) isAudioDue() bool {
	return s.segments == nil || s.flushing || len(s.texts) > 0 && !s.audioReceived || slices.ContainsFunc(s.texts[s.textsStarted:], isSpeakable)
}

// isSpeakable reports whether a text has a letter or digit to be spoken.
func isSpeakable(text speechtext.Text) bool {
	return strings.ContainsFunc(text.Spoken(), func(r rune) bool {
		return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '-' || r == '\''
	})
}
