package e2e

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"parley/internal/caller"
)

// Two concurrent callers talk with the demo agent, three lines each, and interrupt it.
func TestBench(t *testing.T) {
	t.Parallel()
	s := shared(t)
	for range 2 {
		defer acquireLine()()
	}
	// Words that are misheard on a busy machine end no call of this agent.
	ask(t, s, "POST", "/api/v1/agents", json.RawMessage(`{"name": "bench", "config": {`+offlineSpeech+`, "prompt": {"greeting": "Hello.",
		"system": "- * => We are open from nine in the morning until five in the afternoon, every day of the week."}}}`), nil)
	undisturbed(t, func() string {
		p, err := launch(map[string]string{"PARLEY_SERVER": s.URL, "PARLEY_API_KEY": s.Key},
			"bench", "--agent", "bench", "--calls", "2", "--ramp", "500ms", "--turns", "3", "--interrupt-every", "2", "--json")
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), callTimeout)
		defer cancel()
		if code, err := p.Wait(ctx); err != nil || code != 0 {
			t.Fatalf("exit code %d, %v\n%s%s", code, err, p.Out.String(), p.Log.String())
		}
		var f caller.Figures
		if err := json.Unmarshal([]byte(p.Out.String()), &f); err != nil {
			t.Fatalf("%v\n%s", err, p.Out.String())
		}
		if f.Calls != 2 || f.Started != 2 || f.Failed != 0 || f.Turns != 6 || f.MissedTurns != 0 ||
			f.VoiceToVoiceMS.P50 == nil || f.DispatchMS.P95 == nil || f.InterruptionMS.P50 == nil {
			return p.Out.String()
		}
		return ""
	})
}

func TestBenchThatFails(t *testing.T) {
	t.Parallel()
	s := shared(t)
	p, err := launch(map[string]string{"PARLEY_SERVER": s.URL, "PARLEY_API_KEY": s.Key}, "bench", "--agent", "nobody", "--calls", "2", "--ramp", "0s", "--duration", "1s")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), callTimeout)
	defer cancel()
	code, err := p.Wait(ctx)
	if err != nil || code != 1 || !strings.Contains(p.Log.String(), "agent not found") || !strings.HasSuffix(p.Log.String(), "parley: 2 of 2 calls failed\n") ||
		!strings.HasPrefix(p.Out.String(), "calls            2, 0 started, 2 failed\n") {
		t.Errorf("exit code %d, %v\n%s%s", code, err, p.Out.String(), p.Log.String())
	}
}
