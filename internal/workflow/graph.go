package workflow

// Graph is a workflow as a call walks it: nodes and ways on by id. It may be
// used concurrently.
type Graph struct {
	entry string
	nodes map[string]Node
	next  map[string][]Connection
}

// NewGraph makes the graph of a configuration that keeps the rules.
func NewGraph(c Config) *Graph {
	g := &Graph{nodes: map[string]Node{}, next: map[string][]Connection{}}
	for _, node := range c.Nodes {
		g.nodes[node.ID] = node
		if node.IsEntry {
			g.entry = node.ID
		}
	}
	for _, connection := range c.Connections {
		g.next[connection.SourceID] = append(g.next[connection.SourceID], connection)
	}
	return g
}

// Entry is where a call begins.
func (g *Graph) Entry() Node { return g.nodes[g.entry] }

// Node returns a node by its id.
func (g *Graph) Node(id string) (Node, bool) {
	node, ok := g.nodes[id]
	return node, ok
}

// Next lists the connections that leave a node, in the configuration's order.
func (g *Graph) Next(id string) []Connection { return g.next[id] }
