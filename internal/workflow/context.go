package workflow

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"parley/internal/database"
	"parley/internal/template"
)

// Contexts reads what agents do with the context of a call.
type Contexts interface {
	// ContextUses returns the uses of the agents that exist, by name; nil if agents and tools are too large to be read.
	ContextUses(ctx context.Context, tx database.Tx, agents []string) (map[string]ContextUse, error)
}

// ContextUse is what an agent, with its tools, reads from the context of a call and sets in it. Paths are workflow.<key> and flags.<name>.
type ContextUse struct {
	Reads []ContextRead
	Sets  []string
}

// ContextRead is a reference without a default.
type ContextRead struct {
	In   string // the text, such as "the tool book"
	Path string
}

// nodeSet is a set of nodes, by their index in the configuration.
type nodeSet [(MaxNodes + 63) / 64]uint64

func (s *nodeSet) add(n int) { s[n/64] |= 1 << (n % 64) }

func (s nodeSet) with(other nodeSet) nodeSet {
	for n := range s {
		s[n] |= other[n]
	}
	return s
}

func (s nodeSet) both(other nodeSet) (both nodeSet) {
	for n := range s {
		both[n] = s[n] & other[n]
	}
	return both
}

func (s nodeSet) first(nodes []Node) (first Node, any bool) {
	for n, node := range nodes {
		if s[n/64]&(1<<(n%64)) != 0 {
			return node, true
		}
	}
	return Node{}, false
}

// contextCheck looks for keys that nothing can have set where they are read, and for those that only another agent sees.
type contextCheck struct {
	*validation
	nodes   []Node
	shared  map[string]bool    // paths
	before  map[string]nodeSet // of each node, by id: those from which connections lead to it
	until   map[string]nodeSet // before, and the node itself
	ofAgent map[string]nodeSet
	setBy   map[string]nodeSet // by path: the nodes whose agents set it
	inputOf map[string]nodeSet // by path: the nodes that have it as an input
}

// context warns of context keys that no agent before can have set, or that are set for another agent only.
func (i *validation) context(c Config, uses map[string]ContextUse) {
	k := contextCheck{validation: i, nodes: c.Nodes, shared: map[string]bool{}, before: map[string]nodeSet{}, until: map[string]nodeSet{},
		ofAgent: map[string]nodeSet{}, setBy: map[string]nodeSet{}, inputOf: map[string]nodeSet{}}
	for _, key := range c.SharedContext {
		k.shared["workflow."+strings.TrimPrefix(key, "workflow.")] = true
	}
	k.order(c)
	for n, node := range c.Nodes {
		addNode(k.ofAgent, node.AgentName, n)
		for input := range node.ContextMapping {
			addNode(k.inputOf, "workflow."+input, n)
		}
	}
	for agent, nodes := range k.ofAgent {
		for _, path := range uses[agent].Sets {
			k.setBy[path] = k.setBy[path].with(nodes)
		}
	}
	for n, node := range c.Nodes {
		path := fmt.Sprintf("config.nodes[%d]", n)
		k.condition(path+".skip_condition", node.SkipCondition, k.before[node.ID])
		for _, input := range slices.Sorted(maps.Keys(node.ContextMapping)) {
			if !strings.Contains(node.ContextMapping[input], "|") { // it may have a default
				source, _ := template.Path(node.ContextMapping[input])
				k.unset(path+".context_mapping."+input, []string{source}, k.before[node.ID])
			}
		}
		if use, exists := uses[node.AgentName]; exists {
			k.reads(path+".agent_name", node, use)
		}
	}
	for n, connection := range c.Connections {
		k.condition(fmt.Sprintf("config.connections[%d].condition", n), connection.Condition, k.until[connection.SourceID])
	}
}

func addNode(to map[string]nodeSet, name string, n int) {
	set := to[name]
	set.add(n)
	to[name] = set
}

// order finds the nodes before each node of a graph without cycles.
func (k *contextCheck) order(c Config) {
	index, back := map[string]int{}, map[string][]string{}
	for n, node := range c.Nodes {
		index[node.ID] = n
	}
	for _, connection := range c.Connections {
		back[connection.TargetID] = append(back[connection.TargetID], connection.SourceID)
	}
	for n, node := range c.Nodes {
		var before nodeSet
		for id := range reach(node.ID, back) {
			before.add(index[id])
		}
		k.before[node.ID] = before
		before.add(n)
		k.until[node.ID] = before
	}
}

// condition checks a condition, which sees what the agents of nodes have set, shared or not.
func (k *contextCheck) condition(field, expression string, nodes nodeSet) {
	if expression == "" || k.Full() {
		return
	}
	if compiled, err := template.Compile(expression); err == nil {
		k.unset(field, compiled.Paths(), nodes)
	}
}

// unset warns of those of the paths that no agent of the nodes sets.
func (k *contextCheck) unset(field string, paths []string, nodes nodeSet) {
	for _, path := range ContextPaths(paths) {
		if _, set := k.setBy[path].both(nodes).first(k.nodes); !set {
			k.Warn(field, "refers to %s, which no agent before can have set", path)
		}
	}
}

// reads checks what the agent of a node reads: flags, and the keys that it sees.
func (k *contextCheck) reads(field string, node Node, use ContextUse) {
	until := k.until[node.ID]
	own := until.both(k.ofAgent[node.AgentName])
	for _, read := range use.Reads {
		_, input := k.inputOf[read.Path].both(own).first(k.nodes)
		_, itself := k.setBy[read.Path].both(own).first(k.nodes)
		setter, set := k.setBy[read.Path].both(until).first(k.nodes)
		switch {
		case input, itself, set && (k.shared[read.Path] || strings.HasPrefix(read.Path, "flags.")):
		case set:
			k.Warn(field, "%s refers to %s, which the agent %s does not share: list it in shared_context, or map it in context_mapping", read.In, read.Path, setter.AgentName)
		default:
			k.Warn(field, "%s refers to %s, which no agent before can have set", read.In, read.Path)
		}
	}
}

// ContextPaths returns the keys and flags that paths lead to, as workflow.<key> and flags.<name>, each once.
func ContextPaths(paths []string) (found []string) {
	for _, source := range []string{"workflow", "flags"} {
		for _, name := range template.Below(source, paths) {
			found = append(found, source+"."+name)
		}
	}
	return found
}
