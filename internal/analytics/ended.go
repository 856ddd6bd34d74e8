package analytics

import (
	"context"

	"parley/internal/call"
	"parley/internal/database"
)

// series identifies a provider's latencies.
type series struct {
	kind string // stt, llm, tts
	name string // of the provider
}

// kinds lists the kinds of providers in the order they are used in a turn.
var kinds = []string{"stt", "llm", "tts"}

// ended is an ended call with the tokens and latencies of its turns.
type ended struct {
	*call.CountedCall

	tokens    int64
	latencies map[series][]float64 // milliseconds; name is empty for an unknown provider
}

func newEnded(c *call.CountedCall) *ended {
	e := &ended{CountedCall: c, tokens: c.OtherTokens()}
	for _, t := range c.Turns {
		e.add(t)
	}
	return e
}

func (e *ended) add(t call.Turn) {
	for _, tokens := range []*int64{t.InputTokens, t.OutputTokens} {
		if tokens != nil {
			e.tokens += *tokens
		}
	}
	for _, m := range []struct {
		kind     string
		provider *string
		ms       *float64
	}{{"stt", t.STTProvider, t.STTMS}, {"llm", t.LLMProvider, t.LLMMS}, {"tts", t.TTSProvider, t.TTSMS}} {
		if m.ms == nil {
			continue
		}
		of := series{kind: m.kind}
		if m.provider != nil {
			of.name = *m.provider
		}
		if e.latencies == nil {
			e.latencies = map[series][]float64{}
		}
		e.latencies[of] = append(e.latencies[of], *m.ms)
	}
}

// calls returns the read model of the query's calls.
func (q Query) calls() call.CountedCalls {
	return call.CountedCalls{TenantID: q.TenantID, Livemode: q.Livemode}
}

// endedCalls reads the ended calls of ranges shorter than a minute.
func (q Query) endedCalls(ctx context.Context, tx database.Tx, edges []Range) (calls []*ended, err error) {
	for _, e := range edges {
		found, err := q.calls().EndedBetween(ctx, tx, e.From, e.To)
		if err != nil {
			return nil, err
		}
		for _, c := range found {
			calls = append(calls, newEnded(c))
		}
	}
	return calls, nil
}

// openCalls reads the calls in the range that have not ended.
func (q Query) openCalls(ctx context.Context, tx database.Tx) ([]*call.CountedCall, error) {
	all, err := q.calls().Open(ctx, tx)
	if err != nil {
		return nil, err
	}
	within := all[:0]
	for _, c := range all {
		if q.now || q.contains(c.CountedAt()) {
			within = append(within, c)
		}
	}
	return within, nil
}
