package generation

import (
	"context"
	"slices"
	"sync"
	"unicode/utf8"

	"parley/internal/dialogue"
	"parley/internal/voice/playout"
	"parley/internal/voice/providers"
	"parley/internal/voice/routing"
	"parley/internal/voice/speechtext"
)

// maxCacheable is the length of the longest text whose speech is cached, in characters: a minute of speech.
const maxCacheable = 1000

// isCacheable reports whether the speech of a text is cached.
func isCacheable(text routing.Rendered) bool {
	return text.Fixed && utf8.RuneCountInString(text.Text) <= maxCacheable
}

// SpeakCached speaks a fixed text if its speech is cached, and nothing otherwise: the voice is not used.
func (a *Answer) SpeakCached(work *sync.WaitGroup, s providers.Speaker, text routing.Rendered) {
	work.Go(func() {
		if isCacheable(text) {
			(&synthesis{Answer: a, speaker: s}).insertCached(split(text.Text, s.Language))
		}
		a.report(AudioEnded{})
	})
}

// IsCached reports whether a text need not be cached: its speech is, or never will be.
func IsCached(s providers.Speaker, text routing.Rendered) bool {
	texts := split(text.Text, s.Language)
	if s.Cache == nil || !isCacheable(text) || !slices.ContainsFunc(texts, isSpeakable) {
		return true
	}
	_, spoken := (&synthesis{speaker: s}).rendered(texts)
	return s.Cache.Find(spoken) != nil
}

// CacheSpeech has a voice speak a text for the cache.
func CacheSpeech(ctx context.Context, s providers.Speaker, text routing.Rendered) error {
	reports := make(chan Report)
	a := NewAnswer(ctx, "", false, reports)
	a.NoReplacementVoice()
	var work sync.WaitGroup
	defer func() {
		a.cancel()
		work.Wait()
	}()
	a.Speak(&work, s, text)
	for {
		select {
		case r := <-reports:
			switch e := r.Event.(type) {
			case DropIncompleteRequested:
				close(e.Unspoken) // the speech is not cached, for it is of several attempts
			case VoiceFailed:
				return e.Err
			case AudioEnded:
				return nil
			}
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// beginFixed makes the texts of a fixed text the next utterance.
func (s *synthesis) beginFixed(texts []speechtext.Text, cacheable bool) {
	s.texts, s.textsStarted, s.flushing, s.cacheable = texts, 0, true, cacheable
}

// insertCached reports the speech of texts from the cache, before any further audio of the voice. It reports false if it is not cached.
func (s *synthesis) insertCached(texts []speechtext.Text) bool {
	if s.speaker.Cache == nil {
		return false
	}
	rendered, spoken := s.rendered(texts)
	speech := s.speaker.Cache.Find(spoken)
	if len(speech) == 0 {
		return false
	}
	part := synthesis{texts: rendered}
	e := CachedSpeech{}
	for _, segment := range speech {
		e.Parts = append(e.Parts, part.audioReceivedOf(segment))
	}
	s.report(e)
	return true
}

// InsertInto queues the speech.
func (e CachedSpeech) InsertInto(q *playout.Queue) {
	var texts []speechtext.Text
	var speech []dialogue.Speech
	for _, part := range e.Parts {
		texts, speech = append(texts, part.Text), append(speech, part.Speech)
	}
	q.Insert(texts, speech)
}

// rendered returns texts as the voice is to speak them.
func (s *synthesis) rendered(texts []speechtext.Text) (rendered []speechtext.Text, spoken []string) {
	for _, text := range texts {
		text = s.speaker.Render(text)
		rendered, spoken = append(rendered, text), append(spoken, text.Spoken())
	}
	return rendered, spoken
}

// speakMeanwhile speaks a text while there is nothing else to be heard: from the cache, or, if the voice has given all audio of its text
// so far, as the end of the utterance. spoken: the voice received it.
func (s *synthesis) speakMeanwhile(utterance dialogue.Utterance, text routing.Rendered) (spoken bool, err error) {
	texts := split(text.Text, s.speaker.Language)
	if isCacheable(text) && s.insertCached(texts) {
		s.texts, s.textsStarted, s.cacheable = slices.Clone(s.texts[s.textsStarted:]), 0, false
		return false, nil
	}
	if s.owesAudio() {
		return false, nil
	}
	s.cacheable = isCacheable(text) && len(s.texts) == 0
	for _, text := range texts {
		s.texts = append(s.texts, text)
		if err := s.say(utterance, len(s.texts)-1); err != nil {
			return true, err
		}
	}
	s.flushing = true
	return true, utterance.End()
}

// speakWhileReplaced speaks a text from the cache while another voice is being opened.
func (s *synthesis) speakWhileReplaced(text routing.Rendered) {
	if isCacheable(text) && s.prepareRetry() == nil {
		s.insertCached(split(text.Text, s.speaker.Language))
	}
}

// speechRecorder records the speech of an utterance for the cache; nil records nothing.
type speechRecorder struct{ speech []dialogue.Speech }

// newRecorder returns a recorder for the utterance that begins; nil if its speech is not cached.
func (s *synthesis) newRecorder() *speechRecorder {
	if !s.cacheable || s.speaker.Cache == nil {
		return nil
	}
	return &speechRecorder{}
}

func (r *speechRecorder) add(e AudioReceived) {
	if r != nil {
		r.speech = append(r.speech, dialogue.Speech{PCM: slices.Clone(e.Speech.PCM), Text: e.Text.Spoken(), Words: e.Speech.Words})
	}
}

// cache caches what was recorded of an utterance that is complete.
func (s *synthesis) cache(r *speechRecorder) {
	if r == nil || !s.cacheable || !s.audioReceived {
		return
	}
	_, spoken := s.rendered(s.texts)
	s.speaker.Cache.Add(spoken, r.speech)
}
