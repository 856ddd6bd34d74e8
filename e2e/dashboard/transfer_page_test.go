package dashboard

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"testing"
	"time"

	"parley/client"
	"parley/e2e/binary"
	"parley/e2e/callers"
	"parley/internal/media"
)

// hostile is what a caller, a context and a summary contain that would be a script, or an image with one, if the page showed it as HTML.
const hostile = `<img src=x onerror="window.attacked=true"><script>window.attacked=true</script>`

// personsCall is a call whose caller asks for a person, whose phone answers and says nothing.
type personsCall struct {
	server *binary.Server
	caller *media.Participant
	id     string
	link   string // of the person's page, as a webhook had it
}

// beginPersonsCall begins a call, and returns it when a person's phone is dialled.
func beginPersonsCall(t *testing.T, mode string, acceptSeconds *int) *personsCall {
	t.Helper()
	dir := t.TempDir()
	s := startWithPhone(t, dir)
	links := make(chan string, 8)
	backend := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		var e struct {
			Type string `json:"type"`
			Data struct {
				PageURL string `json:"page_url"`
			} `json:"data"`
		}
		if err := json.NewDecoder(r.Body).Decode(&e); err == nil && e.Type == "call.transfer.started" {
			links <- e.Data.PageURL
		}
	}))
	t.Cleanup(backend.Close)
	ctx := t.Context()
	yes := true
	if _, err := s.API.Webhooks.Set(ctx, client.WebhookSettings{URL: backend.URL, Filter: &client.WebhookFilter{IncludePage: &yes}}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.API.Tools.Create(ctx, client.NewTool{Name: "connect", Config: client.ToolConfig{Actions: []client.ToolAction{
		{Type: "transfer_call", Mode: mode, To: []string{"+4930555001"}, Summary: "Ada wants a refund. " + hostile, AcceptSeconds: acceptSeconds, Page: &yes, Message: "I connect you."},
	}}}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.API.Agents.Create(ctx, client.NewAgent{Name: "front-desk", Config: client.AgentConfig{
		Prompt: client.Prompt{System: "- person => One moment. [connect {}]\n- refund => For which order?", Greeting: "Hello, this is the front desk."}, Tools: []string{"connect"},
		STT: client.STT{Provider: "offline", Model: "pocketsphinx"}, LLM: client.LLM{Provider: "offline", Model: "scripted"}, TTS: client.TTS{Provider: "offline", VoiceID: "slt"},
	}}); err != nil {
		t.Fatal(err)
	}
	d, err := s.API.Calls.TestAgent(ctx, client.TestAgent{AgentName: "front-desk", UserContext: map[string]any{
		"name": "Ada Lovelace", "plan": "gold", "orders": []int{4711, 4712}, hostile: hostile}})
	if err != nil {
		t.Fatal(err)
	}
	caller, err := media.NewJoiner(nil).Join(ctx, media.JoinOptions{URL: d.URL, Token: d.Token, Data: true, OnFrame: func([]int16) {}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(caller.Leave)
	go callers.StayQuiet(caller)
	c := &personsCall{server: s, caller: caller, id: d.CallID}
	for n, text := range []string{"I want a refund " + hostile, "a person please"} {
		c.awaitEntries(t, 2*n+1)
		if err := caller.SendText(media.TopicChat, text); err != nil {
			t.Fatal(err)
		}
	}
	select {
	case c.link = <-links:
	case <-time.After(time.Minute):
		t.Fatal("no webhook carries a link")
	}
	return c
}

// awaitEntries waits until the transcript has a number of entries.
func (c *personsCall) awaitEntries(t *testing.T, n int) {
	t.Helper()
	for begun := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		entries, err := c.server.API.Calls.Transcript(t.Context(), c.id)
		if err != nil || time.Since(begun) > time.Minute {
			t.Fatalf("%d entries, %v", len(entries), err)
		}
		if len(entries) >= n {
			return
		}
	}
}

// The page of a person to whom a caller is transferred, in a browser: the link works once, also on a phone; it shows the call while it goes
// on, works after a reload, and says when the call is over. Words of the caller are never a script.
func TestPersonsPage(t *testing.T) {
	t.Parallel()
	c := beginPersonsCall(t, "announce", nil)
	screenshots := cmp.Or(os.Getenv("PARLEY_SCREENSHOTS"), t.TempDir())
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	node := exec.CommandContext(ctx, "node", "steered/transfer-page.mjs", c.link, "", "", screenshots)
	node.Env = append(os.Environ(), "HOSTILE="+hostile)
	steer(t, node, map[string]func() error{
		"connected": func() error {
			for begun := time.Now(); time.Since(begun) < time.Minute; time.Sleep(50 * time.Millisecond) {
				moments, err := c.server.API.Calls.Timeline(ctx, c.id)
				if err != nil {
					return err
				}
				for _, m := range moments {
					if m.Type == client.MomentTransfer && m.Phase == "completed" {
						return nil
					}
				}
			}
			return fmt.Errorf("the person is not connected")
		},
		"leave": func() error { c.caller.Leave(); return nil },
	})
}

// The page of a person who does not accept the caller shows nothing any more, without a reload.
func TestPersonsPageOfWhoDoesNotAccept(t *testing.T) {
	t.Parallel()
	seconds := 5
	c := beginPersonsCall(t, "consult", &seconds)
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	node := exec.CommandContext(ctx, "node", "steered/transfer-page.mjs", c.link, "", "", cmp.Or(os.Getenv("PARLEY_SCREENSHOTS"), t.TempDir()))
	node.Env = append(os.Environ(), "HOSTILE="+hostile, "NOT_ACCEPTED=1")
	steer(t, node, nil)
}
