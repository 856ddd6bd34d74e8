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

	"github.com/icholy/digest"
	"github.com/livekit/sipgo/sip"
)

const (
	// realm is what credentials of inbound calls are for (RFC 7616).
	realm = "parley"
	// nonceLife is how long a caller may take to answer a challenge.
	nonceLife = time.Minute
	nonceSize = 8 + sha256.Size
)

// nonces makes and checks the nonces of challenges without keeping any: each holds its time and a code that binds it to
// the address that it was sent to and to the call. A flood of challenges pushes none out.
type nonces struct {
	key []byte
	now func() time.Time
}

func newNonces() nonces {
	key := make([]byte, sha256.Size)
	rand.Read(key) // never fails, says crypto/rand
	return nonces{key, time.Now}
}

func (n nonces) make(at time.Time, source netip.Addr, callID string) string {
	nonce := binary.BigEndian.AppendUint64(make([]byte, 0, nonceSize), uint64(at.Unix()))
	code := hmac.New(sha256.New, n.key)
	code.Write(nonce)
	code.Write([]byte(source.String() + " " + callID))
	return base64.RawURLEncoding.EncodeToString(code.Sum(nonce))
}

// challenge asks a caller for credentials; stale says that those shown were made for a nonce that is none any more.
func (n nonces) challenge(source netip.Addr, callID string, stale bool) sip.Header {
	c := digest.Challenge{Realm: realm, Nonce: n.make(n.now(), source, callID), Algorithm: "MD5", Stale: stale}
	return sip.NewHeader("Proxy-Authenticate", c.String())
}

// credentials are what a caller shows (RFC 7616 3.4).
type credentials struct{ digest.Credentials }

// read reads the credentials that a caller shows; fresh says that they answer a challenge of the last minute that went
// to this address for this call.
func (n nonces) read(shown string, source netip.Addr, callID string) (c credentials, fresh bool) {
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
	if age := n.now().Sub(at); age < -time.Second || age > nonceLife {
		return c, false
	}
	return c, subtle.ConstantTimeCompare([]byte(c.Nonce), []byte(n.make(at, source, callID))) == 1
}

// proves reports whether the credentials were made by somebody who knows the password.
func (c credentials) proves(method, username, password string) bool {
	if c.Username != username || c.Realm != realm {
		return false
	}
	want, err := digest.Digest(&digest.Challenge{Realm: realm, Nonce: c.Nonce, Algorithm: "MD5"},
		digest.Options{Method: method, URI: c.URI, Username: username, Password: password})
	return err == nil && subtle.ConstantTimeCompare([]byte(want.Response), []byte(c.Response)) == 1
}
