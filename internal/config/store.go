package config

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"parley/internal/seal"
)

// minJWTSecret is the minimum length of JWT_SECRET, in characters.
const minJWTSecret = 32

// check validates what needs no access to the data folder.
func (s *Store) check() error {
	if n := utf8.RuneCountInString(s.JWTSecret); s.JWTSecret != "" && n < minJWTSecret {
		return wrong("JWT_SECRET", "has %d characters, want at least %d", n, minJWTSecret)
	}
	if s.EncryptionKey != "" {
		if _, err := seal.ParseKey(s.EncryptionKey); err != nil {
			return wrong("ENCRYPTION_KEY", "%v", err)
		}
	}
	for _, key := range s.EncryptionKeysOld {
		if _, err := seal.ParseKey(key); err != nil {
			return wrong("ENCRYPTION_KEYS_OLD", "%v", err)
		}
	}
	if s.DatabaseURL != "" {
		if !strings.HasPrefix(s.DatabaseURL, "postgres://") && !strings.HasPrefix(s.DatabaseURL, "postgresql://") {
			return wrong("DATABASE_URL", "want postgres://…, or nothing for SQLite in the data folder")
		}
		if s.JWTSecret == "" {
			return wrong("JWT_SECRET", "is required with DATABASE_URL, the same on every node")
		}
		if s.EncryptionKey == "" {
			return wrong("ENCRYPTION_KEY", "is required with DATABASE_URL, the same on every node")
		}
	}
	return nil
}

// Check returns the first invalid setting, if any.
func (s *Store) Check() error { return s.check() }

// Secrets are the keys for signing and encryption.
type Secrets struct {
	JWT     string
	Sealer  *seal.Sealer
	APIKeys [][]byte // that hash API keys: of the encryption key, then of each earlier one
	LiveKit string   // of the embedded media server
}

// Prepare creates the data folder and, unless configured, the secrets in it.
func (s *Store) Prepare() (Secrets, error) {
	if err := s.makeDataDir(); err != nil {
		return Secrets{}, err
	}
	var secrets Secrets
	var err error
	if secrets.JWT = s.JWTSecret; secrets.JWT == "" {
		if secrets.JWT, err = s.secret("jwt-secret"); err != nil {
			return secrets, err
		}
	}
	key := s.EncryptionKey
	if key == "" {
		if err := s.checkLostKey(); err != nil {
			return secrets, err
		}
		if key, err = s.secret("encryption-key"); err != nil {
			return secrets, err
		}
	}
	if secrets.LiveKit, err = s.secret("livekit-secret"); err != nil {
		return secrets, err
	}
	current, err := seal.ParseKey(key)
	if err != nil {
		return secrets, wrong("ENCRYPTION_KEY", "%v", err)
	}
	var old [][]byte
	for _, k := range s.EncryptionKeysOld {
		parsed, err := seal.ParseKey(k)
		if err != nil {
			return secrets, wrong("ENCRYPTION_KEYS_OLD", "%v", err)
		}
		old = append(old, parsed)
	}
	for _, k := range append([][]byte{current}, old...) {
		secrets.APIKeys = append(secrets.APIKeys, seal.Derive(k, "API keys"))
	}
	secrets.Sealer, err = seal.New(current, old...)
	return secrets, err
}

// makeDataDir creates the folder and verifies that it is writable.
func (s *Store) makeDataDir() error {
	problem := func(err error) error {
		var path *fs.PathError
		if errors.As(err, &path) {
			err = path.Err
		}
		return wrong("PARLEY_DATA_DIR", "%s cannot be used: %v", s.DataDir, err)
	}
	if err := os.MkdirAll(s.DataDir, 0o700); err != nil {
		return problem(err)
	}
	if _, err := os.ReadDir(s.DataDir); err != nil {
		return problem(err)
	}
	probe, err := os.CreateTemp(s.DataDir, ".probe-*")
	if err != nil {
		return problem(err)
	}
	probe.Close()
	if err := os.Remove(probe.Name()); err != nil {
		return problem(err)
	}
	s.tighten()
	return nil
}

// checkLostKey returns an error when the generated encryption key is missing beside a database, because a new key
// could not decrypt it.
func (s *Store) checkLostKey() error {
	if _, err := os.Stat(s.Path("encryption-key")); !errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	switch file, err := os.Stat(s.DatabaseFile()); {
	case errors.Is(err, fs.ErrNotExist), err == nil && file.Size() == 0:
		return nil
	case err != nil:
		return wrong("PARLEY_DATA_DIR", "%v", err)
	}
	return wrong("ENCRYPTION_KEY", "is not set, and %s, which the data beside it was sealed with, is missing: restore it", s.Path("encryption-key"))
}

// secret returns a generated secret of the data folder, creating it the first time: 32 random bytes as 64
// hexadecimal digits. Processes that start concurrently agree on one.
func (s *Store) secret(name string) (string, error) {
	path := s.Path(name)
	for {
		content, err := os.ReadFile(path)
		if err == nil {
			if text := strings.TrimSpace(string(content)); len(text) >= minJWTSecret {
				return text, nil
			}
			return "", wrong("PARLEY_DATA_DIR", "%s holds no secret; restore it, or remove it to have a new one made (what the old one sealed is lost then)", path)
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return "", wrong("PARLEY_DATA_DIR", "%v", err)
		}
		var random [32]byte
		rand.Read(random[:]) // never fails, says crypto/rand
		if err := WriteSecret(path, hex.EncodeToString(random[:])); err != nil && !errors.Is(err, fs.ErrExist) {
			return "", wrong("PARLEY_DATA_DIR", "%v", err)
		}
	}
}

// WriteSecret atomically creates a file that only its owner may read; fs.ErrExist if it exists.
func WriteSecret(path, content string) error {
	file, err := os.CreateTemp(filepath.Dir(path), ".secret-*") // mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(file.Name())
	if _, err := file.WriteString(content + "\n"); err != nil {
		file.Close()
		return err
	}
	if err := file.Close(); err != nil {
		return err
	}
	return os.Link(file.Name(), path)
}

// Path returns the path of a file in the data folder.
func (s *Store) Path(name string) string { return filepath.Join(s.DataDir, name) }

// DatabaseFile returns the path of SQLite's file.
func (s *Store) DatabaseFile() string { return s.Path("parley.db") }

// Logger returns the configured logger, on standard error.
func (s *Store) Logger() *slog.Logger {
	var level slog.Level
	if err := level.UnmarshalText([]byte(s.LogLevel)); err != nil {
		level = slog.LevelInfo
	}
	options := &slog.HandlerOptions{Level: level}
	if s.LogFormat == "json" {
		return slog.New(slog.NewJSONHandler(os.Stderr, options))
	}
	return slog.New(slog.NewTextHandler(os.Stderr, options))
}
