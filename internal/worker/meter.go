package worker

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"strings"
	"sync"

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
	used map[cost.Use]int64 // nanoseconds in place of seconds
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

// speech returns what adds the usage that a provider reports, of the model asked for unless it names another.
func (m *meter) speech(kind cost.Kind, name, asked string) dialogue.UsageFunc {
	return func(u dialogue.SpeechUsage) {
		used := cmp.Or(u.Model, asked)
		m.addTokens(kind, name, used, u.Usage)
		m.add(kind, name, used, cost.Seconds, int(u.Audio))
		m.add(kind, name, used, cost.Characters, u.Characters)
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
			quantity = quantity.Shift(-9)
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
	o.Used = r.meter.speech(cost.STT, r.name, model(provider.STT, r.name, o.Model))
	return r.Recognizer.Recognize(ctx, o)
}

type meteredSynthesizer struct {
	dialogue.Synthesizer
	name  string
	meter *meter
}

func (t meteredSynthesizer) Open(ctx context.Context, o dialogue.VoiceOptions) (dialogue.Voice, error) {
	o.Used = t.meter.speech(cost.TTS, t.name, model(provider.TTS, t.name, o.Model))
	return t.Synthesizer.Open(ctx, o)
}

type meteredNormalizer struct {
	meteredSynthesizer
	dialogue.Normalizer
}

type meteredRealtime struct {
	dialogue.RealtimeModel
	name  string
	meter *meter
}

func (m meteredRealtime) Converse(ctx context.Context, o dialogue.ConversationOptions) (dialogue.Conversation, error) {
	o.Used = m.meter.speech(cost.Realtime, m.name, model(provider.Realtime, m.name, o.Model))
	o.Transcribed = m.meter.speech(cost.STT, m.name, "default")
	return m.RealtimeModel.Converse(ctx, o)
}
