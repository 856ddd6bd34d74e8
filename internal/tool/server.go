package tool

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"

	"parley/internal/mcpclient"
)

// ServerTool is a tool of an MCP server, as stored in a call's plan.
type ServerTool struct {
	URL       string            `json:"url"`
	Headers   map[string]string `json:"headers,omitempty"`
	TimeoutMS *int              `json:"timeout_ms,omitempty"`
	Name      string            `json:"name"` // at the server
	// Parameters is the JSON Schema of the arguments.
	Parameters json.RawMessage `json:"parameters,omitempty"`
}

// Schema returns the JSON Schema of a tool's parameters, for language models.
func (d Definition) Schema() (json.RawMessage, error) {
	if d.Server == nil {
		return Schema(d.Config)
	}
	if len(d.Server.Parameters) == 0 {
		return json.RawMessage(`{"type":"object","properties":{}}`), nil
	}
	return d.Server.Parameters, nil
}

func (t ServerTool) server() mcpclient.ToolServer {
	return mcpclient.ToolServer{URL: t.URL, Headers: t.Headers, TimeoutMS: t.TimeoutMS}
}

// ListServer returns the tools of an MCP server, and whether some were left out. Its errors are worded for the tenant.
func (r *Runner) ListServer(ctx context.Context, t Tenant, s mcpclient.ToolServer) (tools []mcpclient.ListedTool, more bool, err error) {
	u := &run{Runner: r, call: Call{Tenant: t}, used: &hidden{}}
	u.begin()
	request, err := u.serverRequest(ctx, s)
	if err != nil {
		return nil, false, err
	}
	session, err := u.openSession(ctx, s, request)
	if err != nil {
		return nil, false, err
	}
	defer session.Close()
	return session.List(ctx, s.Timeout())
}

// serverRequest returns the address and the headers of a server's requests.
func (u *run) serverRequest(ctx context.Context, s mcpclient.ToolServer) (request, error) {
	r, err := u.request(ctx, Action{Type: APICall, URL: s.URL, Headers: s.Headers})
	if err != nil {
		return r, err
	}
	r.header.Set("User-Agent", userAgent)
	if u.call.CallID != "" {
		r.header.Set(callHeader, u.call.CallID)
	}
	return r, nil
}

func (u *run) openSession(ctx context.Context, s mcpclient.ToolServer, r request) (*mcpclient.Session, error) {
	return mcpclient.Open(ctx, mcpclient.Connection{URL: r.url, Header: r.header, Timeout: s.Timeout(), HTTP: u.client})
}

// serverTool calls a tool of an MCP server, in the call's session with it.
func (u *run) serverTool(ctx context.Context) Outcome {
	t := u.call.Tool.Server
	sessions := u.call.Sessions
	if sessions == nil { // outside a call
		sessions = &mcpclient.Sessions{}
		defer sessions.Close()
	}
	s := t.server()
	var result mcpclient.Result
	request, err := u.serverRequest(ctx, s) // also when a session is open: what its headers hold is hidden in the result
	if err == nil {
		err = sessions.With(s.Key(),
			func() (*mcpclient.Session, error) { return u.openChecked(ctx, s, request) },
			func(session *mcpclient.Session) (err error) {
				result, err = session.Call(ctx, s.Timeout(), t.Name, u.call.Arguments)
				return err
			})
	}
	u.outcome.Failed = err != nil || result.Failed
	switch {
	case err != nil:
		u.warn("MCP server %s: %v", host(t.URL), err)
		u.outcome.Answer = "The function cannot be used at the moment: " + err.Error() + "."
	case result.Failed:
		u.warn("MCP server %s: the tool reports an error", host(t.URL))
		u.outcome.Answer = "The function failed: " + u.visible(result.Text)
	default:
		u.outcome.Answer = u.visible(result.Text)
	}
	if u.outcome.Answer == "" {
		u.outcome.Answer = "Done."
	}
	return u.outcome
}

// openChecked opens a session, and warns if the tool is not what it was when the agent was saved.
func (u *run) openChecked(ctx context.Context, s mcpclient.ToolServer, r request) (*mcpclient.Session, error) {
	session, err := u.openSession(ctx, s, r)
	if err != nil {
		return nil, err
	}
	tools, more, err := session.List(ctx, s.Timeout())
	if err != nil {
		session.Close()
		return nil, err
	}
	wanted := u.call.Tool.Server
	for _, t := range tools {
		if t.Name != wanted.Name {
			continue
		}
		if !mcpclient.SameSchema(t.Parameters, wanted.Parameters) {
			u.warn("MCP server %s: the tool's parameters have changed since the agent was saved: save it again", host(s.URL))
		}
		return session, nil
	}
	if !more {
		u.warn("MCP server %s: the tool is no longer offered: save the agent again", host(s.URL))
	}
	return session, nil
}

// visible returns a result for the model: bounded, and without what the requests' headers hold.
func (u *run) visible(text string) string {
	text = string(u.used.hide([]byte(strings.ReplaceAll(strings.ToValidUTF8(text, ""), "\x00", ""))))
	return first(strings.TrimSpace(text), maxAnswer)
}

// host returns the host of a URL, which is what a tenant's error log names.
func host(raw string) string {
	parsed, err := url.Parse(raw)
	if err != nil {
		return ""
	}
	return parsed.Host
}

// FunctionName returns the name by which a model calls a server's tool: letters, digits and underscores, with a number if it is
// taken.
func FunctionName(name string, taken func(string) bool) string {
	plain := strings.Map(func(c rune) rune {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' {
			return c
		}
		return '_'
	}, name)
	if plain == "" || plain[0] < 'A' || plain[0] == '_' {
		plain = "tool_" + plain
	}
	const longest = 64
	candidate := plain[:min(len(plain), longest)]
	for n := 2; taken(candidate); n++ {
		suffix := fmt.Sprintf("_%d", n)
		candidate = plain[:min(len(plain), longest-len(suffix))] + suffix
	}
	return candidate
}
