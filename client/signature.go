package client

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// SignatureHeader is the header with a webhook's signature.
const SignatureHeader = "X-Webhook-Signature"

// SignatureTolerance is the maximum difference between a signature's time and the receiver's clock.
const SignatureTolerance = 300 * time.Second

// Errors of VerifyWebhook; respond to each with 401.
var (
	ErrSignatureMissing = errors.New("the signature header is missing")
	ErrSignatureFormat  = errors.New("the signature header is not t=<unix seconds>,v1=<hex>")
	ErrSignatureWrong   = errors.New("the signature does not fit the body and the secret")
	ErrSignatureExpired = errors.New("the signature's time is too far from now")
)

// VerifyWebhook checks that body, the raw request body, was signed with the webhook's secret within SignatureTolerance of
// now. The header may contain several v1 signatures while a rotated secret is still valid; one must match.
func VerifyWebhook(body []byte, header, secret string, now time.Time) error {
	if header == "" {
		return ErrSignatureMissing
	}
	if secret == "" {
		return errors.New("verify webhook: the secret is empty")
	}
	stamp, signatures, err := parseSignature(header)
	if err != nil {
		return err
	}
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(stamp + "."))
	mac.Write(body)
	want := mac.Sum(nil)
	fits := false
	for _, s := range signatures {
		fits = hmac.Equal(s, want) || fits
	}
	if !fits {
		return ErrSignatureWrong
	}
	seconds, err := strconv.ParseInt(stamp, 10, 64)
	if err != nil {
		return fmt.Errorf("%w: t=%q", ErrSignatureFormat, stamp)
	}
	if age := now.Sub(time.Unix(seconds, 0)); age > SignatureTolerance || age < -SignatureTolerance {
		return fmt.Errorf("%w: %s", ErrSignatureExpired, age.Round(time.Second))
	}
	return nil
}

// ToolSignatureHeader is the header with the signature of a tool's request.
const ToolSignatureHeader = "X-Parley-Signature"

// VerifyToolRequest is like VerifyWebhook for the request of a tool: the signature covers method, URL and body. url is the whole URL as
// the tool names it, with scheme and host, such as https://api.example.com/orders/7?full=1.
func VerifyToolRequest(method, url string, body []byte, header, secret string, now time.Time) error {
	return VerifyWebhook(append([]byte(method+" "+url+"\n"), body...), header, secret, now)
}

// parseSignature parses the header. Schemes other than v1 are ignored.
func parseSignature(header string) (stamp string, signatures [][]byte, err error) {
	for part := range strings.SplitSeq(header, ",") {
		key, value, ok := strings.Cut(strings.TrimSpace(part), "=")
		switch {
		case !ok:
			return "", nil, fmt.Errorf("%w: %q", ErrSignatureFormat, part)
		case key == "t" && stamp != "":
			return "", nil, fmt.Errorf("%w: two times", ErrSignatureFormat)
		case key == "t":
			stamp = value
		case key == "v1":
			s, err := hex.DecodeString(value)
			if err != nil {
				return "", nil, fmt.Errorf("%w: v1=%q", ErrSignatureFormat, value)
			}
			signatures = append(signatures, s)
		}
	}
	if stamp == "" || len(signatures) == 0 {
		return "", nil, ErrSignatureFormat
	}
	return stamp, signatures, nil
}
