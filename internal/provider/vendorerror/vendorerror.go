// Package vendorerror classifies the errors of vendors, for all kinds of providers: whether a retry may help, one sentence
// for the tenant, and no key in it.
package vendorerror

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"parley/internal/dialogue"
)

const (
	// maxMessage is how many characters of a vendor's message are kept.
	maxMessage = 200
	// maxBody is how many bytes of an error's body are read.
	maxBody = 64 << 10
)

// Report is an error as a vendor reports it.
type Report struct {
	Status  int      // HTTP status; 0 when none is known
	Kinds   []string // the error's types and codes in the vendor's words
	Message string
}

// kinds are the error types and codes that a retry does not fix, with the equivalent status where the vendor gives none: in
// the middle of a stream.
// https://platform.openai.com/docs/guides/error-codes
// https://docs.anthropic.com/en/api/errors
var kinds = map[string]int{
	"authentication_error":       http.StatusUnauthorized,
	"permission_error":           http.StatusForbidden,
	"invalid_request_error":      http.StatusBadRequest,
	"not_found_error":            http.StatusNotFound,
	"request_too_large":          http.StatusRequestEntityTooLarge,
	"billing_error":              http.StatusPaymentRequired,
	"insufficient_quota":         http.StatusPaymentRequired,
	"billing_hard_limit_reached": http.StatusPaymentRequired,
}

// status returns the HTTP status of the report, or its equivalent. 429 may also mean that the account has no credit.
func (r Report) status() int {
	for _, kind := range r.Kinds {
		if status := kinds[kind]; status != 0 && (r.Status == 0 || r.Status == http.StatusTooManyRequests && status == http.StatusPaymentRequired) {
			return status
		}
	}
	return r.Status
}

// classes are the sentences of statuses. Other client errors (4xx) are refused.
var classes = map[int]error{
	0:                          errors.New("the provider reports an error"),
	http.StatusUnauthorized:    fmt.Errorf("the key is %w", dialogue.ErrRefused),
	http.StatusForbidden:       fmt.Errorf("the key is %w", dialogue.ErrRefused),
	http.StatusPaymentRequired: fmt.Errorf("the account is %w", dialogue.ErrRefused),
	http.StatusRequestTimeout:  errors.New("the provider gave up waiting"),
	http.StatusTooManyRequests: errors.New("too many requests at once"),
	http.StatusConflict:        errors.New("the provider asks to try again"),
	http.StatusTooEarly:        errors.New("the provider asks to try again"),
}

// redirects are not followed, so that no key goes elsewhere: the base URL is wrong.
var redirects = []int{http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect}

// Err returns the error that a tenant reads the summary of. It is dialogue.ErrRefused if a retry is useless.
func (r Report) Err(key string) error {
	status := r.status()
	err := classes[status]
	judgement := r.judgement()
	switch {
	case judgement != nil:
		err = judgement
	case err != nil:
	case slices.Contains(contentRefused, status):
		err = dialogue.ErrRequestRefused
	case status >= 400 && status < 500, slices.Contains(redirects, status):
		err = fmt.Errorf("the request is %w", dialogue.ErrRefused)
	default:
		err = fmt.Errorf("the provider fails with status %d", status)
	}
	known := reported{sentence: err, codes: r.Kinds, words: Clean(r.Message, key)}
	if r.Status > 0 && !strings.HasSuffix(err.Error(), strconv.Itoa(r.Status)) {
		known.status = "HTTP " + strconv.Itoa(r.Status)
	}
	return known
}

// body is an error's body or message. Beside {"error": {"type", "code", "message"}} there are as many forms as vendors and
// servers that imitate them.
type body struct {
	Type    string          `json:"type"`
	Object  string          `json:"object"`
	Code    any             `json:"code"`
	Status  any             `json:"status"` // Google's and ElevenLabs' codes
	ErrCode string          `json:"err_code"`
	ErrMsg  string          `json:"err_msg"`
	Message string          `json:"message"`
	Error   json.RawMessage `json:"error"`
	Detail  json.RawMessage `json:"detail"`
	Reason  string          `json:"reason"`
	Title   string          `json:"title"`
}

// Read reads a report from an error's body, in JSON or plain text. Pages in HTML have no message.
func Read(status int, data []byte) Report {
	if status == http.StatusBadRequest && bytes.Contains(data, []byte(`"API_KEY_INVALID"`)) { // Google's status for a wrong key
		status = http.StatusUnauthorized
	}
	var b body
	if !decode(data, &b) {
		text := strings.TrimSpace(string(data))
		if strings.HasPrefix(text, "<") || strings.HasPrefix(text, "{") {
			text = ""
		}
		return Report{Status: status, Message: text}
	}
	r := Report{Status: status, Message: b.message()}
	r.Kinds = b.kinds()
	for _, raw := range []json.RawMessage{b.Error, b.Detail} {
		var nested body
		if decode(raw, &nested) {
			r.Kinds = append(r.Kinds, nested.kinds()...)
		}
	}
	if r.Message == "" {
		if i := slices.IndexFunc(r.Kinds, func(kind string) bool { return kind != "error" }); i >= 0 {
			r.Message = r.Kinds[i]
		}
	}
	return r
}

func (b body) kinds() (kinds []string) {
	code, _ := b.Code.(string)
	status, _ := b.Status.(string)
	for _, kind := range []string{b.Type, code, status, b.ErrCode} {
		if kind != "" {
			kinds = append(kinds, kind)
		}
	}
	return kinds
}

// message returns the first text for people.
func (b body) message() string {
	for _, text := range []string{nestedMessage(b.Error), b.ErrMsg, b.Message, textOf(b.Error), textOf(b.Detail), nestedMessage(b.Detail), b.Reason, b.Title} {
		if text != "" {
			return text
		}
	}
	return ""
}

func textOf(raw json.RawMessage) (text string) {
	_ = json.Unmarshal(raw, &text) // it may be another type
	return text
}

func nestedMessage(raw json.RawMessage) string {
	var nested body
	if !decode(raw, &nested) {
		return ""
	}
	return nested.Message
}

// decode is like json.Unmarshal of an object, without the fields that have another type than into's.
func decode(data []byte, into *body) bool {
	err := json.Unmarshal(data, into)
	mistyped := new(json.UnmarshalTypeError)
	return err == nil || errors.As(err, &mistyped) && mistyped.Field != ""
}

// IsError reports whether a message in a stream of JSON objects is an error: it is of that type, or has an error field
// that is not null.
func IsError(data []byte) bool {
	var b body
	return decode(data, &b) && (b.Type == "error" || b.Object == "error" || len(b.Error) > 0 && string(b.Error) != "null")
}

// OfResponse reads the error of an HTTP response.
func OfResponse(response *http.Response) Report {
	var data []byte
	if response.Body != nil {
		data, _ = io.ReadAll(io.LimitReader(response.Body, maxBody)) // a part will do
	}
	return Read(response.StatusCode, data)
}

// OfHandshake returns the error of a WebSocket that could not be opened within a time; response is nil without an answer.
func OfHandshake(err error, response *http.Response, within time.Duration, key string) error {
	if response != nil && response.StatusCode != http.StatusSwitchingProtocols {
		return OfResponse(response).Err(key)
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return dialogue.Errorf("the provider cannot be reached: no answer within %v", within)
	}
	if dialling := new(url.Error); errors.As(err, &dialling) {
		err = dialling.Err // without the address, which may hold the key
	}
	return HideKey(dialogue.Wrap("the provider cannot be reached", err), key)
}

// masked is how vendors show a part of a key.
var masked = regexp.MustCompile(`[\w-]*\*{3,}[\w-]*`)

// hidden replaces a key in a text.
const hidden = "[key]"

// Clean makes a vendor's text fit for a line: without the key, without control characters, maxMessage characters at most.
func Clean(text, key string) string {
	if key != "" {
		text = strings.ReplaceAll(text, key, hidden)
	}
	text = masked.ReplaceAllString(text, hidden)
	text = strings.Join(strings.FieldsFunc(strings.ToValidUTF8(text, ""), func(r rune) bool {
		return unicode.IsSpace(r) || !unicode.IsPrint(r) || r == unicode.ReplacementChar
	}), " ")
	if runes := []rune(text); len(runes) > maxMessage {
		text = string(runes[:maxMessage]) + "…"
	}
	return text
}

// HideKey replaces the key in the text of an error.
func HideKey(err error, key string) error {
	if err == nil || key == "" || !strings.Contains(err.Error(), key) {
		return err
	}
	return concealed{err, strings.ReplaceAll(err.Error(), key, hidden)}
}

type concealed struct {
	error
	text string
}

func (c concealed) Error() string { return c.text }
func (c concealed) Unwrap() error { return c.error }
