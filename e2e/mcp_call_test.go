package e2e

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"parley/client"
	"parley/internal/provider/emulator"
)

// hoursTools is an MCP server whose tool says when the shop closes. It goes down when it has answered that once.
type hoursTools struct {
	*httptest.Server
	mu       sync.Mutex
	answered int
	refused  int
	calls    []string // ids in X-Parley-Call-Id of calls of the tool
}

func newHoursTools(t *testing.T, token string) *hoursTools {
	t.Helper()
	h := &hoursTools{}
	server := mcp.NewServer(&mcp.Implementation{Name: "hours", Version: "1"}, nil)
	type arguments struct {
		Day string `json:"day"`
	}
	mcp.AddTool(server, &mcp.Tool{Name: "look_up_hours"}, func(_ context.Context, r *mcp.CallToolRequest, a arguments) (*mcp.CallToolResult, any, error) {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.answered++
		h.calls = append(h.calls, r.Extra.Header.Get("X-Parley-Call-Id"))
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "On " + a.Day + " we close at seven in the evening."}}}, nil, nil
	})
	handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, nil)
	h.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.mu.Lock()
		down := h.answered > 0
		if down {
			h.refused++
		}
		h.mu.Unlock()
		switch {
		case down:
			http.Error(w, "down", http.StatusServiceUnavailable)
		case r.Header.Get("Authorization") != "Bearer "+token:
			http.Error(w, "Unauthorized", http.StatusUnauthorized)
		default:
			handler.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(h.Close)
	return h
}

// start has the server answer once more.
func (h *hoursTools) start() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.answered, h.refused, h.calls = 0, 0, nil
}

// In a spoken call, the agent says what the tool of an MCP server answered. Then the server is down: the model reads so, the agent says
// it and goes on, and the timeline has a warning.
func TestToolOfAnMCPServerInACall(t *testing.T) {
	t.Parallel()
	const token, place = "tok-hours-very-secret", "where are you located"
	tools := newHoursTools(t, token)
	recogniser := emulator.NewDeepgram(t, emulator.Options{Key: keyOf("deepgram")}, emulator.RecognizerScript{Lines: []string{hours, name, place}, Endpointing: endpointing})
	t.Cleanup(recogniser.Close)
	s := serve(t, filepath.Join(t.TempDir(), "data"), vendors{"deepgram": recogniser}.settings(keyOf))
	ask(t, s, "POST", "/api/v1/secrets", object{"name": "hours", "value": token}, nil)
	ask(t, s, "POST", "/api/v1/agents", json.RawMessage(`{"name": "desk", "config": {"stt": {"provider": "deepgram", "model": "nova-3"}, "tts": {"provider": "offline", "voice_id": "slt"},
		"llm": {"provider": "offline", "model": "scripted"}, "prompt": {"greeting": "Hello.",
			"system": "- opening hours => I look into the book. [look_up_hours {\"day\": \"monday\"}]\n- your name => I look once more. [look_up_hours {\"day\": \"friday\"}]\n- located => You find us at the lake."},
		"mcp_servers": [{"url": "`+tools.URL+`", "headers": {"Authorization": "Bearer {{secrets.hours}}"}}]}}`), nil)

	r := converseAfter(t, tools.start, s, []string{hours, name, place}, []string{"on monday we close at seven in the evening", "cannot be used at the moment", "at the lake"}, "--agent", "desk", "--hang-up")
	if r.Status != client.Completed {
		t.Errorf("status %q", r.Status)
	}
	tools.mu.Lock()
	if len(tools.calls) != 1 || tools.calls[0] != r.CallID || tools.refused == 0 {
		t.Errorf("the server answered the calls %q and refused %d requests", tools.calls, tools.refused)
	}
	tools.mu.Unlock()
	var moments []struct {
		Type, Name, Message string
		Critical            bool
	}
	ask(t, s, "GET", "/api/v1/calls/"+r.CallID+"/timeline", nil, &moments)
	executions, warnings := 0, 0
	for _, m := range moments {
		switch {
		case m.Name == "look_up_hours":
			executions++
		case m.Type == "error" && !m.Critical && strings.HasPrefix(m.Message, "tool look_up_hours: MCP server 127.0.0.1"):
			warnings++
		case m.Type == "error":
			t.Errorf("problem: %+v", m)
		}
	}
	if executions != 2 || warnings != 1 {
		t.Errorf("the timeline has %d executions of the tool and %d warnings, want 2 and 1: %+v", executions, warnings, moments)
	}
	if strings.Contains(s.Log.String(), token) {
		t.Error("the server's log contains the credential")
	}
}
