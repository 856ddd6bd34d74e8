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

// SignatureHeader carries a delivery's signature.
const SignatureHeader = "X-Webhook-Signature"

// signature is the value of the signature header: t=<unix seconds>,v1=<hex>,
// where v1 is the HMAC-SHA256 of "<t>.<body>" keyed with the secret's text. It
// signs with each secret: two v1 stand in it while a rotated secret still counts.
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

// newSecret is a signing secret of 256 random bits.
func newSecret() string {
	var b [32]byte
	rand.Read(b[:]) // never fails, says crypto/rand
	return "whsec_" + hex.EncodeToString(b[:])
}
