package e2e

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"text/template"

	"parley/client"
	"parley/e2e/binary"
)

// carrier is a telephone network of test numbers, played by sipp: a call to +49300000NNN comes to the SIP status NNN, one
// to +49300000000 rings until it is given up.
type carrier struct {
	address string
	log     string // file with a line for each INVITE and CANCEL: "INVITE 486"
}

const (
	busyNumber, declinedNumber, unknownNumber = "+49300000486", "+49300000603", "+49300000404"
	awayNumber, overloadNumber, ringsNumber   = "+49300000480", "+49300000503", "+49300000000"
)

func newCarrier(t *testing.T) *carrier {
	t.Helper()
	dir := t.TempDir()
	scenario := filepath.Join(dir, "carrier.xml")
	f, err := os.Create(scenario)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := template.Must(template.ParseFiles("testdata/carrier.xml.tmpl")).Execute(f, []int{486, 603, 404, 480, 503}); err != nil {
		t.Fatal(err)
	}
	log := filepath.Join(dir, "carrier.log")
	return &carrier{address: launchNetwork(t, scenario, "-trace_logs", "-log_file", log), log: log}
}

// launchNetwork starts sipp as a telephone network whose phones follow a scenario, and returns its address.
func launchNetwork(t *testing.T, scenario string, more ...string) (address string) {
	t.Helper()
	port, err := binary.FreePort()
	if err != nil {
		t.Fatal(err)
	}
	p, err := binary.Launch("sipp", nil, append([]string{"-sf", scenario, "-i", "127.0.0.1", "-p", strconv.Itoa(port), "-nostdin"}, more...)...)
	if err != nil {
		t.Fatalf("sipp of package sip-tester: %v", err)
	}
	t.Cleanup(p.Kill)
	awaitSIP(t, port)
	return net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
}

// awaitSIP waits until somebody listens for SIP over UDP on a port.
func awaitSIP(t *testing.T, port int) {
	t.Helper()
	await(t, fmt.Sprintf("somebody listens on port %d", port), func() bool {
		sockets, err := os.ReadFile("/proc/net/udp")
		if err != nil {
			t.Fatal(err)
		}
		return strings.Contains(string(sockets), fmt.Sprintf(":%04X 00000000:0000", port))
	})
}

// lines is what its numbers met until now.
func (c *carrier) lines(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile(c.log)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return strings.Fields(strings.ReplaceAll(string(text), " ", "·"))
}

// awaitRequest waits until the network has received a request for a number.
func (c *carrier) awaitRequest(t *testing.T, request, number string) {
	t.Helper()
	line := request + "·" + number[len(number)-3:]
	await(t, number+" received "+request, func() bool { return slices.Contains(c.lines(t), line) })
}

// trunk is settings of a server whose calls go to an address.
func trunk(address string, more ...string) map[string]string {
	env := map[string]string{"PARLEY_SIP_TRUNK_ADDRESS": address, "PARLEY_SIP_TRUNK_CALLER_ID": "+493098765432"}
	for i := 0; i+1 < len(more); i += 2 {
		env[more[i]] = more[i+1]
	}
	return env
}

// ring has the demo workflow call a number.
func ring(t *testing.T, s *binary.Server, number string) string {
	t.Helper()
	d, err := s.API.Calls.Start(t.Context(), client.StartCall{WorkflowSlug: "demo", CallType: "sip", PhoneNumber: number})
	if err != nil {
		t.Fatal(err)
	}
	return d.CallID
}
