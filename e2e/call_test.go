package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"parley/client"
	"parley/e2e/binary"
	"parley/internal/caller"
	"parley/internal/dialogue"
)

// lines bounds the concurrent spoken calls: their audio is in real time, whatever else the machine does.
var lines = make(chan struct{}, 6)

// callTimeout bounds a call of a few lines.
const callTimeout = patience

// acquireLine waits until a call may be spoken. The returned function lets the next one begin.
func acquireLine() (release func()) {
	lines <- struct{}{}
	return func() { <-lines }
}

// call places a call with the command, which must exit with code.
func call(t *testing.T, s *binary.Server, code int, args ...string) *caller.Result {
	t.Helper()
	out := printedCall(t, s, code, append([]string{"--json"}, args...)...)
	r := new(caller.Result)
	if err := json.Unmarshal([]byte(out), r); err != nil {
		t.Fatalf("output is not one JSON object: %v\n%s", err, out)
	}
	t.Logf("call %s", out)
	return r
}

// printedCall places a call with the command, which must exit with code, and returns what it prints.
func printedCall(t *testing.T, s *binary.Server, code int, args ...string) string {
	t.Helper()
	defer acquireLine()()
	p, err := launch(map[string]string{"PARLEY_SERVER": s.URL, "PARLEY_DATA_DIR": s.Dir}, append([]string{"call"}, args...)...)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), callTimeout)
	defer cancel()
	got, err := p.Wait(ctx)
	if err != nil || got != code || code == 0 && p.Log.String() != "" {
		t.Fatalf("exit code %d, want %d (%v)\n%s%s", got, code, err, p.Out.String(), p.Log.String())
	}
	if err := p.Orphans(); err != nil {
		t.Error(err)
	}
	return p.Out.String()
}

// converse makes a call in which lines are spoken, as the command does, and checks that each was answered aloud with the
// words of replies; nil checks nothing. On a busy machine audio has gaps, which the agent may not understand, and pauses within
// an answer become so long that the caller mistakes them for its end: see undisturbed.
func converse(t *testing.T, s *binary.Server, said, replies []string, args ...string) *caller.Result {
	t.Helper()
	return converseAfter(t, func() {}, s, said, replies, args...)
}

// converseAfter is converse with something to be done before each call.
func converseAfter(t *testing.T, prepare func(), s *binary.Server, said, replies []string, args ...string) (r *caller.Result) {
	t.Helper()
	undisturbed(t, func() (problem string) {
		prepare()
		r, problem = converseOnce(t, s, said, replies, args...)
		return problem
	})
	return r
}

// converseAloud is converse with an agent whose voice is rms, and which has to be heard: the caller's recording holds what it said.
func converseAloud(t *testing.T, s *binary.Server, said, replies []string, agent string) (r *caller.Result) {
	t.Helper()
	recording := filepath.Join(t.TempDir(), "agent.wav")
	undisturbed(t, func() (problem string) {
		r, problem = converseOnce(t, s, said, replies, "--agent", agent, "--hang-up", "--record", recording)
		if problem != "" {
			return problem
		}
		if share := newRecorded(readWAV(t, recording, dialogue.ListenRate)).holds(t, linesOf(r, "assistant", map[string]string{agent: "rms"})); share < 0.3 {
			return fmt.Sprintf("%.0f %% of what the agent said are in the caller's recording", 100*share)
		}
		return ""
	})
	return r
}

// converseOnce makes a call, and returns what was not understood or answered, or "".
func converseOnce(t *testing.T, s *binary.Server, said, replies []string, args ...string) (r *caller.Result, problem string) {
	t.Helper()
	for _, line := range said {
		args = append(args, "--say", line)
	}
	r = call(t, s, 0, args...)
	if !understood(r, said...) || replies != nil && !repliedWith(r, replies...) {
		problem = fmt.Sprintf("the agent did not understand all of %q and answer with %q: %+v", said, replies, r.Turns)
	}
	return r, problem
}

// understood reports whether the transcript has user entries of these texts, in their order.
func understood(r *caller.Result, said ...string) bool {
	for _, e := range r.Transcript {
		if len(said) > 0 && e.Role == "user" && strings.ToLower(strings.Trim(e.Content, ".?! ")) == said[0] {
			said = said[1:]
		}
	}
	return len(said) == 0
}

// repliedWith reports whether each turn was answered aloud, by an answer that holds these words.
func repliedWith(r *caller.Result, words ...string) bool {
	if len(r.Turns) != len(words) {
		return false
	}
	for i, turn := range r.Turns {
		if !strings.Contains(strings.ToLower(turn.Replied), words[i]) || turn.VoiceToVoiceMS == nil {
			return false
		}
	}
	return true
}

// replied checks that each turn was answered aloud, by an answer that holds these words.
func replied(t *testing.T, r *caller.Result, words ...string) {
	t.Helper()
	if !repliedWith(r, words...) {
		t.Errorf("turns %+v, want answers with %q, aloud", r.Turns, words)
	}
}

// The command prints the conversation, uses the demo tenant's key by default, and plays a recording after its lines, in any
// voice. It records the agent.
func TestCallForPeople(t *testing.T) {
	t.Parallel()
	s := shared(t)
	dir := t.TempDir()
	question, agent := filepath.Join(dir, "question.wav"), filepath.Join(dir, "agent.wav")
	speak(t, question, "what are your opening hours")
	said := []line{{"rms", "I am the Parley demo assistant."}, {"rms", "We are open every day from eleven in the morning to ten in the evening."}}
	var out string
	undisturbed(t, func() string {
		out = printedCall(t, s, 0, "--agent", "demo", "--hang-up", "--voice", "rms", "--say", "what is your name", "--wav", question, "--record", agent)
		if !understands(out) {
			return "not both questions are answered in\n" + out
		}
		if share := newRecorded(readWAV(t, agent, dialogue.ListenRate)).holds(t, said); share < 0.3 {
			return fmt.Sprintf("%.0f %% of what the agent said are in the caller's recording", 100*share)
		}
		return ""
	})
	for _, want := range []string{
		"what is your name", "I am the Parley demo assistant.  (after ", "question.wav", "to ten in the evening.  (after ",
		"completed (caller_hangup)", "agent's voice in " + agent,
	} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in\n%s", want, out)
		}
	}
}

// understands reports whether the printed call has both answers.
func understands(out string) bool {
	return strings.Contains(out, "demo assistant") && strings.Contains(out, "in the evening")
}

// A call that cannot be made is one line and exit code 1.
func TestCallsThatCannotBeMade(t *testing.T) {
	t.Parallel()
	s := shared(t)
	tests := []struct {
		name, key string
		args      []string
		want      string
	}{
		{"unknown agent", s.Key, []string{"--agent", "nobody"}, "not_found"},
		{"unknown workflow", s.Key, []string{"--workflow", "nowhere"}, "not_found"},
		{"wrong key", "svc_live_wrong", []string{"--agent", "demo"}, "401"},
		{"unknown voice", s.Key, []string{"--agent", "demo", "--voice", "nobody", "--say", "hello"}, "voice"},
		{"missing recording", s.Key, []string{"--agent", "demo", "--wav", "/nonexistent/question.wav"}, "question.wav"},
		{"context that is no object", s.Key, []string{"--agent", "demo", "--user-context", "[]"}, "user-context"},
		{"agent and workflow", s.Key, []string{"--agent", "demo", "--workflow", "demo"}, "--agent"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p, err := launch(map[string]string{"PARLEY_SERVER": s.URL, "PARLEY_API_KEY": test.key}, append([]string{"call"}, test.args...)...)
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			code, err := p.Wait(ctx)
			line := p.Log.String()
			if err != nil || code != 1 || strings.Count(line, "\n") != 1 || !strings.Contains(line, test.want) {
				t.Errorf("exit code %d (%v), want 1 and one line with %q:\n%s", code, err, test.want, line)
			}
		})
	}
}

// A caller who speaks into an answer is listened to: the agent falls silent, and its words in the transcript end where
// it was cut off.
func TestInterruption(t *testing.T) {
	t.Parallel()
	r := converse(t, shared(t), []string{"what are your opening hours", "what is your name"}, nil, "--agent", "demo", "--hang-up", "--interrupt-after", "800ms")
	if r.InterruptionMS == nil {
		t.Error("the agent did not fall silent")
	}
	if len(r.Turns) != 2 || strings.Contains(r.Turns[0].Replied, "evening") || !strings.Contains(r.Turns[1].Replied, "demo assistant") {
		t.Errorf("turns: %+v", r.Turns)
	}
}

// Whoever may start calls may end them.
func TestEndThroughAPI(t *testing.T) {
	t.Parallel()
	s := shared(t)
	defer acquireLine()()
	dispatched, ended := make(chan *client.Dispatch, 1), make(chan *caller.Result, 1)
	go func() {
		defer close(ended)
		defer close(dispatched)
		r, err := caller.Run(t.Context(), caller.Options{
			Server: s.URL, APIKey: s.Key, Agent: "demo", Say: []string{"what are your opening hours", "what is your name"},
			Dispatched: func(d *client.Dispatch) { dispatched <- d },
		})
		if err != nil {
			t.Error(err)
		}
		ended <- r
	}()
	d := <-dispatched
	if d == nil {
		t.FailNow()
	}
	if host := mustHost(t, d.URL); "http://"+host != s.URL {
		t.Errorf("callers are sent to %s, want the server's own port", d.URL)
	}
	awaitStatus(t, s, d.CallID, client.Active)
	if _, err := s.API.Calls.End(t.Context(), d.CallID); err != nil {
		t.Fatal(err)
	}
	if r := <-ended; r == nil || r.Status != client.Completed || r.StatusReason != "ended_by_api" {
		t.Errorf("the caller's result: %+v", r)
	}
	again, err := s.API.Calls.End(t.Context(), d.CallID)
	if err != nil || again.Status != client.Completed || *again.StatusReason != "ended_by_api" {
		t.Errorf("ended again: %+v, %v", again, err)
	}
}

func mustHost(t *testing.T, address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "ws" {
		t.Errorf("%q is no ws address: %v", address, err)
		return ""
	}
	return u.Host
}
