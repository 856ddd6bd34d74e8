package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/client"
	"parley/e2e/binary"
	"parley/internal/audio"
	"parley/internal/caller"
	"parley/internal/dialogue"
	"parley/internal/provider/offline"
)

// lines bounds the calls that are spoken at once: speech is in real time, whatever else the machine does.
var lines = make(chan struct{}, 2)

// callTimeout bounds a call of a few lines.
const callTimeout = 2 * time.Minute

// call places a call with the command, which must exit with code.
func call(t *testing.T, s *binary.Server, code int, args ...string) *caller.Result {
	t.Helper()
	lines <- struct{}{}
	defer func() { <-lines }()
	p, err := launch(map[string]string{"PARLEY_SERVER": s.URL, "PARLEY_API_KEY": s.Key}, append([]string{"call", "--json"}, args...)...)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), callTimeout)
	defer cancel()
	got, err := p.Wait(ctx)
	if err != nil || got != code {
		t.Fatalf("exit code %d, want %d (%v)\n%s%s", got, code, err, p.Out.String(), p.Log.String())
	}
	if err := p.Orphans(); err != nil {
		t.Error(err)
	}
	r := new(caller.Result)
	if err := json.Unmarshal([]byte(p.Out.String()), r); err != nil {
		t.Fatalf("output is not one JSON object: %v\n%s", err, p.Out.String())
	}
	t.Logf("call %s", p.Out.String())
	return r
}

// understood checks that the transcript has these user entries, in order.
func understood(t *testing.T, r *caller.Result, said ...string) {
	t.Helper()
	var heard []string
	for _, e := range r.Transcript {
		if e.Role == "user" {
			heard = append(heard, strings.ToLower(strings.Trim(e.Content, ".?! ")))
		}
	}
	if !slices.Equal(heard, said) {
		t.Errorf("understood %q, want %q", heard, said)
	}
}

// replied checks that each turn was answered aloud, by an answer that holds these words.
func replied(t *testing.T, r *caller.Result, words ...string) {
	t.Helper()
	if len(r.Turns) != len(words) {
		t.Fatalf("%d turns, want %d", len(r.Turns), len(words))
	}
	for i, turn := range r.Turns {
		if !strings.Contains(strings.ToLower(turn.Replied), words[i]) {
			t.Errorf("%q was answered with %q, want something of %q", turn.Said, turn.Replied, words[i])
		}
		if turn.VoiceToVoiceMS == nil || *turn.VoiceToVoiceMS < 100 || *turn.VoiceToVoiceMS > 5000 {
			t.Errorf("%q was answered after %v ms", turn.Said, value(turn.VoiceToVoiceMS))
		}
	}
}

func value(ms *float64) any {
	if ms == nil {
		return "no"
	}
	return *ms
}

// The call of the README: two questions, two spoken answers, and the agent's goodbye.
func TestSpokenCall(t *testing.T) {
	t.Parallel()
	s := shared(t)
	recording := filepath.Join(t.TempDir(), "agent.wav")
	r := call(t, s, 0, "--agent", "demo", "--record", recording,
		"--say", "what are your opening hours", "--say", "thank you very much goodbye")
	if r.Status != client.Completed || r.Recording != recording {
		t.Errorf("status %q, recording %q", r.Status, r.Recording)
	}
	if r.DispatchToTrackMS == nil || *r.DispatchToTrackMS < 0 || *r.DispatchToTrackMS > 5000 {
		t.Errorf("agent's track after %v ms", value(r.DispatchToTrackMS))
	}
	understood(t, r, "what are your opening hours", "thank you very much goodbye")
	replied(t, r, "eleven in the morning", "goodbye")

	ended, err := s.API.Calls.Get(t.Context(), r.CallID)
	if err != nil {
		t.Fatal(err)
	}
	if ended.StatusReason == nil || *ended.StatusReason != "agent_ended" || ended.CallType != "voip" || ended.Direction != "inbound" ||
		ended.WorkflowID != nil || ended.CurrentAgent != nil || !slices.Equal(ended.AgentHistory, []string{"demo"}) ||
		ended.StartedAt == nil || ended.EndedAt == nil || !ended.Livemode || ended.DurationSeconds < 5 {
		t.Errorf("call: %+v", ended)
	}
	metrics, err := s.API.Calls.Metrics(t.Context(), r.CallID)
	if err != nil {
		t.Fatal(err)
	}
	if metrics.STTLatencyMS <= 0 || metrics.LLMLatencyMS <= 0 || metrics.TTSLatencyMS <= 0 || metrics.DurationSeconds != ended.DurationSeconds {
		t.Errorf("metrics: %+v", metrics)
	}
	if len(metrics.Agents) != 1 || metrics.Agents[0].Agent != "demo" || metrics.Agents[0].Turns != 2 {
		t.Errorf("metrics by agent: %+v", metrics.Agents)
	}
	moments, err := s.API.Calls.Timeline(t.Context(), r.CallID)
	if err != nil {
		t.Fatal(err)
	}
	turns := 0
	for _, m := range moments {
		if m.Type == client.MomentTurn && m.Agent == "demo" && m.VoiceToVoiceMS != nil {
			turns++
		}
	}
	if turns != 2 || moments[len(moments)-1].StatusReason != "agent_ended" {
		t.Errorf("timeline: %+v", moments)
	}
	listed, err := s.API.Calls.List(t.Context(), client.CallQuery{Status: client.Completed, PageSize: 100})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(listed.Items, func(c client.ListedCall) bool { return c.ID == r.CallID && c.DurationSeconds == ended.DurationSeconds }) {
		t.Errorf("the list of %d calls has not this one", listed.Total)
	}

	heard := transcribe(t, recording)
	if share := commonWords(r, heard); share < 0.6 {
		t.Errorf("pocketsphinx recognises %.0f %% of the agent's words in the recording, want 60: %q", 100*share, heard)
	}
}

// transcribe recognises a recording's speech with the open language model.
func transcribe(t *testing.T, path string) string {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	pcm, err := audio.ReadWAV(f, dialogue.ListenRate)
	if err != nil {
		t.Fatal(err)
	}
	text, err := offline.Transcribe(t.Context(), pcm)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// commonWords is the share of the agent's longer words that were heard.
func commonWords(r *caller.Result, heard string) float64 {
	said, found := 0, 0
	known := strings.Fields(strings.ToLower(heard))
	for _, e := range r.Transcript {
		if e.Role != "assistant" {
			continue
		}
		for _, w := range strings.FieldsFunc(strings.ToLower(e.Content), func(r rune) bool { return r < 'a' || r > 'z' }) {
			if len(w) < 4 || w == "parley" { // no dictionary has the name
				continue
			}
			said++
			if slices.Contains(known, w) {
				found++
			}
		}
	}
	return float64(found) / float64(max(1, said))
}

// Without --json the command tells the conversation to people; without a key it takes the demo tenant's.
func TestCallForPeople(t *testing.T) {
	t.Parallel()
	s := shared(t)
	settings := map[string]string{"PARLEY_SERVER": s.URL, "PARLEY_DATA_DIR": s.Dir}
	lines <- struct{}{}
	defer func() { <-lines }()
	p, err := launch(settings, "call", "--agent", "demo", "--hang-up", "--say", "what is your name")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), callTimeout)
	defer cancel()
	if code, err := p.Wait(ctx); err != nil || code != 0 || p.Log.String() != "" {
		t.Fatalf("exit code %d, %v\n%s", code, err, p.Log.String())
	}
	for _, want := range []string{"what is your name", "I am the Parley demo assistant.  (after ", "completed (caller_hangup)"} {
		if !strings.Contains(p.Out.String(), want) {
			t.Errorf("%q is not in\n%s", want, p.Out.String())
		}
	}
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
			ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
			defer cancel()
			code, err := p.Wait(ctx)
			line := p.Log.String()
			if err != nil || code != 1 || strings.Count(line, "\n") != 1 || !strings.Contains(line, test.want) {
				t.Errorf("exit code %d (%v), want 1 and one line with %q:\n%s", code, err, test.want, line)
			}
		})
	}
}

// The front desk of the demo workflow hands over to the booking desk, which speaks with another voice.
func TestWorkflowCallWithHandoff(t *testing.T) {
	t.Parallel()
	s := shared(t)
	r := call(t, s, 0, "--workflow", "demo", "--say", "can i book a table please",
		"--say", "a table for four people tomorrow", "--say", "no thank you goodbye")
	if r.Status != client.Completed {
		t.Errorf("status %q", r.Status)
	}
	replied(t, r, "how many people", "booked", "goodbye")
	ended, err := s.API.Calls.Get(t.Context(), r.CallID)
	if err != nil {
		t.Fatal(err)
	}
	if ended.WorkflowSlug == nil || *ended.WorkflowSlug != "demo" || !slices.Equal(ended.AgentHistory, []string{"demo", "demo-booking"}) || ended.Metrics.AgentHandoffs != 1 {
		t.Errorf("call: %+v", ended)
	}
	for _, e := range r.Transcript {
		if strings.Contains(e.Content, "booked") && e.AgentName != "demo-booking" {
			t.Errorf("%q was said by %q", e.Content, e.AgentName)
		}
	}
}

func TestCallerHangsUp(t *testing.T) {
	t.Parallel()
	s := shared(t)
	r := call(t, s, 0, "--agent", "demo", "--hang-up", "--say", "what is your name")
	ended, err := s.API.Calls.Get(t.Context(), r.CallID)
	if err != nil {
		t.Fatal(err)
	}
	if r.Status != client.Completed || *ended.StatusReason != "caller_hangup" {
		t.Errorf("%s with reason %s", r.Status, *ended.StatusReason)
	}
	replied(t, r, "demo assistant")
}

// A caller who speaks into an answer is listened to: the agent falls silent, and its words in the transcript end where
// it was cut off.
func TestInterruption(t *testing.T) {
	t.Parallel()
	r := call(t, shared(t), 0, "--agent", "demo", "--hang-up", "--interrupt-after", "800ms",
		"--say", "what are your opening hours", "--say", "what is your name")
	if r.InterruptionMS == nil || *r.InterruptionMS > 1000 {
		t.Errorf("silent after %v ms", value(r.InterruptionMS))
	}
	if len(r.Turns) != 2 || strings.Contains(r.Turns[0].Replied, "evening") || !strings.Contains(r.Turns[1].Replied, "demo assistant") {
		t.Errorf("turns: %+v", r.Turns)
	}
}

// A call can be spoken in any voice and by a recording.
func TestRecordedCaller(t *testing.T) {
	t.Parallel()
	s := shared(t)
	path := filepath.Join(t.TempDir(), "question.wav")
	speak(t, path, "what are your opening hours")
	r := call(t, s, 0, "--agent", "demo", "--hang-up", "--voice", "awb", "--wav", path)
	replied(t, r, "eleven in the morning")
}

// speak leaves a spoken line in a file, at 16 kHz.
func speak(t *testing.T, path, text string) {
	t.Helper()
	synthesizer, err := offline.NewSynthesizer()
	if err != nil {
		t.Fatal(err)
	}
	defer synthesizer.Close()
	voice, err := synthesizer.Open(t.Context(), dialogue.VoiceOptions{VoiceID: "slt"})
	if err != nil {
		t.Fatal(err)
	}
	defer voice.Close()
	u, err := voice.Speak(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := u.Say(text); err != nil {
		t.Fatal(err)
	}
	if err := u.End(); err != nil {
		t.Fatal(err)
	}
	var pcm []int16
	for s := range u.Audio() {
		pcm = append(pcm, s.PCM...)
	}
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r := audio.NewResampler(dialogue.SpeakRate, 16000)
	if err := audio.WriteWAV(f, r.Flush(r.Process(pcm, nil)), 16000); err != nil {
		t.Fatal(err)
	}
}

// Whoever may start calls may end them.
func TestEndThroughAPI(t *testing.T) {
	t.Parallel()
	s := shared(t)
	lines <- struct{}{}
	defer func() { <-lines }()
	ended := make(chan error, 1)
	r, err := caller.Run(t.Context(), caller.Options{
		Server: s.URL, APIKey: s.Key, Agent: "demo", Say: []string{"what are your opening hours", "what is your name"},
		Dispatched: func(d *client.Dispatch) {
			if host := mustHost(t, d.URL); "http://"+host != s.URL {
				t.Errorf("callers are sent to %s, want the server's own port", d.URL)
			}
			go func() {
				err := awaitStatus(t.Context(), s, d.CallID, client.Active)
				if err == nil {
					_, err = s.API.Calls.End(t.Context(), d.CallID)
				}
				ended <- err
			}()
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	if r.Status != client.Completed || r.StatusReason != "ended_by_api" {
		t.Errorf("%s with reason %s", r.Status, r.StatusReason)
	}
	again, err := s.API.Calls.End(t.Context(), r.CallID)
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

// awaitStatus waits until a call has a status.
func awaitStatus(ctx context.Context, s *binary.Server, id, status string) error {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	for {
		c, err := s.API.Calls.Get(ctx, id)
		switch {
		case err != nil:
			return err
		case c.Status == status:
			return nil
		case c.Terminal():
			return fmt.Errorf("the call is %s, want %s", c.Status, status)
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("the call is %s, want %s: %w", c.Status, status, ctx.Err())
		case <-time.After(50 * time.Millisecond):
		}
	}
}
