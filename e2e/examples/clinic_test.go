package examples

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley/client"
	"parley/e2e/binary"
)

// The clinic works as its README says, with either backend: conversations in text, and a spoken call whose caller the backend knows.
func TestClinic(t *testing.T) {
	commands := readme(t, "clinic", "sh")
	if len(commands) != 3 {
		t.Fatalf("the README has %d commands, want three: the setup, conversations, a call", len(commands))
	}
	for start := range strings.Lines(readme(t, "clinic", "console")[0]) {
		t.Run(strings.Fields(start)[0], func(t *testing.T) { clinic(t, commands, strings.TrimSpace(start)) })
	}
}

// deleteWebhooks deletes the tenant's webhooks.
func deleteWebhooks(t *testing.T) {
	ctx := context.Background() // the test's has ended
	made, err := server.API.WebhookEndpoints.List(ctx, client.PageOptions{})
	if err != nil {
		t.Error(err)
		return
	}
	for _, w := range made.Items {
		if err := server.API.WebhookEndpoints.Delete(ctx, w.ID); err != nil {
			t.Error(err)
		}
	}
}

func clinic(t *testing.T, commands []string, start string) {
	sh := newShell(t)
	port, err := binary.FreePort()
	if err != nil {
		t.Fatal(err)
	}
	url := fmt.Sprintf("http://127.0.0.1:%d", port)
	if made := output(t, sh, strings.TrimSpace(commands[0])+" 2>&1", "CLINIC_URL="+url); made != "workflow clinic is ready, clinic-secrets.json is written\n" {
		t.Errorf("the setup prints %q", made)
	}
	t.Cleanup(func() { deleteWebhooks(t) }) // the receivers' test has the tenant's primary one
	secrets := filepath.Join(sh.Dir, "clinic-secrets.json")
	if info, err := os.Stat(secrets); err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("secrets: %v, %v", info, err)
	}
	backend := launch(t, sh, start, map[string]string{"PORT": fmt.Sprint(port), "CLINIC_SECRETS": secrets})
	await(t, "the backend listens", func() bool { return strings.Contains(backend.Out.String(), "listening on "+url) })

	output(t, sh, commands[1])
	t.Log(output(t, sh, commands[2])) // on a busy machine the recogniser may understand something else
	want := readme(t, "clinic", "text")[0]
	for line := range strings.Lines(want) {
		await(t, "the backend prints "+line, func() bool { return strings.Contains(backend.Out.String(), line) })
	}
	newest, err := server.API.Calls.List(t.Context(), client.CallQuery{PageSize: 1, AgentName: "clinic-appointments"})
	if err != nil || len(newest.Items) != 1 {
		t.Fatal(newest, err)
	}
	transcript, err := server.API.Calls.Transcript(t.Context(), newest.Items[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	var said []string
	for _, e := range transcript {
		if e.Role == "assistant" && e.Content != "" {
			said = append(said, e.Content)
		}
	}
	if all := strings.Join(said, " "); !strings.HasPrefix(all, "Hello Ann Miller, this is the clinic.") || !strings.Contains(all, "You have an appointment on monday morning.") || strings.Contains(all, "insurance card") {
		t.Errorf("the agents said %q", said)
	}

	// Nobody else can ask the backend, and its page has the public token alone.
	for _, path := range []string{"/calls", "/patients/verify", "/patients/p1/appointments", "/events"} {
		answer, err := http.Post(url+path, "application/json", strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if answer.StatusCode != http.StatusUnauthorized {
			t.Errorf("%s without a signature is answered with %d", path, answer.StatusCode)
		}
	}
	answer, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	page, err := io.ReadAll(answer.Body)
	answer.Body.Close()
	if err != nil {
		t.Fatal(err)
	}
	var kept map[string]string
	if text, err := os.ReadFile(secrets); err != nil || json.Unmarshal(text, &kept) != nil {
		t.Fatal(err)
	}
	for name, secret := range kept {
		if has := strings.Contains(string(page), secret); has != (name == "public_token" || name == "parley") {
			t.Errorf("the page has %s: %t", name, has)
		}
	}
}
