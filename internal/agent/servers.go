package agent

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"parley/internal/mcpclient"
)

const (
	listingLife    = 10 * time.Minute // the tools of a server are not listed again
	listingTimeout = 15 * time.Second // for all servers of an agent
)

// ToolServers lists the tools of MCP servers. more reports that some were left out. Errors are worded for the tenant.
type ToolServers interface {
	ListServer(ctx context.Context, tenantID string, s mcpclient.ToolServer) (tools []mcpclient.ListedTool, more bool, err error)
}

// servers checks the MCP servers.
func (i *validation) servers(servers []mcpclient.ToolServer) {
	if !i.Count("config.mcp_servers", len(servers), mcpclient.MaxServers) {
		return
	}
	for n, s := range servers {
		path := fmt.Sprintf("config.mcp_servers[%d]", n)
		for _, f := range s.Faults() {
			i.Fault(path+"."+f.Field, "%s", f.Message)
		}
		if slices.ContainsFunc(servers[:n], func(other mcpclient.ToolServer) bool { return other.URL == s.URL }) {
			i.Fault(path+".url", "names the same server a second time")
		}
	}
}

// listing is what listing the tools of a server has found.
type listing struct {
	server   mcpclient.ToolServer // with its tools
	warnings []string
}

// listServers lists the tools of an agent's MCP servers, at the same time. stored are the servers as they are stored, whose tools stay
// where a server does not answer, or has been asked recently. It is called outside of transactions.
func (s Store) listServers(ctx context.Context, servers, stored []mcpclient.ToolServer) map[string]listing {
	ctx, cancel := context.WithTimeout(ctx, listingTimeout)
	defer cancel()
	found := make([]listing, len(servers))
	var running sync.WaitGroup
	for n, server := range servers {
		server.Tools, server.ListedAt = nil, nil
		for _, before := range stored {
			if before.Key() == server.Key() {
				server.Tools, server.ListedAt = before.Tools, before.ListedAt
			}
		}
		running.Go(func() { found[n] = s.listServer(ctx, server) })
	}
	running.Wait()
	byKey := map[string]listing{}
	for _, l := range found {
		byKey[l.server.Key()] = l
	}
	return byKey
}

// listServer lists the tools of a server, and warns of what is not as expected.
func (s Store) listServer(ctx context.Context, server mcpclient.ToolServer) (l listing) {
	defer func() {
		l.server = server
		for _, name := range server.Allow {
			if !slices.ContainsFunc(server.Tools, func(t mcpclient.ListedTool) bool { return t.Name == name }) && server.ListedAt != nil {
				l.warnings = append(l.warnings, "the server offers no tool "+name)
			}
		}
	}()
	now := time.Now()
	if s.registry.ToolServers == nil || server.ListedAt != nil && now.Sub(*server.ListedAt) < listingLife {
		return l
	}
	tools, more, err := s.registry.ToolServers.ListServer(ctx, s.scope.TenantID(), server)
	if err != nil {
		kept := "no tools of it are known"
		if server.ListedAt != nil {
			kept = "the tools that it offered before stay"
		}
		l.warnings = append(l.warnings, fmt.Sprintf("the tools of the server could not be listed: %v; %s", err, kept))
		return l
	}
	if changed := changedTools(server, tools); len(changed) > 0 {
		l.warnings = append(l.warnings, "tools have changed since they were last listed: "+strings.Join(changed, ", "))
	}
	if more {
		l.warnings = append(l.warnings, fmt.Sprintf("some tools were left out: at most %d, with parameters of at most 16 KiB, are offered", mcpclient.MaxTools))
	}
	listed := now.UTC().Truncate(time.Second)
	server.Tools, server.ListedAt = tools, &listed
	return l
}

// changedTools returns the names of tools whose parameters differ from those that were listed before, or that are gone.
func changedTools(before mcpclient.ToolServer, tools []mcpclient.ListedTool) (names []string) {
	for _, old := range before.Offered() {
		same := slices.ContainsFunc(tools, func(t mcpclient.ListedTool) bool {
			return t.Name == old.Name && mcpclient.SameSchema(t.Parameters, old.Parameters)
		})
		if !same {
			names = append(names, old.Name)
		}
	}
	return names
}

// withTools returns servers with the tools that were listed, and adds the warnings.
func (i *validation) withTools(servers []mcpclient.ToolServer, listed map[string]listing) []mcpclient.ToolServer {
	servers = slices.Clone(servers)
	for n := range servers {
		l := listed[servers[n].Key()]
		servers[n].Tools, servers[n].ListedAt = l.server.Tools, l.server.ListedAt
		for _, warning := range l.warnings {
			i.Warn(fmt.Sprintf("config.mcp_servers[%d]", n), "%s", warning)
		}
	}
	return servers
}
