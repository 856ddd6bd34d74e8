package caller

import (
	"fmt"
	"io"
	"slices"
	"time"
)

// Figures are the results of a load test. Times are in milliseconds.
type Figures struct {
	Calls   int `json:"calls"`   // requested
	Started int `json:"started"` // accepted by the server
	Failed  int `json:"failed"`  // not accepted, not joined, or not ended as completed
	// Turns are the spoken lines; MissedTurns those without a reply within 15 s.
	Turns       int `json:"turns"`
	MissedTurns int `json:"missed_turns"`
	// VoiceToVoiceMS is measured as Turn.VoiceToVoiceMS, DispatchMS as Result.DispatchToTrackMS. InterruptionMS is
	// the time from the first packet of an interrupting line to the last packet of the agent's speech.
	VoiceToVoiceMS Quantiles `json:"voice_to_voice_ms"`
	DispatchMS     Quantiles `json:"dispatch_ms"`
	InterruptionMS Quantiles `json:"interruption_ms"`
}

// Quantiles of measurements; nil without any.
type Quantiles struct {
	P50 *float64 `json:"p50"`
	P95 *float64 `json:"p95"`

	values []float64
}

func newFigures(calls int) *Figures { return &Figures{Calls: calls} }

// add adds the result of a call.
func (f *Figures) add(r *Result, interruptions []time.Duration) {
	if r.DispatchToTrackMS != nil {
		f.DispatchMS.values = append(f.DispatchMS.values, *r.DispatchToTrackMS)
	}
	for _, t := range r.Turns {
		f.Turns++
		if t.VoiceToVoiceMS == nil {
			f.MissedTurns++
			continue
		}
		f.VoiceToVoiceMS.values = append(f.VoiceToVoiceMS.values, *t.VoiceToVoiceMS)
	}
	for _, cut := range interruptions {
		f.InterruptionMS.values = append(f.InterruptionMS.values, *milliseconds(cut))
	}
}

// sum computes the quantiles.
func (f *Figures) sum() *Figures {
	for _, q := range []*Quantiles{&f.VoiceToVoiceMS, &f.DispatchMS, &f.InterruptionMS} {
		slices.Sort(q.values)
		q.P50, q.P95 = quantile(q.values, 50), quantile(q.values, 95)
	}
	return f
}

// quantile returns the nearest-rank quantile of sorted values; nil without any.
func quantile(sorted []float64, percent int) *float64 {
	if len(sorted) == 0 {
		return nil
	}
	rank := (len(sorted)*percent + 99) / 100
	return &sorted[rank-1]
}

// Print writes the figures as text.
func (f *Figures) Print(w io.Writer) error {
	_, err := fmt.Fprintf(w, `calls            %d, %d started, %d failed
turns            %d, %d missed
voice to voice   %s
dispatch → track %s
interruption     %s
`, f.Calls, f.Started, f.Failed, f.Turns, f.MissedTurns, f.VoiceToVoiceMS, f.DispatchMS, f.InterruptionMS)
	return err
}

func (q Quantiles) String() string {
	if q.P50 == nil || q.P95 == nil {
		return "–"
	}
	return fmt.Sprintf("p50 %.1f ms, p95 %.1f ms, of %d", *q.P50, *q.P95, len(q.values))
}
