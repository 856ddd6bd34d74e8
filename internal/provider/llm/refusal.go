package llm

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"parley/internal/dialogue"
)

// maxMessage is the most bytes of a vendor's message that are passed on.
const maxMessage = 300

// refusedKinds are the error types and codes that no retry mends, where a
// status does not tell: in the midst of a stream, or with a status that stands
// for a rate limit otherwise.
// https://platform.openai.com/docs/guides/error-codes
// https://docs.anthropic.com/en/api/errors
var refusedKinds = []string{
	"invalid_request_error", "authentication_error", "billing_error", "permission_error", "not_found_error", "request_too_large",
	"insufficient_quota", "billing_hard_limit_reached",
}

// transient are the statuses of the client's fault that may pass: timeout,
// conflict, too early, too many.
var transient = []int{http.StatusRequestTimeout, http.StatusConflict, http.StatusTooEarly, http.StatusTooManyRequests}

// complaint is what a vendor says went wrong. Besides the vendors' own form,
// {"error": {"type", "code", "message"}}, it has those of servers that imitate
// them.
type complaint struct {
	Error   json.RawMessage `json:"error"`
	Type    string          `json:"type"`
	Code    any             `json:"code"`
	Message string          `json:"message"`
	Detail  any             `json:"detail"`
}

// parse reads a complaint from an answer's body.
func parse(body []byte) (c complaint) {
	if json.Unmarshal(body, &c) != nil {
		return complaint{}
	}
	if len(c.Error) == 0 {
		return c
	}
	var text string
	if json.Unmarshal(c.Error, &text) == nil {
		c.Message = text
		return c
	}
	var inner complaint
	if json.Unmarshal(c.Error, &inner) == nil {
		return inner
	}
	return c
}

// refused tells whether trying again is of no use.
func (c complaint) refused() bool {
	code, _ := c.Code.(string)
	return slices.Contains(refusedKinds, c.Type) || slices.Contains(refusedKinds, code)
}

// text is the message in one short line.
func (c complaint) text() string {
	text := c.Message
	if detail, ok := c.Detail.(string); ok && text == "" {
		text = detail
	}
	if text == "" {
		text = c.Type
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

// masked is how vendors show a part of a key.
var masked = regexp.MustCompile(`[\w-]*\*{3,}[\w-]*`)

// hide takes the key out of a text.
func (x *Exchange) hide(text string) string {
	if x.key != "" {
		text = strings.ReplaceAll(text, x.key, "(key)")
	}
	return masked.ReplaceAllString(text, "(key)")
}

// Refusal is the error that an answer with another status than 200 stands for.
// It is dialogue.ErrRefused when no retry mends it.
func (x *Exchange) Refusal(status int, body []byte) error {
	c := parse(body)
	text := c.text()
	if text == "" {
		text = http.StatusText(status)
	}
	err := fmt.Errorf("status %d: %s", status, x.hide(text))
	if status >= 400 && status < 500 && !slices.Contains(transient, status) || status == http.StatusTooManyRequests && c.refused() {
		return fmt.Errorf("%w: %w", dialogue.ErrRefused, err)
	}
	return err
}

// Complaint is the error that a vendor reports in the midst of a stream.
func (x *Exchange) Complaint(body []byte) error {
	c := parse(body)
	text := c.text()
	if text == "" {
		text = "an error without a message"
	}
	err := fmt.Errorf("stopped in the midst of the answer: %s", x.hide(text))
	if c.refused() {
		return fmt.Errorf("%w: %w", dialogue.ErrRefused, err)
	}
	return err
}
