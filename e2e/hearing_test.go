package e2e

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"parley/client"
	"parley/e2e/binary"
	"parley/e2e/callers"
	"parley/internal/media"
)

// What a caller's room sends back while the agent speaks neither stops the agent nor makes it say anything else. A busy
// machine stalls in mid-call, which shifts the echo as no room does: one of three calls has to be undisturbed.
func TestEchoOverTheAgent(t *testing.T) {
	t.Parallel()
	s := shared(t)
	greeting := "Welcome to the town library. We are open from nine in the morning until six in the evening, except on Sundays. " +
		"You can ask me about books, about your account, and about the events of this week. How can I help you today?"
	ask(t, s, "POST", "/api/v1/agents", json.RawMessage(`{"name": "library", "config": {`+offlineSpeech+`, "turn": {"silence_prompts": 0},
		"prompt": {"greeting": "`+greeting+`", "system": "You work in a library."}}}`), nil)
	var problem string
	for range 3 {
		if problem = echoed(t, s, "library", greeting); problem == "" {
			return
		}
		t.Log(problem)
	}
	t.Error(problem)
}

// echoed makes a call from a room with an echo, and returns what went wrong with the agent's greeting, or "".
func echoed(t *testing.T, s *binary.Server, agent, greeting string) string {
	t.Helper()
	defer acquireLine()()
	d := beginWith(t, s, agent)
	caller, err := joiner.Join(t.Context(), media.JoinOptions{URL: d.URL, Token: d.Token})
	if err != nil {
		t.Fatal(err)
	}
	defer caller.Leave()
	go callers.Echo(caller, 200*time.Millisecond, 0.1)
	awaitStatus(t, s, d.CallID, client.Active)
	var entries []client.TranscriptEntry
	await(t, "the greeting", func() bool {
		entries, err = s.API.Calls.Transcript(t.Context(), d.CallID)
		return err == nil && len(entries) > 0
	})
	if _, err := s.API.Calls.End(t.Context(), d.CallID); err != nil {
		t.Error(err)
	}
	moments, err := s.API.Calls.Timeline(t.Context(), d.CallID)
	if err != nil {
		t.Fatal(err)
	}
	resumed := 0
	for _, m := range moments {
		if m.Type == client.MomentAgentInterrupted {
			return fmt.Sprintf("the agent was interrupted: %s", m.Cause)
		}
		if m.Type == client.MomentAgentResumed {
			resumed++
		}
	}
	if said := strings.Join(strings.Fields(entries[0].Content), " "); len(entries) != 1 || said != greeting {
		return fmt.Sprintf("the transcript is %+v", entries)
	}
	if resumed > 1 {
		return fmt.Sprintf("the agent was lowered or paused %d times, want once at most", resumed)
	}
	return ""
}
