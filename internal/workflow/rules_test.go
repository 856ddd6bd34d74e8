package workflow

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/fault"
)

func configOf(t *testing.T, text string) Config {
	t.Helper()
	var c Config
	if err := json.Unmarshal([]byte(text), &c); err != nil {
		t.Fatal(err)
	}
	return c
}

// graphOf writes a graph: "a>b b>c" with a as the entry and the last node as
// the exit, all of them of the agent x.
func graphOf(text string) Config {
	c := Config{Connections: []Connection{}}
	seen := map[string]bool{}
	for link := range strings.FieldsSeq(text) {
		source, target, connected := strings.Cut(link, ">")
		for _, id := range []string{source, target} {
			if id != "" && !seen[id] {
				seen[id] = true
				c.Nodes = append(c.Nodes, Node{ID: id, AgentName: "x"})
			}
		}
		if connected {
			c.Connections = append(c.Connections, Connection{SourceID: source, TargetID: target})
		}
	}
	c.Nodes[0].IsEntry = true
	c.Nodes[len(c.Nodes)-1].IsExit = true
	return c
}

func TestRules(t *testing.T) {
	node := func(id, more string) string { return `{"id":"` + id + `","agent_name":"x"` + more + `}` }
	for _, test := range []struct {
		name, config string
		want         []string // paths
	}{
		{"one node", `{"nodes":[` + node("a", `,"is_entry":true,"is_exit":true`) + `],"connections":[]}`, nil},
		{"all fields", `{"nodes":[` + node("a", `,"is_entry":true,"skip_condition":"{{flags.done}}","context_mapping":{"id":"workflow.id","name":"{{user.name}}"},"position":{"x":1.5,"y":-2}`) + `,` +
			node("b", `,"is_exit":true`) + `],"connections":[{"source_id":"a","target_id":"b","condition":"user.age > 18"}],"shared_context":["id"]}`, nil},
		{"nothing", `{}`, []string{"config.nodes", "config.connections"}},
		{"no nodes", `{"nodes":[],"connections":[]}`, []string{"config.nodes", "config.nodes"}},
		{"1: no entry", `{"nodes":[` + node("a", `,"is_exit":true`) + `],"connections":[]}`, []string{"config.nodes"}},
		{"1: three entries", `{"nodes":[` + node("a", `,"is_entry":true`) + `,` + node("b", `,"is_entry":true`) + `,` + node("c", `,"is_entry":true,"is_exit":true`) + `],"connections":[]}`,
			[]string{"config.nodes[1].is_entry", "config.nodes[2].is_entry"}},
		{"2: no exit", `{"nodes":[` + node("a", `,"is_entry":true`) + `],"connections":[]}`, []string{"config.nodes"}},
		{"3: unknown agents", `{"nodes":[{"id":"a","agent_name":"y","is_entry":true},{"id":"b","agent_name":"Not a name"},{"id":"c","is_exit":true}],"connections":[]}`,
			[]string{"config.nodes[2].agent_name", "config.nodes[0].agent_name", "config.nodes[1].agent_name"}},
		{"5: same ids", `{"nodes":[` + node("a", `,"is_entry":true`) + `,` + node("b", `,"is_exit":true`) + `,` + node("a", ``) + `,` + node("", ``) + `],"connections":[]}`,
			[]string{"config.nodes[2].id", "config.nodes[3].id"}},
		{"6: unknown ends", `{"nodes":[` + node("a", `,"is_entry":true,"is_exit":true`) + `],"connections":[{"source_id":"a","target_id":"z"},{"source_id":"y","target_id":"z"},{"source_id":"","target_id":"a"}]}`,
			[]string{"config.connections[0].target_id", "config.connections[1].source_id", "config.connections[1].target_id", "config.connections[2].source_id"}},
		{"conditions", `{"nodes":[` + node("a", `,"is_entry":true,"is_exit":true,"skip_condition":"flags."`) + `,` + node("b", ``) + `],"connections":[{"source_id":"a","target_id":"b","condition":"1 +"}]}`,
			[]string{"config.nodes[0].skip_condition", "config.connections[0].condition"}},
		{"mapping and keys", `{"nodes":[` + node("a", `,"is_entry":true,"is_exit":true,"context_mapping":{"a":"not a path","b":"","":"user.x"}`) + `],"connections":[],"shared_context":["ok",""]}`,
			[]string{"config.nodes[0].context_mapping", "config.nodes[0].context_mapping.a", "config.nodes[0].context_mapping.b", "config.shared_context[1]"}},
		{"half a position", `{"nodes":[` + node("a", `,"is_entry":true,"is_exit":true,"position":{"x":1}`) + `,` + node("b", `,"position":{"y":0}`) + `,` + node("c", `,"position":{}`) + `,` + node("d", `,"position":null`) + `],"connections":[]}`,
			[]string{"config.nodes[0].position.y", "config.nodes[1].position.x", "config.nodes[2].position.x", "config.nodes[2].position.y"}},
		{"4: a cycle beside other faults", `{"nodes":[` + node("a", `,"is_entry":true`) + `,` + node("b", ``) + `],"connections":[{"source_id":"a","target_id":"b"},{"source_id":"b","target_id":"a"}]}`,
			[]string{"config.nodes", "config.connections"}},
	} {
		var i inspection
		c := configOf(t, test.config)
		i.config(c)
		i.agents(c, map[string]bool{"x": true})
		if d := cmp.Diff(test.want, paths(i.Faults)); d != "" {
			t.Errorf("%s: faults (-want +got):\n%s", test.name, d)
		}
	}
}

func TestCycles(t *testing.T) {
	for graph, want := range map[string][]string{
		"a>b b>c a>c":                 nil,
		"a>b a>c b>d c>d":             nil,
		"a>b a>b":                     nil,
		"a>a":                         {"a → a"},
		"a>b b>a":                     {"a → b → a"},
		"a>b b>c c>d d>b":             {"b → c → d → b"},
		"a>b b>c c>b c>d d>e e>d":     {"b → c → b", "d → e → d"},
		"a>b b>c c>a a>c":             {"a → c → a"},
		"a>b b>c c>d d>a b>b":         {"a → b → c → d → a"},
		"a>b b>c c>b b>d d>e e>b a>f": {"b → c → b"},
	} {
		var i inspection
		i.connections(graphOf(graph))
		var got []string
		for _, f := range i.Faults {
			if f.Field != "config.connections" {
				t.Errorf("%s: fault in %s", graph, f.Field)
			}
			got = append(got, strings.TrimPrefix(f.Message, "must hold no cycle, and hold "))
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", graph, d)
		}
	}
}

func TestLimits(t *testing.T) {
	chain := func(n int) Config {
		var links []string
		for i := range n - 1 {
			links = append(links, fmt.Sprintf("n%d>n%d", i, i+1))
		}
		return graphOf(strings.Join(links, " "))
	}
	var i inspection
	description := strings.Repeat("ß", MaxDescription)
	i.texts(strings.Repeat("a", 100), strings.Repeat("ß", MaxName), &description)
	i.config(chain(MaxNodes))
	if len(i.Faults) > 0 {
		t.Errorf("at the limits: %v", i.Faults)
	}
	description += "x"
	i.texts(strings.Repeat("a", 101), strings.Repeat("ß", MaxName+1), &description)
	i.texts("", " ", nil)
	i.config(chain(MaxNodes + 1))
	many := graphOf("a>b")
	many.Connections = make([]Connection, MaxConnections+1)
	many.SharedContext = make([]string, MaxListed+1)
	i.config(many)
	want := []string{"slug", "name", "description", "slug", "name", "config.nodes", "config.connections", "config.shared_context"}
	if d := cmp.Diff(want, paths(i.Faults)); d != "" {
		t.Errorf("over the limits (-want +got):\n%s", d)
	}
}

func TestGraph(t *testing.T) {
	c := graphOf("a>b a>c b>d c>d")
	c.Connections[1].Condition = "user.vip"
	g := NewGraph(c)
	if entry := g.Entry(); entry.ID != "a" || entry.AgentName != "x" {
		t.Errorf("the entry is %+v", entry)
	}
	if d, ok := g.Node("d"); !ok || !d.IsExit {
		t.Errorf("d is %+v, %v", d, ok)
	}
	if _, ok := g.Node("z"); ok {
		t.Error("there is a node z")
	}
	want := []Connection{{SourceID: "a", TargetID: "b"}, {SourceID: "a", TargetID: "c", Condition: "user.vip"}}
	if d := cmp.Diff(want, g.Next("a")); d != "" {
		t.Errorf("next of a (-want +got):\n%s", d)
	}
	if next := g.Next("d"); len(next) != 0 {
		t.Errorf("next of d: %v", next)
	}
}

func paths(details []fault.Detail) (paths []string) {
	for _, d := range details {
		paths = append(paths, d.Field)
	}
	return paths
}
