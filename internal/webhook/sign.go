package webhook

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"time"
)

// SignatureHeader is the header with a delivery's signature.
const SignatureHeader = "X-Webhook-Signature"

// signature returns the value of the signature header: t=<unix seconds>,v1=<hex>,
// where v1 is the HMAC-SHA256 of "<t>.<body>" with the secret's text as key; one v1
// per secret, so two while a rotated secret is still valid.
func signature(secrets []string, t time.Time, body []byte) string {
	var b strings.Builder
	fmt.Fprintf(&b, "t=%d", t.Unix())
	for _, secret := range secrets {
		mac := hmac.New(sha256.New, []byte(secret))
		fmt.Fprintf(mac, "%d.", t.Unix())
		mac.Write(body)
		fmt.Fprintf(&b, ",v1=%s", hex.EncodeToString(mac.Sum(nil)))
	}
	return b.String()
}

// newSecret returns a signing secret of 256 random bits.
func newSecret() string {
	var b [32]byte
	rand.Read(b[:]) // never fails, says crypto/rand
	return "whsec_" + hex.EncodeToString(b[:])
}
