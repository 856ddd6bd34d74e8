package seal

import (
	"crypto/hkdf"
	"crypto/sha256"
)

// Derive derives a key for another purpose from an encryption key (HKDF, RFC 5869, with SHA-256); neither reveals
// the other.
func Derive(key []byte, purpose string) []byte {
	derived, err := hkdf.Key(sha256.New, key, nil, "parley "+purpose, KeySize)
	if err != nil {
		panic(err) // 32 bytes of SHA-256 are never too many, RFC 5869 section 2.3
	}
	return derived
}
