package useragent

import (
	"math/rand/v2"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"parley/internal/sip/negotiation"
)

// torture returns the messages of RFC 4475, which sipgo has among its tests, by their names there.
func torture(t testing.TB) map[string][]byte {
	t.Helper()
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/emiago/sipgo").Output()
	if err != nil {
		t.Fatal(err)
	}
	paths, err := filepath.Glob(filepath.Join(strings.TrimSpace(string(dir)), "sip/testdata/torture/*/*.dat"))
	if err != nil || len(paths) < 45 {
		t.Fatalf("%d messages, %v", len(paths), err)
	}
	messages := map[string][]byte{}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		messages[strings.TrimSuffix(filepath.Base(path), ".dat")] = text
	}
	return messages
}

const reached = 480 // the answer of a user agent without OnInvite

// tortured are the statuses that may answer each message; none for responses, and where nobody can be answered.
var tortured = map[string][]int{
	"wsinv": {reached}, "intmeth": {501}, "esc01": {reached}, "escnull": {405}, "esc02": {501}, "lwsdisp": {200}, "longreq": {reached}, "dblreq": {405},
	"semiuri": {200}, "transports": {200}, "mpart01": {405}, "unreason": nil, "noreason": nil,
	"badinv01": {400, reached}, "clerr": {400}, "ncl": {400}, "scalar02": {400}, "scalarlg": nil, "quotbal": {400}, "ltgtruri": {400}, "lwsruri": {400},
	"lwsstart": {400}, "trws": {400}, "escruri": {400, reached}, "baddate": {400, reached}, "regbadct": {400, 405}, "badaspec": {400}, "baddn": {400, 200},
	"badvers": {505}, "mismatch01": {400}, "mismatch02": {400, 501}, "bigcode": nil, "badbranch": {200, 400}, "insuf": {400}, "unkscm": {416}, "novelsc": {416},
	"unksm2": {405, 416}, "bext01": {420}, "invut": {415}, "regaut01": {405}, "multi01": {400}, "mcl01": {400}, "bcast": nil, "zeromf": {200}, "cparam01": {405},
	"cparam02": {405}, "regescrt": {405}, "sdp01": {406, reached}, "inv2543": {reached}, "test": nil,
}

func TestTortureMessages(t *testing.T) {
	messages := torture(t)
	for name, want := range tortured {
		if messages[name] == nil {
			t.Errorf("%s is not among the messages", name)
			continue
		}
		t.Run(name, func(t *testing.T) {
			checkAnswer(t, messages[name], want)
		})
	}
}

// checkAnswer sends a message to a user agent, and fails unless one of the statuses answers it; no status: nothing does.
func checkAnswer(t *testing.T, message []byte, want []int) {
	synctest.Test(t, func(t *testing.T) {
		n := &network{sockets: map[netip.AddrPort]*socket{}}
		a := n.agent(t, here, Options{})
		phones := []*socket{n.listen(there), n.listen("198.51.100.7:5050"), n.listen("198.51.100.7:6050"), n.listen("198.51.100.7:19823"), n.listen("198.51.100.7:6000")} // ports of the source
		_, _ = phones[4].WriteTo(message, net.UDPAddrFromAddrPort(a.address))
		synctest.Wait()
		var got []int
		for _, p := range phones {
			for len(p.in) > 0 {
				fields := strings.Fields(string((<-p.in).data))
				status, _ := strconv.Atoi(fields[1])
				got = append(got, status)
			}
		}
		if len(want) == 0 && len(got) > 0 || len(want) > 0 && (len(got) != 1 || !slices.Contains(want, got[0])) {
			t.Errorf("answered with %v, not %v:\n%s", got, want, message)
		}
		time.Sleep(time.Minute)
	})
}

// TestChangedMessages sends 20,000 torture messages with some bytes changed to a user agent that answers calls.
func TestChangedMessages(t *testing.T) {
	messages := values(torture(t))
	messages = append(messages, []byte("INVITE sip:100@192.0.2.1 SIP/2.0\r\nVia: SIP/2.0/UDP 198.51.100.7;branch=z9hG4bKx;rport\r\nFrom: <sip:a@b>;tag=1\r\nTo: <sip:c@d>\r\n"+
		"Call-ID: x\r\nCSeq: 1 INVITE\r\nContact: <sip:a@198.51.100.7>\r\nRequire: 100rel\r\nSession-Expires: 90\r\nContent-Type: application/sdp\r\n\r\n"+rawOffer))
	synctest.Test(t, func(t *testing.T) {
		random := rand.New(rand.NewPCG(3, 4))
		n := &network{sockets: map[netip.AddrPort]*socket{}}
		a := n.agent(t, here, answerer(&observer{ended: make(chan End, 20000), streams: make(chan negotiation.Stream, 80000)}, make(chan *Call, 20000), CallOptions{}))
		phone := a.newFlow(UDP, netip.MustParseAddrPort(there), nil)
		for range 20000 {
			m := append([]byte{}, messages[random.IntN(len(messages))]...)
			for range 1 + random.IntN(4) {
				at := random.IntN(len(m))
				switch random.IntN(3) {
				case 0:
					m[at] = byte(random.IntN(256))
				case 1:
					m = append(m[:at], m[min(at+1+random.IntN(8), len(m)-1):]...)
				case 2:
					m = append(m[:at:at], append([]byte(";=\"<,\r\n"[random.IntN(7):]), m[at:]...)...)
				}
			}
			a.receive(m, phone)
			time.Sleep(time.Millisecond)
		}
		time.Sleep(5 * time.Minute)
		if n := a.kept(); n > 0 {
			t.Errorf("%d transactions and calls are left", n)
		}
	})
}

// FuzzMessages changes messages, and sends them to a user agent that answers calls.
func FuzzMessages(f *testing.F) {
	for _, m := range torture(f) {
		f.Add(m)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		synctest.Test(t, func(t *testing.T) {
			n := &network{sockets: map[netip.AddrPort]*socket{}}
			calls := make(chan *Call, 8)
			a := n.agent(t, here, answerer(observe(), calls, CallOptions{}))
			p := n.listen(there)
			_, _ = p.WriteTo(data, net.UDPAddrFromAddrPort(a.address))
			synctest.Wait()
			a.receive(data, a.newFlow(UDP, p.at, nil))
			var frames framer
			frames.pending = append(frames.pending, data...)
			for m, _, err := frames.next(); m != nil && err == nil; m, _, err = frames.next() {
			}
			time.Sleep(2 * time.Minute)
			if n := a.kept(); n > 0 {
				t.Fatalf("%d transactions and calls are left", n)
			}
		})
	})
}
