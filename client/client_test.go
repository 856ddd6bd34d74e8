package client_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/client"
)

// sent is what a server was asked.
type sent struct {
	Method, Path, Query string
	Body                string // compact JSON; "" for none
}

// server answers every request with status and body, and keeps what it was asked.
func server(t *testing.T, status int, body string) (*client.Client, *[]sent, *http.Header) {
	t.Helper()
	var asked []sent
	var header http.Header
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		content, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		if len(content) > 0 && r.Header.Get("Content-Type") != "application/json" {
			t.Errorf("Content-Type %q, want application/json", r.Header.Get("Content-Type"))
		}
		asked = append(asked, sent{r.Method, r.URL.EscapedPath(), r.URL.RawQuery, string(content)})
		header = r.Header
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}))
	t.Cleanup(s.Close)
	return client.New(s.URL+"/", "svc_live_k", client.WithBackoff(time.Millisecond)), &asked, &header
}

func TestRequests(t *testing.T) {
	yes, name := true, "New name"
	config := client.AgentConfig{
		Prompt: client.Prompt{System: "s"}, STT: client.STT{Provider: "offline", Model: "pocketsphinx"},
		TTS: client.TTS{Provider: "offline", VoiceID: "slt"}, LLM: client.LLM{Provider: "offline", Model: "scripted"},
	}
	const configJSON = `{"prompt":{"system":"s"},"stt":{"provider":"offline","model":"pocketsphinx"},"tts":{"provider":"offline","voice_id":"slt"},"llm":{"provider":"offline","model":"scripted"}}`
	graph := client.WorkflowConfig{
		Nodes:       []client.Node{{ID: "a", AgentName: "x", IsEntry: true, IsExit: true}},
		Connections: []client.Connection{},
	}
	const graphJSON = `{"nodes":[{"id":"a","agent_name":"x","is_entry":true,"is_exit":true}],"connections":[]}`
	tests := []struct {
		name string
		do   func(context.Context, *client.Client) error
		want sent
	}{
		{"login", func(ctx context.Context, c *client.Client) error { _, err := c.Login(ctx, "a@b.c", "pw"); return err },
			sent{"POST", "/api/v1/auth/login", "", `{"email":"a@b.c","password":"pw"}`}},
		{"refresh", func(ctx context.Context, c *client.Client) error { _, err := c.Refresh(ctx, "r"); return err },
			sent{"POST", "/api/v1/auth/refresh", "", `{"refresh_token":"r"}`}},
		{"logout", func(ctx context.Context, c *client.Client) error { return c.Logout(ctx, "r") },
			sent{"POST", "/api/v1/auth/logout", "", `{"refresh_token":"r"}`}},
		{"me", func(ctx context.Context, c *client.Client) error { _, err := c.Me(ctx); return err },
			sent{"GET", "/api/v1/auth/me", "", ""}},
		{"create key", func(ctx context.Context, c *client.Client) error {
			_, err := c.APIKeys.Create(ctx, client.NewAPIKey{Name: "n", Environment: "test", Scopes: []string{"calls:*"}})
			return err
		}, sent{"POST", "/api/v1/auth/api-keys", "", `{"name":"n","environment":"test","scopes":["calls:*"]}`}},
		{"list keys", func(ctx context.Context, c *client.Client) error { _, err := c.APIKeys.List(ctx); return err },
			sent{"GET", "/api/v1/auth/api-keys", "limit=100&offset=0", ""}},
		{"revoke key", func(ctx context.Context, c *client.Client) error { return c.APIKeys.Revoke(ctx, "id") },
			sent{"DELETE", "/api/v1/auth/api-keys/id", "", ""}},
		{"create agent", func(ctx context.Context, c *client.Client) error {
			_, err := c.Agents.Create(ctx, client.NewAgent{Name: "x", Config: config})
			return err
		}, sent{"POST", "/api/v1/agents", "", `{"name":"x","config":` + configJSON + `}`}},
		{"get agent", func(ctx context.Context, c *client.Client) error { _, err := c.Agents.Get(ctx, "a/b c"); return err },
			sent{"GET", "/api/v1/agents/a%2Fb%20c", "", ""}},
		{"list agents", func(ctx context.Context, c *client.Client) error {
			_, err := c.Agents.List(ctx, client.ListOptions{Limit: 5, Offset: 10, IsActive: &yes})
			return err
		}, sent{"GET", "/api/v1/agents", "is_active=true&limit=5&offset=10", ""}},
		{"update agent", func(ctx context.Context, c *client.Client) error {
			_, err := c.Agents.Update(ctx, "x", client.AgentChange{DisplayName: &name, Config: map[string]any{"languages": nil}})
			return err
		}, sent{"PUT", "/api/v1/agents/x", "", `{"display_name":"New name","config":{"languages":null}}`}},
		{"delete agent", func(ctx context.Context, c *client.Client) error { return c.Agents.Delete(ctx, "x") },
			sent{"DELETE", "/api/v1/agents/x", "", ""}},
		{"activate agent", func(ctx context.Context, c *client.Client) error { _, err := c.Agents.Activate(ctx, "x"); return err },
			sent{"POST", "/api/v1/agents/x/activate", "", ""}},
		{"deactivate agent", func(ctx context.Context, c *client.Client) error { _, err := c.Agents.Deactivate(ctx, "x"); return err },
			sent{"POST", "/api/v1/agents/x/deactivate", "", ""}},
		{"create workflow", func(ctx context.Context, c *client.Client) error {
			_, err := c.Workflows.Create(ctx, client.NewWorkflow{Slug: "w", Name: "W", Config: graph})
			return err
		}, sent{"POST", "/api/v1/workflows", "", `{"slug":"w","name":"W","config":` + graphJSON + `}`}},
		{"get workflow", func(ctx context.Context, c *client.Client) error { _, err := c.Workflows.Get(ctx, "w"); return err },
			sent{"GET", "/api/v1/workflows/w", "", ""}},
		{"list workflows", func(ctx context.Context, c *client.Client) error {
			_, err := c.Workflows.List(ctx, client.ListOptions{})
			return err
		}, sent{"GET", "/api/v1/workflows", "", ""}},
		{"update workflow", func(ctx context.Context, c *client.Client) error {
			_, err := c.Workflows.Update(ctx, "w", client.WorkflowChange{Name: &name})
			return err
		}, sent{"PUT", "/api/v1/workflows/w", "", `{"name":"New name"}`}},
		{"delete workflow", func(ctx context.Context, c *client.Client) error { return c.Workflows.Delete(ctx, "w") },
			sent{"DELETE", "/api/v1/workflows/w", "", ""}},
		{"activate workflow", func(ctx context.Context, c *client.Client) error {
			_, err := c.Workflows.Activate(ctx, "w")
			return err
		},
			sent{"POST", "/api/v1/workflows/w/activate", "", ""}},
		{"deactivate workflow", func(ctx context.Context, c *client.Client) error {
			_, err := c.Workflows.Deactivate(ctx, "w")
			return err
		}, sent{"POST", "/api/v1/workflows/w/deactivate", "", ""}},
		{"start call", func(ctx context.Context, c *client.Client) error {
			_, err := c.Calls.Start(ctx, client.StartCall{WorkflowSlug: "w", UserContext: map[string]any{"name": "Ada"}})
			return err
		}, sent{"POST", "/api/v1/calls", "", `{"workflow_slug":"w","user_context":{"name":"Ada"}}`}},
		{"test agent", func(ctx context.Context, c *client.Client) error {
			_, err := c.Calls.TestAgent(ctx, client.TestAgent{AgentName: "x", UserID: "u"})
			return err
		}, sent{"POST", "/api/v1/calls/test-agent", "", `{"agent_name":"x","user_id":"u"}`}},
		{"get call", func(ctx context.Context, c *client.Client) error { _, err := c.Calls.Get(ctx, "id"); return err },
			sent{"GET", "/api/v1/calls/id", "", ""}},
		{"call metrics", func(ctx context.Context, c *client.Client) error { _, err := c.Calls.Metrics(ctx, "id"); return err },
			sent{"GET", "/api/v1/calls/id/metrics", "", ""}},
		{"list calls", func(ctx context.Context, c *client.Client) error {
			_, err := c.Calls.List(ctx, client.CallQuery{Page: 2, PageSize: 5, Status: client.Failed, WorkflowID: "w", UserID: "u&v",
				StartedAfter: time.Date(2026, 1, 2, 4, 4, 5, 6e6, time.FixedZone("", 3600)), Livemode: &yes})
			return err
		}, sent{"GET", "/api/v1/calls", "livemode=true&page=2&page_size=5&started_after=2026-01-02T03%3A04%3A05.006Z&status=failed&user_id=u%26v&workflow_id=w", ""}},
		{"list active calls", func(ctx context.Context, c *client.Client) error {
			_, err := c.Calls.ListActive(ctx, client.ActiveCallQuery{Limit: 7})
			return err
		}, sent{"GET", "/api/v1/calls/active", "limit=7", ""}},
		{"call timeline", func(ctx context.Context, c *client.Client) error {
			_, err := c.Calls.Timeline(ctx, "id")
			return err
		}, sent{"GET", "/api/v1/calls/id/timeline", "", ""}},
		{"call prompts", func(ctx context.Context, c *client.Client) error {
			_, err := c.Calls.Prompts(ctx, "id")
			return err
		}, sent{"GET", "/api/v1/calls/id/prompts", "", ""}},
		{"recording", func(ctx context.Context, c *client.Client) error { _, err := c.Calls.Recording(ctx, "id"); return err },
			sent{"GET", "/api/v1/calls/id/recording", "", ""}},
		{"end call", func(ctx context.Context, c *client.Client) error { _, err := c.Calls.End(ctx, "id"); return err },
			sent{"POST", "/api/v1/calls/id/end", "", ""}},
		{"get webhook", func(ctx context.Context, c *client.Client) error { _, err := c.Webhooks.Get(ctx); return err },
			sent{"GET", "/api/v1/webhooks", "", ""}},
		{"set webhook", func(ctx context.Context, c *client.Client) error {
			_, err := c.Webhooks.Set(ctx, client.WebhookSettings{
				URL: "https://x.example", Filter: &client.WebhookFilter{Events: []string{client.CallCompleted}, IncludeTranscript: &yes}, Timeout: 5})
			return err
		}, sent{"POST", "/api/v1/webhooks", "", `{"url":"https://x.example","filter":{"events":["call.completed"],"include_transcript":true},"timeout":5}`}},
		{"patch webhook", func(ctx context.Context, c *client.Client) error {
			_, err := c.Webhooks.Patch(ctx, map[string]any{"headers": nil})
			return err
		}, sent{"PATCH", "/api/v1/webhooks", "", `{"headers":null}`}},
		{"delete webhook", func(ctx context.Context, c *client.Client) error { return c.Webhooks.Delete(ctx) },
			sent{"DELETE", "/api/v1/webhooks", "", ""}},
		{"test webhook", func(ctx context.Context, c *client.Client) error { _, err := c.Webhooks.Test(ctx); return err },
			sent{"POST", "/api/v1/webhooks/test", "", ""}},
		{"enable webhook", func(ctx context.Context, c *client.Client) error { _, err := c.Webhooks.Enable(ctx); return err },
			sent{"POST", "/api/v1/webhooks/enable", "", ""}},
		{"disable webhook", func(ctx context.Context, c *client.Client) error { _, err := c.Webhooks.Disable(ctx); return err },
			sent{"POST", "/api/v1/webhooks/disable", "", ""}},
		{"rotate secret", func(ctx context.Context, c *client.Client) error {
			_, err := c.Webhooks.RotateSecret(ctx, 60)
			return err
		},
			sent{"POST", "/api/v1/webhooks/rotate-secret", "", `{"overlap_seconds":60}`}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			body := `{}`
			if test.name == "list active calls" || test.name == "call timeline" {
				body = `[]`
			}
			c, asked, _ := server(t, http.StatusOK, body)
			if err := test.do(t.Context(), c); err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff([]sent{test.want}, *asked); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestAnswers(t *testing.T) {
	const callJSON = `{"id":"c1","workflow_id":null,"workflow_slug":"demo","user_id":null,"status":"completed",
		"status_reason":"agent_ended","direction":"inbound","call_type":"voip","duration_seconds":12,
		"agent_history":["reception","booking"],"current_agent":null,"metadata":{"k":1},"livemode":true,
		"metrics":{"duration_seconds":12,"stt_latency_ms":80.5,"total_tokens":7,"agent_handoffs":1,"silence_ratio":0.4,"interruptions":2,"caller_repeated_questions":null},
		"started_at":"2026-01-02T03:04:05.678Z","ended_at":"2026-01-02T03:04:17Z","created_at":"2026-01-02T03:04:05Z"}`
	c, _, _ := server(t, http.StatusOK, callJSON)
	call, err := c.Calls.Get(t.Context(), "c1")
	if err != nil {
		t.Fatal(err)
	}
	if !call.Terminal() || !call.Livemode || *call.StatusReason != "agent_ended" || *call.WorkflowSlug != "demo" || call.WorkflowID != nil ||
		call.Metrics.STTLatencyMS != 80.5 || call.Metrics.AgentHandoffs != 1 || *call.Metrics.SilenceRatio != 0.4 || *call.Metrics.Interruptions != 2 || call.Metrics.CallerRepeatedQuestions != nil || call.CurrentAgent != nil || len(call.AgentHistory) != 2 ||
		!call.StartedAt.Equal(time.Date(2026, 1, 2, 3, 4, 5, 678e6, time.UTC)) {
		t.Errorf("call: %+v", call)
	}

	c, _, _ = server(t, http.StatusOK, `[{"role":"assistant","content":"Hello","timestamp":"2026-01-02T03:04:05Z","agent_name":"demo","tool_call":{"name":"f","arguments":{"a":1}}}]`)
	entries, err := c.Calls.Transcript(t.Context(), "c1")
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != 1 || entries[0].Content != "Hello" || entries[0].AgentName != "demo" || string(entries[0].ToolCall.Arguments) != `{"a":1}` {
		t.Errorf("transcript: %+v", entries)
	}

	c, _, _ = server(t, http.StatusOK, `{"stt_latency_ms":80.5,"agents":[{"agent":"reception","turns":3,"voice_to_voice_ms":700}]}`)
	metrics, err := c.Calls.Metrics(t.Context(), "c1")
	if err != nil {
		t.Fatal(err)
	}
	if want := []client.AgentMetrics{{Agent: "reception", Turns: 3, VoiceToVoiceMS: 700}}; metrics.STTLatencyMS != 80.5 || !cmp.Equal(want, metrics.Agents) {
		t.Errorf("metrics: %+v", metrics)
	}

	c, _, _ = server(t, http.StatusOK, `[{"type":"status","timestamp":"2026-01-02T03:04:05Z","status":"timeout","status_reason":"silence"},
		{"type":"turn","timestamp":"2026-01-02T03:04:06Z","agent":"a","stt_provider":"offline","voice_to_voice_ms":700.5,"interrupted":true}]`)
	moments, err := c.Calls.Timeline(t.Context(), "c1")
	if err != nil {
		t.Fatal(err)
	}
	if len(moments) != 2 || moments[0].Type != client.MomentStatus || moments[0].StatusReason != "silence" || moments[1].Type != client.MomentTurn ||
		*moments[1].VoiceToVoiceMS != 700.5 || moments[1].STTLatencyMS != nil || !moments[1].Interrupted {
		t.Errorf("timeline: %+v", moments)
	}

	c, _, header := server(t, http.StatusOK, "OggS")
	if sound, err := c.Calls.Recording(t.Context(), "c1"); err != nil || string(sound) != "OggS" || header.Get("Accept") != "audio/ogg" {
		t.Errorf("recording %q, %v, asked for as %q", sound, err, header.Get("Accept"))
	}

	c, _, _ = server(t, http.StatusNoContent, "")
	if err := c.Agents.Delete(t.Context(), "x"); err != nil {
		t.Errorf("an answer without a body: %v", err)
	}

	c, _, _ = server(t, http.StatusOK, `<html>`)
	if _, err := c.Agents.Get(t.Context(), "x"); err == nil || !strings.Contains(err.Error(), "GET /api/v1/agents/x") {
		t.Errorf("an answer that is no JSON: %v", err)
	}
}

func TestCredentials(t *testing.T) {
	c, _, header := server(t, http.StatusOK, `{}`)
	if _, err := c.Me(t.Context()); err != nil {
		t.Fatal(err)
	}
	if header.Get("X-API-Key") != "svc_live_k" || header.Get("Authorization") != "" {
		t.Errorf("with a key: %v", *header)
	}
	s := c.Session("jwt")
	if _, err := s.APIKeys.List(t.Context()); err != nil {
		t.Fatal(err)
	}
	if header.Get("X-API-Key") != "" || header.Get("Authorization") != "Bearer jwt" {
		t.Errorf("with a session: %v", *header)
	}
	if _, err := c.Agents.Get(t.Context(), "x"); err != nil {
		t.Fatal(err)
	}
	if header.Get("X-API-Key") != "svc_live_k" {
		t.Error("Session changed the client that it was made of")
	}
}

func TestIdempotencyKey(t *testing.T) {
	c, _, header := server(t, http.StatusCreated, `{"call_id":"c"}`)
	keys := map[string]bool{}
	for range 2 {
		if _, err := c.Calls.Start(t.Context(), client.StartCall{WorkflowSlug: "w"}); err != nil {
			t.Fatal(err)
		}
		keys[header.Get("Idempotency-Key")] = true
	}
	if len(keys) != 2 || keys[""] {
		t.Errorf("two dispatches had the keys %v, want two", keys)
	}
	if _, err := c.Calls.TestAgent(t.Context(), client.TestAgent{AgentName: "a", IdempotencyKey: "mine"}); err != nil {
		t.Fatal(err)
	}
	if got := header.Get("Idempotency-Key"); got != "mine" {
		t.Errorf("key %q, want the one given", got)
	}
}

func TestError(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Request-Id", "req-1")
		w.WriteHeader(http.StatusUnprocessableEntity)
		_ = json.NewEncoder(w).Encode(map[string]any{"error": map[string]any{
			"code": "validation_error", "message": "the request is not valid",
			"details": []map[string]string{{"field": "config.nodes[2].agent_name", "message": "no such agent"}}}})
	}))
	defer s.Close()
	_, err := client.New(s.URL, "k").Workflows.Create(t.Context(), client.NewWorkflow{})
	var refused *client.Error
	if !errors.As(err, &refused) {
		t.Fatalf("%T: %v", err, err)
	}
	if refused.Status != 422 || refused.Code != "validation_error" || refused.RequestID != "req-1" ||
		len(refused.Details) != 1 || refused.Details[0].Field != "config.nodes[2].agent_name" {
		t.Errorf("error: %+v", refused)
	}
	const text = "POST /api/v1/workflows: 422 validation_error: the request is not valid; config.nodes[2].agent_name: no such agent (request req-1)"
	if err.Error() != text {
		t.Errorf("text %q, want %q", err, text)
	}

	c, _, _ := server(t, http.StatusNotFound, "a proxy's page")
	if _, err := c.Calls.Get(t.Context(), "x"); !errors.As(err, &refused) || refused.Code != "" || refused.Message != "Not Found" {
		t.Errorf("an error that is not the API's: %v", err)
	}
}
