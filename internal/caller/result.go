package caller

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"parley/client"
)

// Result is the result of a call. Latencies are in milliseconds; nil if not measured.
type Result struct {
	CallID       string `json:"call_id"`
	Status       string `json:"status"`
	StatusReason string `json:"-"`
	// DispatchToTrackMS is the time from the response to the dispatch until the server had the agent's track, in
	// server time, limited to the interval between that response and the subscription to the track, so that a wrong
	// server clock only costs precision.
	DispatchToTrackMS *float64 `json:"dispatch_to_track_ms"`
	Turns             []Turn   `json:"turns"`
	// InterruptionMS is the time from the first packet of an interrupting line to the last packet of the agent's
	// speech; the maximum of several.
	InterruptionMS *float64                 `json:"interruption_ms"`
	Transcript     []client.TranscriptEntry `json:"transcript"`
	Recording      string                   `json:"recording"` // path of the WAV file; "" for none
}

// Turn is a line and its reply.
type Turn struct {
	Said string `json:"said"`
	// Replied is the agent's transcript entry for the line; "" if there is none.
	Replied string `json:"replied"`
	// VoiceToVoiceMS is the time from the last sent packet with speech to the first received packet of at least 60
	// ms of speech.
	VoiceToVoiceMS *float64 `json:"voice_to_voice_ms"`
}

// setMeasurements sets what the conversation measured.
func (r *Result) setMeasurements(c *conversation, answered time.Time) {
	if !c.audioAt.IsZero() {
		seen := c.audioAt.Sub(answered)
		track := seen
		if c.audio.Published.UnixMicro() > 0 {
			track = min(seen, max(0, c.audio.Published.Sub(answered)))
		}
		r.DispatchToTrackMS = milliseconds(track)
	}
	for _, t := range c.turns {
		turn := Turn{Said: t.line.text}
		if !t.replied.IsZero() {
			turn.VoiceToVoiceMS = milliseconds(t.replied.Sub(t.last))
		}
		r.Turns = append(r.Turns, turn)
	}
	if cuts := c.interruptions(); len(cuts) > 0 {
		r.InterruptionMS = milliseconds(slices.Max(cuts))
	}
}

// milliseconds rounds to a tenth.
func milliseconds(d time.Duration) *float64 {
	ms := float64(d.Round(100*time.Microsecond)) / float64(time.Millisecond)
	return &ms
}

// Print writes the conversation as text.
func (r *Result) Print(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "call %s\n", r.CallID)
	if opening := r.opening(); opening != "" {
		fmt.Fprintf(&b, "\n  agent   %s\n", opening)
	}
	for _, t := range r.Turns {
		fmt.Fprintf(&b, "\n  caller  %s\n", t.Said)
		switch {
		case t.VoiceToVoiceMS != nil:
			fmt.Fprintf(&b, "  agent   %s  (after %.0f ms)\n", t.Replied, *t.VoiceToVoiceMS)
		case t.Replied != "":
			fmt.Fprintf(&b, "  agent   %s\n", t.Replied)
		default:
			fmt.Fprint(&b, "  agent   (no reply)\n")
		}
	}
	ended := r.Status
	if r.StatusReason != "" {
		ended += " (" + r.StatusReason + ")"
	}
	fmt.Fprintf(&b, "\n%s", ended)
	if r.DispatchToTrackMS != nil {
		fmt.Fprintf(&b, "; agent's track %.0f ms after the dispatch", *r.DispatchToTrackMS)
	}
	if r.InterruptionMS != nil {
		fmt.Fprintf(&b, "; silent %.0f ms after an interruption began", *r.InterruptionMS)
	}
	if r.Recording != "" {
		fmt.Fprintf(&b, "; agent's voice in %s", r.Recording)
	}
	fmt.Fprintln(&b)
	_, err := io.WriteString(w, b.String())
	return err
}

// opening returns what the agent said before the first transcribed line.
func (r *Result) opening() string {
	for i, e := range r.Transcript {
		if e.Role == "user" {
			return spokenIn(r.Transcript[:i])
		}
	}
	return spokenIn(r.Transcript)
}
