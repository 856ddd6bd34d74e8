package contract

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// npmPackage is a package.json of a release.
type npmPackage struct {
	Name, Version, Description, License string
	Private                             bool
	Scripts, Dependencies               map[string]string
	Exports                             map[string]map[string]string
	Repository                          struct{ Type, URL, Directory string }
}

// The packages of clients and widget have what they export, their licence and manual, the version of the release, and the repository,
// which npm compares with that of the workflow that publishes them.
func TestPackagesOfARelease(t *testing.T) {
	t.Parallel()
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	run(t, root, []string{"GITHUB_REPOSITORY=voice/parley", "GITHUB_SERVER_URL=https://github.com"}, "scripts/dist-clients.sh", "v1.2.3-rc.1", folder)
	for name, source := range map[string]string{"parley-client": "clients/typescript", "parley-agent": "web/widget"} {
		unpacked := t.TempDir()
		run(t, unpacked, nil, "tar", "-xzf", filepath.Join(folder, name+"-1.2.3-rc.1.tgz"), "--strip-components=1")
		text, err := os.ReadFile(filepath.Join(unpacked, "package.json"))
		if err != nil {
			t.Fatal(err)
		}
		var p npmPackage
		if err := json.Unmarshal(text, &p); err != nil {
			t.Fatal(err)
		}
		if p.Name != name || p.Version != "1.2.3-rc.1" || p.Description == "" || p.License != "Apache-2.0" || p.Private || len(p.Scripts)+len(p.Dependencies) > 0 ||
			p.Repository.Type != "git" || p.Repository.URL != "git+https://github.com/voice/parley.git" || p.Repository.Directory != source {
			t.Errorf("%s", text)
		}
		needed := append([]string{"LICENSE", "README.md"}, slices.Collect(maps.Values(p.Exports["."]))...)
		if len(needed) != 4 {
			t.Errorf("%s exports %v", name, p.Exports)
		}
		for _, file := range needed {
			if _, err := os.Stat(filepath.Join(unpacked, file)); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	wheel := filepath.Join(folder, "parley_client-1.2.3rc1-py3-none-any.whl")
	metadata := run(t, folder, nil, "python3", "-c", "import sys, zipfile; z = zipfile.ZipFile(sys.argv[1]); print(*z.namelist(), z.read('parley_client-1.2.3rc1.dist-info/METADATA').decode(), sep='\\n')", wheel)
	for _, part := range []string{"parley/py.typed", "parley/types.py", "parley/_resources.py", "LICENSE", "Name: parley-client", "Version: 1.2.3rc1", "Requires-Python: >=3.9", "Source, https://github.com/voice/parley", "# Parley for Python"} {
		if !strings.Contains(metadata, part) {
			t.Errorf("the wheel has no %s:\n%.3000s", part, metadata)
		}
	}
	if strings.Contains(metadata, "Requires-Dist") {
		t.Error("the wheel has dependencies")
	}
}
