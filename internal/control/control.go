// Package control has the requests of a tenant to a conversation that runs: to say a text, to give the model a fact, to change the context,
// to mute the agent, to transfer the caller, or to have a person take the call over.
package control

import (
	"bytes"
	"encoding/json"
	"fmt"

	"parley/internal/tool"
)

// Kind is the kind of a request.
type Kind string

// The kinds.
const (
	Say      Kind = "say"
	Message  Kind = "message"
	Context  Kind = "context"
	Mute     Kind = "mute"
	Transfer Kind = "transfer"
	TakeOver Kind = "take_over"
)

// Request is one request. Only the fields of its kind are set.
type Request struct {
	Kind Kind `json:"kind"`

	Text            string         `json:"text,omitempty"`            // of Say and Message
	Interrupt       bool           `json:"interrupt,omitempty"`       // Say: at once, rather than when the agent has finished its sentence
	Uninterruptible bool           `json:"uninterruptible,omitempty"` // Say: it is spoken to its end whatever the caller does
	Respond         bool           `json:"respond,omitempty"`         // Message: the agent speaks about it now
	UserContext     map[string]any `json:"user_context,omitempty"`    // Context: a JSON Merge Patch of {{user.*}}
	Muted           bool           `json:"muted,omitempty"`           // Mute
	Next            *tool.Next     `json:"next,omitempty"`            // Transfer
}

// Decode reads a request that was encoded as JSON. Numbers keep their digits (json.Number).
func Decode(encoded []byte) (r Request, err error) {
	decoder := json.NewDecoder(bytes.NewReader(encoded))
	decoder.UseNumber()
	if err := decoder.Decode(&r); err != nil {
		return r, fmt.Errorf("read a control request: %w", err)
	}
	return r, nil
}
