package e2e

import (
	"fmt"
	"math/rand/v2"
	"net"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/client"
	"parley/e2e/binary"
)

// lossyRelay is a network between a phone and the gateway that loses, delays, reorders and doubles the phone's audio. The phone calls it
// instead of the gateway: it relays the INVITE and its answer, and names itself in their session descriptions. What follows in the
// dialog goes from one to the other.
type lossyRelay struct {
	signalling, toPhone, toGateway *net.UDPConn
	phoneMedia, gatewayMedia       net.Addr // set once the description of each is known
	mu                             sync.Mutex
	random                         *rand.Rand
	lost, sent                     int
}

// The relay loses a part of the phone's packets, and delays each for up to a time.
const (
	lossyPart   = 0.1
	lossyJitter = 60 * time.Millisecond
)

func newLossyRelay(t *testing.T, gateway string) *lossyRelay {
	t.Helper()
	to, err := net.ResolveUDPAddr("udp4", gateway)
	if err != nil {
		t.Fatal(err)
	}
	r := &lossyRelay{random: rand.New(rand.NewPCG(7, 8))}
	for _, c := range []**net.UDPConn{&r.signalling, &r.toPhone, &r.toGateway} {
		if *c, err = net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)}); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { (*c).Close() })
	}
	go r.relaySignalling(to)
	go r.relayMedia(r.toPhone, r.toGateway, func() net.Addr { return r.gatewayMedia }, true)
	go r.relayMedia(r.toGateway, r.toPhone, func() net.Addr { return r.phoneMedia }, false)
	return r
}

func (r *lossyRelay) address() string { return r.signalling.LocalAddr().String() }

var audioPort = regexp.MustCompile(`m=audio (\d+) `)

// relaySignalling passes messages on: those of the gateway to the phone, and others to the gateway.
func (r *lossyRelay) relaySignalling(gateway *net.UDPAddr) {
	buffer := make([]byte, 1<<16)
	var phone *net.UDPAddr
	for {
		n, from, err := r.signalling.ReadFromUDP(buffer)
		if err != nil {
			return
		}
		if from.Port == gateway.Port {
			_, _ = r.signalling.WriteToUDP(r.through(buffer[:n], r.toPhone, &r.gatewayMedia), phone)
			continue
		}
		phone = from
		_, _ = r.signalling.WriteToUDP(r.through(buffer[:n], r.toGateway, &r.phoneMedia), gateway)
	}
}

// through returns a message in whose session description the port is that of the relay, and sets whose it was.
func (r *lossyRelay) through(message []byte, relay *net.UDPConn, media *net.Addr) []byte {
	head, body, ok := strings.Cut(string(message), "\r\n\r\n")
	port := audioPort.FindStringSubmatch(body)
	if !ok || port == nil {
		return message
	}
	address, err := net.ResolveUDPAddr("udp4", "127.0.0.1:"+port[1])
	if err != nil {
		return message
	}
	r.mu.Lock()
	*media = address
	r.mu.Unlock()
	body = audioPort.ReplaceAllString(body, fmt.Sprintf("m=audio %d ", relay.LocalAddr().(*net.UDPAddr).Port))
	head = regexp.MustCompile(`(?i)\r\nContent-Length: *\d+`).ReplaceAllString(head, fmt.Sprintf("\r\nContent-Length: %d", len(body)))
	return []byte(head + "\r\n\r\n" + body)
}

// relayMedia passes on what comes at one port from the other.
func (r *lossyRelay) relayMedia(in, out *net.UDPConn, target func() net.Addr, lossy bool) {
	for {
		packet := make([]byte, 2048)
		n, _, err := in.ReadFromUDP(packet)
		if err != nil {
			return
		}
		r.mu.Lock()
		to, copies := target(), []time.Duration{0}
		if lossy {
			copies = nil
			r.sent++
			if r.random.Float64() >= lossyPart {
				delay := time.Duration(r.random.Int64N(int64(lossyJitter)))
				copies = []time.Duration{delay, delay}
			} else {
				r.lost++
			}
		}
		r.mu.Unlock()
		for _, delay := range copies {
			if to != nil {
				time.AfterFunc(delay, func() { _, _ = out.WriteTo(packet[:n], to) }) // so later packets overtake it
			}
		}
	}
}

// A caller is understood over a network that loses 10 % of the packets, delays each by up to 60 ms, so that they come in another
// order, and brings each twice, as over a good one.
func TestCallerOverALossyNetwork(t *testing.T) {
	t.Parallel()
	defer acquireLine()()
	ports, err := binary.FreePorts()
	if err != nil {
		t.Fatal(err)
	}
	s := serve(t, filepath.Join(t.TempDir(), "data"), ports)
	var trunk struct{ ID string }
	ask(t, s, http.MethodPost, "/api/v1/sip-trunks", object{"name": "Softphone", "address": "127.0.0.1", "allowed_addresses": []string{"127.0.0.1"}}, &trunk)
	ask(t, s, http.MethodPost, "/api/v1/phone-numbers", object{"number": "+4930111111", "workflow_slug": "demo", "trunk_id": trunk.ID}, nil)
	relay := newLossyRelay(t, "127.0.0.1:"+ports["PARLEY_SIP_PORT"])
	_, relayPort, err := net.SplitHostPort(relay.address())
	if err != nil {
		t.Fatal(err)
	}
	phone := newSoftphone(t)
	for _, network := range []string{relayPort, ports["PARLEY_SIP_PORT"]} {
		phone.dial(t, "+4930111111", network)
		id := newestCall(t, s)
		awaitStatus(t, s, id, client.Active)
		entries(t, s, id, 1) // the greeting
		phone.say(t, hours, func() bool {
			transcript, err := s.API.Calls.Transcript(t.Context(), id)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range transcript {
				if e.Role == "user" && strings.Contains(strings.ToLower(e.Content), hours) {
					return true
				}
			}
			return false
		})
		phone.hangUp(t)
		c := awaitEnd(t, s, id, client.Completed, "caller_hangup")
		if network != relayPort {
			continue
		}
		relay.mu.Lock()
		t.Logf("%d of %d packets of the phone were lost", relay.lost, relay.sent)
		relay.mu.Unlock()
		if q := c.Quality; q == nil || q.Received.Lost == nil || *q.Received.Lost < q.Received.Packets/20 {
			t.Errorf("the call's quality does not have the loss: %+v", q)
		}
	}
}

// newestCall waits until a call is there that has not ended, and returns its id.
func newestCall(t *testing.T, s *binary.Server) (id string) {
	t.Helper()
	await(t, "the call is there", func() bool {
		active, err := s.API.Calls.ListActive(t.Context(), client.ActiveCallQuery{Limit: 1})
		if err != nil {
			t.Fatal(err)
		}
		if len(active) > 0 {
			id = active[0].ID
		}
		return id != ""
	})
	return id
}
