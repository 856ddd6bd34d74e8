package llm

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"parley/internal/dialogue"
)

// maxMessage limits a vendor's message in errors, in bytes.
const maxMessage = 300

// refusedKinds are error types and codes that a retry does not fix although the status does not say so: during a
// stream, or with the status of a rate limit. https://platform.openai.com/docs/guides/error-codes
// https://docs.anthropic.com/en/api/errors
var refusedKinds = []string{
	"invalid_request_error", "authentication_error", "billing_error", "permission_error", "not_found_error", "request_too_large",
	"insufficient_quota", "billing_hard_limit_reached",
}

// transient are the 4xx statuses that may be retried: timeout, conflict, too early, too many.
var transient = []int{http.StatusRequestTimeout, http.StatusConflict, http.StatusTooEarly, http.StatusTooManyRequests}

// apiError is a vendor's error. It covers the vendors' form, {"error": {"type", "code", "message"}}, and those of
// compatible servers: {"error": "text"}, {"object": "error", "message"}, {"detail": "text"}.
type apiError struct {
	Error   json.RawMessage `json:"error"`
	Object  string          `json:"object"`
	Type    string          `json:"type"`
	Code    any             `json:"code"`
	Message string          `json:"message"`
	Detail  any             `json:"detail"`
}

// parse reads the error in a body or in an event's data.
func parse(body []byte) (e apiError) {
	if decode(body, &e) != nil {
		return apiError{}
	}
	var text string
	if json.Unmarshal(e.Error, &text) == nil && text != "" {
		e.Message = text
		return e
	}
	var inner *apiError
	if decode(e.Error, &inner) == nil && inner != nil {
		return *inner
	}
	return e
}

// reportsError reports whether an event of a stream is an error: by its name, its type, or an error field that is
// not null.
func reportsError(event Event) bool {
	if event.Name == "error" {
		return true
	}
	if !bytes.Contains(event.Data, []byte(`"error"`)) {
		return false
	}
	var e apiError
	return decode(event.Data, &e) == nil && (e.Type == "error" || e.Object == "error" || len(e.Error) > 0 && string(e.Error) != "null")
}

// refused reports whether a retry is useless.
func (e apiError) refused() bool {
	code, _ := e.Code.(string)
	return slices.Contains(refusedKinds, e.Type) || slices.Contains(refusedKinds, code)
}

// text returns the message on one short line.
func (e apiError) text() string {
	text := e.Message
	if detail, ok := e.Detail.(string); ok && text == "" {
		text = detail
	}
	if text == "" {
		text = e.Type
	}
	text = strings.Join(strings.Fields(text), " ")
	if len(text) <= maxMessage {
		return text
	}
	end := maxMessage
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + "…"
}

// masked matches partly masked keys in vendors' messages.
var masked = regexp.MustCompile(`[\w-]*\*{3,}[\w-]*`)

// hide removes the key from a text.
func (x *Exchange) hide(text string) string {
	if x.key != "" {
		text = strings.ReplaceAll(text, x.key, "(key)")
	}
	return masked.ReplaceAllString(text, "(key)")
}

// statusError returns the error for a status other than 200; dialogue.ErrRefused if a retry is useless.
func (x *Exchange) statusError(status int, body []byte) error {
	e := parse(body)
	text := e.text()
	if text == "" {
		text = http.StatusText(status)
	}
	err := fmt.Errorf("status %d: %s", status, x.hide(text))
	if status >= 400 && status < 500 && !slices.Contains(transient, status) || status == http.StatusTooManyRequests && e.refused() {
		return fmt.Errorf("%w: %w", dialogue.ErrRefused, err)
	}
	return err
}

// streamError returns the error for one that a vendor reports during a stream; dialogue.ErrRefused if a retry is
// useless.
func (x *Exchange) streamError(data []byte) error {
	e := parse(data)
	text := e.text()
	if text == "" {
		text = "an error without a message"
	}
	err := fmt.Errorf("stopped in the midst of the answer: %s", x.hide(text))
	if e.refused() {
		return fmt.Errorf("%w: %w", dialogue.ErrRefused, err)
	}
	return err
}
