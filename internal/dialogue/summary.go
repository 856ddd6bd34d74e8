package dialogue

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"syscall"

	"parley/internal/netguard"
)

// Summary returns what went wrong at a provider, in Parley's own words. The text of a provider's error may repeat the request, and
// with it what was said and the prompt; logs and error items therefore have the summary alone.
func Summary(err error) string {
	var known interface{ Summary() string }
	var dns *net.DNSError
	var errno syscall.Errno
	var network net.Error
	switch {
	case err == nil:
		return ""
	case errors.As(err, &known):
		return known.Summary()
	case errors.Is(err, ErrRefused):
		return ErrRefused.Error()
	case errors.Is(err, netguard.ErrRefused):
		return netguard.ErrRefused.Error()
	case errors.Is(err, context.DeadlineExceeded):
		return "no answer in time"
	case errors.Is(err, context.Canceled):
		return "cancelled"
	case errors.As(err, &dns):
		return "the host name does not resolve"
	case isCertificateError(err):
		return "the server's certificate is not valid"
	case errors.As(err, &errno):
		return errno.Error() // one of a fixed list
	case errors.As(err, &network) && network.Timeout():
		return "no answer in time"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, net.ErrClosed):
		return "the connection was closed before the end"
	case isUnreadable(err):
		return "the answer cannot be read"
	}
	return "an error outside of the provider's protocol"
}

func isCertificateError(err error) bool {
	var certificate *tls.CertificateVerificationError
	var name x509.HostnameError
	var authority x509.UnknownAuthorityError
	var invalid x509.CertificateInvalidError
	return errors.As(err, &certificate) || errors.As(err, &name) || errors.As(err, &authority) || errors.As(err, &invalid)
}

func isUnreadable(err error) bool {
	var syntax *json.SyntaxError
	var mistyped *json.UnmarshalTypeError
	var encoding base64.CorruptInputError
	return errors.As(err, &syntax) || errors.As(err, &mistyped) || errors.As(err, &encoding)
}

// NewError returns an error with a fixed text, which is its summary, too.
func NewError(text string) error { return ownError{errors.New(text)} }

// Errorf is like fmt.Errorf, for a text that is the error's summary, too. The arguments are configuration, numbers, or other errors of
// this kind, and nothing that a provider sent or was sent.
func Errorf(format string, arguments ...any) error { return ownError{fmt.Errorf(format, arguments...)} }

// Wrap returns an error with a fixed text before that of its cause. Its summary has the summary of the cause.
func Wrap(text string, cause error) error { return wrappedError{text, cause} }

// ErrorOf returns an error with a fixed text, which is its summary, too, of a kind such as ErrDeclined.
func ErrorOf(kind error, text string) error { return kindError{text, kind} }

// kindError is an error in Parley's own words that errors.Is finds to be of a kind.
type kindError struct {
	text string
	kind error
}

func (e kindError) Error() string   { return e.text }
func (e kindError) Summary() string { return e.text }
func (e kindError) Unwrap() error   { return e.kind }

// ownError is an error in Parley's own words.
type ownError struct{ error }

func (e ownError) Summary() string { return e.Error() }
func (e ownError) Unwrap() error   { return e.error }

type wrappedError struct {
	text  string
	cause error
}

func (e wrappedError) Error() string   { return e.text + ": " + e.cause.Error() }
func (e wrappedError) Summary() string { return e.text + ": " + Summary(e.cause) }
func (e wrappedError) Unwrap() error   { return e.cause }
