package e2e

import (
	"testing"

	"parley/e2e/binary"
)

// serve starts a server for one test, which ends with it.
func serve(t *testing.T, dir string, env map[string]string, flags ...string) *binary.Server {
	t.Helper()
	s, err := start(dir, env, flags...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Stop(); err != nil {
			t.Error(err)
		}
		if t.Failed() {
			t.Logf("log of the server:\n%s", s.Log.String())
		}
	})
	return s
}

func start(dir string, env map[string]string, flags ...string) (*binary.Server, error) {
	return binary.Start(program, dir, env, flags...)
}

func launch(settings map[string]string, args ...string) (*binary.Process, error) {
	return binary.Launch(program, settings, args...)
}
