package analytics

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"parley/internal/database"
)

// ProviderLatency is the latency of a provider in the turns of ended calls, in
// milliseconds. Percentiles are within 1 %.
type ProviderLatency struct {
	Type, Name         string // Type is stt, llm or tts
	Avg, P50, P95, P99 float64
	Calls              int64 // number of calls with a measurement
}

// Providers returns latencies by provider, sorted by type (stt, llm, tts), then
// name.
func (s *Service) Providers(ctx context.Context, q Query) (list []ProviderLatency, err error) {
	type sum struct {
		sketch
		calls, measurements int64
		ms                  float64
	}
	found := map[series]*sum{}
	of := func(k series) (*sum, error) {
		if found[k] == nil {
			empty, err := newSketch()
			if err != nil {
				return nil, err
			}
			found[k] = &sum{sketch: empty}
		}
		return found[k], nil
	}
	err = s.read(ctx, &q, func(ctx context.Context, tx database.Tx) error {
		segments, edges := q.split(day)
		var buckets []latencyRow
		if len(segments) > 0 {
			if err := tx.NewRaw("?", q.rollups("latency_rollups", "provider_type, provider_name, calls, measurements, sum_ms, sketch", segments)).Scan(ctx, &buckets); err != nil && !database.NoRows(err) {
				return err
			}
		}
		for _, k := range buckets {
			p, err := of(series{k.ProviderType, k.ProviderName})
			if err != nil {
				return err
			}
			p.calls, p.measurements, p.ms = p.calls+k.Calls, p.measurements+k.Measurements, p.ms+k.SumMS
			if err := p.merge(k.Sketch); err != nil {
				return err
			}
		}
		calls, err := q.endedCalls(ctx, tx, edges)
		if err != nil {
			return err
		}
		for _, c := range calls {
			for k, measured := range c.latencies {
				if k.name == "" {
					continue
				}
				p, err := of(k)
				if err != nil {
					return err
				}
				p.calls, p.measurements, p.ms = p.calls+1, p.measurements+int64(len(measured)), p.ms+total(measured)
				for _, ms := range measured {
					if err := p.Add(ms); err != nil {
						return fmt.Errorf("add %g ms to sketch: %w", ms, err)
					}
				}
			}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("latencies of providers: %w", err)
	}
	for _, k := range slices.SortedFunc(maps.Keys(found), func(a, b series) int {
		return cmp.Or(slices.Index(kinds, a.kind)-slices.Index(kinds, b.kind), strings.Compare(a.name, b.name))
	}) {
		p := found[k]
		at, err := p.percentiles(0.5, 0.95, 0.99)
		if err != nil {
			return nil, err
		}
		list = append(list, ProviderLatency{Type: k.kind, Name: k.name, Avg: mean(p.ms, p.measurements), P50: at[0], P95: at[1], P99: at[2], Calls: p.calls})
	}
	return list, nil
}
