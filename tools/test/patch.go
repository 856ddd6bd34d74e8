package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// raceModules is a go.mod that differs from the repository's in pion/webrtc, which suites under the race detector build
// from a patched copy beside it.
//
// Up to v4.2.19, TrackRemote.Read takes packets off a list under a read lock. Two goroutines of pion's own may hold it at
// once when a track begins (handleIncomingSSRC and startReceiver), which the detector finds once in some hundred joins.
// v4.2.20 takes the write lock, as the patch does; livekit-server 1.13.5 does not build with that version, which needs
// pion/stun v4.
const raceModules = "bin/race/go.mod"

const pion = "github.com/pion/webrtc/v4"

const racingRead = "\tt.mu.RLock()\n\treceiver := t.receiver\n\tvar peekedPkt *peekedPacket\n\tif len(t.peekedPackets) != 0 {\n" +
	"\t\tpeekedPkt = t.peekedPackets[0]\n\t\tt.peekedPackets = t.peekedPackets[1:]\n\t}\n\tt.mu.RUnlock()\n"

// writeRaceModules writes raceModules and the patched copy.
func writeRaceModules(ctx context.Context) error {
	found, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", pion).Output()
	if err != nil {
		return fmt.Errorf("find %s: %w", pion, err)
	}
	folder := filepath.Dir(raceModules)
	if err := os.RemoveAll(folder); err != nil {
		return err
	}
	patched := filepath.Join(folder, "webrtc")
	if err := copySources(strings.TrimSpace(string(found)), patched); err != nil {
		return err
	}
	track := filepath.Join(patched, "track_remote.go")
	content, err := os.ReadFile(track)
	if err != nil {
		return err
	}
	if bytes.Count(content, []byte(racingRead)) != 1 {
		return errors.New("tools/test/patch.go: TrackRemote.Read of " + pion + " has changed; if it takes the write lock now, the patch can go")
	}
	mended := strings.NewReplacer("RLock", "Lock", "RUnlock", "Unlock").Replace(racingRead)
	if err := os.WriteFile(track, bytes.Replace(content, []byte(racingRead), []byte(mended), 1), 0o644); err != nil {
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
	if err := os.WriteFile(filepath.Join(folder, "go.sum"), sums, 0o644); err != nil {
		return err
	}
	return os.WriteFile(raceModules, fmt.Appendf(modules, "\nreplace %s => ./%s\n", pion, patched), 0o644)
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
