// Package deploy tests what is deployed: the tarball, the units, the image, the compose files, the chart. `make test-dist` makes what
// they need and runs them. Tarball and image run in folders with Debian's packages (chroot(2)), in their own namespaces, so that
// those tests need root.
package deploy

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// root is the checkout.
const root = "../.."

// patience bounds commands that fetch packages, compile or hold calls, on a busy machine.
const patience = 20 * time.Minute

// run returns the output of a program that has to succeed. What it starts ends with it.
func run(t *testing.T, name string, args ...string) string {
	t.Helper()
	out, err := try(t, name, args...)
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return out
}

func try(t *testing.T, name string, args ...string) (string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	command := exec.CommandContext(ctx, name, args...)
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	command.Cancel = func() error { return syscall.Kill(-command.Process.Pid, syscall.SIGKILL) }
	var out bytes.Buffer
	command.Stdout, command.Stderr = &out, &out
	err := command.Run()
	return out.String(), err
}

// debian makes Debian 12 with no package more than it consists of, as small as Debian's own image "slim".
var debian = sync.OnceValues(func() (string, error) {
	path, err := filepath.Abs(root + "/bin/debian-12.tar")
	if err != nil || fileExists(path) {
		return path, err
	}
	out, err := exec.Command("mmdebstrap", "--quiet", "--variant=minbase", `--aptopt=APT::Install-Recommends "false"`, "--include=ca-certificates",
		"--dpkgopt=path-exclude=/usr/share/doc/*", "--dpkgopt=path-include=/usr/share/doc/*/copyright",
		"--dpkgopt=path-exclude=/usr/share/man/*", "--dpkgopt=path-exclude=/usr/share/locale/*",
		"--format=tar", "bookworm", path+".new", mirror()).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("mmdebstrap: %w\n%s", err, out)
	}
	return path, os.Rename(path+".new", path)
})

// debianRoot returns the path of a tar of it, which stays in bin/ for the next run.
func debianRoot(t *testing.T) string {
	t.Helper()
	path, err := debian()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func mirror() string {
	if given := os.Getenv("PARLEY_DEBIAN_MIRROR"); given != "" {
		return given
	}
	return "http://deb.debian.org/debian"
}

// isolated runs a script of bash in its own namespaces, with a loopback interface and no other. The script's processes end
// with it.
func isolated(t *testing.T, script string) string {
	t.Helper()
	return run(t, "unshare", "--mount", "--net", "--pid", "--fork", "--kill-child", "bash", "-euo", "pipefail", "-c", "ip link set lo up\n"+script)
}

// tarball is the one for this machine.
func tarball(t *testing.T) string {
	t.Helper()
	found, err := filepath.Glob(root + "/dist/parley-*-linux-" + runtime.GOARCH + ".tar.gz")
	if err != nil || len(found) != 1 {
		t.Fatalf("dist/ has %d tarballs for %s: run make dist", len(found), runtime.GOARCH)
	}
	path, err := filepath.Abs(found[0])
	if err != nil {
		t.Fatal(err)
	}
	return path
}

var fence = regexp.MustCompile("(?ms)^( *)```sh\n(.*?)^ *```$")

// commands are the blocks of a document that a shell runs.
func commands(t *testing.T, path string) (found []string) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range fence.FindAllStringSubmatch(string(text), -1) {
		found = append(found, strings.TrimPrefix(strings.ReplaceAll("\n"+m[2], "\n"+m[1], "\n"), "\n"))
	}
	if len(found) == 0 {
		t.Fatalf("%s has no commands", path)
	}
	return found
}
