package voice

import (
	"maps"
	"slices"
	"strings"

	"parley/internal/template"
	"parley/internal/tool"
)

// memory is what a call learns on its way: flags, which everybody sees, and
// the workflow's state, of which an agent sees its own keys and the shared
// ones. It belongs to the session's loop; what it hands out is a copy.
type memory struct {
	Flags map[string]any `json:"flags"`
	// Shared are the values of the keys that the workflow shares.
	Shared map[string]any `json:"shared"`
	// Own are the other keys, by the agent that they belong to.
	Own map[string]map[string]any `json:"own"`
	// Newest is each key's last value, whoever's it is: what conditions and
	// context mappings, which the workflow's author wrote, see.
	Newest map[string]any `json:"newest"`

	shares []string // keys that the workflow shares
	size   int      // bytes of all values and their names, about
	// refused are keys whose values did not fit; the session takes them.
	refused []string
}

// maxMemory bounds what a call keeps in all, in bytes: its context, and the
// results of tools in its history.
const maxMemory = 1 << 20

func newMemory(shares []string) *memory {
	return &memory{Flags: map[string]any{}, Shared: map[string]any{}, Own: map[string]map[string]any{}, Newest: map[string]any{}, shares: keys(shares)}
}

// keys are names of context keys as they may be written, with or without
// their source.
func keys(names []string) []string {
	plain := make([]string, len(names))
	for i, name := range names {
		plain[i] = strings.TrimPrefix(name, "workflow.")
	}
	return plain
}

// change sets what a tool that an agent called set.
func (m *memory) change(agent string, c tool.Change) {
	switch {
	case c.Flag != "":
		m.set("flags."+c.Flag, c.Flag, c.Value, m.Flags)
	case slices.Contains(m.shares, c.Key):
		if m.set("workflow."+c.Key, c.Key, c.Value, m.Newest, m.Shared) {
			m.drop(m.Own[agent], c.Key)
		}
	default:
		m.set("workflow."+c.Key, c.Key, c.Value, m.Newest, m.own(agent))
	}
}

func (m *memory) give(agent, key string, value any) {
	m.set("workflow."+key, key, value, m.own(agent))
}

func (m *memory) own(agent string) map[string]any {
	if m.Own[agent] == nil {
		m.Own[agent] = map[string]any{}
	}
	return m.Own[agent]
}

// set stores a value in each of the maps, or in none when the call would keep
// more than maxMemory then: the path is among those refused.
func (m *memory) set(path, key string, value any, into ...map[string]any) bool {
	size := m.size
	for _, values := range into {
		size += weight(key, value) - m.weight(values, key)
	}
	if size > maxMemory && size > m.size {
		m.refused = append(m.refused, path)
		return false
	}
	m.size = size
	for _, values := range into {
		values[key] = value
	}
	return true
}

func (m *memory) drop(values map[string]any, key string) {
	m.size -= m.weight(values, key)
	delete(values, key)
}

// weight is how many bytes of the size the key of a map has.
func (m *memory) weight(values map[string]any, key string) int {
	if old, has := values[key]; has {
		return weight(key, old)
	}
	return 0
}

func weight(key string, value any) int { return len(key) + template.Size(value, maxMemory) }

// measure computes the size anew.
func (m *memory) measure() {
	m.size = 0
	for _, values := range slices.AppendSeq([]map[string]any{m.Flags, m.Shared, m.Newest}, maps.Values(m.Own)) {
		for key, value := range values {
			m.size += weight(key, value)
		}
	}
}

// pass copies keys of one agent to another.
func (m *memory) pass(from, to string, names []string) {
	for _, key := range keys(names) {
		if value, has := m.Own[from][key]; has {
			m.give(to, key, value)
		}
	}
}

// inputs sets an agent's inputs from context paths, and returns the paths that
// lead nowhere.
func (m *memory) inputs(agent string, mapping map[string]string, scope template.Scope) (missing []string) {
	for _, input := range slices.Sorted(maps.Keys(mapping)) {
		path, _ := template.Path(mapping[input]) // its form was checked when the workflow was saved
		if value, found := scope.Lookup(path); found {
			m.give(agent, input, value)
		} else {
			missing = append(missing, path)
		}
	}
	return missing
}

// seen is the workflow's state as an agent sees it.
func (m *memory) seen(agent string) map[string]any {
	view := maps.Clone(m.Shared)
	maps.Copy(view, m.Own[agent])
	return view
}
