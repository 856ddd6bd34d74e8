package call_test

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"parley/internal/audio"
	"parley/internal/call"
	"parley/internal/event"
)

// hold records that the phone put the call on hold, or resumed it.
func (h *fixture) hold(l call.Lease, held bool) {
	h.t.Helper()
	i := call.Incident{Type: call.CallResumed, CreatedAt: time.Now().UTC()}
	if held {
		i.Type = call.CallHeld
	}
	if err := h.calls.Record(h.t.Context(), l, call.Records{Incidents: []call.Incident{i}}); err != nil {
		h.t.Fatal(err)
	}
}

// incidents returns the types of the incidents in a call's timeline.
func (h *fixture) incidents(id string) (types []string) {
	h.t.Helper()
	moments, err := h.calls.Timeline(h.t.Context(), acme, id)
	if err != nil {
		h.t.Fatal(err)
	}
	for _, m := range moments {
		if m.Incident != nil {
			types = append(types, string(m.Incident.Type))
		}
	}
	return types
}

// A hold is a state of the call, which survives its worker and ends with the call, and an event each time it changes.
func TestHold(t *testing.T) {
	each(t, defaults, func(t *testing.T, h *fixture) {
		lease := h.active()
		id := lease.CallID
		held := func(want bool) {
			t.Helper()
			page, _, err := h.calls.List(t.Context(), acme, call.Filter{}, 10, 0)
			if err != nil || page[0].Held != want || h.get(id).Held != want {
				t.Errorf("held %v, in the list %v, %v; want %v", h.get(id).Held, page[0].Held, err, want)
			}
		}
		held(false)
		h.hold(lease, true)
		held(true)
		h.set(id, "lease_until = ?", time.Now().UTC().Add(-time.Second))
		lease = h.takeOver("w2")
		held(true)
		h.hold(lease, true) // the second worker reports what is known
		h.hold(lease, false)
		h.hold(lease, false)
		held(false)
		h.hold(lease, true)
		if _, err := h.calls.Finish(t.Context(), lease, call.CallerHangup); err != nil {
			t.Fatal(err)
		}
		held(false)
		want := []string{event.CallStarted, event.CallConnected, event.CallHeld, event.CallResumed, event.CallHeld, event.CallCompleted}
		if got := h.events(id); !slices.Equal(got, want) {
			t.Errorf("events %v, want %v", got, want)
		}
		got := h.incidents(id)
		slices.Sort(got) // the clocks of worker and database may differ
		if want := []string{"call_held", "call_held", "call_resumed", "taken_over", "worker_lost"}; !slices.Equal(got, want) {
			t.Errorf("incidents %v, want %v", got, want)
		}
	})
}

// A phone that holds and resumes without end cannot write without bound; the state stays right.
func TestHoldsAreBounded(t *testing.T) {
	each(t, defaults, func(t *testing.T, h *fixture) {
		lease := h.active()
		var many call.Records
		for i := range 2001 {
			many.Incidents = append(many.Incidents, call.Incident{Type: []call.IncidentType{call.CallHeld, call.CallResumed}[i%2], CreatedAt: time.Now().UTC()})
		}
		if err := h.calls.Record(t.Context(), lease, many); err != nil {
			t.Fatal(err)
		}
		if n, events := len(h.incidents(lease.CallID)), len(h.events(lease.CallID)); n != 400 || events != 402 || !h.get(lease.CallID).Held {
			t.Errorf("%d incidents, %d events, held %v", n, events, h.get(lease.CallID).Held)
		}
	})
}

// An entry by keys is marked wherever the transcript is read, and redacted as other entries are, also where * separates the digits.
func TestKeysInTranscript(t *testing.T) {
	each(t, defaults, func(t *testing.T, h *fixture) {
		for _, redacts := range []bool{false, true} {
			lease := h.active()
			h.set(lease.CallID, "redact = ?", redacts)
			entries := []call.TranscriptEntry{
				{Role: "user", Content: "4242*4242*4242*4242", DTMF: true, CreatedAt: time.Now().UTC()}, {Role: "user", Content: "12#", DTMF: true, CreatedAt: time.Now().UTC()},
				{Role: "user", Content: "Hello", CreatedAt: time.Now().UTC()},
			}
			if err := h.calls.Record(t.Context(), lease, call.Records{Entries: entries}); err != nil {
				t.Fatal(err)
			}
			got, err := h.calls.Transcript(t.Context(), acme, lease.CallID)
			if err != nil || len(got) != 3 || !got[0].DTMF || !got[1].DTMF || got[1].Content != "12#" || got[2].DTMF {
				t.Fatalf("transcript %+v, %v", got, err)
			}
			if masked := got[0].Content != "4242*4242*4242*4242"; masked != redacts {
				t.Errorf("with redaction %v the card number is %q", redacts, got[0].Content)
			}
			sent, err := call.EventExtras{Calls: h.calls}.Transcript(t.Context(), acme, lease.CallID)
			var lines []struct {
				Content string
				DTMF    bool
			}
			if err != nil || json.Unmarshal(sent, &lines) != nil || !lines[0].DTMF || lines[0].Content != got[0].Content || lines[2].DTMF {
				t.Errorf("in events the transcript is %s, %v", sent, err)
			}
		}
	})
}

// The quality of a phone's audio is the last one that was measured, in the call, its timeline and the event of its end.
func TestQuality(t *testing.T) {
	each(t, defaults, func(t *testing.T, h *fixture) {
		lease := h.active()
		h.set(lease.CallID, "call_type = ?", call.SIP)
		at := time.Now().UTC().Truncate(time.Microsecond)
		for n := range 2 {
			q := audio.Quality{Codec: "PCMA", Received: audio.DirectionQuality{Packets: 100 * int64(n+1), Lost: new(int64(3)), MOS: new(4.1)}, MeasuredAt: at}
			if err := h.calls.Record(t.Context(), lease, call.Records{Quality: &q}); err != nil {
				t.Fatal(err)
			}
		}
		ended, err := h.calls.Finish(t.Context(), lease, call.CallerHangup)
		if err != nil {
			t.Fatal(err)
		}
		q := h.get(lease.CallID).Quality
		if q == nil || q.Received.Packets != 200 || *q.Received.Lost != 3 || q.Sent.Lost != nil || !q.MeasuredAt.Equal(at) || ended.Quality == nil {
			t.Errorf("quality %+v", q)
		}
		moments, err := h.calls.Timeline(t.Context(), acme, lease.CallID)
		if err != nil || !slices.ContainsFunc(moments, func(m call.TimelineItem) bool { return m.Quality != nil && m.At.Equal(at) }) {
			t.Errorf("timeline %+v, %v", moments, err)
		}
		last := h.dataOf(lease.CallID)
		if of := last[len(last)-1].Quality; of == nil || of.Codec != "PCMA" {
			t.Errorf("the event of the end has %+v", of)
		}
	})
}
