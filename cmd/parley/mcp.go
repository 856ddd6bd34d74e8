package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

type mcpCommand struct {
	target
}

// Run serves the tools of a server's /mcp over standard input and output, until the input ends or a signal. The tools are those that
// the key may use when the command starts.
func (c *mcpCommand) Run(s signalled) error {
	key, err := c.key()
	if err != nil {
		return err
	}
	program := &mcp.Implementation{Name: "parley", Title: "Parley", Version: version}
	remote, err := mcp.NewClient(program, nil).Connect(s.ctx, &mcp.StreamableClientTransport{
		Endpoint:             strings.TrimSuffix(c.Server, "/") + "/mcp",
		HTTPClient:           &http.Client{Transport: withKey{key}},
		DisableStandaloneSSE: true,
	}, nil)
	if err != nil {
		return fmt.Errorf("connect to the tools of %s: %w", c.Server, err)
	}
	defer remote.Close()
	server := mcp.NewServer(program, &mcp.ServerOptions{
		Instructions: remote.InitializeResult().Instructions,
		Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}},
	})
	for tool, err := range remote.Tools(s.ctx, nil) {
		if err != nil {
			return fmt.Errorf("list the tools of %s: %w", c.Server, err)
		}
		server.AddTool(tool, func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return remote.CallTool(ctx, &mcp.CallToolParams{Name: r.Params.Name, Arguments: r.Params.Arguments})
		})
	}
	if err := server.Run(s.ctx, &mcp.StdioTransport{}); err != nil && !errors.Is(err, context.Canceled) {
		return fmt.Errorf("serve tools over standard input and output: %w", err)
	}
	return nil
}

// withKey sends an API key with each request.
type withKey struct{ key string }

func (k withKey) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("X-API-Key", k.key)
	return http.DefaultTransport.RoundTrip(r)
}
