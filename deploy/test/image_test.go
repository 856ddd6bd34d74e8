package deploy

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// megabyte of images: their sum of layers, uncompressed.
const megabyte = 1_000_000

// builder runs podman with its own store. Nothing is pulled, and no container is started: each step of a build runs in a
// chroot, for which no runtime is needed.
type builder struct {
	t      *testing.T
	dir    string
	global []string
}

func newBuilder(t *testing.T) builder {
	t.Helper()
	dir := t.TempDir()
	b := builder{t, dir, []string{"--root=" + dir + "/storage", "--runroot=" + dir + "/run", "--storage-driver=overlay", "--events-backend=file", "--cgroup-manager=cgroupfs"}}
	t.Cleanup(func() {
		// The test's context has ended.
		_ = exec.Command("podman", append(slices.Clone(b.global), "image", "umount", "--force", "--all")...).Run()
		_ = exec.Command("umount", dir+"/storage/overlay").Run()
	})
	return b
}

func (b builder) podman(args ...string) string {
	b.t.Helper()
	return run(b.t, "podman", append(slices.Clone(b.global), args...)...)
}

// toolchains makes an image of Debian in which Go and Node are where volumes put this machine's, which trusts what this machine
// trusts.
func (b builder) toolchains() (image string, volumes []string) {
	b.t.Helper()
	goroot := strings.TrimSpace(run(b.t, "go", "env", "GOROOT"))
	cache := strings.TrimSpace(run(b.t, "go", "env", "GOCACHE"))
	modules := strings.TrimSpace(run(b.t, "go", "env", "GOMODCACHE"))
	// Node and npm alone, wherever they are installed.
	node := filepath.Join(b.dir, "node")
	run(b.t, "bash", "-euc", `mkdir "$0" && cp "$(readlink -f "$(command -v node)")" "$0/node" && cp -r "$(dirname "$(dirname "$(readlink -f "$(command -v npm)")")")" "$0/modules"
printf '#!/bin/sh\nexec node /usr/local/node/modules/bin/npm-cli.js "$@"\n' >"$0/npm" && chmod 755 "$0/npm"`, node)
	b.podman("import", "--quiet", "--change=ENV PATH=/usr/local/go/bin:/usr/local/node:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
		"--change=ENV GOMODCACHE="+modules, "--change=ENV GOCACHE="+cache, "--change=ENV NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt", debianRoot(b.t), "localhost/toolchains")
	return "localhost/toolchains", []string{goroot + ":/usr/local/go:ro", node + ":/usr/local/node:ro", cache + ":" + cache, modules + ":" + modules, "/etc/ssl/certs:/etc/ssl/certs:ro"}
}

// Both images are small, and their own file systems hold a spoken call: as the user of the image, with a read-only root, with a
// volume, and with the image's health check.
func TestImage(t *testing.T) {
	b := newBuilder(t)
	b.podman("import", "--quiet", debianRoot(t), "localhost/debian")
	toolchains, volumes := b.toolchains()
	build := []string{"build", "--isolation=chroot", "--network=host", "--format=docker", "--pull=never", "--file=" + root + "/Containerfile",
		"--build-arg=NODE_IMAGE=" + toolchains, "--build-arg=GO_IMAGE=" + toolchains, "--build-arg=DEBIAN_IMAGE=localhost/debian",
		"--build-arg=VERSION=v0.0.1-test", "--build-arg=COMMIT=0123456789abcdef"}
	for _, v := range volumes {
		build = append(build, "--volume="+v)
	}
	for target, most := range map[string]int64{"parley": 250, "parley-offline": 350} {
		b.podman(append(slices.Clone(build), "--layers", "--target="+target, "--tag=localhost/"+target, root)...)
		var images []struct {
			Size   int64
			Config struct {
				User, WorkingDir     string
				Env, Entrypoint, Cmd []string
				Volumes              map[string]any
			}
			Healthcheck struct{ Test []string }
		}
		if err := json.Unmarshal([]byte(b.podman("image", "inspect", "localhost/"+target)), &images); err != nil || len(images) != 1 {
			t.Fatal(err, images)
		}
		image := images[0]
		t.Logf("%s: %d MB", target, image.Size/megabyte)
		if image.Size > most*megabyte {
			t.Errorf("%s has %d MB", target, image.Size/megabyte)
		}
		if _, has := image.Config.Volumes["/var/lib/parley"]; image.Config.User != "10001:10001" || !has || len(image.Healthcheck.Test) == 0 {
			t.Errorf("%s: user %s, volumes %v, health check %q", target, image.Config.User, image.Config.Volumes, image.Healthcheck.Test)
		}
		mounted := strings.TrimSpace(b.podman("image", "mount", "localhost/"+target))
		if out := run(t, "chroot", mounted, "parley", "version"); !strings.Contains(out, "v0.0.1-test") || !strings.Contains(out, "0123456789abcdef") {
			t.Errorf("%s: %s", target, out)
		}
		if target == "parley" {
			continue // it has no speech programs to call with
		}
		server := strings.Join(append(slices.Clone(image.Config.Entrypoint), image.Config.Cmd...), " ")
		out := isolated(t, fmt.Sprintf(`
mount --bind %[1]q %[1]q
mount -o remount,bind,ro %[1]q
mount -t proc proc %[1]q/proc
mount --rbind /dev %[1]q/dev
mount -t tmpfs tmpfs %[1]q/tmp
mount -t tmpfs -o uid=10001,gid=10001,mode=0700 tmpfs %[1]q/var/lib/parley
exec env -i HOME=/tmp %[2]s chroot --userspec=%[3]s %[1]q bash -euo pipefail -c '
cd %[4]s
if touch /usr/x 2>/dev/null; then echo "the root can be written to"; exit 1; fi
export PARLEY_ADDR=127.0.0.1:8080 # with a demo tenant
%[5]s >server.log 2>&1 &
%[6]s'`, mounted, strings.Join(image.Config.Env, " "), image.Config.User, image.Config.WorkingDir, server,
			strings.Replace(callDemo, "parley call", strings.Join(image.Healthcheck.Test[1:], " ")+"\nexport PARLEY_DATA_DIR=/var/lib/parley\nparley call", 1)))
		spoken(t, out)
	}
}
