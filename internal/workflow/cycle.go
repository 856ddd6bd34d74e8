package workflow

import "slices"

// cycles returns a shortest cycle of each strongly connected component, in the order of the nodes, from a node back
// to itself.
func cycles(nodes []Node, next map[string][]string) [][]string {
	back := map[string][]string{}
	for source, targets := range next {
		for _, target := range targets {
			back[target] = append(back[target], source)
		}
	}
	var found [][]string
	reported := map[string]bool{}
	for _, node := range nodes {
		if reported[node.ID] {
			continue
		}
		before := reach(node.ID, next)
		last, circular := before[node.ID]
		if !circular {
			continue
		}
		cycle := []string{node.ID}
		for ; last != node.ID; last = before[last] {
			cycle = append(cycle, last)
		}
		cycle = append(cycle, node.ID)
		slices.Reverse(cycle)
		found = append(found, cycle)
		leadHere := reach(node.ID, back)
		for id := range before {
			if _, both := leadHere[id]; both {
				reported[id] = true
			}
		}
	}
	return found
}

// reach returns, by breadth-first search, the predecessor of each reachable node on a shortest path from start.
// start is included only if a path leads back to it.
func reach(start string, next map[string][]string) (before map[string]string) {
	before = map[string]string{}
	for queue := []string{start}; len(queue) > 0; queue = queue[1:] {
		for _, id := range next[queue[0]] {
			if _, seen := before[id]; !seen {
				before[id] = queue[0]
				queue = append(queue, id)
			}
		}
	}
	return before
}
