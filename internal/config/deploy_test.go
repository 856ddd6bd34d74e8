package config

import (
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Compose files, chart, units and image set no variable of Parley's that does not exist.
func TestDeployedSettingsExist(t *testing.T) {
	var known []string
	for _, field := range reflect.VisibleFields(reflect.TypeFor[Server]()) {
		if name, ok := field.Tag.Lookup("env"); ok {
			known = append(known, name)
		}
	}
	// Of the compose files themselves and of the tests.
	own := []string{"PARLEY_IMAGE", "PARLEY_WORKERS", "PARLEY_DOMAIN", "PARLEY_PASSWORD", "PARLEY_DEBIAN_MIRROR", "PARLEY_BIN"}
	setting := regexp.MustCompile(`\b(PARLEY_[A-Z0-9_]*[A-Z0-9]|(?:OPENAI|DEEPGRAM|ASSEMBLYAI|CARTESIA|ELEVENLABS|ANTHROPIC)[A-Z_]*_(?:API_KEY|BASE_URL))\b`)
	seen := 0
	check := func(path string) error {
		text, err := os.ReadFile(path)
		for _, m := range setting.FindAllString(string(text), -1) {
			seen++
			if !slices.Contains(known, strings.TrimSuffix(m, "_FILE")) && !slices.Contains(own, m) {
				t.Errorf("%s sets %s, which is no setting", path, m)
			}
		}
		return err
	}
	err := filepath.WalkDir("../../deploy", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		return check(path)
	})
	if err != nil || check("../../Containerfile") != nil {
		t.Fatal(err)
	}
	if seen < 50 {
		t.Errorf("only %d settings are found in deploy/", seen)
	}
}
