package voice

import (
	"context"
	"io"
	"sync"

	"parley/internal/agent"
	"parley/internal/dialogue"
)

// cast is the providers that play the current agent. They stay open over all
// turns; a handoff changes only what differs, a failure only what failed.
type cast struct {
	stt         agent.STT            // with the language in effect
	recognition dialogue.Recognition // nil while there is none
	tts         agent.TTS
	language    string // of the voice
	voice       dialogue.Voice
	models      []model // the one in use, and what may take its place
}

// model is a language model with the settings that an agent gives it.
type model struct {
	dialogue.LanguageModel
	agent.LLM
}

// opening is what it takes to open the providers of an agent.
type opening struct {
	providers Providers
	name      string // of the agent
	config    agent.Config
	language  string        // to speak
	chosen    string        // by the user; "" for none
	old       cast          // what stays open if it can be used
	lost      map[seat]bool // what failed in this call
	first     bool          // nothing was asked of the language model yet
}

// opened is providers that were opened, or could not be.
type opened struct {
	cast cast
	// losses are the choices that failed on the way, and why.
	losses []loss
	// err is a Problem that names service and provider, or the cause of the
	// context's end; the cast is the old one then.
	err error
}

// open opens what an agent needs and the old cast lacks, the fallbacks of what
// fails. The streams live as long as the context. Where a kind can be opened
// at all, the result has it; where one cannot, nothing new is open. An opening
// whose context ends says nothing of the providers: nothing new is open, and
// nothing is lost.
func (o opening) open(ctx context.Context) opened {
	next := o.old
	var work sync.WaitGroup
	var thinking, hearing, speaking search
	work.Go(func() { next.models = o.openModels(ctx, &thinking) })
	work.Go(func() { next.stt, next.recognition = o.openRecognition(ctx, &hearing) })
	work.Go(func() { next.tts, next.voice = o.openVoice(ctx, &speaking) })
	work.Wait()
	if ctx.Err() != nil {
		next.closeBut(o.old)
		return opened{cast: o.old, err: context.Cause(ctx)}
	}
	next.language = o.language
	result := opened{cast: next}
	for _, s := range []search{thinking, hearing, speaking} {
		if result.err == nil && s.err != nil {
			result.err = s.err
		}
		result.losses = append(result.losses, s.losses...)
	}
	if result.err != nil {
		next.closeBut(o.old)
		result.cast = o.old
	}
	return result
}

func (o opening) openModels(ctx context.Context, s *search) (models []model) {
	choices := remaining(o.config.LLM.Choices(), llmSeat, o.lost)
	for n, choice := range choices {
		m, err := o.providers.LanguageModel(choice.Provider)
		if err == nil && o.first && len(models) == 0 {
			err = admitted(ctx, m, choice.Model)
		}
		if err == nil {
			models = append(models, model{m, choice})
			continue
		}
		if n+1 == len(choices) && len(models) > 0 {
			break // the fallback that cannot be used is not needed either
		}
		s.failed(llmSeat(choice), o.name, err, n+1 < len(choices))
	}
	return models
}

func (o opening) openRecognition(ctx context.Context, s *search) (agent.STT, dialogue.Recognition) {
	choices := remaining(o.config.STT.Choices(), sttSeat, o.lost)
	for n, choice := range choices {
		choice.Language = recognised(choice.Language, o.chosen, o.language)
		if o.old.recognition != nil && o.old.stt == choice {
			return choice, o.old.recognition
		}
		spare := n+1 < len(choices)
		recognition, err := openStream(ctx, spare, func() (func(context.Context) (dialogue.Recognition, error), error) {
			recognizer, err := o.providers.Recognizer(choice.Provider)
			return func(ctx context.Context) (dialogue.Recognition, error) {
				return recognizer.Recognize(ctx, dialogue.RecognizeOptions{Model: choice.Model, Language: choice.Language})
			}, err
		})
		if err == nil {
			return choice, recognition
		}
		s.failed(sttSeat(choice), o.name, err, spare)
	}
	return o.old.stt, o.old.recognition
}

func (o opening) openVoice(ctx context.Context, s *search) (agent.TTS, dialogue.Voice) {
	choices := remaining(o.config.TTS.Choices(), ttsSeat, o.lost)
	for n, choice := range choices {
		if o.old.voice != nil && sameVoice(o.old.tts, choice) && o.old.language == o.language {
			return choice, o.old.voice
		}
		spare := n+1 < len(choices)
		voice, err := openStream(ctx, spare, func() (func(context.Context) (dialogue.Voice, error), error) {
			synthesizer, err := o.providers.Synthesizer(choice.Provider)
			return func(ctx context.Context) (dialogue.Voice, error) {
				return synthesizer.Open(ctx, dialogue.VoiceOptions{Model: choice.Model, VoiceID: choice.VoiceID, Language: o.language, Speed: speed(choice)})
			}, err
		})
		if err == nil {
			return choice, voice
		}
		s.failed(ttsSeat(choice), o.name, err, spare)
	}
	return o.old.tts, o.old.voice
}

// openStream finds a provider and opens a stream of it, in as many attempts as
// there are. Its result is nil on failure.
func openStream[T io.Closer](ctx context.Context, spare bool, find func() (func(context.Context) (T, error), error)) (stream T, err error) {
	how, err := find()
	if err != nil {
		return stream, err
	}
	err = retry(ctx, spare, func() (err error) {
		stream, err = open(ctx, patience(spare), how)
		return err
	})
	if err != nil {
		var none T
		return none, err
	}
	return stream, nil
}

// admitted asks a language model's vendor whether it takes the key, where that
// can be asked: one that is refused is told before the call begins, not at its
// first answer. What else goes wrong will show, or not, when it is used.
func admitted(ctx context.Context, m dialogue.LanguageModel, name string) error {
	checker, can := m.(dialogue.Checker)
	if !can {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, checkPatience)
	defer cancel()
	if err := guard(func() error { return checker.Check(ctx, name) }); refused(err) {
		return err
	}
	return nil
}

// closeBut closes the streams that are not the other cast's.
func (c cast) closeBut(other cast) {
	if c.recognition != nil && c.recognition != other.recognition {
		c.recognition.Close()
	}
	if c.voice != nil && c.voice != other.voice {
		c.voice.Close()
	}
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
