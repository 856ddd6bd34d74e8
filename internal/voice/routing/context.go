package routing

import (
	"maps"
	"slices"
	"strings"

	"parley/internal/template"
	"parley/internal/tool"
)

// MaxContext bounds the data of a call: its context, and the results of tools in its
// history, in bytes.
const MaxContext = 1 << 20

// Context is the data of a call that tools change: flags, visible to all agents, and the workflow's state, of which an
// agent sees its own keys and the shared ones.
type Context struct {
	values
	sharedKeys []string // keys that the workflow shares
	size       int      // approximate size of all keys and values, bytes
	// rejectedPaths are keys whose values would have exceeded MaxContext, for Warnings.
	rejectedPaths []string
}

// values is the part of a context that is saved for another worker.
type values struct {
	Flags map[string]any `json:"flags"`
	// Shared are the values of the keys that the workflow shares.
	Shared map[string]any `json:"shared"`
	// Own are the other keys, by the agent that they belong to.
	Own map[string]map[string]any `json:"own"`
	// Newest is each key's last value of any agent: the data of conditions and context
	// mappings.
	Newest map[string]any `json:"newest"`
}

func newContext(shares []string) *Context {
	return &Context{values: values{Flags: map[string]any{}, Shared: map[string]any{}, Own: map[string]map[string]any{}, Newest: map[string]any{}}, sharedKeys: plainKeys(shares)}
}

// plainKeys returns names of context keys without the prefix of their source.
func plainKeys(names []string) []string {
	plain := make([]string, len(names))
	for i, name := range names {
		plain[i] = strings.TrimPrefix(name, "workflow.")
	}
	return plain
}

// apply applies a change of a tool that an agent called, and returns the path that was set; "" if it would have
// exceeded MaxContext.
func (c *Context) apply(agent string, change tool.Change) string {
	switch {
	case change.Flag != "":
		return c.set("flags."+change.Flag, change.Flag, change.Value, c.Flags)
	case slices.Contains(c.sharedKeys, change.Key):
		path := c.set("workflow."+change.Key, change.Key, change.Value, c.Newest, c.Shared)
		if path != "" {
			c.remove(c.Own[agent], change.Key)
		}
		return path
	}
	return c.set("workflow."+change.Key, change.Key, change.Value, c.Newest, c.ownedBy(agent))
}

func (c *Context) setOwn(agent, key string, value any) string {
	return c.set("workflow."+key, key, value, c.ownedBy(agent))
}

func (c *Context) ownedBy(agent string) map[string]any {
	if c.Own[agent] == nil {
		c.Own[agent] = map[string]any{}
	}
	return c.Own[agent]
}

// set stores a value in each of the maps, and returns its path. If the call's data would exceed MaxContext,
// it stores none, adds the path to rejectedPaths and returns "".
func (c *Context) set(path, key string, value any, into ...map[string]any) string {
	size := c.size
	for _, values := range into {
		size += entrySize(key, value) - sizeIn(values, key)
	}
	if size > MaxContext && size > c.size {
		c.rejectedPaths = append(c.rejectedPaths, path)
		return ""
	}
	c.size = size
	for _, values := range into {
		values[key] = value
	}
	return path
}

func (c *Context) remove(from map[string]any, key string) {
	c.size -= sizeIn(from, key)
	delete(from, key)
}

// sizeIn returns the size of a key and its value in a map, in bytes.
func sizeIn(values map[string]any, key string) int {
	if value, has := values[key]; has {
		return entrySize(key, value)
	}
	return 0
}

func entrySize(key string, value any) int { return len(key) + template.Size(value, MaxContext) }

// recomputeSize sets the size after the values were replaced.
func (c *Context) recomputeSize() {
	c.size = 0
	for _, values := range slices.AppendSeq([]map[string]any{c.Flags, c.Shared, c.Newest}, maps.Values(c.Own)) {
		for key, value := range values {
			c.size += entrySize(key, value)
		}
	}
}

// copyKeys copies values of one agent to another, and returns the paths that were set.
func (c *Context) copyKeys(from, to string, names []string) (set []string) {
	for _, key := range plainKeys(names) {
		if value, has := c.Own[from][key]; has {
			set = append(set, c.setOwn(to, key, value))
		}
	}
	return withoutRejected(set)
}

// withoutRejected returns the paths of set that are not empty.
func withoutRejected(paths []string) []string {
	return slices.DeleteFunc(paths, func(path string) bool { return path == "" })
}

// setInputs sets an agent's inputs from context paths, and returns the paths that were set, and those of mapping that
// have no value.
func (c *Context) setInputs(agent string, mapping map[string]string, scope template.Scope) (set, missing []string) {
	for _, input := range slices.Sorted(maps.Keys(mapping)) {
		path, _ := template.Path(mapping[input]) // its form was checked when the workflow was saved
		lookup := scope.Lookup
		if text := mapping[input]; template.IsReference(text) { // it may have a default
			lookup = func(string) (any, bool) { return scope.Value(strings.TrimSpace(text)) }
		}
		value, found := lookup(path)
		if _, source := value.(template.Object); source {
			value = template.Text(value)
		}
		if found {
			set = append(set, c.setOwn(agent, input, value))
		} else {
			missing = append(missing, path)
		}
	}
	return withoutRejected(set), missing
}

// visibleTo returns the workflow's state as an agent sees it.
func (c *Context) visibleTo(agent string) map[string]any {
	view := maps.Clone(c.Shared)
	maps.Copy(view, c.Own[agent])
	return view
}
