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
		var i validation
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
		var i validation
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
	var i validation
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

// What can never lead anywhere is accepted with a warning that names the field,
// what was written and what is possible.
func TestPathsThatLeadNowhere(t *testing.T) {
	const possible = "paths start with user, call, workflow, flags, vars, now, today"
	for _, test := range []struct {
		name, node, connection, shared string
		want                           []string
	}{
		{name: "sound", node: `"skip_condition":"{{flags.done}} and len(user) > 0 and 'vip' in user and workflow.a.b[0] == user['plan']","context_mapping":{"id":"workflow.id","name":"{{ user.name }}","user":"user.orders[0].id","1st":"flags.x","at":"now","day":"{{today | 'x'}}"}`,
			connection: `"condition":"user == nil or (flags.a ?? false)"`, shared: `["id","workflow.order_id","größe"]`},
		{name: "unknown sources", node: `"context_mapping":{"a":"worklow.x","b":"{{nosuch.path}}","c":"Flags.vip","d":"falgs.vip","e":"usr","f":"users.name"}`, want: []string{
			"config.nodes[0].context_mapping.a: worklow.x leads nowhere: " + possible + "; did you mean workflow.x?",
			"config.nodes[0].context_mapping.b: nosuch.path leads nowhere: " + possible,
			"config.nodes[0].context_mapping.c: Flags.vip leads nowhere: " + possible + "; did you mean flags.vip?",
			"config.nodes[0].context_mapping.d: falgs.vip leads nowhere: " + possible + "; did you mean flags.vip?",
			"config.nodes[0].context_mapping.e: usr leads nowhere: " + possible + "; did you mean user?",
			"config.nodes[0].context_mapping.f: users.name leads nowhere: " + possible + "; did you mean user.name?",
		}},
		{name: "sources of other places", node: `"context_mapping":{"a":"params.order","b":"{{result.id}}","c":"prompt.greeting"}`, want: []string{
			"config.nodes[0].context_mapping.a: params.order leads nowhere here: only the actions of a tool have params; " + possible,
			"config.nodes[0].context_mapping.b: result.id leads nowhere here: only the actions of a tool that follow an api_call have result; " + possible,
			"config.nodes[0].context_mapping.c: prompt.greeting leads nowhere here: only prompts and the actions of tools can refer to the prompt library; " + possible,
		}},
		{name: "sources as a whole", node: `"context_mapping":{"a":"workflow","b":"{{user}}"}`, want: []string{
			"config.nodes[0].context_mapping.a: workflow is all of workflow, not a path in it: write workflow.<name>",
			"config.nodes[0].context_mapping.b: user is all of user, not a path in it: write user.<name>",
		}},
		{name: "inputs that nothing finds", node: `"context_mapping":{"workflow.customer":"user.id","{{x}}":"user.x"}`, want: []string{
			"config.nodes[0].context_mapping.workflow.customer: workflow.customer can be no input: name it with letters, digits, underscores and hyphens, for templates refer to it as {{workflow.<name>}}; did you mean customer?",
			"config.nodes[0].context_mapping.{{x}}: {{x}} can be no input: name it with letters, digits, underscores and hyphens, for templates refer to it as {{workflow.<name>}}",
		}},
		{name: "conditions", node: `"skip_condition":"params.done or \"{{params.a}}\" == 'x'"`, connection: `"condition":"{{flags}} and user > 3 and not workflow"`, want: []string{
			"config.nodes[0].skip_condition: params.done leads nowhere here: only the actions of a tool have params; " + possible,
			"config.nodes[0].skip_condition: params.a leads nowhere here: only the actions of a tool have params; " + possible,
			"config.connections[0].condition: flags is all of flags, not a path in it: write flags.<name>",
			"config.connections[0].condition: user is all of user, not a path in it: write user.<name>",
			"config.connections[0].condition: workflow is all of workflow, not a path in it: write workflow.<name>",
		}},
		{name: "no keys", shared: `["{{order}}","user.name","workflow.order.id","worklow.order","{{workflow.order}}","workflow","a b","flags.x"]`, want: []string{
			"config.shared_context[0]: {{order}} can be no key of the workflow's state: write one as set_context sets it, such as order_id or workflow.order_id; did you mean order?",
			"config.shared_context[1]: user.name can be no key of the workflow's state: write one as set_context sets it, such as order_id or workflow.order_id; every agent sees user, call and flags anyway",
			"config.shared_context[2]: workflow.order.id can be no key of the workflow's state: write one as set_context sets it, such as order_id or workflow.order_id; did you mean workflow.order?",
			"config.shared_context[3]: worklow.order can be no key of the workflow's state: write one as set_context sets it, such as order_id or workflow.order_id; did you mean workflow.order?",
			"config.shared_context[4]: {{workflow.order}} can be no key of the workflow's state: write one as set_context sets it, such as order_id or workflow.order_id; did you mean workflow.order?",
			"config.shared_context[5]: workflow is the name of a source, not a key of the workflow's state: write a key such as order_id or workflow.order_id",
			"config.shared_context[6]: a b can be no key of the workflow's state: write one as set_context sets it, such as order_id or workflow.order_id",
			"config.shared_context[7]: flags.x can be no key of the workflow's state: write one as set_context sets it, such as order_id or workflow.order_id; every agent sees user, call and flags anyway",
		}},
	} {
		more := func(fields string) string {
			if fields == "" {
				return ""
			}
			return "," + fields
		}
		if test.shared == "" {
			test.shared = "[]"
		}
		var i validation
		i.config(configOf(t, `{"nodes":[{"id":"a","agent_name":"x","is_entry":true`+more(test.node)+`},{"id":"b","agent_name":"x","is_exit":true}],
			"connections":[{"source_id":"a","target_id":"b"`+more(test.connection)+`}],"shared_context":`+test.shared+`}`))
		if d := cmp.Diff(test.want, i.Warnings); d != "" || len(i.Faults) > 0 {
			t.Errorf("%s: faults %v, warnings (-want +got):\n%s", test.name, i.Faults, d)
		}
	}
}

// A configuration is bounded as a whole: nodes and connections may come with different requests.
func TestConfigIsBounded(t *testing.T) {
	c := graphOf("a")
	for n := range 200 {
		mapping := map[string]string{}
		for key := range 50 {
			mapping[fmt.Sprintf("%s%d", strings.Repeat("k", 100), key)] = "user.x"
		}
		c.Nodes = append(c.Nodes, Node{ID: fmt.Sprint(n), AgentName: "x", ContextMapping: mapping})
	}
	var i validation
	i.config(c)
	if len(i.Faults) != 1 || i.Faults[0].Field != "config" || !strings.Contains(i.Faults[0].Message, "limit workflow_config") {
		t.Errorf("faults %v", i.Faults)
	}
}
