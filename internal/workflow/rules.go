package workflow

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"parley/internal/fault"
	"parley/internal/template"
	"parley/internal/variable"
)

// Limits, in characters where texts are meant.
const (
	MaxName        = 255
	MaxDescription = 2000
	MaxNodes       = 200
	MaxConfig      = 1 << 20 // bytes of a configuration as JSON
	MaxConnections = 2000
	MaxNodeID      = 100
	MaxKey         = 255 // of a context key
	MaxAnalyses    = 20
	// MaxConnectionDescription is short: language models read the descriptions of all functions with each request.
	MaxConnectionDescription = 500
	MaxListed                = 200 // entries of shared_context, and of each context_mapping
)

// SlugPattern is the form of slugs.
const SlugPattern = `^[a-z0-9][a-z0-9_-]{0,99}$`

var slugForm = regexp.MustCompile(SlugPattern)

const required = "is required"

// validation collects errors and warnings about a workflow.
type validation struct {
	fault.Findings
	found fault.Found // before the rules
	named []variable.Reference
}

func (i *validation) texts(slug, name string, description *string) {
	switch {
	case slug == "":
		i.Fault("slug", required)
	case !slugForm.MatchString(slug):
		i.Fault("slug", "must be 1 to 100 lowercase letters, digits, hyphens and underscores, the first a letter or digit")
	}
	if strings.TrimSpace(name) == "" {
		i.Fault("name", required)
	}
	i.Text("name", name, MaxName)
	if description != nil {
		i.Text("description", *description, MaxDescription)
	}
}

// config applies the specification's rules except the third, that the agents exist: see agents.
func (i *validation) config(c Config) {
	if encoded, err := json.Marshal(c); err == nil && len(encoded) > MaxConfig { // merged parts may exceed a request's limit
		i.Fault("config", "has %d bytes, at most %d are allowed (limit workflow_config)", len(encoded), MaxConfig)
		return
	}
	if i.list("config.nodes", c.Nodes == nil, len(c.Nodes), MaxNodes) {
		i.nodes(c.Nodes)
	}
	if i.list("config.connections", c.Connections == nil, len(c.Connections), MaxConnections) && len(c.Nodes) <= MaxNodes {
		i.connections(c)
	}
	for _, d := range c.CallHook.Faults("config.call_hook") {
		i.Fault(d.Field, "%s", d.Message)
	}
	i.analyses(c.Analyses)
	if i.Count("config.shared_context", len(c.SharedContext), MaxListed) {
		for n, key := range c.SharedContext {
			path := fmt.Sprintf("config.shared_context[%d]", n)
			if i.key(path, key) {
				i.warnIfAny(path, template.KeyWarning(key))
			}
		}
	}
}

func (i *validation) analyses(names []string) {
	if !i.Count("config.analyses", len(names), MaxAnalyses) {
		return
	}
	for n, name := range names {
		path := fmt.Sprintf("config.analyses[%d]", n)
		if !slugForm.MatchString(name) {
			i.Fault(path, "must be 1 to 100 lowercase letters, digits, hyphens and underscores, the first a letter or digit")
		} else if slices.Contains(names[:n], name) {
			i.Fault(path, "names %s a second time", name)
		}
	}
}

// nodes applies rules 1, 2 and 5, and the form of each node.
func (i *validation) nodes(nodes []Node) {
	entry, exits, seen := -1, 0, map[string]bool{}
	entryUnread, exitUnread := false, false
	for n, node := range nodes {
		path := fmt.Sprintf("config.nodes[%d]", n)
		switch {
		case node.ID == "":
			i.Fault(path+".id", required)
		case seen[node.ID]:
			i.Fault(path+".id", "is the id %s of another node", node.ID)
		}
		seen[node.ID] = true
		i.Text(path+".id", node.ID, MaxNodeID)
		if node.AgentName == "" {
			i.Fault(path+".agent_name", required)
		}
		if node.IsEntry {
			if entry >= 0 {
				i.Fault(path+".is_entry", "only one node can be the entry, and node %s is", nodes[entry].ID)
			} else {
				entry = n
			}
		}
		if node.IsExit {
			exits++
		}
		entryUnread = entryUnread || i.found.Covers(path+".is_entry")
		exitUnread = exitUnread || i.found.Covers(path+".is_exit")
		i.condition(path+".skip_condition", node.SkipCondition)
		i.mapping(path+".context_mapping", node.ContextMapping)
		i.position(path+".position", node.Position)
	}
	if entry < 0 && !entryUnread {
		i.Fault("config.nodes", "exactly one node must be the entry (is_entry), and none is")
	}
	if exits == 0 && !exitUnread {
		i.Fault("config.nodes", "at least one node must be an exit (is_exit), and none is")
	}
}

func (i *validation) position(path string, p *Position) {
	if p == nil {
		return
	}
	if p.X == nil {
		i.Fault(path+".x", required)
	}
	if p.Y == nil {
		i.Fault(path+".y", required)
	}
}

func (i *validation) mapping(path string, mapping map[string]string) {
	if !i.Count(path, len(mapping), MaxListed) {
		return
	}
	for _, input := range slices.Sorted(maps.Keys(mapping)) {
		if !i.key(path, input) {
			continue
		}
		i.warnIfAny(path+"."+input, template.InputWarning(input))
		source, ok := template.Path(mapping[input])
		if !ok {
			i.Fault(path+"."+input, "must be a context path such as workflow.customer_id")
			continue
		}
		i.named = append(i.named, variable.References(path+"."+input, []string{source}, false)...)
		i.warnIfAny(path+"."+input, cmp.Or(template.InMapping.Warning(source), template.InMapping.Whole(source)))
	}
}

// connections applies rules 4 and 6.
func (i *validation) connections(c Config) {
	known := map[string]bool{}
	unread := i.found.Covers("config.nodes")
	for n, node := range c.Nodes {
		known[node.ID] = true
		unread = unread || i.found.Covers(fmt.Sprintf("config.nodes[%d].id", n))
	}
	next := map[string][]string{}
	for n, connection := range c.Connections {
		path := fmt.Sprintf("config.connections[%d]", n)
		sound := true
		for _, end := range []struct{ field, id string }{{"source_id", connection.SourceID}, {"target_id", connection.TargetID}} {
			switch {
			case end.id == "":
				i.Fault(path+"."+end.field, required)
			case !known[end.id] && unread: // it may refer to a node with an unreadable id
			case !known[end.id]:
				i.Fault(path+"."+end.field, "there is no node %s", end.id)
			default:
				continue
			}
			sound = false
		}
		if sound {
			next[connection.SourceID] = append(next[connection.SourceID], connection.TargetID)
		}
		i.condition(path+".condition", connection.Condition)
		i.Text(path+".description", connection.Description, MaxConnectionDescription)
	}
	for _, cycle := range cycles(c.Nodes, next) {
		i.Fault("config.connections", "must hold no cycle, and hold %s", strings.Join(cycle, " → "))
	}
}

// agents applies rule 3.
func (i *validation) agents(c Config, exists map[string]bool) {
	if len(c.Nodes) > MaxNodes {
		return // invalid already, or not to be looked up
	}
	for n, node := range c.Nodes {
		if node.AgentName != "" && !exists[node.AgentName] {
			i.Fault(fmt.Sprintf("config.nodes[%d].agent_name", n), "there is no agent %s", node.AgentName)
		}
	}
}

func (i *validation) condition(path, expression string) {
	if expression == "" || i.Full() {
		return
	}
	condition, err := template.Compile(expression)
	if err != nil {
		i.Fault(path, "%s", err)
		return
	}
	for _, why := range condition.Warnings() {
		i.Warn(path, "%s", why)
	}
	i.named = append(i.named, variable.References(path, condition.Paths(), false)...)
}

// warnIfAny adds a warning of a path unless it is empty.
func (i *validation) warnIfAny(path, why string) {
	if why != "" {
		i.Warn(path, "%s", why)
	}
}

func (i *validation) key(path, key string) bool {
	before := len(i.Faults)
	if key == "" {
		i.Fault(path, "a key must not be empty")
	}
	i.Text(path, key, MaxKey)
	return len(i.Faults) == before
}

// list reports whether a list is present and within its limit.
func (i *validation) list(path string, missing bool, n, most int) bool {
	if missing {
		i.Fault(path, required)
	}
	return !missing && i.Count(path, n, most)
}
