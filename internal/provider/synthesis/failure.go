package synthesis

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

var (
	errClosed = errors.New("the voice is closed")
	errEnded  = errors.New("the utterance has ended")
	errStuck  = errors.New("the connection takes no more text")
	errSlow   = errors.New("the speech is not taken as fast as it is made")
	errMute   = errors.New("no speech came for the text")
	errLost   = errors.New("the connection broke off")
)

// maxWords limits a vendor's message in errors, in characters.
const maxWords = 200

// Failure returns the error for an HTTP status and the vendor's message, as a sentence for the tenant. Status 0 is
// unknown.
func Failure(status int, words string) error {
	var err error
	switch {
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		err = fmt.Errorf("the key is %w", dialogue.ErrRefused)
	case status == http.StatusPaymentRequired:
		err = fmt.Errorf("the account is %w", dialogue.ErrRefused)
	case status == http.StatusRequestTimeout:
		err = errors.New("the provider gave up waiting")
	case status == http.StatusTooManyRequests:
		err = errors.New("too many requests at once")
	case status == http.StatusConflict || status == http.StatusTooEarly:
		err = errors.New("the provider asks to try again")
	case status >= 300 && status < 500:
		err = fmt.Errorf("the request is %w", dialogue.ErrRefused)
	case status == 0:
		err = errors.New("the provider reports an error")
	default:
		err = fmt.Errorf("the provider fails with status %d", status)
	}
	if words = tidy(words); words == "" {
		return err
	}
	return fmt.Errorf("%w: %s", err, words)
}

// tidy reduces a vendor's message to one line of text.
func tidy(words string) string {
	words = strings.Join(strings.FieldsFunc(strings.ToValidUTF8(words, ""), func(r rune) bool {
		return unicode.IsSpace(r) || !unicode.IsPrint(r)
	}), " ")
	if runes := []rune(words); len(runes) > maxWords {
		words = string(runes[:maxWords]) + "…"
	}
	return words
}

// conceal removes the secret from an error.
func conceal(err error, secret string) error {
	if err == nil || secret == "" || !strings.Contains(err.Error(), secret) {
		return err
	}
	return concealed{err, strings.ReplaceAll(err.Error(), secret, "[key]")}
}

type concealed struct {
	error
	text string
}

func (c concealed) Error() string { return c.text }
func (c concealed) Unwrap() error { return c.error }

// refused returns why a connection could not be opened.
func refused(err error, answer *http.Response) error {
	if answer != nil && answer.StatusCode != http.StatusSwitchingProtocols {
		body, _ := io.ReadAll(answer.Body) // a partial body is sufficient
		return Failure(answer.StatusCode, wordsOf(body))
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("the provider cannot be reached: no answer within %v", dialTimeout)
	}
	var dialling *url.Error
	if errors.As(err, &dialling) {
		err = dialling.Err // without the address
	}
	return fmt.Errorf("the provider cannot be reached: %w", err)
}

// wordsOf returns the message in an error body, whose form differs by vendor and version.
func wordsOf(body []byte) string {
	var b struct {
		Title, Message string
		Error, Detail  json.RawMessage
	}
	if json.Unmarshal(body, &b) != nil {
		if text := strings.TrimSpace(string(body)); !strings.HasPrefix(text, "<") && !strings.HasPrefix(text, "{") {
			return text
		}
		return ""
	}
	if b.Message != "" {
		return b.Message
	}
	for _, raw := range []json.RawMessage{b.Detail, b.Error} {
		var text string
		if json.Unmarshal(raw, &text) == nil && text != "" {
			return text
		}
		var nested struct{ Message string }
		if json.Unmarshal(raw, &nested) == nil && nested.Message != "" {
			return nested.Message
		}
	}
	return b.Title
}

// lost returns why a connection ended.
func lost(err error) error {
	var closed websocket.CloseError
	var network *net.OpError
	switch {
	case errors.As(err, &closed) && tidy(closed.Reason) != "":
		return fmt.Errorf("%w: %s", errLost, tidy(closed.Reason))
	case errors.As(err, &closed):
		return fmt.Errorf("%w (close code %d)", errLost, closed.Code)
	case errors.Is(err, websocket.ErrMessageTooBig):
		return errors.New("the answer is too big")
	case errors.As(err, &network):
		return fmt.Errorf("%w: %w", errLost, network.Err)
	default:
		return errLost
	}
}
