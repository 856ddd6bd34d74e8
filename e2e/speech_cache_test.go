package e2e

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"parley/e2e/binary"
	"parley/e2e/callers"
	"parley/internal/audio"
	"parley/internal/media"
)

// cachedSpeech returns the entries of a data folder's speech cache, by their paths.
func cachedSpeech(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	entries := map[string][]byte{}
	err := filepath.WalkDir(filepath.Join(dir, "speech"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil //nolint:nilerr // the folder comes with its first entry
		}
		entries[path], err = os.ReadFile(path)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return entries
}

// awaitGreeting makes a call and waits for the agent's first sound.
func awaitGreeting(t *testing.T, s *binary.Server, agent string) {
	t.Helper()
	d := beginWith(t, s, agent)
	heard := make(chan struct{}, 1)
	caller, err := joiner.Join(t.Context(), media.JoinOptions{URL: d.URL, Token: d.Token, OnFrame: func(pcm []int16) {
		if audio.RMS(pcm) > 100 {
			select {
			case heard <- struct{}{}:
			default:
			}
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer caller.Leave()
	go callers.StayQuiet(caller)
	select {
	case <-heard:
	case <-time.After(patience):
		t.Fatalf("call %s: no greeting", d.CallID)
	}
}

// lookups returns a count of the speech cache's metric.
func lookups(t *testing.T, s *binary.Server, result string) string {
	t.Helper()
	body, _ := fetch(t, s.URL+"/metrics", s.Key, "", 200)
	found := regexp.MustCompile(`(?m)^speech_cache_lookups_total\{result="` + result + `"\} (\d+)$`).FindStringSubmatch(string(body))
	if found == nil {
		t.Fatalf("no metric speech_cache_lookups_total of %s", result)
	}
	return found[1]
}

// The fixed texts of an agent are synthesised when it is saved, encrypted, and its first call has them; so has one after a restart, for
// which its voice's vendor is not asked.
func TestSpeechCache(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	first, err := start(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(first.Kill)
	newAgent(t, first, "desk", object{"provider": "offline", "model": "pocketsphinx"}, object{"provider": "offline", "model": "scripted"}, object{"provider": "offline", "voice_id": "slt"})
	await(t, "the fixed texts", func() bool { return len(cachedSpeech(t, dir)) >= 6 })
	for path, entry := range cachedSpeech(t, dir) {
		if bytes.Contains(entry, []byte("moment")) || bytes.Contains(entry, []byte("samples")) || strings.Contains(path, "moment") {
			t.Errorf("%s is not encrypted", path)
		}
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: mode %v, %v", path, info.Mode(), err)
		}
	}
	awaitGreeting(t, first, "desk")
	if err := first.Stop(); err != nil {
		t.Fatal(err)
	}
	second := serve(t, dir, nil)
	awaitGreeting(t, second, "desk")
	await(t, "the lookups of the call", func() bool { return lookups(t, second, "hit") != "0" })
	if misses := lookups(t, second, "miss"); misses != "0" {
		t.Errorf("%s texts were not found after a restart", misses)
	}
}
