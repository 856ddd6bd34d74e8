package seal_test

import (
	"bytes"
	"encoding/hex"
	"testing"

	"parley/internal/seal"
)

func TestDerive(t *testing.T) {
	key := bytes.Repeat([]byte{7}, seal.KeySize)
	// openssl kdf -keylen 32 -kdfopt digest:SHA256 -kdfopt hexkey:0707… -kdfopt 'info:parley API keys' HKDF
	const want = "8f5e72b44e06d7ccbfe8d594b827dacbd305b21a22d70b6a00f7c369d4460e53"
	if got := hex.EncodeToString(seal.Derive(key, "API keys")); got != want {
		t.Errorf("derived %s, want %s: every stored API key would be lost", got, want)
	}
	if bytes.Equal(seal.Derive(key, "API keys"), seal.Derive(key, "API key")) {
		t.Error("two purposes share a key")
	}
}
