package deploy

import (
	"debug/elf"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// emulators of the architectures that tarballs are made for.
var emulators = map[string]string{"arm64": "qemu-aarch64-static", "amd64": "qemu-x86_64-static"}

// The tarballs in dist/ for other architectures than this machine's, which scripts/dist.sh has cross-compiled, load the same
// libraries as its own, and serve in an emulator, on the libraries that they were linked with.
func TestCrossCompiledTarballs(t *testing.T) {
	paths, err := filepath.Glob(root + "/dist/parley-*-linux-*.tar.gz")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		_, architecture, _ := strings.Cut(strings.TrimSuffix(filepath.Base(path), ".tar.gz"), "-linux-")
		if architecture == runtime.GOARCH {
			continue
		}
		t.Run(architecture, func(t *testing.T) {
			libraries, err := filepath.Abs(root + "/bin/sysroot-" + architecture)
			if err != nil {
				t.Fatal(err)
			}
			if !fileExists(libraries) { // it was made on another machine
				t.Logf("no %s: run make dist here", libraries)
				return
			}
			if own, other := needed(t, tarball(t)), needed(t, path); !slices.Equal(own, other) {
				t.Errorf("it loads %q, the tarball for %s %q", other, runtime.GOARCH, own)
			}
			emulator := filepath.Join(debianPackage(t, "qemu-user-static"), "usr/bin", emulators[architecture])
			binary := filepath.Join(unpackTarball(t, path), "parley")
			if out := run(t, emulator, "-L", libraries, binary, "version"); !strings.Contains(out, "linux/"+architecture) {
				t.Errorf("parley version prints %s", out)
			}
			address := freeAddress(t)
			run(t, "env", "PARLEY_DATA_DIR="+filepath.Join(t.TempDir(), "data"), "PARLEY_DEMO=false", "PARLEY_ADDR="+address, "bash", "-euo", "pipefail", "-c", `
"$@" serve --without=media,sip,worker >"$0" 2>&1 &
server=$!
trap 'cat "$0" >&2' ERR
for n in $(seq 600); do ! "$@" health --ready >/dev/null 2>&1 || break; sleep 0.2; done
"$@" health --ready
"$@" tenant create Acme
kill -TERM $server
wait $server
`, filepath.Join(t.TempDir(), "log"), emulator, "-L", libraries, binary)
		})
	}
}

// needed are the libraries that a tarball's binary loads.
func needed(t *testing.T, path string) []string {
	t.Helper()
	file, err := elf.Open(filepath.Join(unpackTarball(t, path), "parley"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	libraries, err := file.ImportedLibraries()
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(libraries)
	return slices.DeleteFunc(libraries, func(name string) bool { return strings.HasPrefix(name, "ld-linux") })
}

func unpackTarball(t *testing.T, path string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	run(t, "tar", "-C", dir, "--strip-components=1", "-xf", path)
	return dir
}

func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// debianPackage returns a folder with the files of a package of this machine's distribution, which is not installed. It stays in
// bin/ for the next run.
func debianPackage(t *testing.T, name string) string {
	t.Helper()
	path, err := filepath.Abs(root + "/bin/package-" + name)
	if err != nil {
		t.Fatal(err)
	}
	if !fileExists(path) {
		run(t, "bash", "-euo", "pipefail", "-c", `cd "$0"; apt-get -q download "$1"; dpkg-deb --extract "$1"_*.deb "$2.new"; mv "$2.new" "$2"`, t.TempDir(), name, path)
	}
	if _, err := os.Stat(path); err != nil {
		t.Fatal(err)
	}
	return path
}
