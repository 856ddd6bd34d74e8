package speechcache_test

import (
	"bytes"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/internal/dialogue"
	"parley/internal/seal"
	"parley/internal/speechcache"
)

const acme, other = "018f0000-0000-7000-8000-000000000001", "018f0000-0000-7000-8000-000000000002"

func sealer(t *testing.T, first byte) *seal.Sealer {
	t.Helper()
	s, err := seal.New(append([]byte{first}, make([]byte, seal.KeySize-1)...))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func voiceOf(tenantID string) speechcache.Voice {
	return speechcache.Voice{TenantID: tenantID, Provider: "cartesia", Account: "a", Options: dialogue.VoiceOptions{Model: "sonic-3", VoiceID: "v", Language: "en", Speed: 1}}
}

var hello = []dialogue.Speech{
	{PCM: []int16{1, -2, 32767}, Text: "Hello there.", Words: []dialogue.Word{{Text: "Hello", End: time.Second}}},
	{PCM: []int16{-32768}},
	{PCM: []int16{7}, Text: "How are you?"},
}

var helloTexts = []string{"Hello there.", "How are you?"}

// files returns the content of all files of a folder.
func files(t *testing.T, dir string) (content [][]byte) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		file, err := os.ReadFile(path)
		content = append(content, file)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// An entry is found after a restart, by its tenant, voice and texts alone, and is encrypted.
func TestEntry(t *testing.T) {
	o := speechcache.Options{Dir: t.TempDir(), Limit: 1 << 20, Sealer: sealer(t, 1), Log: slog.New(slog.DiscardHandler)}
	speechcache.Open(o).Of(voiceOf(acme)).Add(helloTexts, hello)
	c := speechcache.Open(o)
	if diff := cmp.Diff(hello, c.Of(voiceOf(acme)).Find(helloTexts)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	stored := files(t, o.Dir)
	if len(stored) != 1 || bytes.Contains(stored[0], []byte("Hello")) || c.Size() != int64(len(stored[0])) {
		t.Errorf("%d files, of which the first has %d bytes, and the cache %d: %q", len(stored), len(stored[0]), c.Size(), stored)
	}
	for name, change := range map[string]func(*speechcache.Voice){
		"tenant":        func(v *speechcache.Voice) { v.TenantID = other },
		"provider":      func(v *speechcache.Voice) { v.Provider = "elevenlabs" },
		"account":       func(v *speechcache.Voice) { v.Account = "b" },
		"model":         func(v *speechcache.Voice) { v.Options.Model = "sonic-2" },
		"voice":         func(v *speechcache.Voice) { v.Options.VoiceID = "w" },
		"language":      func(v *speechcache.Voice) { v.Options.Language = "de" },
		"speed":         func(v *speechcache.Voice) { v.Options.Speed = 1.1 },
		"emotion":       func(v *speechcache.Voice) { v.Options.Emotion = "calm" },
		"normalization": func(v *speechcache.Voice) { v.Options.TextNormalization = "off" },
	} {
		v := voiceOf(acme)
		change(&v)
		if c.Of(v).Find(helloTexts) != nil {
			t.Errorf("found for another %s", name)
		}
	}
	if c.Of(voiceOf(acme)).Find([]string{"Hello there. How are you?"}) != nil {
		t.Error("found for other texts")
	}
}

// An entry of another tenant does not open, even when its file is moved; nor one of a lost key. Both are deleted.
func TestEntryThatDoesNotOpen(t *testing.T) {
	o := speechcache.Options{Dir: t.TempDir(), Limit: 1 << 20, Sealer: sealer(t, 1), Log: slog.New(slog.DiscardHandler)}
	c := speechcache.Open(o)
	c.Of(voiceOf(acme)).Add(helloTexts, hello)
	c.Of(voiceOf(other)).Add(helloTexts, hello[:1])
	paths, err := filepath.Glob(filepath.Join(o.Dir, "*", "*"))
	if err != nil || len(paths) != 2 {
		t.Fatalf("%v, %v", paths, err)
	}
	if err := os.Rename(paths[0], paths[1]); err != nil {
		t.Fatal(err)
	}
	if c.Of(voiceOf(other)).Find(helloTexts) != nil || len(files(t, o.Dir)) != 0 {
		t.Error("a moved entry is used or kept")
	}
	c.Of(voiceOf(acme)).Add(helloTexts, hello)
	o.Sealer = sealer(t, 2)
	if speechcache.Open(o).Of(voiceOf(acme)).Find(helloTexts) != nil || len(files(t, o.Dir)) != 0 {
		t.Error("an entry of another key is used or kept")
	}
}

// The cache stays within its limit; what was used last stays.
func TestLimit(t *testing.T) {
	evicted := 0
	o := speechcache.Options{Dir: t.TempDir(), Limit: 100_000, Sealer: sealer(t, 1), Log: slog.New(slog.DiscardHandler), Evicted: func(n int) { evicted += n }}
	c := speechcache.Open(o)
	v := c.Of(voiceOf(acme))
	add := func(text string) {
		v.Add([]string{text}, []dialogue.Speech{{PCM: make([]int16, 10_000), Text: text}})
	}
	for _, text := range []string{"one", "two", "three", "four"} {
		add(text)
	}
	paths, _ := filepath.Glob(filepath.Join(o.Dir, "*", "*"))
	for _, path := range paths { // an hour ago
		if err := os.Chtimes(path, time.Now().Add(-time.Hour), time.Now().Add(-time.Hour)); err != nil {
			t.Fatal(err)
		}
	}
	if v.Find([]string{"one"}) == nil {
		t.Fatal("not found")
	}
	add("five")
	if evicted != 1 || c.Size() > o.Limit || v.Find([]string{"one"}) == nil || v.Find([]string{"five"}) == nil {
		t.Errorf("evicted %d, %d bytes are left", evicted, c.Size())
	}
	v.Add([]string{"long"}, []dialogue.Speech{{PCM: make([]int16, 60_000)}})
	if v.Find([]string{"long"}) != nil || v.Find([]string{"one"}) == nil {
		t.Error("an entry larger than the cache has replaced all others")
	}
	o.Limit = 50_000
	if got := speechcache.Open(o).Size(); got > o.Limit {
		t.Errorf("%d bytes after a restart with a lower limit", got)
	}
}

// Texts with what redaction masks are not cached, and tenants that are gone leave nothing behind.
func TestPersonalData(t *testing.T) {
	o := speechcache.Options{Dir: t.TempDir(), Limit: 1 << 20, Sealer: sealer(t, 1), Log: slog.New(slog.DiscardHandler)}
	c := speechcache.Open(o)
	c.Of(voiceOf(acme)).Add([]string{"Hello.", "Call me at +1 415 555 0100."}, hello)
	if len(files(t, o.Dir)) != 0 {
		t.Error("a phone number is cached")
	}
	c.Of(voiceOf(acme)).Add(helloTexts, hello)
	c.Of(voiceOf(other)).Add(helloTexts, hello)
	c.Of(voiceOf("..")).Add(helloTexts, hello)
	if err := c.Sweep(func(id string) (bool, error) { return id == acme, nil }); err != nil {
		t.Fatal(err)
	}
	if n := len(files(t, o.Dir)); n != 1 || c.Of(voiceOf(acme)).Find(helloTexts) == nil || c.Of(voiceOf(other)).Find(helloTexts) != nil {
		t.Errorf("%d files are left", n)
	}
}

// Whatever a file has, reading it does not fail.
func FuzzDecode(f *testing.F) {
	f.Add([]byte{2, 0, 0, 0, '[', ']'})
	f.Add([]byte("\x21\x00\x00\x00[{\"samples\":4611686018427387905}]\x00\x00"))
	f.Add([]byte("\x18\x00\x00\x00[{\"samples\":1000000000}]\x00\x00"))
	f.Fuzz(func(t *testing.T, content []byte) {
		o := speechcache.Options{Dir: t.TempDir(), Limit: 1 << 20, Sealer: sealer(t, 1), Log: slog.New(slog.DiscardHandler)}
		c := speechcache.Open(o)
		v := c.Of(voiceOf(acme))
		v.Add(helloTexts, hello)
		paths, _ := filepath.Glob(filepath.Join(o.Dir, acme, "*"))
		place := seal.Place{Table: "speech_cache", Row: filepath.Base(paths[0]), Tenant: acme}
		if err := os.WriteFile(paths[0], o.Sealer.Seal(content, place), 0o600); err != nil {
			t.Fatal(err)
		}
		v.Find(helloTexts)
	})
}
