package sip

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/binary"
	"net/netip"
	"time"

	"github.com/emiago/sipgo/sip"
	"github.com/icholy/digest"
)

const (
	// realm is the digest realm of inbound calls (RFC 7616).
	realm = "parley"
	// nonceTTL is how long a challenge may be answered.
	nonceTTL  = time.Minute
	nonceSize = 8 + sha256.Size
)

// nonces creates and verifies nonces without storing them: each contains its time and a MAC over the source address
// and the call. A flood of challenges therefore invalidates none.
type nonces struct {
	key []byte
	now func() time.Time
}

func newNonces() nonces {
	key := make([]byte, sha256.Size)
	rand.Read(key) // never fails (crypto/rand)
	return nonces{key, time.Now}
}

func (n nonces) newNonce(at time.Time, source netip.Addr, callID string) string {
	nonce := binary.BigEndian.AppendUint64(make([]byte, 0, nonceSize), uint64(at.Unix()))
	code := hmac.New(sha256.New, n.key)
	code.Write(nonce)
	code.Write([]byte(source.String() + " " + callID))
	return base64.RawURLEncoding.EncodeToString(code.Sum(nonce))
}

// challenge returns a digest challenge. stale reports that the credentials used an expired nonce.
func (n nonces) challenge(source netip.Addr, callID string, stale bool) sip.Header {
	c := digest.Challenge{Realm: realm, Nonce: n.newNonce(n.now(), source, callID), Algorithm: "MD5", Stale: stale}
	return sip.NewHeader("Proxy-Authenticate", c.String())
}

// credentials are a caller's digest credentials (RFC 7616 3.4).
type credentials struct{ digest.Credentials }

// parse parses a caller's credentials. fresh reports whether they answer a challenge that was sent to this address
// for this call within nonceTTL.
func (n nonces) parse(shown string, source netip.Addr, callID string) (c credentials, fresh bool) {
	parsed, err := digest.ParseCredentials(shown)
	if err != nil {
		return c, false
	}
	c = credentials{*parsed}
	raw, err := base64.RawURLEncoding.DecodeString(c.Nonce)
	if err != nil || len(raw) != nonceSize {
		return c, false
	}
	at := time.Unix(int64(binary.BigEndian.Uint64(raw)), 0)
	if age := n.now().Sub(at); age < -time.Second || age > nonceTTL {
		return c, false
	}
	return c, subtle.ConstantTimeCompare([]byte(c.Nonce), []byte(n.newNonce(at, source, callID))) == 1
}

// verify reports whether the credentials were computed with the password.
func (c credentials) verify(method, username, password string) bool {
	if c.Username != username || c.Realm != realm {
		return false
	}
	want, err := digest.Digest(&digest.Challenge{Realm: realm, Nonce: c.Nonce, Algorithm: "MD5"},
		digest.Options{Method: method, URI: c.URI, Username: username, Password: password})
	return err == nil && subtle.ConstantTimeCompare([]byte(want.Response), []byte(c.Response)) == 1
}
