package mediaport

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/pion/rtp"
	"github.com/pion/srtp/v3"

	"parley/internal/sip/negotiation"
)

const (
	// replayWindow is the number of packets in which repeated ones are recognized (RFC 3711 3.3.2).
	replayWindow = 256

	// keyGrace is how long packets with the former key are accepted after a change: those that are on their way.
	keyGrace = 2 * time.Second
)

// profiles are the suites of RFC 4568, RFC 6188 and RFC 7714 by their names in a=crypto.
var profiles = map[string]srtp.ProtectionProfile{
	"AES_CM_128_HMAC_SHA1_80": srtp.ProtectionProfileAes128CmHmacSha1_80,
	"AES_CM_128_HMAC_SHA1_32": srtp.ProtectionProfileAes128CmHmacSha1_32,
	"AES_256_CM_HMAC_SHA1_80": srtp.ProtectionProfileAes256CmHmacSha1_80,
	"AES_256_CM_HMAC_SHA1_32": srtp.ProtectionProfileAes256CmHmacSha1_32,
	"AEAD_AES_128_GCM":        srtp.ProtectionProfileAeadAes128Gcm,
	"AEAD_AES_256_GCM":        srtp.ProtectionProfileAeadAes256Gcm,
}

// errNotAuthentic is returned for packets that were not protected with the agreed key, or that were received before.
var errNotAuthentic = errors.New("packet is not authentic")

// newContext returns the SRTP context of a key; nil without one.
func newContext(k *negotiation.Key) (*srtp.Context, error) {
	if k == nil {
		return nil, nil
	}
	profile, ok := profiles[k.Suite]
	if !ok {
		return nil, fmt.Errorf("open SRTP: unknown suite %q", k.Suite)
	}
	keyLength, errKey := profile.KeyLen()
	saltLength, errSalt := profile.SaltLen()
	if err := errors.Join(errKey, errSalt); err != nil {
		return nil, fmt.Errorf("open SRTP with %s: %w", k.Suite, err)
	}
	if len(k.Secret) != keyLength+saltLength {
		return nil, fmt.Errorf("open SRTP with %s: the key has %d bytes, want %d", k.Suite, len(k.Secret), keyLength+saltLength)
	}
	c, err := srtp.CreateContext(k.Secret[:keyLength], k.Secret[keyLength:], profile, srtp.SRTPReplayProtection(replayWindow), srtp.SRTCPReplayProtection(replayWindow))
	if err != nil {
		return nil, fmt.Errorf("open SRTP with %s: %w", k.Suite, err)
	}
	return c, nil
}

func keyEqual(a, b *negotiation.Key) bool {
	return a == b || a != nil && b != nil && a.Suite == b.Suite && bytes.Equal(a.Secret, b.Secret)
}

// inboundKeys decrypt what arrives. Without a key, packets are as they are.
type inboundKeys struct {
	contexts []keyContext // the newest first
	plain    []byte       // of the last packet
}

type keyContext struct {
	*srtp.Context
	until time.Time // zero for a current key
}

// change replaces the key. Peers differ in whether a stream's rollover counter begins anew with a key (RFC 3711 3.3.1 says
// it does not), so both are tried.
func (k *inboundKeys) change(now time.Time, key *negotiation.Key, ssrc uint32) error {
	next, err := newContext(key)
	if err != nil || next == nil {
		k.contexts = nil
		return err
	}
	contexts := []keyContext{{Context: next}}
	if len(k.contexts) > 0 {
		old := k.contexts[0].Context
		if counter, known := old.ROC(ssrc); known && counter > 0 {
			continued, err := newContext(key)
			if err != nil {
				return err
			}
			continued.SetROC(ssrc, counter)
			contexts = append(contexts, keyContext{Context: continued})
		}
		contexts = append(contexts, keyContext{Context: old, until: now.Add(keyGrace)})
	}
	k.contexts = contexts
	return nil
}

// decrypt returns the RTP packet inside p, valid until the next call, and sets the header.
func (k *inboundKeys) decrypt(now time.Time, p []byte, h *rtp.Header) ([]byte, error) {
	if len(k.contexts) == 0 {
		return p, nil
	}
	k.expire(now)
	for i, c := range k.contexts {
		plain, err := c.DecryptRTP(k.plain[:0], p, h)
		if err != nil {
			continue
		}
		k.plain = plain
		if i > 0 && c.until.IsZero() {
			k.contexts[0], k.contexts = c, slices.Delete(k.contexts, i, i+1)
		}
		return plain, nil
	}
	return nil, errNotAuthentic
}

// decryptControl is like decrypt, for RTCP.
func (k *inboundKeys) decryptControl(now time.Time, p []byte) ([]byte, error) {
	if len(k.contexts) == 0 {
		return p, nil
	}
	k.expire(now)
	for _, c := range k.contexts {
		if plain, err := c.DecryptRTCP(nil, p, nil); err == nil {
			return plain, nil
		}
	}
	return nil, errNotAuthentic
}

func (k *inboundKeys) expire(now time.Time) {
	if last := len(k.contexts) - 1; !k.contexts[last].until.IsZero() && now.After(k.contexts[last].until) {
		k.contexts = k.contexts[:last]
	}
}
