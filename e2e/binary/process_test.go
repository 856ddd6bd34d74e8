package binary

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A test that forgets a port or the data folder uses none that a server of somebody else has.
func TestLaunchWithoutSettings(t *testing.T) {
	program := filepath.Join(t.TempDir(), "parley")
	if err := os.WriteFile(program, []byte("#!/bin/sh\nenv\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	defaults := map[string]string{
		"PARLEY_ADDR": "127.0.0.1:8080", "PARLEY_RTC_PORT": "7880", "PARLEY_RTC_TCP_PORT": "7881", "PARLEY_RTC_UDP_PORT": "7882", "PARLEY_SIP_PORT": "5060", "PARLEY_DATA_DIR": "./data",
	}
	for _, command := range []string{"serve", "doctor"} {
		got := environment(t, program, nil, command)
		for name, usual := range defaults {
			if got[name] == "" || got[name] == usual {
				t.Errorf("%s has %s=%s", command, name, got[name])
			}
		}
		if got := environment(t, program, defaults, command); !maps.Equal(got, defaults) {
			t.Errorf("%s, which is given %v, has %v", command, defaults, got)
		}
	}
	if got := environment(t, program, nil, "call"); len(got) != 1 || got["PARLEY_DATA_DIR"] != noData {
		t.Errorf("call has %v", got)
	}
}

// environment returns the settings that a launched program has.
func environment(t *testing.T, program string, settings map[string]string, command string) map[string]string {
	t.Helper()
	t.Setenv("PARLEY_ADDR", "127.0.0.1:8080") // of whoever runs the tests
	p, err := Launch(program, settings, command)
	if err != nil {
		t.Fatal(err)
	}
	if code, err := p.Wait(t.Context()); err != nil || code != 0 {
		t.Fatalf("exit code %d, %v: %s", code, err, p.Log.String())
	}
	found := map[string]string{}
	for line := range strings.Lines(p.Out.String()) {
		if name, value, _ := strings.Cut(strings.TrimSpace(line), "="); strings.HasPrefix(name, "PARLEY_") {
			found[name] = value
		}
	}
	return found
}
