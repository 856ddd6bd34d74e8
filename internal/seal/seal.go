// Package seal encrypts secrets and personal data in the database: call contexts, provider keys, webhook secrets.
package seal

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
)

// KeySize is the length of an encryption key in bytes (AES-256).
const KeySize = 32

// keyIDSize is the length of the key's fingerprint in front of a sealed value.
const keyIDSize = 4

// ErrOpen is returned for an encrypted value that was changed, moved to another row, or encrypted with an unknown
// key.
var ErrOpen = errors.New("the sealed value does not open")

// Sealer encrypts with one key and decrypts with that key or an older one. An encrypted value is key id (4 bytes),
// nonce (12 bytes), AES-256-GCM ciphertext.
type Sealer struct {
	current string // key id
	keys    map[string]cipher.AEAD
}

// New returns a sealer. Old keys only open, for rotation.
func New(key []byte, old ...[]byte) (*Sealer, error) {
	s := &Sealer{keys: map[string]cipher.AEAD{}}
	for i, k := range append([][]byte{key}, old...) {
		if len(k) != KeySize {
			return nil, fmt.Errorf("an encryption key has %d bytes, want %d", len(k), KeySize)
		}
		block, err := aes.NewCipher(k)
		if err != nil {
			return nil, err
		}
		aead, err := cipher.NewGCM(block)
		if err != nil {
			return nil, err
		}
		sum := sha256.Sum256(append([]byte("parley key id\x00"), k...))
		id := string(sum[:keyIDSize])
		if i == 0 {
			s.current = id
		}
		s.keys[id] = aead
	}
	return s, nil
}

// ParseKey reads a key given as 32 bytes or as 64 hexadecimal digits.
func ParseKey(text string) ([]byte, error) {
	if len(text) == 2*KeySize {
		if key, err := hex.DecodeString(text); err == nil {
			return key, nil
		}
	}
	if len(text) != KeySize {
		return nil, fmt.Errorf("want exactly %d bytes or %d hexadecimal digits, got %d bytes", KeySize, 2*KeySize, len(text))
	}
	return []byte(text), nil
}

// Place is the position of an encrypted value (table, row, tenant), which is authenticated.
type Place struct {
	Table, Row, Tenant string
}

func (p Place) bytes() []byte {
	return []byte(strings.Join([]string{p.Table, p.Row, p.Tenant}, "\x00"))
}

// Seal encrypts plain for its place.
func (s *Sealer) Seal(plain []byte, at Place) []byte {
	aead := s.keys[s.current]
	out := make([]byte, keyIDSize+aead.NonceSize(), keyIDSize+aead.NonceSize()+len(plain)+aead.Overhead())
	copy(out, s.current)
	nonce := out[keyIDSize:]
	rand.Read(nonce) // never fails, says crypto/rand
	return aead.Seal(out, nonce, plain, at.bytes())
}

// Current reports whether a value was encrypted with the current key.
func (s *Sealer) Current(sealed []byte) bool { return strings.HasPrefix(string(sealed), s.current) }

// Open decrypts a value of the same place, or returns ErrOpen.
func (s *Sealer) Open(sealed []byte, at Place) ([]byte, error) {
	if len(sealed) < keyIDSize {
		return nil, ErrOpen
	}
	aead, known := s.keys[string(sealed[:keyIDSize])]
	sealed = sealed[keyIDSize:]
	if !known || len(sealed) < aead.NonceSize() {
		return nil, ErrOpen
	}
	plain, err := aead.Open(nil, sealed[:aead.NonceSize()], sealed[aead.NonceSize():], at.bytes())
	if err != nil {
		return nil, ErrOpen
	}
	return plain, nil
}
