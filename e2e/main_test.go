// Package e2e drives the parley binary from outside, as its users do: by its commands, its HTTP API through package
// client, and calls spoken over WebRTC.
package e2e

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"parley/client"
	"parley/e2e/binary"
	"parley/e2e/callers"
	"parley/internal/caller"
	"parley/internal/media"
)

// program is the binary under test.
var program string

// callerProcess makes this test program a caller that is there to be killed.
const callerProcess = "PARLEY_E2E_CALLER"

func TestMain(m *testing.M) {
	if os.Getenv(callerProcess) != "" {
		callUntilKilled()
	}
	// Most of these tests wait: for speech, or for a time that is set to run out.
	flag.Parse()
	if err := flag.Set("test.parallel", "8"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(run(m))
}

// joiner lets callers into rooms. It is made before any test, for it sets the SDK's logger.
var joiner = media.NewJoiner(nil)

// joinSilently lets a caller into a room, who is silent until the end of the test.
func joinSilently(t *testing.T, url, token string) *media.Participant {
	t.Helper()
	caller, err := joiner.Join(t.Context(), media.JoinOptions{URL: url, Token: token})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(caller.Leave)
	go callers.StayQuiet(caller)
	return caller
}

func run(m *testing.M) (code int) {
	dir, err := os.MkdirTemp("", "parley-e2e-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	if program, err = binary.Path(dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	demo.dir = filepath.Join(dir, "demo")
	code = m.Run()
	if demo.Server != nil {
		if err := demo.Stop(); err != nil {
			fmt.Fprintf(os.Stderr, "the shared server: %v\n%s", err, demo.Log.String())
			return 1
		}
	}
	return code
}

// demo is a server that tests share which neither stop it nor change its data.
var demo struct {
	*binary.Server
	dir  string
	once sync.Once
}

func shared(t *testing.T) *binary.Server {
	t.Helper()
	demo.once.Do(func() {
		s, err := start(demo.dir, nil)
		if err != nil {
			t.Error(err)
			return
		}
		demo.Server = s
	})
	if demo.Server == nil {
		t.Fatal("the shared server did not start")
	}
	return demo.Server
}

// callUntilKilled calls the demo agent, prints the call's id once it is dispatched, and stays on the line.
func callUntilKilled() {
	_, err := caller.Run(context.Background(), caller.Options{
		Server: os.Getenv("PARLEY_SERVER"), APIKey: os.Getenv("PARLEY_API_KEY"), Agent: "demo",
		Say:        []string{"what are your opening hours", "what is your name", "what can you do", "how much is a pizza"},
		Dispatched: func(d *client.Dispatch) { fmt.Println(d.CallID) },
	})
	fmt.Fprintln(os.Stderr, errors.Join(errors.New("the caller was not killed"), err))
	os.Exit(1)
}
