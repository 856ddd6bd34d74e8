package recognition

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"unicode"

	"github.com/coder/websocket"

	"parley/internal/dialogue"
)

// longestWords limits a vendor's message in errors.
const longestWords = 200

// handshakeError returns why no stream could be opened, for the tenant.
func (r Request) handshakeError(vendor string, response *http.Response, err error) error {
	if response == nil || response.StatusCode == http.StatusSwitchingProtocols {
		if errors.Is(err, context.DeadlineExceeded) {
			return fmt.Errorf("connect to %s: no answer within %v", vendor, handshakeWait)
		}
		if within := new(url.Error); errors.As(err, &within) {
			err = within.Err // without the address
		}
		return fmt.Errorf("connect to %s: %w", vendor, err)
	}
	status := fmt.Sprintf("%d %s", response.StatusCode, http.StatusText(response.StatusCode))
	if response.Body != nil {
		body, _ := io.ReadAll(io.LimitReader(response.Body, 4096))
		if words := r.words(string(body)); words != "" {
			status += ": " + words
		}
	}
	switch response.StatusCode {
	case http.StatusRequestTimeout, http.StatusConflict, http.StatusTooEarly, http.StatusTooManyRequests:
	default:
		if response.StatusCode >= 400 && response.StatusCode < 500 {
			return fmt.Errorf("connect to %s: %w: %s", vendor, dialogue.ErrRefused, status)
		}
	}
	return fmt.Errorf("connect to %s: %s", vendor, status)
}

// endError returns why a stream ended that was not closed by this side.
func (r Request) endError(d Dialect, err error) error {
	var closed websocket.CloseError
	switch {
	case errors.As(err, &closed):
		words := fmt.Sprint(int(closed.Code))
		if reason := r.words(closed.Reason); reason != "" {
			words += " " + reason
		}
		if d.Refuses(closed.Code, closed.Reason) {
			return fmt.Errorf("%s: %w: %s", d.Vendor, dialogue.ErrRefused, words)
		}
		return fmt.Errorf("%s closed the stream: %s", d.Vendor, words)
	case errors.Is(err, websocket.ErrMessageTooBig):
		return fmt.Errorf("%s sent a message of over %d bytes", d.Vendor, longestMessage)
	case errors.Is(err, net.ErrClosed): // by the library, for a ping did not go out within 5 s
		return fmt.Errorf("connection to %s is dead: it takes nothing", d.Vendor)
	case errors.Is(err, io.EOF):
		return fmt.Errorf("%s dropped the connection", d.Vendor)
	}
	return fmt.Errorf("connection to %s: %w", d.Vendor, err)
}

// words returns a vendor's error text, short, on one line and without the key: the message in a JSON object, or the
// text itself.
func (r Request) words(body string) string {
	var object map[string]any
	if json.Unmarshal([]byte(body), &object) == nil {
		for _, name := range []string{"err_msg", "error", "message", "reason", "detail"} {
			if text, ok := object[name].(string); ok && text != "" {
				body = text
				break
			}
		}
	}
	return Words(body, r.Secret)
}

// Words makes a vendor's text presentable: short, on one line, and without the secret.
func Words(said, secret string) string {
	if secret != "" {
		said = strings.ReplaceAll(said, secret, "…")
	}
	said = strings.Join(strings.FieldsFunc(said, func(r rune) bool {
		return unicode.IsSpace(r) || unicode.IsControl(r) || r == unicode.ReplacementChar
	}), " ")
	if runes := []rune(said); len(runes) > longestWords {
		said = string(runes[:longestWords]) + "…"
	}
	return said
}
