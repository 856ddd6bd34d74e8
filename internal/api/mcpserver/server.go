// Package mcpserver serves operations of the API as tools of the Model Context Protocol, over streamable HTTP. A tool is made from
// the API's description, and runs as a request of its operation: credentials, limits, validation and the audit log are the API's.
//
// There are no sessions: each request has its credential, so that a revoked key, or another set of scopes, applies at once, and any
// node answers any request.
package mcpserver

import (
	"context"
	"fmt"
	"net/http"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"parley/internal/api/wire"
	"parley/internal/auth"
)

// MaxBody bounds a message, in bytes: that of an operation, and its envelope.
const MaxBody = wire.MaxBody + 64<<10

const instructions = "Parley runs voice agents on the web and on the telephone. Start with list_agents, list_workflows or list_calls. " +
	"Tools that dial or delete are marked as destructive: ask the user before you call them. Lists are returned in pages: see " +
	"limit, offset and total."

// Server answers messages of the protocol.
type Server struct {
	api     http.Handler
	tools   map[string]*tool
	prompts *tool // of a call; not a tool by itself
	handler http.Handler
}

// New returns a server of the tools of an API, whose description and operations are given.
func New(version string, api http.Handler, description []byte, operations []wire.Operation) (*Server, error) {
	all, err := newTools(description, operations)
	if err != nil {
		return nil, fmt.Errorf("make the tools: %w", err)
	}
	s := &Server{api: api, tools: all, prompts: all["get_call_prompts"]}
	delete(all, "get_call_prompts")
	server := mcp.NewServer(&mcp.Implementation{Name: "parley", Title: "Parley", Version: version}, &mcp.ServerOptions{
		Instructions: instructions,
		PageSize:     MaxTools,
		// The list of a key does not change during a request, which is all that a connection lasts.
		Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}},
	})
	for _, t := range s.tools {
		server.AddTool(t.definition, func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return s.run(ctx, t, r.Params.Arguments)
		})
	}
	server.AddTool(&explainTool, func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return s.explain(ctx, r.Params.Arguments)
	})
	s.tools[explainCall] = &tool{operation: s.tools["get_call_timeline"].operation, definition: &explainTool}
	server.AddReceivingMiddleware(s.restrict)
	s.handler = mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, &mcp.StreamableHTTPOptions{
		Stateless: true, JSONResponse: true, MaxRequestBodyBytes: MaxBody, PropagateRequestCancellation: true,
		// A proxy on the same machine forwards the Host of the public address. Origins are checked before.
		DisableLocalhostProtection: true,
	})
	return s, nil
}

type (
	requestKey   struct{}
	principalKey struct{}
)

// Serve answers a message of an authenticated client.
func (s *Server) Serve(w http.ResponseWriter, r *http.Request, who auth.Principal) {
	ctx := context.WithValue(r.Context(), principalKey{}, who)
	s.handler.ServeHTTP(w, r.WithContext(context.WithValue(ctx, requestKey{}, r)))
}

// answered are the methods that clients may call. Streams of notifications are not among them: there is nothing to notify of.
var answered = []string{"initialize", "notifications/initialized", "notifications/cancelled", "server/discover", "ping",
	"tools/list", "tools/call"}

// restrict answers the methods of a server of tools alone, and lists the tools that the caller may use.
func (s *Server) restrict(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, r mcp.Request) (mcp.Result, error) {
		if !slices.Contains(answered, method) {
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "this server has tools only"}
		}
		found, err := next(ctx, method, r)
		if list, ok := found.(*mcp.ListToolsResult); ok && err == nil {
			who, _ := ctx.Value(principalKey{}).(auth.Principal)
			list.Tools = slices.DeleteFunc(list.Tools, func(t *mcp.Tool) bool { return !s.tools[t.Name].operation.Admits(who) })
		}
		return found, err
	}
}
