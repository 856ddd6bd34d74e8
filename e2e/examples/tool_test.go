package examples

import (
	"strconv"
	"strings"
	"testing"

	"parley/e2e/binary"
)

// The agent of the tool server says what the server answers, and the server answers nobody without its token. A second start
// replaces the tools, whose token is new.
func TestToolServer(t *testing.T) {
	sh := newShell(t)
	number, err := binary.FreePort()
	if err != nil {
		t.Fatal(err)
	}
	port := strconv.Itoa(number)
	start := func() *binary.Process {
		p := launch(t, sh, readme(t, "tool-server", "console")[0], map[string]string{"PORT": port})
		await(t, "the agent is ready", func() bool { return strings.Contains(p.Out.String(), "agent tool-example is ready") })
		return p
	}
	start().Kill()
	p := start()
	talk, want := readme(t, "tool-server", "sh")[0], readme(t, "tool-server", "text")[0]
	if got := output(t, sh, talk); got != want {
		t.Errorf("%s\nprints\n%s\nthe README shows\n%s", talk, got, want)
	}
	awaitListener(t, "http://127.0.0.1:"+port+"/bookings")
	const requests = "GET /hours?day=monday 200\nPOST /bookings 201\nPOST /bookings 401\n"
	await(t, "the server prints\n"+requests, func() bool { return strings.HasSuffix(p.Out.String(), requests) })
}
