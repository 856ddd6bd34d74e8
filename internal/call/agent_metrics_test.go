package call_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/internal/call"
	"parley/internal/fault"
)

func TestAgentMetrics(t *testing.T) {
	each(t, defaults, func(t *testing.T, h *fixture) {
		lease := h.active()
		tokens := func(n int64) *int64 { return &n }
		turn := func(agent string, llm time.Duration, input *int64) call.Turn {
			return call.Turn{AgentName: agent, LLMMS: call.Milliseconds(llm), VoiceToVoiceMS: call.Milliseconds(2 * llm), InputTokens: input, CreatedAt: time.Now().UTC()}
		}
		if err := h.calls.Record(t.Context(), lease, call.Records{Turns: []call.Turn{
			turn("desk", 100*time.Millisecond, tokens(10)), turn("booking", 300*time.Millisecond, nil),
			turn("desk", 200*time.Millisecond, tokens(5)), turn("desk", 0, nil),
		}, ExtraTokens: []call.ExtraTokens{{Agent: "desk", Tokens: 7}, {Agent: "door", Tokens: 4}, {Agent: "desk", Tokens: 1}}}); err != nil {
			t.Fatal(err)
		}
		got, err := h.calls.AgentMetrics(t.Context(), acme, lease.CallID)
		if err != nil {
			t.Fatal(err)
		}
		want := []call.AgentMetrics{
			{Agent: "desk", Turns: 3, LLMMS: 150, VoiceToVoiceMS: 300, TotalTokens: 23},
			{Agent: "booking", Turns: 1, LLMMS: 300, VoiceToVoiceMS: 600},
			{Agent: "door", TotalTokens: 4},
		}
		if c, err := h.calls.Get(t.Context(), acme, lease.CallID); err != nil || c.Metrics.TotalTokens != 27 {
			t.Errorf("the call's metrics are %+v, %v", c.Metrics, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("metrics (-want +got):\n%s", diff)
		}
		if _, err := h.calls.AgentMetrics(t.Context(), other, lease.CallID); !fault.Is(err, fault.NotFound) {
			t.Errorf("another tenant reads them: %v", err)
		}
	})
}
