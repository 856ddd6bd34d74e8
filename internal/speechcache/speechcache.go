// Package speechcache caches the speech of fixed texts, such as greetings, in a folder: each is synthesised once. Entries are encrypted,
// belong to one tenant, and are deleted when the folder is full, those first that were used longest ago.
package speechcache

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"log/slog"
	"os"
	"path/filepath"
	"sync"

	"github.com/google/uuid"

	"parley/internal/dialogue"
	"parley/internal/redact"
	"parley/internal/seal"
)

// Options configures a Cache.
type Options struct {
	Dir    string // need not exist yet
	Limit  int64  // bytes of all entries
	Sealer *seal.Sealer
	Log    *slog.Logger
	// Looked is called for each text that was looked up; may be nil.
	Looked func(tenantID string, found bool)
	// Evicted is called when entries were deleted because the folder was full; may be nil.
	Evicted func(entries int)
}

// Cache is the cache of a folder. Several processes may use the same folder.
type Cache struct {
	o Options

	mu   sync.Mutex
	size int64 // of all entries, as known to this process
}

// Open opens the cache of a folder.
func Open(o Options) *Cache {
	c := &Cache{o: o}
	c.evict()
	return c
}

// Size returns the size of all entries, in bytes, as known to this process.
func (c *Cache) Size() int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.size
}

// Voice is a voice of a tenant, with everything that its sound depends on.
type Voice struct {
	TenantID string
	Provider string
	Account  string // identifies the account with the provider, and is not its key
	Options  dialogue.VoiceOptions
}

// Of returns the cache of a voice.
func (c *Cache) Of(v Voice) *VoiceCache { return &VoiceCache{c, v} }

// VoiceCache is the part of a Cache that belongs to one voice.
type VoiceCache struct {
	cache *Cache
	voice Voice
}

// Find returns the speech of an utterance of these texts; nil if it is not cached.
func (v *VoiceCache) Find(texts []string) []dialogue.Speech {
	speech := v.cache.read(v.entry(texts))
	if v.cache.o.Looked != nil {
		v.cache.o.Looked(v.voice.TenantID, speech != nil)
	}
	return speech
}

// Add caches the speech of an utterance, unless its texts have what redaction masks, such as a phone number.
func (v *VoiceCache) Add(texts []string, speech []dialogue.Speech) {
	for _, text := range texts {
		if redact.Text(text) != text {
			return
		}
	}
	v.cache.write(v.entry(texts), speech)
}

// entry identifies an entry.
type entry struct{ tenantID, name string }

// formatVersion is part of the names of entries: those of another format are not found.
const formatVersion = 1

func (v *VoiceCache) entry(texts []string) entry {
	of, err := json.Marshal(struct {
		Version int
		Voice   Voice
		Texts   []string
	}{formatVersion, v.voice, texts})
	if err != nil {
		panic(err) // texts and numbers only
	}
	sum := sha256.Sum256(of)
	return entry{v.voice.TenantID, hex.EncodeToString(sum[:])}
}

func (e entry) place() seal.Place {
	return seal.Place{Table: "speech_cache", Row: e.name, Tenant: e.tenantID}
}

// file returns the path of an entry; "" for a tenant whose entries cannot be stored.
func (c *Cache) file(e entry) string {
	if uuid.Validate(e.tenantID) != nil {
		return ""
	}
	return filepath.Join(c.o.Dir, e.tenantID, e.name)
}

// read returns the speech of an entry and marks it as used; nil if there is none that can be read.
func (c *Cache) read(e entry) []dialogue.Speech {
	file := c.file(e)
	sealed, err := os.ReadFile(file)
	if err != nil {
		return nil
	}
	plain, err := c.o.Sealer.Open(sealed, e.place())
	if err != nil {
		c.remove(file, int64(len(sealed)))
		return nil
	}
	speech, err := decode(plain)
	if err != nil {
		c.remove(file, int64(len(sealed)))
		return nil
	}
	markUsed(file)
	return speech
}

// write stores an entry. Errors are logged: the speech is synthesised again.
func (c *Cache) write(e entry, speech []dialogue.Speech) {
	file := c.file(e)
	sealed := c.o.Sealer.Seal(encode(speech), e.place())
	if file == "" || int64(len(sealed)) > c.o.Limit {
		return
	}
	before := int64(0)
	if info, err := os.Stat(file); err == nil {
		before = info.Size()
	}
	if err := replace(file, sealed); err != nil {
		c.o.Log.Warn("speech is not cached", "error", err)
		return
	}
	c.mu.Lock()
	c.size += int64(len(sealed)) - before
	full := c.size > c.o.Limit
	c.mu.Unlock()
	if full {
		c.evict()
	}
}

// replace writes a file that is complete whenever it is there.
func replace(file string, content []byte) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	temporary, err := os.CreateTemp(filepath.Dir(file), temporaryPrefix+"*") // mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(temporary.Name())
	if _, err := temporary.Write(content); err != nil {
		temporary.Close()
		return err
	}
	if err := temporary.Close(); err != nil {
		return err
	}
	return os.Rename(temporary.Name(), file)
}
