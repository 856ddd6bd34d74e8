package tool

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"parley/internal/mcpclient"
)

// toolServer is an MCP server of the official library, which requires a credential. sessions counts those that were opened, ended those
// that a client ended.
type toolServer struct {
	*httptest.Server
	sessions, ended atomic.Int64
	down            atomic.Bool
	callIDs         chan string
}

const toolToken = "tok-crm-very-secret"

func newToolServer(t *testing.T, description string) *toolServer {
	t.Helper()
	type arguments struct {
		Number string `json:"number" jsonschema:"the customer's number"`
	}
	s := &toolServer{callIDs: make(chan string, 100)}
	server := mcp.NewServer(&mcp.Implementation{Name: "crm", Version: "1"}, nil)
	mcp.AddTool(server, &mcp.Tool{Name: "look-up.customer", Description: description},
		func(_ context.Context, r *mcp.CallToolRequest, a arguments) (*mcp.CallToolResult, any, error) {
			s.callIDs <- r.Extra.Header.Get(callHeader)
			text := "customer " + a.Number + " of " + r.Extra.Header.Get("Authorization")
			if a.Number == "0" {
				return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: "there is no customer 0"}}}, nil, nil
			}
			if a.Number == "large" {
				text = strings.Repeat("x", 100<<10)
			}
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}, &mcp.ImageContent{Data: []byte("x"), MIMEType: "image/png"}}}, nil, nil
		})
	mcp.AddTool(server, &mcp.Tool{Name: "delete_customer"}, func(context.Context, *mcp.CallToolRequest, arguments) (*mcp.CallToolResult, any, error) {
		return &mcp.CallToolResult{}, nil, nil
	})
	handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, nil)
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case s.down.Load():
			http.Error(w, "down", http.StatusServiceUnavailable)
			return
		case r.Header.Get("Authorization") != "Bearer "+toolToken:
			http.Error(w, "Unauthorized", http.StatusUnauthorized)
			return
		case r.Method == http.MethodDelete:
			s.ended.Add(1)
		case r.Method == http.MethodPost && r.Header.Get("Mcp-Session-Id") == "" && r.Header.Get("Mcp-Protocol-Version") != "2026-07-28":
			s.sessions.Add(1)
		}
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

// crmVault has the credential.
type crmVault struct{}

func (crmVault) Secret(_ context.Context, name string) (string, bool, error) {
	return toolToken, name == "crm", nil
}

func (s *toolServer) settings(secret string) mcpclient.ToolServer {
	return mcpclient.ToolServer{URL: s.URL, Headers: map[string]string{"Authorization": "Bearer {{secrets." + secret + "}}"}}
}

// calling returns a call of a tool of the server, as it was listed.
func (s *toolServer) calling(t *testing.T, r *Runner, sessions *mcpclient.Sessions, arguments string) Call {
	t.Helper()
	server := s.settings("crm")
	tools, more, err := r.ListServer(t.Context(), Tenant{Secrets: crmVault{}}, server)
	if err != nil || more || len(tools) != 2 || tools[1].Name != "look-up.customer" && tools[0].Name != "look-up.customer" {
		t.Fatalf("tools %+v, more %t, %v", tools, more, err)
	}
	definition := Definition{}
	for _, listed := range tools {
		if listed.Name == "look-up.customer" {
			definition.Server = &ServerTool{URL: server.URL, Headers: server.Headers, Name: listed.Name, Parameters: listed.Parameters}
		}
	}
	return Call{CallID: "call-1", Name: "look_up_customer", Tool: definition, Tenant: Tenant{Secrets: crmVault{}}, Arguments: json.RawMessage(arguments), Sessions: sessions}
}

// A call has one session with a server, whose tools see its credential and the call's id. The credential is in no answer.
func TestToolsOfServers(t *testing.T) {
	r := NewRunner(true)
	defer r.Close()
	s, sessions := newToolServer(t, "Finds a customer."), &mcpclient.Sessions{}
	c := s.calling(t, r, sessions, `{"number":"17"}`)
	opened := s.sessions.Load()
	for range 3 {
		o := r.Run(t.Context(), c)
		if len(o.Problems) > 0 || !strings.HasPrefix(o.Answer, "customer 17 of Bearer ***\n") {
			t.Fatalf("%+v", o)
		}
		if id := <-s.callIDs; id != "call-1" {
			t.Errorf("the server sees the call %q", id)
		}
	}
	if n := s.sessions.Load() - opened; n != 1 {
		t.Errorf("%d sessions", n)
	}
	c.Arguments = json.RawMessage(`{"number":"0"}`)
	if o := r.Run(t.Context(), c); o.Answer != "The function failed: there is no customer 0" || len(o.Problems) != 1 || o.Problems[0].Critical {
		t.Errorf("an error of the tool: %+v", o)
	}
	c.Arguments = json.RawMessage(`{"number":"large"}`)
	if o := r.Run(t.Context(), c); len(o.Answer) != maxAnswer {
		t.Errorf("a large result has %d bytes", len(o.Answer))
	}
	ended := s.ended.Load()
	sessions.Close()
	sessions.Close()
	if n := s.ended.Load() - ended; n != 1 {
		t.Errorf("%d sessions were ended", n)
	}
	if o := r.Run(t.Context(), c); len(o.Problems) != 1 {
		t.Errorf("after the call: %+v", o)
	}
}

// A server that is down is a warning, and the agent knows; when it is up again, its tools work.
func TestServerThatIsDown(t *testing.T) {
	r := NewRunner(true)
	defer r.Close()
	s, sessions := newToolServer(t, ""), &mcpclient.Sessions{}
	defer sessions.Close()
	c := s.calling(t, r, sessions, `{"number":"17"}`)
	for range 2 {
		s.down.Store(true)
		if o := r.Run(t.Context(), c); len(o.Problems) != 1 || o.Problems[0].Critical || !strings.HasPrefix(o.Answer, "The function cannot be used at the moment: ") {
			t.Errorf("down: %+v", o)
		}
		s.down.Store(false)
		if o := r.Run(t.Context(), c); len(o.Problems) > 0 || !strings.HasPrefix(o.Answer, "customer 17") {
			t.Errorf("up: %+v", o)
		}
	}
}

func TestServersThatCannotBeListed(t *testing.T) {
	s := newToolServer(t, "")
	over := make(chan struct{})
	slow := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-over }))
	defer slow.Close()
	defer close(over)
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte("<html>" + toolToken)) }))
	defer page.Close()
	short := 100
	for name, c := range map[string]struct {
		private bool
		server  mcpclient.ToolServer
		want    string
	}{
		"a private address": {false, mcpclient.ToolServer{URL: s.URL}, "the URL"},
		"no credential":     {true, mcpclient.ToolServer{URL: s.URL}, "it refuses the credential"},
		"no secret":         {true, s.settings("erp"), "there is no secret erp"},
		"a slow server":     {true, mcpclient.ToolServer{URL: slow.URL, TimeoutMS: &short}, "no answer within 100 ms"},
		"a page":            {true, mcpclient.ToolServer{URL: page.URL}, "it does not answer as an MCP server"},
		"nobody":            {true, mcpclient.ToolServer{URL: "http://127.0.0.1:9/mcp"}, "the connection could not be made"},
	} {
		r := NewRunner(c.private)
		_, _, err := r.ListServer(t.Context(), Tenant{Secrets: crmVault{}}, c.server)
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
		r.Close()
	}
}

// A tool whose parameters are not those that the agent was saved with is a warning.
func TestToolThatHasChanged(t *testing.T) {
	r := NewRunner(true)
	defer r.Close()
	s := newToolServer(t, "")
	c := s.calling(t, r, nil, `{"number":"17"}`)
	c.Tool.Server.Parameters = json.RawMessage(`{"type":"object","properties":{"id":{"type":"string"}}}`)
	o := r.Run(t.Context(), c)
	if len(o.Problems) != 1 || !strings.Contains(o.Problems[0].Message, "have changed") || !strings.HasPrefix(o.Answer, "customer 17") {
		t.Errorf("%+v", o)
	}
	c.Tool.Server.Name = "gone"
	if o = r.Run(t.Context(), c); len(o.Problems) != 2 || !strings.Contains(o.Problems[0].Message, "no longer offered") {
		t.Errorf("%+v", o)
	}
}

func TestNamesOfFunctions(t *testing.T) {
	taken := map[string]bool{"look_up": true, "look_up_2": true}
	for name, want := range map[string]string{
		"look_up": "look_up_3", "look-up.customer": "look_up_customer", "9lives": "tool_9lives", "": "tool_", "_x": "tool__x", "größe": "gr__e",
		strings.Repeat("a", 100): strings.Repeat("a", 64),
	} {
		if got := FunctionName(name, func(n string) bool { return taken[n] }); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}
