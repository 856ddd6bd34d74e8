// Package mcp drives the MCP server of the binary with the protocol's official clients for TypeScript.
package mcp

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"parley/e2e/binary"
)

// program is the binary under test.
var program string

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(binary.RunTests(m, &program))
}

// server is a server with a tenant and its key.
type server struct {
	*binary.Server
	key string
}

func start(t *testing.T, scopes string) server {
	t.Helper()
	s, err := binary.Start(program, t.TempDir(), nil, "--without=worker,media,sip")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Stop(); err != nil {
			t.Error(err)
		}
		if t.Failed() {
			t.Log(s.Log.String())
		}
	})
	execute(t, map[string]string{"PARLEY_DATA_DIR": s.Dir}, program, "tenant", "create", "shop")
	var made struct{ Key string }
	decode(t, execute(t, map[string]string{"PARLEY_DATA_DIR": s.Dir}, program, "key", "create", "--json", "--tenant", "shop", "--name", "tools", "--scopes", scopes), &made)
	return server{s, made.Key}
}

// execute runs a program and returns what it prints.
func execute(t *testing.T, env map[string]string, name string, args ...string) []byte {
	t.Helper()
	c := exec.CommandContext(t.Context(), name, args...)
	c.Env = os.Environ()
	for k, v := range env {
		c.Env = append(c.Env, k+"="+v)
	}
	var problems bytes.Buffer
	c.Stderr = &problems
	output, err := c.Output()
	if err != nil {
		t.Fatalf("%s %v: %v\n%s%s", name, args, err, output, &problems)
	}
	return output
}

func decode(t *testing.T, text []byte, into any) {
	t.Helper()
	if err := json.Unmarshal(text, into); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
}

// session is what client.mjs prints.
type session struct {
	Server       struct{ Name, Version string }
	Instructions string
	Tools        []struct {
		Name        string
		Annotations struct{ DestructiveHint, ReadOnlyHint bool }
		InputSchema struct {
			Type       string
			Properties map[string]json.RawMessage
		}
	}
	Results []toolResult
}

type toolResult struct {
	IsError bool
	Content []struct{ Type, Text string }
}

const calls = `[{"name":"create_prompt","arguments":{"slug":"company","name":"Company","content":{"en":"Acme"}}},
	{"name":"list_prompts","arguments":{"limit":1}},
	{"name":"create_prompt","arguments":{"slug":"not a slug"}}]`

// Both generations of the client list and call the same tools, over HTTP and over standard input and output.
func TestClientsOfTypeScript(t *testing.T) {
	for name, connect := range map[string]func(server) map[string]string{
		"streamable HTTP": func(s server) map[string]string { return map[string]string{"URL": s.URL + "/mcp", "KEY": s.key} },
		"stdio": func(s server) map[string]string {
			return map[string]string{"COMMAND": program, "PARLEY_SERVER": s.URL, "PARLEY_API_KEY": s.key}
		},
	} {
		for _, generation := range []string{"1", "2"} {
			t.Run(name+", generation "+generation, func(t *testing.T) {
				env := connect(start(t, "prompts:*,calls:*"))
				env["GENERATION"], env["CALLS"] = generation, calls
				var got session
				decode(t, execute(t, env, "node", "client.mjs"), &got)
				var names []string
				for _, tool := range got.Tools {
					names = append(names, tool.Name)
					if tool.InputSchema.Type != "object" {
						t.Errorf("%s: arguments of type %q", tool.Name, tool.InputSchema.Type)
					}
					if dials := tool.Name == "start_call"; dials && (!tool.Annotations.DestructiveHint || tool.Annotations.ReadOnlyHint) {
						t.Errorf("%s: %+v", tool.Name, tool.Annotations)
					}
				}
				if !slices.Contains(names, "start_call") || slices.Contains(names, "list_agents") {
					t.Errorf("tools %q", names)
				}
				if got.Server.Name != "parley" || got.Instructions == "" {
					t.Errorf("server %+v, %q", got.Server, got.Instructions)
				}
				for i, want := range []struct {
					failed bool
					part   string
				}{{false, `"slug":"company"`}, {false, `"limit":1`}, {true, "validation_error"}} {
					if r := got.Results[i]; r.IsError != want.failed || !strings.Contains(r.Content[0].Text, want.part) {
						t.Errorf("result %d: %+v", i, r)
					}
				}
			})
		}
	}
}
