package sip

import (
	"crypto/tls"
	"crypto/x509"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley/e2e/sippeer"
)

// certificateFiles returns a certificate for localhost, at a free port.
func certificateFiles(t *testing.T) TLSOptions {
	t.Helper()
	dir := t.TempDir()
	o := TLSOptions{Certificate: filepath.Join(dir, "certificate.pem"), Key: filepath.Join(dir, "key.pem")}
	renew(t, o)
	return o
}

// renew writes another certificate, and returns the pool of roots that verifies it.
func renew(t *testing.T, o TLSOptions) *x509.CertPool {
	t.Helper()
	certificate, key, roots := sippeer.Certify(t, "localhost")
	write(t, o.Certificate, certificate)
	write(t, o.Key, key)
	return roots
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// A certificate that was renewed is used for the next connection; the one before while its files do not fit together.
func TestRenewedCertificate(t *testing.T) {
	t.Parallel()
	o := options()
	o.TLS = certificateFiles(t)
	first := renew(t, o.TLS)
	g := start(t, o)
	connects := func(roots *x509.CertPool) bool {
		c, err := tls.Dial("tcp", g.sockets.tls.Addr().String(), &tls.Config{RootCAs: roots, ServerName: "localhost"})
		if err == nil {
			_ = c.Close()
		}
		return err == nil
	}
	if !connects(first) {
		t.Error("the first certificate is not used")
	}
	time.Sleep(20 * time.Millisecond) // the times of files are kept in steps
	write(t, o.TLS.Certificate, "no certificate")
	if !connects(first) {
		t.Error("without a certificate the one before is not used")
	}
	time.Sleep(20 * time.Millisecond)
	second := renew(t, o.TLS)
	if !connects(second) || connects(first) {
		t.Error("the second certificate is not used")
	}
}

// The setting of a certificate that is none, or of its port that is in use, is named before the start and at it.
func TestCertificateThatIsNone(t *testing.T) {
	t.Parallel()
	broken, taken := options(), options()
	broken.TLS, taken.TLS = certificateFiles(t), certificateFiles(t)
	write(t, broken.TLS.Key, "no key")
	other := options()
	other.TLS = certificateFiles(t)
	taken.TLS.Port = start(t, other).sockets.tls.Addr().(*net.TCPAddr).Port
	for setting, o := range map[string]GatewayOptions{"PARLEY_SIP_TLS_CERT, PARLEY_SIP_TLS_KEY: ": broken, "PARLEY_SIP_TLS_PORT: ": taken} {
		if err := o.Check(); err == nil || !strings.HasPrefix(err.Error(), setting) {
			t.Errorf("%s%v", setting, err)
		}
		if g, err := StartGateway(t.Context(), o); err == nil || !strings.HasPrefix(err.Error(), setting) {
			t.Errorf("%s%v", setting, err)
			if g != nil {
				_ = g.Stop(t.Context())
			}
		}
	}
}
