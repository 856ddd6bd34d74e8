package netguard

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"syscall"
)

// Explain returns why a request got no response, in fixed words: the text of an error may contain the URL, a resolved address,
// the name server, or text chosen by the endpoint, such as the names in its certificate.
func Explain(err error) string {
	var dns *net.DNSError
	var operation *net.OpError
	switch {
	case errors.Is(err, ErrRefused):
		return ErrRefused.Error()
	case errors.As(err, &dns):
		return "the host name does not resolve"
	case errors.As(err, &operation) && operation.Op == "dial":
		return "the connection could not be made"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return "the connection was closed before an answer"
	}
	if cause := explainTLS(err); cause != "" {
		return cause
	}
	return "the connection failed before an answer"
}

// explainTLS explains a TLS error; "" for any other error.
func explainTLS(err error) string {
	var name x509.HostnameError
	var authority x509.UnknownAuthorityError
	var invalid x509.CertificateInvalidError
	var certificate *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	var operation *net.OpError
	switch {
	case errors.As(err, &name):
		return "the endpoint's certificate is for another host name"
	case errors.As(err, &authority):
		return "the endpoint's certificate is signed by an unknown authority"
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return "the endpoint's certificate has expired or is not valid yet"
	case errors.As(err, &certificate), errors.As(err, &invalid):
		return "the endpoint's certificate is not valid"
	case errors.As(err, &record), errors.Is(err, http.ErrSchemeMismatch):
		return "the endpoint does not speak TLS"
	case errors.As(err, &operation) && operation.Op == "remote error": // an alert, one of a fixed list
		return "the endpoint ended the TLS handshake: " + strings.TrimPrefix(operation.Err.Error(), "tls: ")
	case strings.Contains(err.Error(), "tls: "), strings.Contains(err.Error(), "x509: "):
		return "the TLS handshake failed"
	}
	return ""
}

// Text returns the text of an error for a tenant: what the network reports within it, which may name addresses and name servers, is
// replaced by the words of Explain.
func Text(err error) string {
	text := err.Error()
	within := networkError(err)
	switch {
	case within == nil:
		return text
	case !strings.Contains(text, within.Error()):
		return Explain(within)
	}
	return strings.ReplaceAll(text, within.Error(), Explain(within))
}

// networkError returns the outermost error within err that the network, or TLS, reports; nil for none.
func networkError(err error) error {
	switch err := err.(type) { //nolint:errorlint // each error of the chain is looked at
	case nil:
		return nil
	case *url.Error, *net.OpError, *net.DNSError, *net.AddrError, *net.ParseError, net.UnknownNetworkError, syscall.Errno,
		x509.HostnameError, x509.UnknownAuthorityError, x509.CertificateInvalidError, *tls.CertificateVerificationError, tls.RecordHeaderError:
		return err
	case interface{ Unwrap() []error }:
		for _, each := range err.Unwrap() {
			if found := networkError(each); found != nil {
				return found
			}
		}
		return nil
	case interface{ Unwrap() error }:
		return networkError(err.Unwrap())
	}
	return nil
}
