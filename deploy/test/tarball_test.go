package deploy

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// spoken is a call that `parley call` has printed: what was said, and that it ended well.
func spoken(t *testing.T, out string) {
	t.Helper()
	for _, want := range []string{"opening hours", "completed"} {
		if !strings.Contains(out, want) {
			t.Errorf("the call does not have %q:\n%s", want, out)
		}
	}
}

// The tarball holds a spoken call in a Debian without a compiler, after the commands of docs/deployment.md, for a user without rights.
func TestTarballHoldsACall(t *testing.T) {
	dir := unpack(t)
	run(t, "cp", "-r", filepath.Dir(tarball(t))+"/.", filepath.Join(dir, "srv"))
	page := commands(t, root+"/docs/deployment.md")
	if len(page) < 2 || !strings.HasPrefix(page[0], "sha256sum") || page[1] != "./parley serve\n" {
		t.Fatalf("docs/deployment.md says %q", page)
	}
	install := page[0]
	inRoot(t, dir, "cd /srv\nexport DEBIAN_FRONTEND=noninteractive\napt-get update\n"+install+`
rm -r /var/lib/apt/lists
if command -v gcc cc; then echo "there is a compiler"; exit 1; fi
if ldd parley | grep "not found"; then exit 1; fi
`)
	for _, name := range []string{"usr/local/bin/parley", "etc/systemd/system/parley.service", "etc/systemd/system/parley-worker.service", "etc/parley/parley.env"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
	readme := commands(t, root+"/deploy/tarball/README.md")[0]
	script, err := os.ReadFile(root + "/deploy/tarball/install.sh")
	if err != nil {
		t.Fatal(err)
	}
	if _, list, _ := strings.Cut(readme, "--no-install-recommends "); !strings.Contains(string(script), `packages="`+strings.TrimSpace(list)+`"`) {
		t.Errorf("README.md names other packages than install.sh: %s", readme)
	}
	out := isolated(t, `
dir="`+dir+`"
mount -t proc proc "$dir/proc"
mount --rbind /dev "$dir/dev"
install -d -o 10001 -g 10001 "$dir/srv/empty"
exec chroot --userspec=10001:10001 "$dir" bash -euo pipefail -c '
export HOME=/tmp
cd /srv/empty
ln -s /srv/parley-*/parley parley
`+strings.TrimSpace(page[1])+` >server.log 2>&1 &
`+callDemo+`'`)
	spoken(t, out)
}

// callDemo waits for the server that was started last, calls its demo agent, and stops it.
const callDemo = `server=$!
trap "cat server.log >&2" ERR
for n in $(seq 300); do ! parley health --ready >/dev/null 2>&1 || break; sleep 0.2; done
parley health --ready
parley call --agent demo --say "what are your opening hours" --say "thank you very much goodbye"
kill -TERM $server
wait $server
`

// unpack returns a folder with Debian, which can reach Debian's packages.
func unpack(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	run(t, "tar", "-C", dir, "-xf", debianRoot(t))
	run(t, "cp", "/etc/resolv.conf", filepath.Join(dir, "etc/resolv.conf"))
	return dir
}

// inRoot runs a script in the folder, as root. Services of packages are not started there.
func inRoot(t *testing.T, dir, script string) {
	t.Helper()
	run(t, "unshare", "--mount", "--pid", "--fork", "--kill-child", "bash", "-euo", "pipefail", "-c",
		`mount -t proc proc "$0/proc"; mount --rbind /dev "$0/dev"; exec chroot "$0" bash -euo pipefail -c "$1"`, dir, script)
}

// What the tarball consists of: binary with version and commit, units, settings, licences, SBOM.
func TestTarballIsComplete(t *testing.T) {
	archive, dir := tarball(t), t.TempDir()
	run(t, "tar", "-C", dir, "--strip-components=1", "-xf", archive)
	for _, name := range []string{"parley", "parley.service", "parley-worker.service", "parley.env", "install.sh", "README.md", "CHANGELOG.md", "LICENSE", "licences/dashboard.md", "licences/go/LICENSE"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
	var version struct {
		Version, Commit string
		Libraries       map[string]string
	}
	if err := json.Unmarshal([]byte(run(t, filepath.Join(dir, "parley"), "version", "--json")), &version); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(filepath.Base(archive), "parley-"+version.Version+"-linux-") {
		t.Errorf("the binary of %s says version %s", filepath.Base(archive), version.Version)
	}
	if !regexp.MustCompile(`^[0-9a-f]{40}(-dirty)?$`).MatchString(version.Commit) {
		t.Errorf("commit %q", version.Commit)
	}
	for _, name := range []string{"libopus", "github.com/livekit/livekit-server", "github.com/pion/webrtc/v4"} {
		if version.Libraries[name] == "" {
			t.Errorf("parley version does not name %s", name)
		}
	}
	// Each module of the binary is in the SBOM and has its licence.
	modules := regexp.MustCompile(`(?m)^\tdep\t(\S+)\t(\S+)`).FindAllStringSubmatch(run(t, "go", "version", "-m", filepath.Join(dir, "parley")), -1)
	if len(modules) < 50 {
		t.Fatalf("the binary has %d modules", len(modules))
	}
	components := componentsOf(t, filepath.Join(dir, "sbom/parley.cdx.json"))
	for _, m := range modules {
		if components[m[1]] == "" {
			t.Errorf("the SBOM lacks %s", m[1])
		}
		files, err := os.ReadDir(filepath.Join(dir, "licences", m[1]))
		if err != nil || len(files) == 0 {
			t.Errorf("no licence of %s: %v", m[1], err)
		}
	}
	for name, component := range map[string]string{"dashboard": "react", "docs": "swagger-ui-dist"} {
		if componentsOf(t, filepath.Join(dir, "sbom", name+".cdx.json"))[component] == "" {
			t.Errorf("the SBOM %s lacks %s", name, component)
		}
	}
}

// componentsOf are the versions of the components of an SBOM, keyed by name.
func componentsOf(t *testing.T, path string) map[string]string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var sbom struct {
		Format     string `json:"bomFormat"`
		Components []struct{ Group, Name, Version string }
	}
	if err := json.Unmarshal(text, &sbom); err != nil || sbom.Format != "CycloneDX" {
		t.Fatalf("%s: %v, format %q", path, err, sbom.Format)
	}
	found := map[string]string{}
	for _, c := range sbom.Components {
		found[strings.TrimPrefix(c.Group+"/"+c.Name, "/")] = c.Version
	}
	return found
}

// systemd has no complaint about the units, and calls their isolation good.
func TestUnits(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"parley", "parley-worker"} {
		text, err := os.ReadFile(filepath.Join(root, "deploy/systemd", name+".service"))
		if err != nil {
			t.Fatal(err)
		}
		// It looks for the program.
		unit := filepath.Join(dir, name+".service")
		program := filepath.Join(dir, "parley")
		if err := os.WriteFile(program, []byte("#!/bin/sh\n"), 0o755); err != nil { //nolint:gosec // a program
			t.Fatal(err)
		}
		if err := os.WriteFile(unit, []byte(strings.ReplaceAll(string(text), "/usr/local/bin/parley", program)), 0o600); err != nil {
			t.Fatal(err)
		}
		if out := run(t, "systemd-analyze", "verify", "--man=no", unit); strings.TrimSpace(out) != "" {
			t.Errorf("%s.service: %s", name, out)
		}
		run(t, "systemd-analyze", "security", "--offline=true", "--threshold=20", "--no-pager", unit)
		for _, setting := range []string{"ProtectSystem=strict", "User=parley", "LimitNOFILE=65536", "StateDirectory=" + name, "NoNewPrivileges=yes"} {
			if !strings.Contains(string(text), "\n"+setting+"\n") {
				t.Errorf("%s.service lacks %s", name, setting)
			}
		}
	}
}
