package main

import (
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
)

type versionCommand struct {
	JSON bool `help:"Print a JSON object."`
}

// build describes this binary.
type build struct {
	Version  string `json:"version"`
	Commit   string `json:"commit"` // with -dirty for a modified working tree; unknown without version control
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

func thisBuild() build {
	b := build{Version: version, Commit: "unknown", Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	settings := map[string]string{}
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	if revision := settings["vcs.revision"]; revision != "" {
		b.Commit = revision
		if settings["vcs.modified"] == "true" {
			b.Commit += "-dirty"
		}
	}
	return b
}

func (c *versionCommand) Run(signalled) error {
	b := thisBuild()
	if c.JSON {
		return json.NewEncoder(os.Stdout).Encode(b)
	}
	_, err := fmt.Printf("version   %s\ncommit    %s\ngo        %s\nplatform  %s\n", b.Version, b.Commit, b.Go, b.Platform)
	return err
}
