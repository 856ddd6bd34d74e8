package voice

import (
	"bytes"
	"encoding/json"

	"parley/internal/dialogue"
	"parley/internal/redact"
	"parley/internal/voice/generation"
	"parley/internal/voice/routing"
)

// snapshot is the state of a session that is not in the transcript and that another one needs to continue the call.
type snapshot struct {
	*routing.Context
	Node     string                      `json:"node,omitempty"`
	Tools    []generation.SavedExecution `json:"uses,omitempty"`
	Language string                      `json:"language,omitempty"` // that the caller speaks, once it has changed
	User     map[string]any              `json:"user"`               // the user's context, once it has changed
	Muted    bool                        `json:"muted,omitempty"`
	Hides    bool                        `json:"hides,omitempty"` // values are kept from models
	Hidden   []redact.Placeholder        `json:"hidden,omitempty"`
}

// saved is the closed channel that saveSnapshot returns where nothing is saved.
var saved = func() <-chan struct{} { c := make(chan struct{}); close(c); return c }()

// saveSnapshot saves a snapshot; it is called after each change. The result is closed when the snapshot is saved, or will
// not be.
func (s *Session) saveSnapshot() <-chan struct{} {
	if s.options.SaveSnapshot == nil {
		return saved
	}
	context, node := s.router.Position()
	hidden := s.hidden.values.List()
	s.hidden.saved = len(hidden)
	encoded, err := json.Marshal(snapshot{context, node, s.tools.executor.Saved(), s.router.SpokenLanguage(), s.changedUser, s.muted, s.hidden.on, hidden})
	if err != nil {
		s.options.Log.Error("save the call's context", "error", err)
		return saved
	}
	return s.options.SaveSnapshot(encoded)
}

// restoreSnapshot restores the state of an earlier session, and returns the tools that it ran. Without a
// snapshot, or with one that cannot be read, the call starts as its plan does.
func (s *Session) restoreSnapshot(encoded json.RawMessage) []generation.SavedExecution {
	if len(encoded) == 0 {
		return nil
	}
	snap := snapshot{Context: s.router.NewContext()}
	decoder := json.NewDecoder(bytes.NewReader(encoded))
	decoder.UseNumber()
	if err := decoder.Decode(&snap); err != nil {
		s.options.Log.Error("read the call's context", "error", err)
		return nil
	}
	s.router.Restore(snap.Context, snap.Node)
	s.router.ChangeLanguage(snap.Language)
	s.muted = snap.Muted
	s.hidden.on = snap.Hides
	s.hidden.values.Add(snap.Hidden)
	if snap.User != nil {
		s.router.RestoreUser(snap.User)
		s.contextChanged()
	}
	if len(snap.Tools) > 0 {
		s.history.Add(dialogue.RoleSystem, generation.DescribeSaved(snap.Tools))
	}
	return snap.Tools
}
