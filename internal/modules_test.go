package internal_test

import (
	"os"
	"regexp"
	"testing"
)

// LiveKit's programs of the tests are built from the versions that Parley is built from: they are what Parley embeds, and most of
// their packages are compiled already.
func TestModulesOfLiveKitsPrograms(t *testing.T) {
	ours := versions(t, "../go.mod")
	for path, version := range versions(t, "../tools/livekit/go.mod") {
		if own, both := ours[path]; both && own != version {
			t.Errorf("tools/livekit/go.mod has %s %s, go.mod %s", path, version, own)
		}
	}
}

func versions(t *testing.T, path string) map[string]string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	of := map[string]string{}
	for _, m := range regexp.MustCompile(`(?m)^\t(\S+\.\S+) (v\S+)`).FindAllStringSubmatch(string(text), -1) {
		of[m[1]] = m[2]
	}
	if len(of) < 100 {
		t.Fatalf("%s requires %d modules", path, len(of))
	}
	return of
}
