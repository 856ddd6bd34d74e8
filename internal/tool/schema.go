package tool

import (
	"encoding/json"
	"fmt"
)

// Schema returns the JSON Schema of a tool's parameters, for language models. Properties keep the order of the
// parameters.
func Schema(c Config) (json.RawMessage, error) {
	properties, required := []byte("{"), []string{}
	for n, p := range c.Parameters {
		schema := p.within().describe()
		schema.Default = p.Default
		text, err := json.Marshal(schema)
		if err != nil {
			return nil, fmt.Errorf("describe parameter %s: %w", p.Name, err)
		}
		if n > 0 {
			properties = append(properties, ',')
		}
		properties = fmt.Appendf(properties, "%q:%s", p.Name, text) // a name needs no escapes
		if p.Required {
			required = append(required, p.Name)
		}
	}
	properties = append(properties, '}')
	return json.Marshal(struct {
		Type                 string          `json:"type"`
		Properties           json.RawMessage `json:"properties"`
		Required             []string        `json:"required"`
		AdditionalProperties bool            `json:"additionalProperties"`
	}{"object", properties, required, false})
}
