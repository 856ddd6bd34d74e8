package providers

import (
	"cmp"
	"context"
	"io"
	"sync"

	"parley/internal/agent"
	"parley/internal/dialogue"
)

// Source finds a provider by the name that an agent's configuration gives. The
// error says, in words for the tenant, why it cannot be used.
type Source interface {
	Recognizer(name string) (dialogue.Recognizer, error)
	Synthesizer(name string) (dialogue.Synthesizer, error)
	LanguageModel(name string) (dialogue.LanguageModel, error)
}

// Need is what an agent needs providers for.
type Need struct {
	Agent    string
	Config   agent.Config
	Language string // to speak
	Chosen   string // language that the user chose; "" for none
}

// streams are the providers that are in use. They stay open over all turns; a
// handoff changes only what differs, a failure only what failed.
type streams struct {
	stt         agent.STT            // with the language in effect
	recognition dialogue.Recognition // nil while there is none
	tts         agent.TTS
	language    string // of the voice
	voice       dialogue.Voice
	models      []Model // the one in use, and its fallbacks
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

// opening opens the providers of an agent.
type opening struct {
	Need
	source Source
	old    streams         // what stays open if it can be used
	failed map[Choice]bool // in this call
	first  bool            // nothing was asked of the language model yet
}

// Opened is the result of opening an agent's providers.
type Opened struct {
	Agent string
	// Err is a Failure, or the cause of the context's end; the old streams stay
	// in use then.
	Err error

	streams streams
	// failures are the choices that failed on the way.
	failures []Failure
}

// open opens what an agent needs and the old streams lack, the fallbacks of what
// fails. The streams live as long as the context. Where a kind can be opened at
// all, the result has it; where one cannot, nothing new is open. An opening whose
// context ends says nothing of the providers: nothing new is open, and nothing
// failed.
func (o opening) open(ctx context.Context) Opened {
	next := o.old
	var work sync.WaitGroup
	var llm, stt, tts attempts
	work.Go(func() { next.models = o.openModels(ctx, &llm) })
	work.Go(func() { next.stt, next.recognition = o.openRecognition(ctx, &stt) })
	work.Go(func() { next.tts, next.voice = o.openVoice(ctx, &tts) })
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

// attempts are what became of the choices of one kind.
type attempts struct {
	failures []Failure // of choices that have a fallback
	err      error     // a Failure, when no choice is left
}

// fail records that a choice cannot be used.
func (a *attempts) fail(c Choice, agent string, err error, hasFallback bool) {
	if hasFallback {
		a.failures = append(a.failures, ReplacedBecause(c, agent, err))
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
			break // the fallback that cannot be used is not needed either
		}
		a.fail(llmChoice(choice), o.Agent, err, n+1 < len(choices))
	}
	return models
}

func (o opening) openRecognition(ctx context.Context, a *attempts) (agent.STT, dialogue.Recognition) {
	choices := withoutFailed(o.Config.STT.Choices(), sttChoice, o.failed)
	for n, choice := range choices {
		choice.Language = recognitionLanguage(choice.Language, o.Chosen, o.Language)
		if o.old.recognition != nil && o.old.stt == choice {
			return choice, o.old.recognition
		}
		hasFallback := n+1 < len(choices)
		recognition, err := openStream(ctx, hasFallback, func() (func(context.Context) (dialogue.Recognition, error), error) {
			recognizer, err := o.source.Recognizer(choice.Provider)
			return func(ctx context.Context) (dialogue.Recognition, error) {
				return recognizer.Recognize(ctx, dialogue.RecognizeOptions{Model: choice.Model, Language: choice.Language})
			}, err
		})
		if err == nil {
			return choice, recognition
		}
		a.fail(sttChoice(choice), o.Agent, err, hasFallback)
	}
	return o.old.stt, o.old.recognition
}

func (o opening) openVoice(ctx context.Context, a *attempts) (agent.TTS, dialogue.Voice) {
	choices := withoutFailed(o.Config.TTS.Choices(), ttsChoice, o.failed)
	for n, choice := range choices {
		if o.old.voice != nil && sameVoice(o.old.tts, choice) && o.old.language == o.Language {
			return choice, o.old.voice
		}
		hasFallback := n+1 < len(choices)
		voice, err := openStream(ctx, hasFallback, func() (func(context.Context) (dialogue.Voice, error), error) {
			synthesizer, err := o.source.Synthesizer(choice.Provider)
			return func(ctx context.Context) (dialogue.Voice, error) {
				return synthesizer.Open(ctx, dialogue.VoiceOptions{Model: choice.Model, VoiceID: choice.VoiceID, Language: o.Language, Speed: speed(choice)})
			}, err
		})
		if err == nil {
			return choice, voice
		}
		a.fail(ttsChoice(choice), o.Agent, err, hasFallback)
	}
	return o.old.tts, o.old.voice
}

// openStream finds a provider and opens a stream of it, with retries. Its result
// is nil on failure.
func openStream[T io.Closer](ctx context.Context, hasFallback bool, find func() (func(context.Context) (T, error), error)) (stream T, err error) {
	open, err := find()
	if err != nil {
		return stream, err
	}
	err = Retry(ctx, hasFallback, func() (err error) {
		stream, err = openWithin(ctx, Timeout(hasFallback), open)
		return err
	})
	if err != nil {
		var none T
		return none, err
	}
	return stream, nil
}

// checkKey asks a language model's vendor whether it accepts the key, where that
// can be asked: a key that is refused is reported before the call begins, not at
// its first answer. Any other error shows when the model is used.
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
	return a.Provider == b.Provider && a.Model == b.Model && a.VoiceID == b.VoiceID && speed(a) == speed(b)
}

// multilingual is what Deepgram calls the recognition of several languages at
// once: a choice of the user does not narrow it.
const multilingual = "multi"

// recognitionLanguage is the language to recognise: the one that the user chose,
// or else the agent's for recognition, or else the one that it speaks.
func recognitionLanguage(configured, chosen, spoken string) string {
	if chosen != "" && configured != multilingual {
		return chosen
	}
	return cmp.Or(configured, spoken)
}
