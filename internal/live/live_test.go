package live_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/internal/call"
	"parley/internal/fault"
	"parley/internal/live"
	"parley/internal/transfer"
)

func TestOneCallFromStartToEnd(t *testing.T) {
	each(t, live.Options{}, func(t *testing.T, h *fixture) {
		id := h.dispatch(acme)
		dispatched := h.since(id, "created_at")
		r := h.watch(acme, id, "")
		if m := r.want("connected"); m.text("call_id") != id || m.text("message") == "" {
			t.Errorf("connected %+v", m)
		}
		if m := r.want("status"); m.text("status") != "pending" || m.data["status_reason"] != nil || m.data["duration_seconds"] != 0.0 || m.text("timestamp") != dispatched {
			t.Errorf("status %+v", m)
		}
		claimed, err := h.calls.Claim(t.Context(), "w1", 1)
		h.must(err)
		l := claimed[0].Lease()
		began := time.Now()
		h.must(h.calls.MarkConnecting(t.Context(), l))
		connecting := r.want("status").text("timestamp")
		took := time.Since(began)
		if moment, err := time.Parse(time.RFC3339, connecting); err != nil || connecting <= dispatched || moment.After(time.Now().Add(time.Millisecond)) { // the database's clock has microseconds that the bubble's has not
			t.Errorf("connecting since %s, %v", connecting, err)
		}
		joining := h.watch(acme, id, "") // a later stream has the same time
		joining.want("connected")
		if m := joining.want("status"); m.text("status") != "connecting" || m.text("timestamp") != connecting {
			t.Errorf("status %+v, want connecting since %s", m, connecting)
		}
		joining.stream.Close()
		began = time.Now()
		h.must(h.calls.MarkActive(t.Context(), l))
		if m := r.want("status"); m.text("status") != "active" || m.text("timestamp") != h.since(id, "started_at") || m.text("timestamp") <= connecting {
			t.Errorf("status %+v", m)
		}
		if took += time.Since(began); took > 100*time.Millisecond { // the poll interval is a second
			t.Errorf("two changes took %s to be sent", took)
		}
		h.must(h.calls.Record(t.Context(), l, call.Records{Handoffs: []call.Handoff{{Agent: "desk"}}})) // the first agent is no change
		h.say(l, "one", "two\n\nthree")
		if m := r.want("transcript"); m.text("content") != "one" || m.text("role") != "user" || m.text("agent") != "desk" || m.text("call_id") != id {
			t.Errorf("transcript %+v", m)
		}
		if m := r.want("transcript"); m.text("content") != "two\n\nthree" {
			t.Errorf("transcript %+v", m)
		}
		h.hand(l, "desk", "booking")
		if m := r.want("agent_changed"); m.text("agent") != "booking" || m.text("previous_agent") != "desk" || m.text("call_id") != id {
			t.Errorf("agent_changed %+v", m)
		}
		h.finish(l, call.CallerHangup)
		if m := r.want("status"); m.text("status") != "completed" || m.text("status_reason") != "caller_hangup" || m.text("timestamp") != h.since(id, "ended_at") {
			t.Errorf("status %+v", m)
		}
		if m := r.want("ended"); m.text("call_id") != id || m.text("final_status") != "completed" || len(m.data) != 2 {
			t.Errorf("ended %+v", m)
		}
		last := r.last
		r.wantEnd()

		// A late stream receives the same; a resumed one only what is new.
		late := h.watch(acme, id, "")
		var events []string
		for m, more := late.next(); more; m, more = late.next() {
			events = append(events, m.event)
			if m.event == "status" && m.text("timestamp") != h.since(id, "ended_at") {
				t.Errorf("a snapshot says %+v", m)
			}
		}
		late.stream.Close()
		if want := []string{"connected", "status", "transcript", "transcript", "agent_changed", "ended"}; !slices.Equal(events, want) {
			t.Errorf("received %v afterwards, want %v", events, want)
		}
		again := h.watch(acme, id, last)
		for _, event := range []string{"connected", "status", "ended"} {
			again.want(event)
		}
		again.wantEnd()
	})
}

func TestResumeOfOneCall(t *testing.T) {
	each(t, live.Options{}, func(t *testing.T, h *fixture) {
		l := h.active(acme)
		h.say(l, "one", "two")
		r := h.watch(acme, l.CallID, "")
		r.want("connected")
		r.want("status")
		afterOne := r.want("transcript").id
		afterTwo := r.want("transcript").id
		r.stream.Close()
		h.hand(l, "desk", "booking")
		h.say(l, "three")
		for resume, want := range map[string]string{
			afterOne:                                 "two booking three",
			afterTwo:                                 "booking three",
			"":                                       "one two booking three",
			"0":                                      "one two booking three",
			"nonsense":                               "one two booking three",
			"1.2.3":                                  "one two booking three",
			"-1.-1":                                  "one two booking three",
			"9223372036854775807.0":                  "one two booking three", // no entry of this call
			strings.Replace(afterTwo, ".0", ".7", 1): "one two booking three", // more handoffs than there were
		} {
			again := h.watch(acme, l.CallID, resume)
			again.want("connected")
			again.want("status")
			var received []string
			for range strings.Count(want, " ") + 1 {
				m, _ := again.next()
				received = append(received, m.text(map[string]string{"transcript": "content", "agent_changed": "agent"}[m.event]))
			}
			if got := strings.Join(received, " "); got != want {
				t.Errorf("resumed from %q: %s, want %s", resume, got, want)
			}
			again.stream.Close()
		}
	})
}

// Steps of a transfer are in the conversation's order, with the link of the person's page while it opens something, and a stream resumes
// after them.
func TestTransfers(t *testing.T) {
	asked := 0
	o := live.Options{PageURL: func(_ context.Context, tenantID, pageID string) (string, error) {
		if asked++; asked > 2 {
			return "", fault.Missing("link")
		}
		return "https://voice.example.com/transfer/" + pageID + "#" + tenantID, nil
	}}
	each(t, o, func(t *testing.T, h *fixture) {
		asked = 0
		l := h.active(acme)
		h.say(l, "one")
		r := h.watch(acme, l.CallID, "")
		r.want("connected")
		r.want("status")
		r.want("transcript")
		step := call.TransferStep{Phase: call.TransferStarted, Mode: transfer.Announce, To: "+4930123456", Attempt: 1, Attempts: 2, Page: true}
		h.transfer(l, step)
		started := r.want("transfer")
		if started.text("phase") != "started" || started.text("to") != "+4930123456" || !strings.HasSuffix(started.text("page_url"), "#"+acme) || started.text("page_expires_at") == "" {
			t.Errorf("started: %+v", started)
		}
		busy := 486
		h.transfer(l, call.TransferStep{Phase: call.TransferBroken, Mode: transfer.Announce, To: "+4930123456", Attempt: 1, Attempts: 2, Reason: transfer.Busy, SIPStatus: &busy})
		if failed := r.want("transfer"); failed.text("reason") != "busy" || failed.data["sip_status"] != 486.0 || failed.data["page_url"] != nil || failed.data["page_expires_at"] != nil {
			t.Errorf("failed: %+v", failed)
		}
		h.say(l, "two")
		r.want("transcript")
		r.stream.Close()
		step.Phase, step.Attempt, step.Summary = call.TransferConnected, 2, "Ada is calling."
		h.transfer(l, step)

		for resume, want := range map[string]string{
			"":                        "transcript transfer transfer transcript transfer",
			started.id:                "transfer transcript transfer",
			r.last:                    "transfer",
			started.id + "7":          "transcript transfer transfer transcript transfer", // more steps than there were
			started.id[:len("1.0")]:   "transfer transfer transcript transfer",            // of a version without transfers
			strings.Repeat("1.", 3):   "transcript transfer transfer transcript transfer",
			started.id + "." + r.last: "transcript transfer transfer transcript transfer",
		} {
			again := h.watch(acme, l.CallID, resume)
			again.want("connected")
			again.want("status")
			var received []string
			for range strings.Fields(want) {
				m, _ := again.next()
				received = append(received, m.event)
				if m.event == "transfer" && m.data["page_url"] != nil {
					t.Errorf("a link that was used: %+v", m)
				}
			}
			if got := strings.Join(received, " "); got != want {
				t.Errorf("resumed from %q: %s, want %s", resume, got, want)
			}
			again.stream.Close()
		}
	})
}

func TestUnknownAndForeignCallsAreTheSame(t *testing.T) {
	each(t, live.Options{}, func(t *testing.T, h *fixture) {
		foreign := h.dispatch(other)
		var received []string
		for _, id := range []string{foreign, "0193a6f0-0000-7000-8000-00000000ffff"} {
			r := h.watch(acme, id, "")
			m := r.want("error")
			if m.text("call_id") != id || len(m.data) != 2 {
				t.Errorf("error %+v", m)
			}
			received = append(received, m.text("message"))
			r.wantEnd()
		}
		if received[0] != received[1] || received[0] == "" {
			t.Errorf("messages %q", received)
		}
	})
}

func TestAllCalls(t *testing.T) {
	each(t, live.Options{}, func(t *testing.T, h *fixture) {
		first := h.dispatch(acme)
		h.dispatch(other)
		r := h.watchAll(acme, "")
		if m := r.want("connected"); m.text("tenant_id") != acme || m.text("message") == "" {
			t.Errorf("connected %+v", m)
		}
		if m := r.want("active_count"); m.data["count"] != 1.0 || m.text("timestamp") == "" {
			t.Errorf("active_count %+v", m)
		}
		m := r.want("calls_update")
		if fields := slices.Sorted(maps.Keys(m.calls()[first])); len(m.calls()) != 1 ||
			!slices.Equal(fields, []string{"call_type", "current_agent", "ended_at", "held", "id", "started_at", "status", "status_reason", "user_id", "workflow_slug"}) {
			t.Errorf("calls_update %+v", m)
		}
		second := h.dispatch(acme)
		if m := r.want("active_count"); m.data["count"] != 2.0 {
			t.Errorf("active_count %+v", m)
		}
		if m := r.want("calls_update"); len(m.calls()) != 1 || m.calls()[second]["status"] != "pending" {
			t.Errorf("calls_update %+v", m)
		}
		claimed, err := h.calls.Claim(t.Context(), "w1", 2)
		h.must(err)
		l := claimed[0].Lease()
		h.must(h.calls.MarkConnecting(t.Context(), l))
		if m := r.want("calls_update"); len(m.calls()) != 1 || m.calls()[l.CallID]["status"] != "connecting" {
			t.Errorf("calls_update %+v", m)
		}
		h.must(h.calls.Record(t.Context(), l, call.Records{Handoffs: []call.Handoff{{Agent: "desk"}}}))
		if m := r.want("calls_update"); m.calls()[l.CallID]["current_agent"] != "desk" {
			t.Errorf("calls_update %+v", m)
		}
		resume := r.last
		h.finish(l, call.Busy)
		if m := r.want("active_count"); m.data["count"] != 1.0 {
			t.Errorf("active_count %+v", m)
		}
		ended := r.want("calls_update").calls()[l.CallID]
		if ended["status"] != "failed" || ended["status_reason"] != "busy" || ended["ended_at"] == nil || ended["current_agent"] != nil {
			t.Errorf("ended call %+v", ended)
		}
		r.stream.Close()

		again := h.watchAll(acme, resume)
		if m := again.want("connected"); m.id != resume {
			t.Errorf("resumed at %q: %+v", resume, m)
		}
		again.want("active_count")
		if m := again.want("calls_update"); len(m.calls()) != 2 || m.calls()[l.CallID]["status"] != "failed" {
			t.Errorf("resumed: %+v", m)
		}
		again.stream.Close()
		fresh := h.watchAll(acme, "yesterday")
		fresh.want("connected")
		fresh.want("active_count")
		if m := fresh.want("calls_update"); len(m.calls()) != 1 || m.calls()[l.CallID] != nil {
			t.Errorf("a fresh stream: %+v", m)
		}
		fresh.stream.Close()
	})
}

// A stream that is resumed long after a call ended receives it all the same,
// and the others are not sent again.
func TestResumeAfterAnOutage(t *testing.T) {
	each(t, live.Options{}, func(t *testing.T, h *fixture) {
		l := h.active(acme)
		r := h.watchAll(acme, "")
		for range 3 {
			r.next()
		}
		r.stream.Close()
		h.finish(l, call.CallerHangup)
		hourAgo := time.Now().UTC().Add(-time.Hour).Truncate(time.Microsecond)
		h.exec("UPDATE calls SET ended_at = ? WHERE id = ?", hourAgo, l.CallID)
		other := h.watchAll(acme, "")
		for range 3 {
			other.next()
		}
		again := h.watchAll(acme, fmt.Sprint(hourAgo.UnixMicro()))
		again.want("connected")
		again.want("active_count")
		if m := again.want("calls_update"); m.calls()[l.CallID]["status"] != "completed" {
			t.Errorf("resumed: %+v", m)
		}
		h.dispatch(acme)
		other.want("active_count")
		if m := other.want("calls_update"); m.calls()[l.CallID] != nil || len(m.calls()) != 1 {
			t.Errorf("sent again: %+v", m)
		}
		again.stream.Close()
		other.stream.Close()
	})
}

// What another node writes is not announced here.
func TestChangesElsewhere(t *testing.T) {
	each(t, live.Options{}, func(t *testing.T, h *fixture) {
		l := h.active(acme)
		all, one := h.watchAll(acme, ""), h.watch(acme, l.CallID, "")
		for range 3 {
			all.next()
		}
		one.next()
		one.next()
		h.quietly(func(calls *call.Service) {
			_, err := calls.Finish(t.Context(), l, call.ConnectionLost)
			h.must(err)
		})
		all.want("active_count")
		if m := all.want("calls_update"); m.calls()[l.CallID]["status"] != "disconnected" {
			t.Errorf("calls_update %+v", m)
		}
		one.want("status")
		one.want("ended")
		one.wantEnd()
		all.stream.Close()
	})
}

// Lines of many calls are written concurrently, while readers connect and disconnect:
// each reader sees every line of its call once, in order.
func TestTranscriptsWhileTheyAreWritten(t *testing.T) {
	const calls, lines, readers = 4, 60, 3
	each(t, live.Options{}, func(t *testing.T, h *fixture) {
		var writing, reading sync.WaitGroup
		for range calls {
			l := h.active(acme)
			for n := range readers {
				reading.Go(func() {
					resume, next := "", 0
					for next < lines {
						st, err := h.hub.Call(live.Viewer{TenantID: acme}, l.CallID, resume)
						if err != nil {
							t.Error(err)
							return
						}
						r := &reader{t: t, stream: st}
						for taken := 0; taken < 7+n*5 && next < lines; {
							m, more := r.next()
							if !more {
								t.Errorf("the stream ended at line %d", next)
								st.Close()
								return
							}
							if m.event != "transcript" {
								continue
							}
							if want := fmt.Sprint("line ", next); m.text("content") != want {
								t.Errorf("%q, want %q", m.text("content"), want)
								st.Close()
								return
							}
							next++
							taken++
						}
						resume = r.last
						st.Close()
					}
				})
			}
			writing.Go(func() {
				for i := 0; i < lines; i += 2 {
					h.say(l, fmt.Sprint("line ", i), fmt.Sprint("line ", i+1))
				}
			})
		}
		writing.Wait()
		reading.Wait()
	})
}

func TestSlowReadersAreCut(t *testing.T) {
	each(t, live.Options{}, func(t *testing.T, h *fixture) {
		l := h.active(acme)
		slow, quick := h.watch(acme, l.CallID, ""), h.watch(acme, l.CallID, "")
		quick.want("connected")
		quick.want("status")
		for i := range 100 {
			h.say(l, fmt.Sprint(i))
			if m := quick.want("transcript"); m.text("content") != fmt.Sprint(i) {
				t.Fatalf("line %d is %+v", i, m)
			}
		}
		if _, open := <-slow.stream.Frames(); open {
			t.Error("a reader that is a hundred frames behind was not cut")
		}
		slow.stream.Close()
		slow.stream.Close()
		quick.stream.Close()
	})
}

func TestLimits(t *testing.T) {
	each(t, live.Options{StreamsPerTenant: 2, Streams: 3}, func(t *testing.T, h *fixture) {
		refused := func(tenant string) {
			t.Helper()
			_, err := h.hub.Calls(live.Viewer{TenantID: tenant}, "")
			var later *fault.Error
			if !fault.Is(err, fault.RateLimitExceeded) || !errors.As(err, &later) || later.RetryAfter < time.Second {
				t.Errorf("error %v, want rate_limit_exceeded with RetryAfter", err)
			}
		}
		a, b := h.watchAll(acme, ""), h.watch(acme, h.dispatch(acme), "")
		refused(acme)
		c := h.watchAll(other, "")
		refused(other) // the process is full
		b.stream.Close()
		b = h.watchAll(acme, "")
		refused(acme)

		h.hub.End()
		for _, r := range []*reader{a, b, c} {
			for _, more := r.next(); more; _, more = r.next() {
			}
			r.stream.Close()
		}
		d := h.watchAll(acme, "")
		d.want("connected")
		h.hub.Close()
		for _, more := d.next(); more; _, more = d.next() {
		}
		d.stream.Close()
		if _, err := h.hub.Calls(live.Viewer{TenantID: acme}, ""); !fault.Is(err, fault.ServiceUnavailable) {
			t.Errorf("after the end: %v", err)
		}
	})
}

// An unreachable database ends the streams that have received nothing; the
// others continue.
func TestDatabaseAway(t *testing.T) {
	each(t, live.Options{Log: slog.New(slog.DiscardHandler)}, func(t *testing.T, h *fixture) {
		h.db.Close()
		all, one := h.watchAll(acme, ""), h.watch(acme, "0193a6f0-0000-7000-8000-00000000ffff", "")
		all.want("connected")
		if m := all.want("error"); m.text("timestamp") == "" || len(m.data) != 2 {
			t.Errorf("error %+v", m)
		}
		all.wantEnd()
		one.want("error")
		one.wantEnd()
	})
}

// A hold is sent to the streams of the call and of all calls, and is over when the call is.
func TestHold(t *testing.T) {
	each(t, live.Options{}, func(t *testing.T, h *fixture) {
		l := h.active(acme)
		all, one := h.watchAll(acme, ""), h.watch(acme, l.CallID, "")
		for range 3 {
			all.next()
		}
		one.want("connected")
		if m := one.want("status"); m.data["held"] != false {
			t.Errorf("status %+v", m)
		}
		for _, kind := range []call.IncidentType{call.CallHeld, call.CallResumed, call.CallHeld} {
			held := kind == call.CallHeld
			h.must(h.calls.Record(t.Context(), l, call.Records{Incidents: []call.Incident{{Type: kind, CreatedAt: time.Now().UTC()}}}))
			if m := one.want("status"); m.data["held"] != held || m.text("status") != "active" {
				t.Errorf("status %+v", m)
			}
			if m := all.want("calls_update"); m.calls()[l.CallID]["held"] != held {
				t.Errorf("calls_update %+v", m)
			}
		}
		h.must(h.calls.Record(t.Context(), l, call.Records{Entries: []call.TranscriptEntry{{Role: "user", Content: "12", DTMF: true, CreatedAt: time.Now().UTC()}}}))
		if m := one.want("transcript"); m.data["dtmf"] != true || m.text("content") != "12" {
			t.Errorf("transcript %+v", m)
		}
		h.finish(l, call.CallerHangup)
		if m := one.want("status"); m.data["held"] != false || m.text("status") != "completed" {
			t.Errorf("status %+v", m)
		}
		one.want("ended")
		one.wantEnd()
		all.want("active_count")
		if m := all.want("calls_update"); m.calls()[l.CallID]["held"] != false {
			t.Errorf("calls_update %+v", m)
		}
		all.stream.Close()
	})
}
