package call_test

import (
	"slices"
	"testing"
	"time"

	"parley/internal/answering"
	"parley/internal/call"
	"parley/internal/event"
)

func verdict(class answering.Class, cause answering.Cause, after time.Duration) call.Answer {
	e := answering.Evidence{Layer: answering.Phrases, Class: class, Cause: cause, Confidence: 0.97, Detail: "en: after the tone", After: after}
	return call.NewAnswer(answering.Verdict{Evidence: e, All: []answering.Evidence{e}})
}

// Who answered is in the call, in lists and their filter, in events and in the timeline with its evidence; the last decision counts.
func TestAnsweredBy(t *testing.T) {
	each(t, defaults, func(t *testing.T, h *fixture) {
		silent, lease := h.active(), h.active()
		answers := []call.Answer{verdict(answering.Human, answering.ShortGreeting, time.Second), verdict(answering.Voicemail, answering.Phrase, 4*time.Second)}
		if err := h.calls.Record(t.Context(), lease, call.Records{Answers: answers}); err != nil {
			t.Fatal(err)
		}
		want := call.AnsweredBy{Class: answering.Voicemail, Confidence: 0.97, Cause: answering.Phrase, AfterMS: 4000}
		if got := h.get(lease.CallID).AnsweredBy; got == nil || *got != want {
			t.Errorf("the call was answered by %+v", got)
		}
		for class, found := range map[answering.Class][]string{answering.Voicemail: {lease.CallID}, answering.Human: nil, "": {lease.CallID, silent.CallID}} {
			page, total, err := h.calls.List(t.Context(), acme, call.Filter{Details: call.Details{AnsweredBy: class}}, 10, 0)
			var ids []string
			for _, c := range page {
				ids = append(ids, c.ID)
				if c.ID == lease.CallID && (c.AnsweredBy == nil || *c.AnsweredBy != want) || c.ID == silent.CallID && c.AnsweredBy != nil {
					t.Errorf("in the list: %+v", c.AnsweredBy)
				}
			}
			slices.Sort(ids)
			slices.Sort(found)
			if err != nil || !slices.Equal(ids, found) || int(total) != len(found) {
				t.Errorf("class %q: %d calls, %v, %v", class, total, ids, err)
			}
		}
		items, err := h.calls.Timeline(t.Context(), acme, lease.CallID)
		if err != nil {
			t.Fatal(err)
		}
		var got []call.Answer
		for _, item := range items {
			if item.Answer != nil {
				got = append(got, *item.Answer)
			}
		}
		if len(got) != 2 || got[1].AnsweredBy != want || len(got[1].Evidence) != 1 || got[1].Evidence[0].Detail != "en: after the tone" {
			t.Errorf("in the timeline: %+v", got)
		}
		if events := h.events(lease.CallID); !slices.Equal(events[2:], []string{event.CallAnsweredBy, event.CallAnsweredBy}) {
			t.Errorf("events %v", events)
		}
	})
}

// What the agent did with a machine is the reason of the call's end.
func TestCallsThatMachinesAnswered(t *testing.T) {
	each(t, defaults, func(t *testing.T, h *fixture) {
		for _, reason := range []call.Reason{call.VoicemailLeft, call.Voicemail, call.ScreenedOut, call.MenuFailed} {
			lease := h.active()
			if _, err := h.calls.Finish(t.Context(), lease, reason); err != nil {
				t.Fatal(err)
			}
			if ended := h.get(lease.CallID); ended.Status != call.Completed || *ended.StatusReason != reason {
				t.Errorf("it is %s, %s", ended.Status, *ended.StatusReason)
			}
		}
	})
}
