package webhook

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"

	"parley/internal/netguard"
)

// explain returns why there was no response, in fixed words: the text of an error
// may contain the URL, an address, or text chosen by the endpoint, such as the
// names in its certificate.
func explain(err error, timeout int) string {
	var dns *net.DNSError
	var operation *net.OpError
	switch {
	case errors.Is(err, netguard.ErrRefused):
		return netguard.ErrRefused.Error()
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Sprintf("no answer within %d s", timeout)
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
