// Package signing signs a tenant's outgoing requests, and stores the secrets for those of tools. Webhooks have their own.
package signing

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"time"
)

// WebhookHeader is the header with the signature of a webhook's delivery, and of a call hook's request.
const WebhookHeader = "X-Webhook-Signature"

// Signature returns the value of a signature header: t=<unix seconds>,v1=<hex>, where v1 is the HMAC-SHA256 of "<t>.<content>" with the
// secret's text as key; one v1 for each secret, so two while a rotated secret is still valid.
func Signature(secrets []string, t time.Time, content []byte) string {
	var b strings.Builder
	fmt.Fprintf(&b, "t=%d", t.Unix())
	for _, secret := range secrets {
		mac := hmac.New(sha256.New, []byte(secret))
		fmt.Fprintf(mac, "%d.", t.Unix())
		mac.Write(content)
		fmt.Fprintf(&b, ",v1=%s", hex.EncodeToString(mac.Sum(nil)))
	}
	return b.String()
}

// NewSecret returns a secret of 256 random bits, with the prefix of its purpose.
func NewSecret(prefix string) string {
	var b [32]byte
	rand.Read(b[:]) // never fails, says crypto/rand
	return prefix + hex.EncodeToString(b[:])
}

// RequestContent returns what is signed of a request whose method and URL are part of what it asks for: "<METHOD> <URL>", a line feed and
// the body.
func RequestContent(method, url string, body []byte) []byte {
	return append([]byte(method+" "+url+"\n"), body...)
}
