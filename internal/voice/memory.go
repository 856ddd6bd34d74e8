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
}

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
	if c.Flag != "" {
		m.Flags[c.Flag] = c.Value
		return
	}
	m.Newest[c.Key] = c.Value
	if slices.Contains(m.shares, c.Key) {
		m.Shared[c.Key] = c.Value
		delete(m.Own[agent], c.Key)
		return
	}
	m.give(agent, c.Key, c.Value)
}

func (m *memory) give(agent, key string, value any) {
	if m.Own[agent] == nil {
		m.Own[agent] = map[string]any{}
	}
	m.Own[agent][key] = value
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
