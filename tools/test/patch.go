package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// raceModules is a go.mod that differs from the repository's in pion/webrtc, which suites under the race detector build
// from a patched copy.
//
// Up to v4.2.19, TrackRemote.Read removes packets from a list under a read lock. Two goroutines of pion may hold it
// concurrently when a track begins (handleIncomingSSRC and startReceiver), which the detector finds once in some hundred
// joins. v4.2.20 uses the write lock, as the patch does; livekit-server 1.13.5 does not build with that version, which needs
// pion/stun v4.
//
// PeerConnection.onTrack formats the new track for its debug log without the track's lock; LiveKit's adapter does so even
// where debug messages are dropped. The patch leaves the line out.
const raceModules = "bin/race/go.mod"

const pion = "github.com/pion/webrtc/v4"

const racingRead = "\tt.mu.RLock()\n\treceiver := t.receiver\n\tvar peekedPkt *peekedPacket\n\tif len(t.peekedPackets) != 0 {\n" +
	"\t\tpeekedPkt = t.peekedPackets[0]\n\t\tt.peekedPackets = t.peekedPackets[1:]\n\t}\n\tt.mu.RUnlock()\n"

// patches are what is replaced in pion's files, each once.
var patches = []struct{ file, racing, mended string }{
	{"track_remote.go", racingRead, strings.NewReplacer("RLock", "Lock", "RUnlock", "Unlock").Replace(racingRead)},
	{"peerconnection.go", "\tpc.log.Debugf(\"got new track: %+v\", t)\n", ""},
}

// writeRaceModules writes raceModules and, once a machine, the patched copy.
func writeRaceModules(ctx context.Context) error {
	found, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", pion).Output()
	if err != nil {
		return fmt.Errorf("find %s: %w", pion, err)
	}
	patched, err := patch(strings.TrimSpace(string(found)))
	if err != nil {
		return err
	}
	modules, err := os.ReadFile("go.mod")
	if err != nil {
		return err
	}
	sums, err := os.ReadFile("go.sum")
	if err != nil {
		return err
	}
	folder := filepath.Dir(raceModules)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(folder, "go.sum"), sums, 0o644); err != nil {
		return err
	}
	return os.WriteFile(raceModules, fmt.Appendf(modules, "\nreplace %s => %s\n", pion, patched), 0o644)
}

// patch makes the patched copy of a module, if it is not there yet, and returns its folder. It is in the user's cache,
// for what Go builds from it is cached by its path.
func patch(original string) (string, error) {
	mended := map[string][]byte{}
	sum := sha256.New()
	for _, p := range patches {
		content, err := os.ReadFile(filepath.Join(original, p.file))
		if err != nil {
			return "", err
		}
		if bytes.Count(content, []byte(p.racing)) != 1 {
			return "", fmt.Errorf("tools/test/patch.go: %s of %s has changed; if it does not race any more, its patch can go", p.file, pion)
		}
		mended[p.file] = bytes.Replace(content, []byte(p.racing), []byte(p.mended), 1)
		sum.Write(mended[p.file])
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	cache = filepath.Join(cache, "parley")
	patched := filepath.Join(cache, fmt.Sprintf("webrtc-%x", sum.Sum(nil)))
	if _, err := os.Stat(patched); err == nil {
		return patched, nil
	}
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return "", err
	}
	unfinished, err := os.MkdirTemp(cache, "webrtc-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(unfinished)
	if err := copySources(original, unfinished); err != nil {
		return "", err
	}
	for file, content := range mended {
		if err := os.WriteFile(filepath.Join(unfinished, file), content, 0o644); err != nil {
			return "", err
		}
	}
	if err := os.Rename(unfinished, patched); err != nil && !errors.Is(err, os.ErrExist) { // another run was first
		return "", err
	}
	return patched, nil
}

// copySources copies a module without its tests and examples. The module cache is read-only, the copy is not.
func copySources(from, to string) error {
	return filepath.WalkDir(from, func(path string, entry os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		switch {
		case entry.IsDir() && (name == "examples" || strings.HasPrefix(name, ".") && name != "."):
			return filepath.SkipDir
		case entry.IsDir():
			return os.MkdirAll(filepath.Join(to, name), 0o755)
		case strings.HasSuffix(name, "_test.go"):
			return nil
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, name), content, 0o644)
	})
}
