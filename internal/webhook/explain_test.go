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

// hostile is an https endpoint whose certificate it has signed itself, for a
// name, or for its own when that is "".
func (h *fixture) hostile(name string) (address string) {
	h.t.Helper()
	endpoint := h.network.listen(h.t)
	if name == "" {
		name = endpoint.host
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		h.t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "evil"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), DNSNames: []string{name}}
	certificate, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		h.t.Fatal(err)
	}
	server := &http.Server{Handler: http.NotFoundHandler(), ErrorLog: log.New(io.Discard, "", 0)}
	h.t.Cleanup(func() { server.Close() })
	go server.Serve(tls.NewListener(endpoint, &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{certificate}, PrivateKey: key}}}))
	return "https://" + endpoint.host
}

// The content of an endpoint's certificate is not logged, and does not delay the deliveries of others.
func TestHostileCertificate(t *testing.T) {
	eachDatabase(t, func(t *testing.T, h *fixture) {
		evil, good := h.newReceiver(), h.newReceiver()
		h.configure(other, good, nil)
		h.deliver()
		for _, c := range []struct{ certified, want string }{
			{"a\x00b", "the endpoint's certificate is for another host name"},
			{"evil.example", "the endpoint's certificate is for another host name"},
			{"", "the endpoint's certificate is signed by an unknown authority"},
		} {
			evil.url = h.hostile(c.certified)
			h.configure(acme, evil, map[string]any{"max_retries": 1})
			h.append(acme, event.CallCompleted, 1)
			h.append(other, event.CallCompleted, 1)
			if d := h.settled(other)[0]; d.Status != Delivered {
				t.Errorf("another tenant's delivery: %+v", d)
			}
			if d := h.settled(acme)[0]; d.Status != Failed || d.Error == nil || *d.Error != c.want {
				t.Errorf("certificate for %q: %+v, want the error %q", c.certified, d, c.want)
			}
		}
	})
}

// An explanation is made of our own words, whatever an error says.
func TestExplain(t *testing.T) {
	outside := "outside\x00\xff"
	plain := httptest.NewServer(http.NotFoundHandler())
	defer plain.Close()
	_, mixed := http.Get(strings.Replace(plain.URL, "http:", "https:", 1))
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

// An endpoint that requires a client certificate reports it in an alert.
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
