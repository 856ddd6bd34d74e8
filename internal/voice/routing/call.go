package routing

import (
	"bytes"
	"encoding/json"
	"time"

	"parley/internal/event"
)

// CallFacts are what templates and conditions see of the call, as {{call.<name>}}; "" for what is not known.
type CallFacts struct {
	ID          string
	Direction   string // inbound or outbound
	Type        string // voip or sip
	PhoneNumber string // E.164; of an outbound call also an extension or SIP URI
	From        string // of an inbound call, as the network wrote it: a number, extension or user
	CallerName  string
	Verstat     string // of STIR/SHAKEN
	Attestation string // A, B or C
	Trunk       string // name of the trunk of a phone call
	StartedAt   time.Time
	Metadata    json.RawMessage // an object; nil for none
}

// Scope returns the facts by the names of templates; null for what is not known.
func (f CallFacts) Scope() map[string]any {
	scope := map[string]any{"metadata": f.metadata()}
	for name, text := range map[string]string{
		"id": f.ID, "direction": f.Direction, "type": f.Type, "started_at": event.Stamp(f.StartedAt), "phone_number": f.PhoneNumber, "from": f.From,
		"caller_name": f.CallerName, "verstat": f.Verstat, "attestation": f.Attestation, "trunk": f.Trunk,
	} {
		scope[name] = nil
		if text != "" {
			scope[name] = text
		}
	}
	return scope
}

// Personal returns the facts that may be personal data.
func (f CallFacts) Personal() map[string]any {
	return map[string]any{"phone_number": f.PhoneNumber, "from": f.From, "caller_name": f.CallerName, "metadata": f.metadata()}
}

func (f CallFacts) metadata() any {
	decoder := json.NewDecoder(bytes.NewReader(f.Metadata))
	decoder.UseNumber()
	var metadata any
	if decoder.Decode(&metadata) != nil {
		return nil
	}
	return metadata
}
