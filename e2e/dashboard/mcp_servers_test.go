package dashboard

import (
	"cmp"
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"parley/e2e/binary"
)

// The editor of an agent shows the tools of its MCP servers, and what is the matter with a server.
func TestMCPServersOfAnAgent(t *testing.T) {
	dir := t.TempDir()
	program, err := binary.Path(dir)
	if err != nil {
		t.Fatal(err)
	}
	tools := mcp.NewServer(&mcp.Implementation{Name: "hours", Version: "1"}, nil)
	mcp.AddTool(tools, &mcp.Tool{Name: "look_up_hours"}, func(context.Context, *mcp.CallToolRequest, struct{}) (*mcp.CallToolResult, any, error) {
		return &mcp.CallToolResult{}, nil, nil
	})
	server := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return tools }, nil))
	t.Cleanup(server.Close)
	s, signIn := startDemo(t, program)
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	node := exec.CommandContext(ctx, "node", "steered/mcp-servers.mjs", s.URL, signIn[1], signIn[2], cmp.Or(os.Getenv("PARLEY_SCREENSHOTS"), dir))
	node.Env = append(os.Environ(), "MCP_SERVER="+server.URL)
	steer(t, node, map[string]func() error{"stop": func() error { server.CloseClientConnections(); return server.Listener.Close() }})
}
