package negotiation

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Encryption says whether audio is encrypted with keys in the description (RFC 4568). Keys in an RTP/AVP stream are
// opportunistic (RFC 8643).
type Encryption string

// The values of Encryption.
const (
	Off     Encryption = "off"     // neither offered nor accepted
	Allow   Encryption = "allow"   // the other side decides
	Require Encryption = "require" // descriptions without it are refused
)

// suite is a profile of SRTP.
type suite struct {
	name    string
	length  int // of key and salt, in bytes
	offered bool
}

// suites are the known ones (RFC 4568 6.2, RFC 6188, RFC 7714), in the order of offers.
var suites = []suite{
	{"AES_CM_128_HMAC_SHA1_80", 30, true},
	{"AEAD_AES_128_GCM", 28, true},
	{"AES_CM_128_HMAC_SHA1_32", 30, true},
	{"AES_256_CM_HMAC_SHA1_80", 46, false},
	{"AES_256_CM_HMAC_SHA1_32", 46, false},
	{"AEAD_AES_256_GCM", 44, false},
}

// maxIdentifier limits a master key identifier in bytes (RFC 3711: at most 128).
const maxIdentifier = 128

// parseKey reads the value of an a=crypto attribute. It is not ok if the suite or a parameter is unknown.
func parseKey(value string) (k Key, ok bool) {
	fields := strings.Fields(value)
	if len(fields) < 3 {
		return k, false
	}
	tag, err := strconv.ParseUint(fields[0], 10, 30)
	if err != nil {
		return k, false
	}
	for _, parameter := range fields[3:] {
		if !strings.HasPrefix(strings.ToUpper(parameter), "WSH=") { // the others change how packets are made
			return k, false
		}
	}
	k.Tag, k.Suite = int(tag), canonicalSuite(fields[1])
	at := slices.IndexFunc(suites, func(s suite) bool { return s.name == k.Suite })
	inline, found := strings.CutPrefix(fields[2], "inline:")
	if at < 0 || !found || strings.Contains(inline, ";") { // several keys
		return k, false
	}
	parts := strings.Split(inline, "|")
	if k.Secret, err = base64.RawStdEncoding.DecodeString(strings.TrimRight(parts[0], "=")); err != nil || len(k.Secret) != suites[at].length {
		return k, false
	}
	for _, p := range parts[1:] { // a lifetime, which calls do not reach, or an identifier
		identifier, length, isIdentifier := strings.Cut(p, ":")
		if !isIdentifier {
			continue
		}
		if k.Identifier, ok = parseIdentifier(identifier, length); !ok {
			return k, false
		}
	}
	return k, true
}

// parseIdentifier reads a master key identifier: a number, and its length in packets.
func parseIdentifier(value, length string) ([]byte, bool) {
	n, err := strconv.ParseUint(value, 10, 64)
	size, wrong := strconv.ParseUint(length, 10, 8)
	if err != nil || wrong != nil || size == 0 || size > maxIdentifier {
		return nil, false
	}
	long := binary.BigEndian.AppendUint64(make([]byte, maxIdentifier-8), n)
	return long[uint64(len(long))-size:], true
}

// canonicalSuite returns the registered name of a suite: some name the 256 bits as in drafts of RFC 6188.
func canonicalSuite(name string) string {
	name = strings.ToUpper(name)
	if rest, ok := strings.CutPrefix(name, "AES_CM_256_"); ok {
		return "AES_256_CM_" + rest
	}
	return name
}

// newKey makes a key of a known suite.
func newKey(tag int, name string) *Key {
	at := slices.IndexFunc(suites, func(s suite) bool { return s.name == name })
	k := &Key{Tag: tag, Suite: name, Secret: make([]byte, suites[at].length)}
	rand.Read(k.Secret) // never fails (crypto/rand)
	return k
}

// line is the attribute of a key.
func (k *Key) line() string {
	return fmt.Sprintf("crypto:%d %s inline:%s", k.Tag, k.Suite, base64.StdEncoding.EncodeToString(k.Secret))
}

// keysOf returns the usable keys of a medium in its order.
func keysOf(m media) (keys []Key) {
	for _, a := range m.attributes {
		if a.name != "crypto" {
			continue
		}
		if k, ok := parseKey(a.value); ok {
			keys = append(keys, k)
		}
	}
	return keys
}

// profileOf reports whether a profile is one of SRTP, and whether it is known: RTP over UDP, with keys in the description if
// it is secured.
func profileOf(name string) (secured, known bool) {
	switch strings.ToUpper(name) {
	case "RTP/AVP", "RTP/AVPF":
		return false, true
	case "RTP/SAVP", "RTP/SAVPF":
		return true, true
	}
	return false, false
}
