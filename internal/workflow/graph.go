package workflow

// Graph is a workflow with nodes and connections indexed by id. It is safe for concurrent use.
type Graph struct {
	entry string
	nodes map[string]Node
	next  map[string][]Connection
}

// NewGraph returns the graph of a valid configuration.
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

// Entry returns the first node of a call.
func (g *Graph) Entry() Node { return g.nodes[g.entry] }

// Node returns a node by id.
func (g *Graph) Node(id string) (Node, bool) {
	node, ok := g.nodes[id]
	return node, ok
}

// Next returns the connections that leave a node, in the configuration's order.
func (g *Graph) Next(id string) []Connection { return g.next[id] }
