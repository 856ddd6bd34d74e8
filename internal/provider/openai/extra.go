package openai

import (
	"encoding/json"
	"maps"
)

// toolCallDelta is a fragment of a tool call.
type toolCallDelta struct {
	Index    int64  `json:"index"`
	ID       string `json:"id"`
	Function struct {
		Name      string    `json:"name"`
		Arguments arguments `json:"arguments"`
	} `json:"function"`

	// extra is the fields that the protocol does not have; nil for none. Gemini behind a compatible server requires
	// its signature back: extra_content.google.thought_signature of the call
	// (https://ai.google.dev/gemini-api/docs/thought-signatures), with LiteLLM provider_specific_fields.
	extra json.RawMessage
}

// known are the fields of a tool call in the protocol.
var known = []string{"index", "id", "type", "function"}

func (d *toolCallDelta) UnmarshalJSON(data []byte) error {
	type plain toolCallDelta
	if err := json.Unmarshal(data, (*plain)(d)); err != nil {
		return err
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(data, &fields); err != nil {
		return err
	}
	for _, name := range known {
		delete(fields, name)
	}
	maps.DeleteFunc(fields, func(_ string, value json.RawMessage) bool { return string(value) == "null" })
	if len(fields) == 0 {
		return nil
	}
	var err error
	d.extra, err = json.Marshal(fields)
	return err
}

func (c toolCall) MarshalJSON() ([]byte, error) {
	type plain toolCall
	if c.extra == nil {
		return json.Marshal(plain(c))
	}
	fields := map[string]any{}
	if err := json.Unmarshal(c.extra, &fields); err != nil {
		return nil, err
	}
	fields["id"], fields["type"], fields["function"] = c.ID, c.Type, c.Function
	return json.Marshal(fields)
}
