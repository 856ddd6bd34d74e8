package analytics

import (
	"context"

	"parley/internal/call"
	"parley/internal/database"
)

// series is what latencies are kept by.
type series struct {
	kind string // stt, llm, tts
	name string // the provider's
}

// kinds lists the kinds of providers in the order of a turn.
var kinds = []string{"stt", "llm", "tts"}

// ended is a call that is over, with what rollups count of its turns.
type ended struct {
	*call.CountedCall

	tokens    int64
	latencies map[series][]float64 // milliseconds; the name is empty when it is not known
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

// calls are the calls that the query is of.
func (q Query) calls() call.CountedCalls {
	return call.CountedCalls{TenantID: q.TenantID, Livemode: q.Livemode}
}

// edge reads the calls that are over of stretches of less than a minute.
func (q Query) edge(ctx context.Context, tx database.Tx, edges []Range) (calls []*ended, err error) {
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

// open reads the tenant's calls that are not over and in the range.
func (q Query) open(ctx context.Context, tx database.Tx) ([]*call.CountedCall, error) {
	all, err := q.calls().Open(ctx, tx)
	if err != nil {
		return nil, err
	}
	within := all[:0]
	for _, c := range all {
		if q.now || q.holds(c.CountedAt()) {
			within = append(within, c)
		}
	}
	return within, nil
}
