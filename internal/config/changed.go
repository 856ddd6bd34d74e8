package config

import (
	"fmt"
	"log/slog"
	"net/url"
	"reflect"
	"strings"
	"time"
)

// Changed returns the settings that differ from their defaults, by variable, for the log. Settings tagged secret or
// private are left out, and URLs are stripped of user and password.
func (s *Server) Changed() (changed []any) {
	values := reflect.ValueOf(s).Elem()
	for _, field := range reflect.VisibleFields(values.Type()) {
		variable, isSetting := field.Tag.Lookup("env")
		_, secret := field.Tag.Lookup("secret")
		_, private := field.Tag.Lookup("private")
		if !isSetting || secret || private {
			continue
		}
		if text := settingText(values.FieldByIndex(field.Index)); text != defaultText(field) {
			changed = append(changed, slog.String(variable, withoutUser(text)))
		}
	}
	return changed
}

// settingText returns a setting as written in its variable.
func settingText(v reflect.Value) string {
	switch {
	case v.Kind() == reflect.Pointer && v.IsNil():
		return ""
	case v.Kind() == reflect.Pointer:
		return settingText(v.Elem())
	case v.Kind() == reflect.Slice:
		return strings.Join(v.Interface().([]string), ",") //nolint:forcetypeassert // there are no other lists
	}
	return fmt.Sprint(v.Interface())
}

func defaultText(field reflect.StructField) string {
	text := field.Tag.Get("default")
	switch {
	case field.Type == reflect.TypeFor[time.Duration]():
		d, _ := time.ParseDuration(text) // kong parses it at each start
		return d.String()
	case text == "" && field.Type.Kind() != reflect.Pointer && field.Type.Kind() != reflect.Slice:
		return fmt.Sprint(reflect.Zero(field.Type).Interface())
	}
	return text
}

// withoutUser removes user and password from a URL.
func withoutUser(text string) string {
	if !strings.Contains(text, "://") || !strings.Contains(text, "@") {
		return text
	}
	u, err := url.Parse(text)
	if err != nil {
		return "…"
	}
	u.User = nil
	return u.String()
}
