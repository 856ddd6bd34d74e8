package webhook

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"io"
	"log"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"parley/internal/event"
)

// hostile is an https endpoint whose certificate is its own and names names.
func hostile(t *testing.T, names ...string) (address string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "evil"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), DNSNames: names}
	certificate, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewUnstartedServer(http.NotFoundHandler())
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.TLS = &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{certificate}, PrivateKey: key}}}
	server.StartTLS()
	t.Cleanup(server.Close)
	return strings.Replace(server.URL, "127.0.0.1", "localhost", 1)
}

// What stands in an endpoint's certificate neither comes into the log nor keeps
// the deliveries of others waiting.
func TestHostileCertificate(t *testing.T) {
	for name, c := range map[string]struct{ names, want string }{
		"NUL":           {"a\x00b", "the endpoint's certificate is for another host name"},
		"its own names": {"evil.example", "the endpoint's certificate is for another host name"},
		"self-signed":   {"localhost", "the endpoint's certificate is signed by an unknown authority"},
	} {
		t.Run(name, func(t *testing.T) {
			eachHouse(t, func(t *testing.T, h *house) {
				evil, good := newReceiver(t), newReceiver(t)
				evil.url = hostile(t, c.names)
				h.configure(acme, evil, map[string]any{"max_retries": 1})
				h.configure(other, good, nil)
				h.append(acme, event.CallCompleted, 1)
				h.append(other, event.CallCompleted, 1)
				h.deliver()
				if d := h.settled(other)[0]; d.Status != Delivered {
					t.Errorf("another tenant's delivery: %+v", d)
				}
				if d := h.settled(acme)[0]; d.Status != Failed || d.Error == nil || *d.Error != c.want {
					t.Errorf("%+v, want the error %q", d, c.want)
				}
			})
		})
	}
}

// An explanation is made of our own words, whatever an error says.
func TestExplain(t *testing.T) {
	outside := "outside\x00\xff"
	plain := newReceiver(t)
	_, mixed := http.Get(strings.Replace(plain.url, "http:", "https:", 1))
	verification := func(err error) error {
		return &tls.CertificateVerificationError{Err: err}
	}
	for _, c := range []struct {
		err  error
		want string
	}{
		{verification(x509.HostnameError{Certificate: &x509.Certificate{DNSNames: []string{outside}}, Host: "a.example"}), "the endpoint's certificate is for another host name"},
		{verification(x509.UnknownAuthorityError{}), "the endpoint's certificate is signed by an unknown authority"},
		{verification(x509.CertificateInvalidError{Reason: x509.Expired, Detail: outside}), "the endpoint's certificate has expired or is not valid yet"},
		{verification(x509.CertificateInvalidError{Reason: x509.CANotAuthorizedForThisName, Detail: outside}), "the endpoint's certificate is not valid"},
		{verification(errors.New(outside)), "the endpoint's certificate is not valid"},
		{errors.New("tls: failed to parse certificate from server: x509: " + outside), "the TLS handshake failed"},
		{mixed, "the endpoint does not speak TLS"},
		{errors.New("malformed HTTP response " + outside), "the connection failed before an answer"},
		{io.ErrUnexpectedEOF, "the connection was closed before an answer"},
	} {
		if got := explain(&url.Error{Op: "Post", URL: "https://a.example/" + outside, Err: c.err}, 30); got != c.want {
			t.Errorf("%v: %q, want %q", c.err, got, c.want)
		}
	}
}

// An endpoint that wants a certificate of ours says so in an alert.
func TestExplainAlert(t *testing.T) {
	server := httptest.NewUnstartedServer(http.NotFoundHandler())
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	server.TLS = &tls.Config{ClientAuth: tls.RequireAnyClientCert}
	server.StartTLS()
	defer server.Close()
	_, err := server.Client().Get(server.URL)
	if got, want := explain(err, 30), "the endpoint ended the TLS handshake: certificate required"; got != want {
		t.Errorf("%v: %q, want %q", err, got, want)
	}
}
