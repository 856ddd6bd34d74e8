package voice

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"parley/internal/dialogue"
)

// kept is what has to outlive a session so that another one can go on with the
// call: what the transcript does not tell.
type kept struct {
	*memory
	Node string    `json:"node,omitempty"`
	Uses []keptUse `json:"uses,omitempty"`
}

// atOnce is what there is to wait for where nothing is kept.
var atOnce = func() <-chan struct{} { c := make(chan struct{}); close(c); return c }()

// keep hands out what another session needs. It follows each change of it. The
// result is closed when it is safe, or will not be.
func (s *Session) keep() (safe <-chan struct{}) {
	if s.o.Keep == nil {
		return atOnce
	}
	encoded, err := json.Marshal(kept{s.flow.memory, s.flow.node, s.uses.kept})
	if err != nil {
		s.o.Log.Error("keep the call's context", "error", err)
		return atOnce
	}
	return s.o.Keep(encoded)
}

// restore goes on with what an earlier session kept; none, or what cannot be
// read, leaves the call as its plan begins it.
func (s *Session) restore(text json.RawMessage) {
	if len(text) == 0 {
		return
	}
	k := kept{memory: newMemory(s.flow.memory.shares)}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&k); err != nil {
		s.o.Log.Error("read the call's context", "error", err)
		return
	}
	k.memory.measure()
	s.flow.memory, s.uses.kept, s.flow.missing = k.memory, k.Uses, nil
	if s.flow.graph != nil {
		if node, exists := s.flow.graph.Node(k.Node); exists && node.AgentName == s.flow.agent {
			s.flow.node = k.Node
		}
	}
	s.flow.recall()
	if len(s.uses.kept) == 0 {
		return
	}
	var b strings.Builder
	b.WriteString("Functions that were called in this call so far. Do not call them again for the same reason.")
	for _, u := range s.uses.kept {
		answer := u.Answer
		if !u.Ended {
			answer = "not known: it may have been done or not"
		}
		fmt.Fprintf(&b, "\n%s %s: %s", u.Name, u.Arguments, answer)
	}
	s.history = append(s.history, dialogue.Message{Role: dialogue.RoleSystem, Content: b.String()})
}
