package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
)

type versionCommand struct {
	JSON bool `help:"Print a JSON object."`
}

// build describes this binary.
type build struct {
	Version   string            `json:"version"`
	Commit    string            `json:"commit"` // with -dirty for a modified working tree; unknown without version control
	Go        string            `json:"go"`
	Platform  string            `json:"platform"`
	Libraries map[string]string `json:"libraries"` // versions, keyed by module path or C library's name
}

// commit is set at build time, with -dirty for a modified working tree.
var commit string

// reported are the modules whose versions belong in a fault report: media, telephone, database.
var reported = []string{
	"github.com/livekit/livekit-server", "github.com/emiago/sipgo", "github.com/pion/webrtc/v4", "github.com/jackc/pgx/v5", "modernc.org/sqlite",
}

func thisBuild() build {
	b := build{Version: version, Commit: "unknown", Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH, Libraries: linked()}
	if commit != "" {
		b.Commit = commit
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	for _, m := range info.Deps {
		if slices.Contains(reported, m.Path) {
			b.Libraries[m.Path] = m.Version
		}
	}
	settings := map[string]string{}
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	if revision := settings["vcs.revision"]; revision != "" && commit == "" {
		b.Commit = revision
		if settings["vcs.modified"] == "true" {
			b.Commit += "-dirty"
		}
	}
	return b
}

// linked returns the versions of the loaded C libraries, keyed by name (proc_pid_maps(5)). The names of the mapped files have
// them, such as libopus.so.0.8.0, except for the C library itself: libc.so.6.
func linked() map[string]string {
	found := map[string]string{}
	mappings, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		return found
	}
	for line := range strings.Lines(string(mappings)) {
		fields := strings.Fields(line)
		if name, version, ok := strings.Cut(filepath.Base(fields[len(fields)-1]), ".so."); ok && strings.Contains(version, ".") {
			found[name] = version
		}
	}
	return found
}

func (c *versionCommand) Run(signalled) error {
	b := thisBuild()
	if c.JSON {
		return json.NewEncoder(os.Stdout).Encode(b)
	}
	fmt.Printf("version   %s\ncommit    %s\ngo        %s\nplatform  %s\n", b.Version, b.Commit, b.Go, b.Platform)
	for _, name := range slices.Sorted(maps.Keys(b.Libraries)) {
		fmt.Printf("library   %s %s\n", name, b.Libraries[name])
	}
	return nil
}
