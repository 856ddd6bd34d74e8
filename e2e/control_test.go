package e2e

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"parley/client"
	"parley/e2e/binary"
	"parley/internal/media"
)

// textCaller joins an agent's call and writes.
func textCaller(t *testing.T, s *binary.Server, agent string) (id string, write func(string)) {
	t.Helper()
	d := beginWith(t, s, agent)
	p, err := joiner.Join(t.Context(), media.JoinOptions{URL: d.URL, Token: d.Token, Data: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Leave)
	entries(t, s, d.CallID, 1) // the greeting
	return d.CallID, func(text string) {
		t.Helper()
		if err := p.SendText(media.TopicChat, text); err != nil {
			t.Fatal(err)
		}
	}
}

// said returns the transcript of a call as lines, once it has so many entries.
func said(t *testing.T, s *binary.Server, id string, n int) string {
	t.Helper()
	var lines []string
	for _, e := range entries(t, s, id, n) {
		lines = append(lines, e.Role+": "+e.Content)
	}
	return strings.Join(lines, "\n")
}

// sayOnce has an agent say a text, with the same idempotency key each time.
func sayOnce(t *testing.T, s *binary.Server, id, text string, want int) (c client.Control) {
	t.Helper()
	body, err := json.Marshal(object{"text": text})
	if err != nil {
		t.Fatal(err)
	}
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/api/v1/calls/"+id+"/say", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{"X-API-Key": s.Key, "Content-Type": "application/json", "Idempotency-Key": "only-once"} {
		request.Header.Set(name, value)
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != want {
		t.Errorf("%q is answered with %s, want %d", text, answer.Status, want)
	}
	if want == http.StatusOK {
		if err := json.NewDecoder(answer.Body).Decode(&c); err != nil {
			t.Error(err)
		}
	}
	return c
}

// A backend has the agent say something, tells it facts, changes its context, mutes it, and has the call in its timeline and audit log.
func TestCallIsControlled(t *testing.T) {
	t.Parallel()
	s := serve(t, filepath.Join(t.TempDir(), "data"), nil)
	ask(t, s, http.MethodPost, "/api/v1/agents", json.RawMessage(`{"name": "desk", "config": {`+offlineSpeech+`, "prompt": {
		"greeting": "Hello.", "system": "- plan => You have {{user.plan | \"no plan\"}}.\n- hello => Hello again."}}}`), nil)
	id, write := textCaller(t, s, "desk")
	controls := s.API.Controls

	first, again := sayOnce(t, s, id, "A technician is on the way.", http.StatusOK), sayOnce(t, s, id, "A technician is on the way.", http.StatusOK)
	if first.ID != again.ID || first.Type != "say" || first.Status != "applied" {
		t.Errorf("with one key the answers are %+v and %+v", first, again)
	}
	sayOnce(t, s, id, "Another.", http.StatusUnprocessableEntity)
	if got := said(t, s, id, 2); !strings.HasSuffix(got, "assistant: A technician is on the way.") {
		t.Errorf("the transcript is %s", got)
	}

	if _, err := controls.Context(t.Context(), id, client.CallContext{UserContext: map[string]any{"plan": "gold"}}); err != nil {
		t.Fatal(err)
	}
	write("plan")
	if got := said(t, s, id, 4); !strings.HasSuffix(got, "user: plan\nassistant: You have gold.") {
		t.Errorf("after a change of the context: %s", got)
	}

	if _, err := controls.Mute(t.Context(), id, client.Mute{Muted: true}); err != nil {
		t.Fatal(err)
	}
	write("hello")
	said(t, s, id, 5)
	newShell(t, s).run(t, blocksOf(t, "docs/live-control.md", "sh")[0], "PARLEY="+s.URL, "KEY="+s.Key, "CALL="+id)
	if got := said(t, s, id, 6); !strings.HasSuffix(got, "user: hello\nassistant: A technician is on the way.") {
		t.Errorf("a muted agent: %s", got)
	}
	if _, err := controls.Mute(t.Context(), id, client.Mute{}); err != nil {
		t.Fatal(err)
	}
	write("hello")
	if got := said(t, s, id, 8); !strings.HasSuffix(got, "user: hello\nassistant: Hello again.") {
		t.Errorf("after it was muted: %s", got)
	}

	wantRefused := func(what string, err error, words string) {
		t.Helper()
		var refused *client.Error
		if !errors.As(err, &refused) || refused.Code != "conflict" || !strings.Contains(refused.Message, words) {
			t.Errorf("%s: %v", what, err)
		}
	}
	_, err := controls.Transfer(t.Context(), id, client.CallTransfer{Mode: "refer", To: []string{"+4930123456"}})
	wantRefused("refer in the browser", err, "needs a phone call")
	if _, err := s.API.Calls.End(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	_, err = controls.Say(t.Context(), id, client.Say{Text: "Too late."})
	wantRefused("after the end", err, "not active")

	moments, err := s.API.Calls.Timeline(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	var controlled []string
	for _, m := range moments {
		if m.Type == client.MomentControl {
			controlled = append(controlled, m.Control+" "+m.ControlStatus)
		}
	}
	if got, want := strings.Join(controlled, ", "), "say applied, context applied, mute applied, say applied, mute applied, transfer refused"; got != want {
		t.Errorf("the timeline has %s, want %s", got, want)
	}
	log, err := s.API.AuditLog.List(t.Context(), client.AuditLogListQuery{})
	if err != nil {
		t.Fatal(err)
	}
	var audited []string
	for _, entry := range log.Items {
		if strings.HasPrefix(entry.Action, "call.") {
			audited = append(audited, entry.Action)
		}
	}
	if got := strings.Join(audited, " "); !strings.Contains(got, "call.mute") || !strings.Contains(got, "call.say") {
		t.Errorf("the audit log has %s", got)
	}
}

// A backend hands a caller over to a person, who hears why.
func TestBackendTransfersACaller(t *testing.T) {
	t.Parallel()
	phone := newSoftphone(t)
	s := serve(t, filepath.Join(t.TempDir(), "data"), trunk(phone.address))
	ask(t, s, http.MethodPost, "/api/v1/agents", json.RawMessage(`{"name": "desk", "config": {`+offlineSpeech+`, "prompt": {"greeting": "Hello.", "system": "- hello => Hello again."}}}`), nil)
	id, _ := textCaller(t, s, "desk")
	if _, err := s.API.Controls.Transfer(t.Context(), id, client.CallTransfer{Mode: "announce", To: []string{softphoneNumber}, Message: "I connect you.", Summary: "A caller wants a refund."}); err != nil {
		t.Fatal(err)
	}
	awaitSteps(t, s, id, "started", "answered", "completed")
	if got := said(t, s, id, 2); !strings.Contains(got, "assistant: I connect you.") {
		t.Errorf("the caller heard %s", got)
	}
	phone.hangUp(t)
	awaitEnd(t, s, id, client.Completed, "transferred")
}
