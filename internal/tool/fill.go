package tool

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"parley/internal/template"
)

// MaxAction limits one action after rendering, in bytes: its URL, headers and body, its message or its value.
const MaxAction = 256 << 10

// MaxRun limits what the references in all actions of one run are replaced with, in bytes.
const MaxRun = 1 << 20

// tooLarge is the error of an action above MaxAction, or beyond MaxRun.
func (u *run) tooLarge() error {
	if u.last {
		return fmt.Errorf("the tool's actions are larger than %d KiB together once their templates are filled in (limit rendered_tool)", MaxRun>>10)
	}
	return fmt.Errorf("the action is larger than %d KiB once its templates are filled in (limit rendered_action)", MaxAction>>10)
}

// sized converts a rendering error to a sentence for the tenant.
func (u *run) sized(err error) error {
	if errors.Is(err, template.ErrBudget) {
		return u.tooLarge()
	}
	return err
}

// maxLacking limits the missing paths that a run reports.
const maxLacking = 20

// size returns the size of an action's rendered text, in bytes.
func (a Action) size() int {
	size := len(a.URL) + len(a.Body) + len(a.Value) + len(a.Message) + len(a.PhoneNumber) + len(a.Digits) + len(a.Summary)
	for _, target := range a.To {
		size += len(target)
	}
	for name, value := range a.Headers {
		size += len(name) + len(value)
	}
	return size
}

// filled is the rendered text of an action other than api_call.
type filled struct {
	message, number, digits string
	targets                 []string // of a transfer to a person
	summary                 string
	headers                 map[string]string
	value                   any // true unless given
}

func (u *run) fill(a Action) (f filled, err error) {
	for _, text := range []struct {
		of   string
		into *string
	}{{a.Message, &f.message}, {a.PhoneNumber, &f.number}, {a.Digits, &f.digits}} {
		if *text.into, err = u.text(text.of); err != nil {
			return f, err
		}
	}
	if a.dials() {
		if err := u.fillConnection(a, &f); err != nil {
			return f, err
		}
	}
	if f.value = true; a.Value != nil {
		f.value, err = u.values(decoded(a.Value))
	}
	return f, err
}

// fillConnection fills in the texts of a transfer to a person.
func (u *run) fillConnection(a Action, f *filled) (err error) {
	if f.summary, err = u.text(a.summaryText()); err != nil {
		return err
	}
	for _, target := range a.targets() {
		number, err := u.text(target)
		if err != nil {
			return err
		}
		f.targets = append(f.targets, number)
	}
	f.headers = map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(a.Headers)) {
		value, err := u.text(a.Headers[name])
		if err != nil {
			return err
		}
		f.headers[name] = strings.Join(strings.Fields(value), " ") // one line
	}
	return nil
}

// text renders a text's templates.
func (u *run) text(text string) (string, error) {
	rendered, missing, err := template.RenderFunc(u.budget, text, u.scope, func(_ string, value any) (string, error) { return template.Text(value), nil })
	u.lack(missing)
	return rendered, u.sized(err)
}

// values renders the texts within a decoded JSON value. A text that consists of a single reference becomes the
// value with its type.
func (u *run) values(value any) (any, error) {
	var err error
	switch v := value.(type) {
	case string:
		if template.IsReference(v) {
			if found, exists := u.scope.Value(v); exists {
				if _, source := found.(template.Object); !source {
					if !u.budget.SpendValue(found) {
						return nil, u.tooLarge()
					}
					return found, nil
				}
			}
		}
		return u.text(v)
	case []any:
		filled := make([]any, len(v))
		for i := range v {
			if filled[i], err = u.values(v[i]); err != nil {
				return nil, err
			}
		}
		return filled, nil
	case map[string]any:
		filled := make(map[string]any, len(v))
		for name := range v {
			if filled[name], err = u.values(v[name]); err != nil {
				return nil, err
			}
		}
		return filled, nil
	}
	return value, nil
}

// reportMissing reports missing paths, each once and at most maxLacking.
func (u *run) lack(paths []string) {
	for _, path := range paths {
		if u.missing[path] || len(u.missing) > maxLacking || template.IsFlag(path) { // a flag may not be set yet
			continue
		}
		if u.missing[path] = true; len(u.missing) > maxLacking {
			u.warn("names more paths which this call does not have")
			return
		}
		u.warn("names {{%s}}, which this call does not have", path)
	}
}
