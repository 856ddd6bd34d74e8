// Package prompt stores the library of prompt templates: a tenant's own, and the platform's defaults. A template is
// a text per language with {{path}} references, identified by its slug; agents refer to it as {{prompt.<slug>}} and
// to its metadata as {{prompt.<slug>.<key>}}.
package prompt

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/uptrace/bun"
)

// Template is a prompt template.
type Template struct {
	bun.BaseModel `bun:"table:prompts,alias:p"`

	ID       string  `bun:"id,pk"`
	TenantID *string `bun:"tenant_id"` // nil for a default of the platform
	Slug     string  `bun:"slug"`      // unique within the tenant; never changes
	Body
	// Version counts the changes, from 1.
	Version   int64     `bun:"version"`
	CreatedAt time.Time `bun:"created_at"`
	UpdatedAt time.Time `bun:"updated_at"`
}

// IsSystem reports whether it is a default of the platform.
func (t *Template) IsSystem() bool { return t.TenantID == nil }

// Body is the content of a template and of its versions.
type Body struct {
	Name        string                     `bun:"name" json:"name"`
	Description *string                    `bun:"description" json:"description"`
	Category    string                     `bun:"category" json:"category"`         // one of Categories
	Content     map[string]string          `bun:"content,type:json" json:"content"` // language code → text
	Variables   []Variable                 `bun:"variables,type:json" json:"variables"`
	Metadata    map[string]json.RawMessage `bun:"metadata,type:json" json:"metadata"`
}

// Variable describes a path that the texts refer to. The tags beside json describe the fields in the API's
// description; rules.go validates.
type Variable struct {
	Name     string          `json:"name" maxLength:"255" doc:"Path of the variable, as in {{path}}." example:"customer_name"`
	Type     string          `json:"type" maxLength:"64" doc:"Type of the value, informative. A default of the types string, number, integer, boolean, object or array must match it." example:"string"`
	Default  json.RawMessage `json:"default,omitempty" doc:"Default value."`
	Required bool            `json:"required" required:"false" doc:"Whether a preview lists the variable as missing if it has no value. Default: false."`
}

// HasDefault reports whether a template declares a default for a path.
func (b Body) HasDefault(path string) bool {
	return slices.ContainsFunc(b.Variables, func(v Variable) bool { return v.Name == path && v.Default != nil })
}

// Categories are the purposes of templates.
var Categories = []string{"greeting", "closing", "instruction", "error"}

// DefaultCategory is the category of a template without one.
const DefaultCategory = "instruction"

// Fallback is the language used when a template lacks the requested one.
const Fallback = "en"

// Text returns a template's text for a language: in that language, in its base language (pt for pt-BR), in English,
// or else in its first language.
func (b Body) Text(language string) (used, text string) {
	for _, wanted := range []string{language, Fallback} {
		if used, ok := b.in(wanted); ok {
			return used, b.Content[used]
		}
	}
	codes := slices.Sorted(maps.Keys(b.Content))
	if len(codes) == 0 {
		return "", ""
	}
	return codes[0], b.Content[codes[0]]
}

// Has reports whether there is a text in a language, or in its plain form.
func (b Body) Has(language string) bool {
	_, found := b.in(language)
	return found
}

// in finds the code of a language, or of its plain form, in the content.
func (b Body) in(language string) (code string, found bool) {
	base, _, _ := strings.Cut(language, "-")
	for _, wanted := range []string{language, base} {
		if _, ok := b.Content[wanted]; ok {
			return wanted, true
		}
		for _, code := range slices.Sorted(maps.Keys(b.Content)) {
			if strings.EqualFold(code, wanted) {
				return code, true
			}
		}
	}
	return "", false
}
