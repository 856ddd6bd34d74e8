package tool

import (
	"encoding/json"
	"maps"
	"strings"

	"parley/internal/template"
)

// WaitText returns a text of on_wait, filled in for a call with these arguments.
func (c Config) WaitText(text string, arguments json.RawMessage, scope template.Scope) string {
	scope = maps.Clone(scope)
	if scope == nil {
		scope = template.Scope{}
	}
	scope["params"], _ = c.arguments(arguments)
	rendered, _ := template.Render(text, scope)
	return strings.TrimSpace(rendered)
}
