package dashboard

import (
	"cmp"
	"context"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"parley/client"
	"parley/e2e/binary"
)

// startWithPhone starts a server in a folder whose trunk is a phone that answers each call and sends no sound.
func startWithPhone(t *testing.T, dir string) *binary.Server {
	t.Helper()
	program, err := binary.Path(dir)
	if err != nil {
		t.Fatal(err)
	}
	port := freePort(t)
	phone, err := binary.Launch("sipp", nil, "-sn", "uas", "-i", "127.0.0.1", "-p", strconv.Itoa(port), "-mi", "127.0.0.1", "-mp", strconv.Itoa(freePort(t)), "-nostdin")
	if err != nil {
		t.Fatalf("sipp of package sip-tester: %v", err)
	}
	t.Cleanup(phone.Kill)
	s, err := binary.Start(program, filepath.Join(dir, "data"), map[string]string{"PARLEY_DEMO": "true",
		"PARLEY_SIP_TRUNK_ADDRESS": net.JoinHostPort("127.0.0.1", strconv.Itoa(port)), "PARLEY_SIP_TRUNK_CALLER_ID": "+493098765432"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Stop(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// A phone that is dialled and that nobody speaks into: its call's page, the list of calls and analytics say who answered.
func TestPagesOfWhoAnswered(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := startWithPhone(t, dir)
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	quiet := 2000
	if _, err := s.API.Agents.Create(ctx, client.NewAgent{Name: "caller", Config: client.AgentConfig{
		Prompt: client.Prompt{System: "You call people.", Greeting: "Good morning."},
		STT:    client.STT{Provider: "offline", Model: "pocketsphinx"}, LLM: client.LLM{Provider: "offline", Model: "scripted"}, TTS: client.TTS{Provider: "offline", VoiceID: "slt"},
		AnswerDetection: client.AnswerDetection{Enabled: true, NoSpeechMS: &quiet, Actions: map[string]client.AnswerAction{client.AnsweredSilence: {Do: "end"}}},
	}}); err != nil {
		t.Fatal(err)
	}
	d, err := s.API.Calls.Ingest(ctx, client.Ingest{AgentSlug: "caller", PhoneNumber: "+4930555001"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.API.Calls.Wait(ctx, d.CallID, 100*time.Millisecond); err != nil {
		t.Fatal(err)
	}
	signIn := printedSignIn(t, s)
	screenshots := cmp.Or(os.Getenv("PARLEY_SCREENSHOTS"), dir)
	if out, err := exec.CommandContext(ctx, "node", "steered/answered.mjs", s.URL, signIn[1], signIn[2], screenshots, d.CallID).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
