package worker

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/shopspring/decimal"

	"parley/internal/cost"
	"parley/internal/dialogue"
	"parley/internal/provider"
	"parley/internal/voice"
	opened "parley/internal/voice/providers"
)

// meter counts what a call uses of its providers, as they bill it. It is safe for concurrent use.
type meter struct {
	mu   sync.Mutex
	used map[cost.Use]int64 // samples of the caller's audio in place of seconds
	all  map[cost.Use]int64 // the same, with what was taken
}

func (m *meter) add(kind cost.Kind, name, model string, unit cost.Unit, n int) {
	if n <= 0 {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.used == nil {
		m.used = map[cost.Use]int64{}
	}
	if m.all == nil {
		m.all = map[cost.Use]int64{}
	}
	use := cost.Use{Kind: kind, Provider: name, Model: model, Unit: unit}
	m.used[use] += int64(n)
	m.all[use] += int64(n)
}

// addTokens adds the tokens of an answer.
func (m *meter) addTokens(kind cost.Kind, name, model string, u dialogue.Usage) {
	for unit, n := range cost.Tokens(u) {
		m.add(kind, name, model, unit, n)
	}
}

// take returns what was used since the last time, for an agent.
func (m *meter) take(agent string) (used []cost.Usage) {
	m.mu.Lock()
	defer m.mu.Unlock()
	used = usageOf(m.used, agent)
	m.used = nil
	return used
}

// total returns what was used in all.
func (m *meter) total() []cost.Usage {
	m.mu.Lock()
	defer m.mu.Unlock()
	return usageOf(m.all, "")
}

func usageOf(counted map[cost.Use]int64, agent string) (used []cost.Usage) {
	for use, n := range counted {
		quantity := decimal.NewFromInt(n)
		if use.Unit == cost.Seconds {
			quantity = quantity.Div(decimal.NewFromInt(dialogue.ListenRate)) // exact: 1/16000 has seven decimals
		}
		used = append(used, cost.Usage{Agent: agent, Use: use, Quantity: quantity})
	}
	slices.SortFunc(used, func(a, b cost.Usage) int { return strings.Compare(a.String(), b.String()) })
	return used
}

// of returns providers whose use is counted.
func (m *meter) of(source voice.Providers) voice.Providers { return metered{source, m} }

// metered is a tenant's providers whose use is counted.
type metered struct {
	voice.Providers
	meter *meter
}

// model returns the name of a model, of the provider's default if it has none.
func model(kind provider.Kind, name, model string) string {
	entry, _ := provider.Find(kind, name)
	return cmp.Or(model, slices.Concat(entry.Models, []string{"default"})[0])
}

func (s metered) LanguageModel(name string) (dialogue.LanguageModel, error) {
	m, err := s.Providers.LanguageModel(name)
	if err != nil {
		return nil, err
	}
	return meteredModel{m, name, s.meter}, nil
}

func (s metered) Recognizer(name string) (dialogue.Recognizer, error) {
	r, err := s.Providers.Recognizer(name)
	if err != nil {
		return nil, err
	}
	return meteredRecognizer{r, name, s.meter}, nil
}

func (s metered) Synthesizer(name string) (dialogue.Synthesizer, error) {
	t, err := s.Providers.Synthesizer(name)
	if err != nil {
		return nil, err
	}
	counted := meteredSynthesizer{t, name, s.meter}
	if normalizer, may := t.(dialogue.Normalizer); may {
		return meteredNormalizer{counted, normalizer}, nil
	}
	return counted, nil
}

// RealtimeModel implements providers.RealtimeSource.
func (s metered) RealtimeModel(name string) (dialogue.RealtimeModel, error) {
	source, has := s.Providers.(opened.RealtimeSource)
	if !has {
		return nil, dialogue.NewError("speech to speech is not available here")
	}
	m, err := source.RealtimeModel(name)
	if err != nil {
		return nil, err
	}
	return meteredRealtime{m, name, s.meter}, nil
}

// SpeechCache implements providers.CachingSource. Cached speech costs nothing.
func (s metered) SpeechCache(name string, o dialogue.VoiceOptions) opened.SpeechCache {
	if caching, does := s.Providers.(opened.CachingSource); does {
		return caching.SpeechCache(name, o)
	}
	return nil
}

type meteredModel struct {
	dialogue.LanguageModel
	name  string
	meter *meter
}

func (m meteredModel) Generate(ctx context.Context, p dialogue.Prompt) iter.Seq2[dialogue.Delta, error] {
	return func(yield func(dialogue.Delta, error) bool) {
		for delta, err := range m.LanguageModel.Generate(ctx, p) {
			if delta.Usage != nil {
				m.meter.addTokens(cost.LLM, m.name, model(provider.LLM, m.name, p.Model), *delta.Usage)
			}
			if !yield(delta, err) {
				return
			}
		}
	}
}

// Check implements dialogue.Checker.
func (m meteredModel) Check(ctx context.Context, name string) error {
	if checker, can := m.LanguageModel.(dialogue.Checker); can {
		return checker.Check(ctx, name)
	}
	return nil
}

type meteredRecognizer struct {
	dialogue.Recognizer
	name  string
	meter *meter
}

func (r meteredRecognizer) Recognize(ctx context.Context, o dialogue.RecognizeOptions) (dialogue.Recognition, error) {
	recognition, err := r.Recognizer.Recognize(ctx, o)
	if err != nil {
		return nil, err
	}
	return &meteredRecognition{recognition, r.name, model(provider.STT, r.name, o.Model), r.meter}, nil
}

type meteredRecognition struct {
	dialogue.Recognition
	name, model string
	meter       *meter
}

func (r *meteredRecognition) Write(pcm []int16) error {
	err := r.Recognition.Write(pcm)
	if err == nil {
		r.meter.add(cost.STT, r.name, r.model, cost.Seconds, len(pcm))
	}
	return err
}

// Pace implements providers.Paced.
func (r *meteredRecognition) Pace() float64 {
	if paced, is := r.Recognition.(opened.Paced); is {
		return paced.Pace()
	}
	return 0
}

type meteredSynthesizer struct {
	dialogue.Synthesizer
	name  string
	meter *meter
}

func (t meteredSynthesizer) Open(ctx context.Context, o dialogue.VoiceOptions) (dialogue.Voice, error) {
	v, err := t.Synthesizer.Open(ctx, o)
	if err != nil {
		return nil, err
	}
	return &meteredVoice{v, t.name, model(provider.TTS, t.name, o.Model), t.meter}, nil
}

type meteredNormalizer struct {
	meteredSynthesizer
	dialogue.Normalizer
}

type meteredVoice struct {
	dialogue.Voice
	name, model string
	meter       *meter
}

func (v *meteredVoice) Speak(ctx context.Context) (dialogue.Utterance, error) {
	u, err := v.Voice.Speak(ctx)
	if err != nil {
		return nil, err
	}
	return &meteredUtterance{Utterance: u, voice: v}, nil
}

type meteredUtterance struct {
	dialogue.Utterance
	voice *meteredVoice
	sent  int // characters that were counted
}

func (u *meteredUtterance) Say(text string) error {
	err := u.Utterance.Say(text)
	n := utf8.RuneCountInString(text)
	if counter, counts := u.Utterance.(dialogue.CharacterCounter); counts {
		n, u.sent = counter.SentCharacters()-u.sent, counter.SentCharacters()
	} else if err != nil {
		n = 0
	}
	u.voice.meter.add(cost.TTS, u.voice.name, u.voice.model, cost.Characters, n)
	return err
}

type meteredRealtime struct {
	dialogue.RealtimeModel
	name  string
	meter *meter
}

func (m meteredRealtime) Converse(ctx context.Context, o dialogue.ConversationOptions) (dialogue.Conversation, error) {
	c, err := m.RealtimeModel.Converse(ctx, o)
	if err != nil {
		return nil, err
	}
	return &meteredConversation{c, ctx, m.name, model(provider.Realtime, m.name, o.Model), m.meter}, nil
}

type meteredConversation struct {
	dialogue.Conversation
	ctx         context.Context // of the call
	name, model string
	meter       *meter
}

// Pace implements providers.Paced.
func (c *meteredConversation) Pace() float64 {
	if paced, is := c.Conversation.(opened.Paced); is {
		return paced.Pace()
	}
	return 0
}

func (c *meteredConversation) Respond(o dialogue.ResponseOptions) dialogue.Response {
	r := &meteredResponse{Response: c.Conversation.Respond(o), events: make(chan dialogue.ResponseEvent)}
	go r.relay(c)
	return r
}

// meteredResponse relays the events of a response, and counts their tokens, also when nobody reads them any more.
type meteredResponse struct {
	dialogue.Response
	events chan dialogue.ResponseEvent
}

func (r *meteredResponse) Events() <-chan dialogue.ResponseEvent { return r.events }

func (r *meteredResponse) relay(c *meteredConversation) {
	defer close(r.events)
	for {
		select {
		case event, more := <-r.Response.Events():
			if !more {
				return
			}
			if event.Usage != nil {
				c.meter.addTokens(cost.Realtime, c.name, c.model, *event.Usage)
			}
			select {
			case r.events <- event:
			case <-c.ctx.Done():
				return
			}
		case <-c.ctx.Done():
			return
		}
	}
}
