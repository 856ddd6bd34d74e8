package sip

import (
	"crypto/tls"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"
)

// TLSOptions are those of connections that trunks open over TLS; none are accepted without a certificate.
type TLSOptions struct {
	Port             int    // 0 chooses a free one
	Certificate, Key string // paths of PEM files; the certificate's may have its chain
}

// enabled reports whether connections are accepted.
func (o TLSOptions) enabled() bool { return o.Certificate != "" }

// config reads the certificate, and returns settings with which it is read again when its files change, as they do when it is renewed.
func (o TLSOptions) config(log *slog.Logger) (*tls.Config, error) {
	c := &certificate{files: o, log: log}
	if err := c.read(); err != nil {
		return nil, fmt.Errorf("PARLEY_SIP_TLS_CERT, PARLEY_SIP_TLS_KEY: %w", err)
	}
	return &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: c.get}, nil
}

// certificate is that of the gateway. It is safe for concurrent use.
type certificate struct {
	files TLSOptions
	log   *slog.Logger

	mu      sync.Mutex
	current *tls.Certificate
	changed [2]time.Time // when the files that were read last had been written
	failed  bool         // the last time
}

// get returns the certificate for a connection: the one before while the files do not fit together.
func (c *certificate) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	err := c.read()
	if err != nil && !c.failed {
		c.log.Error("the certificate of the SIP gateway cannot be read; the one before is used", "error", err)
	}
	c.failed = err != nil
	return c.current, nil
}

// read reads the certificate if a file has changed since.
func (c *certificate) read() error {
	var changed [2]time.Time
	for n, path := range []string{c.files.Certificate, c.files.Key} {
		info, err := os.Stat(path)
		if err != nil {
			return err
		}
		changed[n] = info.ModTime()
	}
	if changed == c.changed {
		return nil
	}
	c.changed = changed
	pair, err := tls.LoadX509KeyPair(c.files.Certificate, c.files.Key)
	if err != nil {
		return err
	}
	c.current = &pair
	return nil
}
