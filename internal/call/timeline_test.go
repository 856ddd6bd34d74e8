package call_test

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"parley/internal/call"
	"parley/internal/fault"
)

func TestTimelineIsInOrder(t *testing.T) {
	each(t, defaults, func(t *testing.T, h *fixture) {
		lease := h.active()
		now := time.Now().UTC().Truncate(time.Microsecond)
		said := func(after time.Duration, tool string) call.TranscriptEntry {
			e := call.TranscriptEntry{Role: "assistant", Content: "Hello", CreatedAt: now.Add(after)}
			if tool != "" {
				e.Content, e.ToolCall = "", json.RawMessage(`{"name":"`+tool+`","arguments":{"at":"noon"}}`)
			}
			return e
		}
		provider, tokens := "offline", int64(12)
		if err := h.calls.Record(t.Context(), lease, call.Records{
			Entries: []call.TranscriptEntry{said(30*time.Millisecond, ""), said(20*time.Millisecond, "book")},
			Turns: []call.Turn{{AgentName: "desk", STTProvider: &provider, LLMMS: call.Milliseconds(50 * time.Millisecond), Interrupted: true,
				InputTokens: &tokens, CreatedAt: now.Add(40 * time.Millisecond)}},
			Errors: []call.ErrorItem{{Service: "tool", Level: call.LevelWarning, Message: "slow", CreatedAt: now.Add(30 * time.Millisecond)}},
		}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(50 * time.Millisecond) // until after the records' times
		if err := h.calls.Record(t.Context(), lease, call.Records{Handoffs: []call.Handoff{{Agent: "desk"}, {Agent: "booking", Previous: "desk"}}}); err != nil {
			t.Fatal(err)
		}
		if _, err := h.calls.Finish(t.Context(), lease, call.CallerHangup); err != nil {
			t.Fatal(err)
		}
		moments, err := h.calls.Timeline(t.Context(), acme, lease.CallID)
		if err != nil {
			t.Fatal(err)
		}
		var kinds []string
		for _, m := range moments {
			switch {
			case m.Status != nil:
				kinds = append(kinds, string(m.Status.Status))
			case m.Handoff != nil:
				kinds = append(kinds, m.Handoff.Previous+">"+m.Handoff.Agent)
			case m.ToolCall != nil:
				kinds = append(kinds, string(m.ToolCall.ToolCall))
			case m.Turn != nil:
				kinds = append(kinds, "turn")
				if u := m.Turn; *u.STTProvider != provider || *u.LLMMS != 50 || u.TTSMS != nil || !u.Interrupted || *u.InputTokens != 12 || u.OutputTokens != nil {
					t.Errorf("turn %+v", u)
				}
			case m.Error != nil:
				kinds = append(kinds, m.Error.Message)
			}
		}
		for i := range kinds { // PostgreSQL writes JSON its own way
			var compact struct {
				Name      string         `json:"name"`
				Arguments map[string]any `json:"arguments"`
			}
			if json.Unmarshal([]byte(kinds[i]), &compact) == nil {
				kinds[i] = compact.Name
			}
		}
		want := []string{"pending", "active", "book", "slow", "turn", "desk>booking", "completed"}
		if !slices.Equal(kinds, want) {
			t.Errorf("got %v, want %v", kinds, want)
		}
		if last := moments[len(moments)-1]; *last.Status.Reason != call.CallerHangup {
			t.Errorf("ended for %v", last.Status.Reason)
		}
		if _, err := h.calls.Timeline(t.Context(), other, lease.CallID); !fault.Is(err, fault.NotFound) {
			t.Errorf("another tenant: %v", err)
		}
	})
}
