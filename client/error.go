package client

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Error is an error returned by the API.
type Error struct {
	Status    int    // HTTP status
	Code      string // such as validation_error; "" when the answer was not the API's, as a proxy's
	Message   string
	Details   []Detail
	RequestID string // under which the server's log knows it; "" if none was given

	retryAfter time.Duration
}

// Detail is the error of a field, named by its path, such as config.nodes[2].agent_name.
type Detail struct {
	Field   string `json:"field"`
	Message string `json:"message"`
}

func (e *Error) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d", e.Status)
	if e.Code != "" {
		fmt.Fprintf(&b, " %s", e.Code)
	}
	if e.Message != "" {
		fmt.Fprintf(&b, ": %s", e.Message)
	}
	for _, d := range e.Details {
		fmt.Fprintf(&b, "; %s: %s", d.Field, d.Message)
	}
	if e.RequestID != "" {
		fmt.Fprintf(&b, " (request %s)", e.RequestID)
	}
	return b.String()
}

func newError(answer *http.Response, body []byte) *Error {
	e := &Error{Status: answer.StatusCode, RequestID: answer.Header.Get("X-Request-Id"), retryAfter: retryAfter(answer.Header)}
	var envelope struct {
		Error struct {
			Code    string   `json:"code"`
			Message string   `json:"message"`
			Details []Detail `json:"details"`
		} `json:"error"`
	}
	if json.Unmarshal(body, &envelope) == nil && envelope.Error.Code != "" {
		e.Code, e.Message, e.Details = envelope.Error.Code, envelope.Error.Message, envelope.Error.Details
	} else {
		e.Message = http.StatusText(answer.StatusCode)
	}
	return e
}

// retryAfter parses Retry-After, in seconds or as a date (RFC 9110, 10.2.3); 0 when absent.
func retryAfter(h http.Header) time.Duration {
	v := h.Get("Retry-After")
	if seconds, err := strconv.Atoi(v); err == nil && seconds > 0 {
		return time.Duration(min(seconds, 1<<30)) * time.Second
	}
	if at, err := http.ParseTime(v); err == nil {
		return max(0, time.Until(at))
	}
	return 0
}
