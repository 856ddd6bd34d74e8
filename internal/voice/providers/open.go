package providers

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"sync"
	"time"

	"parley/internal/agent"
	"parley/internal/dialogue"
	"parley/internal/voice/speechtext"
)

// Source returns a provider by its name in an agent's configuration. The error is for the tenant.
type Source interface {
	Recognizer(name string) (dialogue.Recognizer, error)
	Synthesizer(name string) (dialogue.Synthesizer, error)
	LanguageModel(name string) (dialogue.LanguageModel, error)
}

// CachingSource is a Source with a cache of speech.
type CachingSource interface {
	// SpeechCache returns the cache of a provider's voice; nil for none.
	SpeechCache(provider string, o dialogue.VoiceOptions) SpeechCache
}

// SpeechCache caches the speech of fixed texts, in one voice.
type SpeechCache interface {
	// Find returns the speech of an utterance of these texts; nil if it is not cached.
	Find(texts []string) []dialogue.Speech
	// Add caches the speech of an utterance.
	Add(texts []string, speech []dialogue.Speech)
}

// AgentSpec is an agent for which providers are opened, with its language.
type AgentSpec struct {
	Agent          string
	Config         agent.Config
	Language       string // in effect
	ChosenLanguage string // language that the user chose; "" for none
	// InitialPrompt is what a realtime model is opened with: the agent's prompt and functions, and the history. Without a
	// realtime model it is empty.
	InitialPrompt dialogue.Prompt
	HistoryLength int // messages of the whole history, of which InitialPrompt may have the newest alone
}

// streams are the providers in use. They stay open over all turns; a handoff
// replaces only those that differ, a failure only those that failed.
type streams struct {
	stt         agent.STT            // with the language in effect
	recognition dialogue.Recognition // nil while none is open
	tts         agent.TTS
	language    string // of the voice
	voice       dialogue.Voice
	normalizer  *speechtext.Normalizer // of the voice
	cache       SpeechCache            // of the voice; nil for none
	models      []Model                // the one in use, and its fallbacks
	realtime    realtimeStream
}

// closeExcept closes the streams that are not among the others.
func (s streams) closeExcept(others streams) {
	if s.recognition != nil && s.recognition != others.recognition {
		s.recognition.Close()
	}
	if s.voice != nil && s.voice != others.voice {
		s.voice.Close()
	}
}

// opening opens the providers of an agent, in a goroutine.
type opening struct {
	AgentSpec
	source Source
	old    streams         // streams that are reused where they fit
	failed map[Choice]bool // in this call
	first  bool            // the call's first: the language model's key is checked
}

// Opened is the result of opening an agent's providers.
type Opened struct {
	Agent    string
	Language string // in effect
	// Err is a Failure, or the cause of the context's end; the old streams stay
	// in use then.
	Err error

	streams streams
	// failures are the choices that failed on the way.
	failures []Failure
}

// open opens the providers of the agent that the old streams do not have, or the fallbacks of those that fail. The context
// ends their streams. If no choice of a kind can be opened, all that was opened is closed again. An opening whose context
// ends has no failures.
func (o opening) open(ctx context.Context) Opened {
	if !o.usesRealtime() {
		return o.openCascade(ctx)
	}
	opened := o.openConversation(ctx)
	if opened.Err == nil || ctx.Err() != nil || !o.Config.HasCascade() {
		return opened
	}
	var failure Failure
	errors.As(opened.Err, &failure)
	failure.Replaced = true
	opened = o.openCascade(ctx)
	opened.failures = append([]Failure{failure}, opened.failures...)
	return opened
}

// openCascade opens recogniser, language model and voice.
func (o opening) openCascade(ctx context.Context) Opened {
	next := o.old.withoutRealtime()
	var work sync.WaitGroup
	var llm, stt, tts attempts
	work.Go(func() { next.models = o.openModels(ctx, &llm) })
	work.Go(func() { next.stt, next.recognition = o.openRecognition(ctx, &stt) })
	work.Go(func() { o.openVoice(ctx, &next, &tts) })
	work.Wait()
	if ctx.Err() != nil {
		next.closeExcept(o.old)
		return Opened{Agent: o.Agent, streams: o.old, Err: context.Cause(ctx)}
	}
	next.language = o.Language
	result := Opened{Agent: o.Agent, streams: next}
	for _, a := range []attempts{llm, stt, tts} {
		if result.Err == nil && a.err != nil {
			result.Err = a.err
		}
		result.failures = append(result.failures, a.failures...)
	}
	if result.Err != nil {
		next.closeExcept(o.old)
		result.streams = o.old
	}
	return result
}

// attempts records the failures in opening the choices of one kind.
type attempts struct {
	failures []Failure // of choices that have a fallback
	err      error     // the Failure of the last choice; nil when one was opened
}

// fail records that a choice cannot be used.
func (a *attempts) fail(c Choice, agent string, err error, hasFallback bool) {
	if hasFallback {
		a.failures = append(a.failures, NewReplacedFailure(c, agent, err))
		return
	}
	a.err = NewFailure(c, agent, err)
}

func (o opening) openModels(ctx context.Context, a *attempts) (models []Model) {
	choices := withoutFailed(o.Config.LLM.Choices(), llmChoice, o.failed)
	for n, choice := range choices {
		m, err := o.source.LanguageModel(choice.Provider)
		if err == nil && o.first && len(models) == 0 {
			err = checkKey(ctx, m, choice.Model)
		}
		if err == nil {
			models = append(models, Model{m, choice})
			continue
		}
		if n+1 == len(choices) && len(models) > 0 {
			break // a fallback that cannot be used is no failure yet
		}
		a.fail(llmChoice(choice), o.Agent, err, n+1 < len(choices))
	}
	return models
}

func (o opening) openRecognition(ctx context.Context, a *attempts) (agent.STT, dialogue.Recognition) {
	choices := withoutFailed(o.Config.STT.Choices(), sttChoice, o.failed)
	for n, choice := range choices {
		if !o.Config.LanguagesAuto { // otherwise the recogniser detects it
			choice.Language = recognitionLanguage(choice.Language, o.ChosenLanguage, o.Language)
		}
		if o.old.recognition != nil && sameRecognition(o.old.stt, choice) {
			return choice, o.old.recognition
		}
		hasFallback := n+1 < len(choices)
		recognition, err := openStream(ctx, hasFallback, func() (func(context.Context) (dialogue.Recognition, error), error) {
			recognizer, err := o.source.Recognizer(choice.Provider)
			return func(ctx context.Context) (dialogue.Recognition, error) {
				complete, unfinished := turnSilences(o.Config.Turn)
				return recognizer.Recognize(ctx, dialogue.RecognizeOptions{Model: choice.Model, Language: choice.Language, KeyTerms: choice.KeyTerms,
					TurnSilence: complete, LongestSilence: unfinished})
			}, err
		})
		if err == nil {
			return choice, recognition
		}
		a.fail(sttChoice(choice), o.Agent, err, hasFallback)
	}
	return o.old.stt, o.old.recognition
}

// openVoice sets the voice of next, and what belongs to it, if one can be opened.
func (o opening) openVoice(ctx context.Context, next *streams, a *attempts) {
	choices := withoutFailed(o.Config.TTS.Choices(), ttsChoice, o.failed)
	for n, choice := range choices {
		if o.old.voice != nil && sameVoice(o.old.tts, choice) && o.old.language == o.Language {
			next.tts = choice
			return
		}
		hasFallback := n+1 < len(choices)
		options := voiceOptions(choice, o.Language)
		var normalizer *speechtext.Normalizer
		voice, err := openStream(ctx, hasFallback, func() (func(context.Context) (dialogue.Voice, error), error) {
			synthesizer, err := o.source.Synthesizer(choice.Provider)
			normalizer = normalizerOf(synthesizer, options)
			return func(ctx context.Context) (dialogue.Voice, error) { return synthesizer.Open(ctx, options) }, err
		})
		if err == nil {
			next.tts, next.voice, next.normalizer, next.cache = choice, voice, normalizer, speechCache(o.source, choice.Provider, options)
			return
		}
		a.fail(ttsChoice(choice), o.Agent, err, hasFallback)
	}
}

// turnSilences returns the silences of an agent's config.turn that end a complete and an unfinished turn; 0 for a
// setting that is not set.
func turnSilences(settings json.RawMessage) (complete, unfinished time.Duration) {
	var t struct {
		Complete   int64 `json:"endpoint_complete_ms"`
		Unfinished int64 `json:"endpoint_unfinished_ms"`
	}
	if len(settings) == 0 || json.Unmarshal(settings, &t) != nil {
		return 0, 0
	}
	return time.Duration(t.Complete) * time.Millisecond, time.Duration(t.Unfinished) * time.Millisecond
}

// openStream finds a provider and opens a stream of it, with retries.
func openStream[T io.Closer](ctx context.Context, hasFallback bool, find func() (func(context.Context) (T, error), error)) (stream T, err error) {
	open, err := find()
	if err != nil {
		return stream, err
	}
	err = Retry(ctx, hasFallback, func() (err error) {
		stream, err = openWithin(ctx, OpenTimeout(hasFallback), open)
		return err
	})
	if err != nil {
		var none T
		return none, err
	}
	return stream, nil
}

// checkKey has the vendor check the key, if the provider supports that: a key that is rejected fails the call before it
// begins rather than at the first answer. Other errors are ignored; they recur when the model is used.
func checkKey(ctx context.Context, m dialogue.LanguageModel, name string) error {
	checker, can := m.(dialogue.Checker)
	if !can {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	if err := CatchPanic(func() error { return checker.Check(ctx, name) }); isRefused(err) {
		return err
	}
	return nil
}

func speed(t agent.TTS) float64 {
	if t.Speed == nil {
		return 1
	}
	return *t.Speed
}

func sameVoice(a, b agent.TTS) bool {
	return a.Provider == b.Provider && a.Model == b.Model && a.VoiceID == b.VoiceID && speed(a) == speed(b) && a.Emotion == b.Emotion &&
		a.TextNormalization == b.TextNormalization
}

func sameRecognition(a, b agent.STT) bool {
	return a.Provider == b.Provider && a.Model == b.Model && a.Language == b.Language && slices.Equal(a.KeyTerms, b.KeyTerms)
}

// multilingual is Deepgram's code for the recognition of several languages at
// once. The user's choice does not replace it.
const multilingual = "multi"

// recognitionLanguage returns the language to recognise: the user's choice, or else the agent's for recognition, or
// else the one that it speaks.
func recognitionLanguage(configured, chosen, spoken string) string {
	if chosen != "" && configured != multilingual {
		return chosen
	}
	return cmp.Or(configured, spoken)
}
