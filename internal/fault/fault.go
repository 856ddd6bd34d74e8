// Package fault defines errors that are returned to clients. Domain packages set an error's code; package api maps
// codes to HTTP statuses.
package fault

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// Code is the value of error.code in responses.
type Code string

// The codes of the specification's error table and of docs/api.md.
const (
	Authentication      Code = "authentication_error"
	TokenExpired        Code = "token_expired"
	InvalidToken        Code = "invalid_token"
	KeyRevoked          Code = "key_revoked"
	Authorization       Code = "authorization_error"
	ScopeRequired       Code = "scope_required"
	NotFound            Code = "not_found"
	MethodNotAllowed    Code = "method_not_allowed"
	Conflict            Code = "conflict"
	PreconditionFailed  Code = "precondition_failed"
	PayloadTooLarge     Code = "payload_too_large"
	UnsupportedMedia    Code = "unsupported_media_type"
	RangeNotSatisfiable Code = "range_not_satisfiable"
	Validation          Code = "validation_error"
	RateLimitExceeded   Code = "rate_limit_exceeded"
	BudgetExhausted     Code = "budget_exhausted"
	Internal            Code = "internal_error"
	ServiceUnavailable  Code = "service_unavailable"
)

// Detail describes an invalid field by its dotted path, such as config.nodes[2].agent_name.
type Detail struct {
	Field   string `json:"field"`
	Message string `json:"message"`
}

// Error is an error for clients, with a code.
type Error struct {
	Code    Code
	Message string
	Details []Detail
	// RetryAfter is how long the client should wait before a retry; 0 for no retry or an immediate one.
	RetryAfter time.Duration
}

func (e *Error) Error() string {
	if len(e.Details) == 0 {
		return e.Message
	}
	return fmt.Sprintf("%s (%s: %s)", e.Message, e.Details[0].Field, e.Details[0].Message)
}

// New returns an error with a code.
func New(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// Later returns an error with a code and a RetryAfter.
func Later(code Code, wait time.Duration, format string, args ...any) *Error {
	e := New(code, format, args...)
	e.RetryAfter = wait
	return e
}

// listedNames is how many names an error lists.
const listedNames = 10

// Names lists names for an error's message.
func Names(names []string) string {
	if more := len(names) - listedNames; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:listedNames], ", "), more)
	}
	return strings.Join(names, ", ")
}

// Missing returns the error for a resource that does not exist or belongs to another tenant; the response is the
// same for both.
func Missing(resource string) *Error {
	return New(NotFound, "%s not found", resource)
}

// Invalid returns an error for invalid fields, or nil if there are none. It has the first MaxDetails, and says so.
func Invalid(details []Detail) error {
	switch n := len(details); {
	case n == 0:
		return nil
	case n > MaxDetails:
		return &Error{Code: Validation, Message: fmt.Sprintf("the request is not valid; the first %d errors are listed", MaxDetails), Details: details[:MaxDetails]}
	}
	return &Error{Code: Validation, Message: "the request is not valid", Details: details}
}

// CodeOf returns an error's code, or Internal if it has none.
func CodeOf(err error) Code {
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return Internal
}

// Is reports whether an error has a code.
func Is(err error, code Code) bool { return err != nil && CodeOf(err) == code }
