package wire

import (
	"encoding/json"

	"github.com/danielgtaylor/huma/v2"
)

// OpenAPI30 lowers huma's 3.1 description to 3.0.3. huma's own Downgrade
// leaves some keywords that 3.0 does not know.
func OpenAPI30(described *huma.OpenAPI, texts *DescriptionTexts) ([]byte, error) {
	lowered, err := described.Downgrade()
	if err != nil {
		return nil, err
	}
	var document map[string]any
	if err := json.Unmarshal(lowered, &document); err != nil {
		return nil, err
	}
	lower(document, false)
	d := description{document, texts}
	delete(d.schemas(), "Problem") // huma's name of what is described as Envelope
	d.explain()
	if err := d.illustrate(); err != nil {
		return nil, err
	}
	return json.Marshal(document)
}

// lower walks a description; names reports that a map's keys are user-defined names, not keywords.
func lower(node any, names bool) {
	switch node := node.(type) {
	case map[string]any:
		if !names {
			if value, ok := node["const"]; ok {
				delete(node, "const")
				node["enum"] = []any{value}
			}
			if _, ok := node["contentMediaType"].(string); ok {
				delete(node, "contentMediaType")
			}
			if _, ok := node["patternDescription"].(string); ok {
				delete(node, "patternDescription")
			}
			if node["format"] == MomentFormat {
				node["format"] = "date-time"
			}
			if examples, ok := node["examples"].([]any); ok {
				delete(node, "examples")
				if len(examples) > 0 {
					node["example"] = examples[0]
				}
			}
		}
		for key, child := range node {
			if names || key != "example" && key != "default" && key != "enum" {
				lower(child, !names && (key == "properties" || key == "schemas" || key == "patternProperties"))
			}
		}
	case []any:
		for _, child := range node {
			lower(child, false)
		}
	}
}
