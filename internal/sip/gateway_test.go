package sip

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/e2e/sippeer"
	"parley/internal/audio"
	"parley/internal/dialogue"
	"parley/internal/media"
)

const (
	testKey    = "key"
	testSecret = "a secret of at least thirty-two characters"
)

var (
	mediaServer *media.Embedded // shared by the tests: a room keeps them apart
	joiner      = media.NewJoiner(quiet)
	tokens      = media.Tokens{Key: testKey, Secret: testSecret}
	roomSeq     atomic.Int64
	quiet       = slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError}))
)

// testLimit limits how long a test waits for what must happen, on a machine with much else to do.
const testLimit = 2 * time.Minute

// shortRing is the ringing timeout of tests that wait until it is over, before which the phone has to ring.
const shortRing = 5 * time.Second

func TestMain(m *testing.M) {
	flag.Parse()
	if err := flag.Set("test.parallel", "6"); err != nil { // these tests wait, for audio and for timeouts
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	slog.SetDefault(slog.New(slog.DiscardHandler)) // sipgo logs each connection that a peer closes
	var err error
	mediaServer, err = media.StartEmbedded(context.Background(), media.EmbeddedOptions{LoopbackOnly: true, Key: testKey, Secret: testSecret, Logger: quiet})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	if err := mediaServer.Stop(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func rooms() *media.Rooms { return media.NewRooms(mediaServer.URL(), testKey, testSecret) }

func options() GatewayOptions {
	return GatewayOptions{RTPPorts: PortRange{10000, 20000}, LoopbackOnly: true, AllowPrivateNetworks: true,
		MediaURL: mediaServer.URL(), Joiner: joiner, Tokens: tokens, Logger: quiet}
}

// start starts a gateway that is stopped with the test.
func start(t *testing.T, o GatewayOptions) *Gateway {
	t.Helper()
	g, err := StartGateway(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := g.Stop(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return g
}

// newRoom returns a room that goes with the test.
func newRoom(t *testing.T) string {
	t.Helper()
	name := fmt.Sprintf("room-%d", roomSeq.Add(1))
	if err := rooms().Create(context.Background(), name, media.RoomOptions{EmptyTimeout: time.Minute, DepartureTimeout: time.Minute}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := rooms().Delete(context.Background(), name); err != nil {
			t.Error(err)
		}
	})
	return name
}

func number(t *testing.T, r OutboundRoute) DialRequest {
	return DialRequest{Room: newRoom(t), Identity: PhoneIdentity("call"), Number: "+4930123456", Trunk: r, RingTimeout: testLimit}
}

// dialErr returns the dial error that err is.
func dialErr(t *testing.T, err error) DialError {
	t.Helper()
	var r *DialError
	if !errors.As(err, &r) {
		t.Fatalf("got %v, want a dial error", err)
	}
	return *r
}

// callStatus is the phone's as the room sees it; "" when it is not there.
func callStatus(t *testing.T, room string) string {
	t.Helper()
	members, err := rooms().Participants(t.Context(), room)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range members {
		if m.Identity == PhoneIdentity("call") {
			return m.Attributes["sip.callStatus"]
		}
	}
	return ""
}

func await(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(testLimit); !holds(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("never: %s", what)
		}
	}
}

// What the other side of a call says is what Dial returns.
func TestDialErrors(t *testing.T) {
	t.Parallel()
	g := start(t, options())
	for _, test := range []struct {
		status int
		phrase string
		want   DialErrorCause
	}{
		{486, "Busy Here", Busy},
		{600, "Busy Everywhere", Busy},
		{603, "Decline", Declined},
		{404, "Not Found", InvalidNumber},
		{484, "Address Incomplete", InvalidNumber},
		{480, "Temporarily Unavailable", RingTimeout},
		{403, "Forbidden", Unreachable},
		{488, "Not Acceptable Here", Unreachable},
		{503, "Service Unavailable", Unreachable},
	} {
		t.Run(test.phrase, func(t *testing.T) {
			t.Parallel()
			p := answering(t, UDP, receives("INVITE"), says(180, "Ringing"), retransmits(test.status, test.phrase), receives("ACK"))
			got := dialErr(t, g.Dial(t.Context(), number(t, p.route(UDP))))
			if got.Cause != test.want || got.Status != test.status || strings.ContainsAny(got.Detail, "\n+@") {
				t.Errorf("got %+v, want %s with %d", got, test.want, test.status)
			}
			p.content(t)
		})
	}
}

// A call that is answered carries sound both ways: the phone echoes what the agent says. The agent's end of it is the
// phone's, and the phone's is the agent's.
func TestAnswered(t *testing.T) {
	t.Parallel()
	g := start(t, options())
	for _, transport := range []Transport{UDP, TCP} {
		t.Run(string(transport), func(t *testing.T) {
			t.Parallel()
			p := answering(t, transport, receives("INVITE"), says(100, "Trying"), says(180, "Ringing"), picksUp(` retrans="500"`),
				receives("ACK"), receives("BYE"), agrees())
			d := number(t, p.route(transport))
			agent := enter(t, d.Room)
			if err := g.Dial(t.Context(), d); err != nil {
				t.Fatal(err)
			}
			await(t, "the phone is active", func() bool { return callStatus(t, d.Room) == "active" })
			stop := make(chan struct{})
			var playing sync.WaitGroup
			playing.Go(func() { playTone(t, agent, 800, stop) })
			awaitTone(t, agent, 800)
			close(stop)
			playing.Wait()
			if err := rooms().Delete(t.Context(), d.Room); err != nil {
				t.Fatal(err)
			}
			p.content(t)
		})
	}
	t.Run("hung up by the phone", func(t *testing.T) {
		t.Parallel()
		p := answering(t, UDP, receivesINVITE(), says(180, "Ringing"), picksUp(` retrans="500"`), receives("ACK"), pause(300*time.Millisecond), hangsUp())
		d := number(t, p.route(UDP))
		agent := enter(t, d.Room)
		if err := g.Dial(t.Context(), d); err != nil {
			t.Fatal(err)
		}
		for e := range agent.Events() {
			if e.Kind == media.PeerLeft {
				if !e.HungUp || e.Identity != d.Identity {
					t.Errorf("the phone left as %+v", e)
				}
				break
			}
		}
		p.content(t)
	})
	t.Run("too long", func(t *testing.T) {
		t.Parallel()
		p := answering(t, UDP, receives("INVITE"), picksUp(` retrans="500"`), receives("ACK"), receives("BYE"), agrees())
		d := number(t, p.route(UDP))
		d.MaxDuration = time.Second
		if err := g.Dial(t.Context(), d); err != nil {
			t.Fatal(err)
		}
		p.content(t)
	})
	// Our ACK is lost: the phone repeats its answer until it has one.
	t.Run("acknowledged again", func(t *testing.T) {
		t.Parallel()
		p := newRawPhone(t)
		d, dialled := number(t, OutboundRoute{Address: p.LocalAddr().String(), Transport: UDP}), make(chan error, 1)
		go func() { dialled <- g.Dial(t.Context(), d) }()
		answer := accepted(p.await(t, "INVITE"), p.LocalAddr())
		for range 3 {
			p.send(t, answer)
			p.await(t, "ACK")
		}
		if err := <-dialled; err != nil {
			t.Error(err)
		}
	})
}

// An answered phone that vanishes, and answers our BYE no more than it sends audio, leaves the room as lost, not as one that
// hung up, and before the BYE is given up after 32 s.
func TestVanishes(t *testing.T) {
	t.Parallel()
	o := options()
	o.silence = 2 * time.Second
	g := start(t, o)
	p := newRawPhone(t)
	d, dialled := number(t, OutboundRoute{Address: p.LocalAddr().String(), Transport: UDP}), make(chan error, 1)
	agent := enter(t, d.Room)
	go func() { dialled <- g.Dial(t.Context(), d) }()
	p.send(t, accepted(p.await(t, "INVITE"), p.LocalAddr()))
	p.await(t, "ACK")
	if err := <-dialled; err != nil {
		t.Fatal(err)
	}
	limit := time.After(testLimit)
	for {
		select {
		case e := <-agent.Events():
			if e.Kind != media.PeerLeft {
				continue
			}
			if e.HungUp || e.Identity != d.Identity {
				t.Errorf("the phone left as %+v", e)
			}
			return
		case <-limit:
			t.Fatal("the phone stays")
		}
	}
}

// A phone that nobody waits for any more stops ringing.
func TestCancelled(t *testing.T) {
	t.Parallel()
	cancelled := []string{receives("CANCEL"), says(200, "OK"), answersInvite(487, "Request Terminated", ""), repeated("CANCEL"), receives("ACK")}
	ringing := append([]string{receives("INVITE"), says(180, "Ringing")}, cancelled...)
	g := start(t, options())
	t.Run("after the ringing timeout", func(t *testing.T) {
		t.Parallel()
		p := answering(t, UDP, ringing...)
		d := number(t, p.route(UDP))
		d.RingTimeout = shortRing
		if got := dialErr(t, g.Dial(t.Context(), d)); got.Cause != RingTimeout || got.Status != 0 {
			t.Errorf("got %+v", got)
		}
		p.content(t)
	})
	t.Run("by the context", func(t *testing.T) {
		t.Parallel()
		p := answering(t, UDP, ringing...)
		d := number(t, p.route(UDP))
		enough := errors.New("enough")
		ctx, cancel := context.WithCancelCause(t.Context())
		go func() {
			for ctx.Err() == nil {
				if callStatus(t, d.Room) == "ringing" {
					cancel(enough)
				}
			}
		}()
		if err := g.Dial(ctx, d); !errors.Is(err, enough) {
			t.Errorf("got %v", err)
		}
		p.content(t)
	})
	// RFC 3261 9.1: a CANCEL waits for the first provisional answer.
	t.Run("before any answer", func(t *testing.T) {
		t.Parallel()
		p := newRawPhone(t)
		d := number(t, OutboundRoute{Address: p.LocalAddr().String(), Transport: UDP})
		d.RingTimeout = time.Second
		if got := dialErr(t, g.Dial(t.Context(), d)); got.Cause != Unreachable || got.Status != 0 {
			t.Errorf("got %+v", got)
		}
		invite := p.await(t, "INVITE")
		p.send(t, response(invite, "180 Ringing", ""))
		p.send(t, response(p.await(t, "CANCEL"), "200 OK", ""))
		p.send(t, response(invite, "487 Request Terminated", ""))
		p.await(t, "ACK")
	})
	t.Run("picked up at that moment", func(t *testing.T) {
		t.Parallel()
		p := answering(t, UDP, receives("INVITE"), says(180, "Ringing"), receives("CANCEL"), answersInvite(200, "OK", answerBody), repeated("CANCEL"), receives("ACK"),
			receives("BYE"), agrees())
		d := number(t, p.route(UDP))
		d.RingTimeout = shortRing
		if got := dialErr(t, g.Dial(t.Context(), d)); got.Cause != RingTimeout {
			t.Errorf("got %+v", got)
		}
		p.content(t)
	})
	t.Run("by a gateway that stops", func(t *testing.T) {
		t.Parallel()
		own := start(t, options())
		p := answering(t, UDP, ringing...)
		d := number(t, p.route(UDP))
		dialled := make(chan error, 1)
		go func() { dialled <- own.Dial(t.Context(), d) }()
		await(t, "the phone rings", func() bool { return callStatus(t, d.Room) == "ringing" })
		if err := own.Stop(t.Context()); err != nil {
			t.Error(err)
		}
		if err := <-dialled; !errors.Is(err, errStopped) {
			t.Errorf("got %v", err)
		}
		if err := own.Dial(t.Context(), d); !errors.Is(err, errStopped) {
			t.Errorf("afterwards: %v", err)
		}
		p.content(t)
	})
	t.Run("answered, by a gateway that stops", func(t *testing.T) {
		t.Parallel()
		own := start(t, options())
		p := answering(t, UDP, receives("INVITE"), picksUp(` retrans="500"`), receives("ACK"), receives("BYE"), agrees())
		if err := own.Dial(t.Context(), number(t, p.route(UDP))); err != nil {
			t.Fatal(err)
		}
		if err := own.Stop(t.Context()); err != nil {
			t.Error(err)
		}
		own.Wait()
		p.content(t)
	})
}

// A trunk that asks for credentials gets them, once.
func TestCredentials(t *testing.T) {
	t.Parallel()
	g := start(t, options())
	challenge := func(status int, header string) []string {
		return []string{receives("INVITE"), retransmits(status, "Authenticate", header+`: Digest realm="trunk", nonce="47ebe028cda119c35d4877b383027d28", algorithm=MD5`), receives("ACK")}
	}
	verify := map[int]string{
		401: `<verifyauth assign_to="right" username="acme" password="pa55word"/>`,
		407: `<ereg regexp="Digest.*username=.acme.*response=.[0-9a-f]*" search_in="hdr" header="Proxy-Authorization:" assign_to="right"/>`, // sipp verifies the other alone
	}
	good := "<label id=\"good\"/>\n"
	for status, header := range map[int]string{401: "WWW-Authenticate", 407: "Proxy-Authenticate"} {
		for _, password := range []string{"pa55word", "wrong", ""} {
			if status == 407 && password == "wrong" {
				continue
			}
			t.Run(fmt.Sprintf("%d %q", status, password), func(t *testing.T) {
				t.Parallel()
				steps := challenge(status, header)
				if password != "" {
					steps = append(steps, `<recv request="INVITE" crlf="true"><action>`+verify[status]+"</action></recv>\n"+`<nop hide="true" test="right" next="good"/>`, retransmits(status, "Still", header+`: Digest realm="trunk", nonce="9a7e15c1d2", algorithm=MD5`), receives("ACK"),
						`<nop next="end"/>`, good, retransmits(486, "Busy Here"), receives("ACK"), `<label id="end"/>`)
				}
				p := answering(t, UDP, steps...)
				r := p.route(UDP)
				if password != "" {
					r.Username, r.Password = "acme", password
				}
				got := dialErr(t, g.Dial(t.Context(), number(t, r)))
				want := DialError{Cause: Unreachable, Status: status}
				if password == "pa55word" {
					want = DialError{Cause: Busy, Status: 486}
				}
				if got.Cause != want.Cause || got.Status != want.Status || strings.Contains(got.Detail, "wrong") {
					t.Errorf("got %+v, want %+v", got, want)
				}
				p.content(t)
			})
		}
	}
}

// A dial through a trunk that cannot be reached returns the reason, and nothing is sent to an address that is not permitted.
func TestUnreachable(t *testing.T) {
	t.Parallel()
	silent, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	guarded := options()
	guarded.AllowPrivateNetworks = false
	open, closed := start(t, options()), start(t, guarded)
	long := map[string]string{}
	for i := range 10 {
		long["X-Long-"+strconv.Itoa(i)] = strings.Repeat("x", 200)
	}
	for name, test := range map[string]struct {
		g    *Gateway
		r    OutboundRoute
		want string
	}{ // "does not answer" is known when the ringing timeout is over
		"nobody answers":    {open, OutboundRoute{Address: silent.LocalAddr().String(), Transport: UDP}, "does not answer"},
		"a private address": {closed, OutboundRoute{Address: silent.LocalAddr().String(), Transport: UDP}, "not a permitted one"},
		"a private name":    {closed, OutboundRoute{Address: "localhost:" + strconv.Itoa(silent.LocalAddr().(*net.UDPAddr).Port), Transport: UDP}, "not a permitted one"},
		"the operator's":    {closed, OutboundRoute{Address: silent.LocalAddr().String(), Transport: UDP, Platform: true}, "does not answer"},
		"no such name":      {open, OutboundRoute{Address: "trunk.invalid:5060", Transport: UDP}, "cannot be found"},
		"off the machine":   {open, OutboundRoute{Address: "192.0.2.1", Transport: UDP}, "loopback"},
		"IPv6 elsewhere":    {open, OutboundRoute{Address: "[::1]:5060", Transport: TCP}, "loopback"},
		"nobody listens":    {open, OutboundRoute{Address: "127.0.0.1:1", Transport: TCP}, "over TCP"},
		"no port":           {open, OutboundRoute{Address: "127.0.0.1:1", Transport: UDP}, "does not answer"},
		"too large for UDP": {open, OutboundRoute{Address: silent.LocalAddr().String(), Transport: UDP, Headers: long}, "does not answer"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := number(t, test.r)
			if strings.Contains(test.want, "does not answer") {
				d.RingTimeout = time.Second
			}
			got := dialErr(t, test.g.Dial(t.Context(), d))
			if got.Cause != Unreachable || got.Status != 0 || !strings.Contains(got.Detail, test.want) {
				t.Errorf("got %+v, want %q", got, test.want)
			}
		})
	}
	t.Run("no room", func(t *testing.T) {
		t.Parallel()
		err := open.Dial(t.Context(), DialRequest{Room: "nowhere", Identity: "phone", Number: "+4930123456", Trunk: OutboundRoute{Address: "127.0.0.1:1", Transport: UDP}, RingTimeout: time.Minute})
		var r *DialError
		if err == nil || errors.As(err, &r) {
			t.Errorf("got %v", err)
		}
	})
}

// A TLS trunk is known by the name that it was given, and its certificate.
func TestTLS(t *testing.T) {
	t.Parallel()
	trunk, roots := tlsTrunk(t, "localhost")
	o := options()
	o.roots = roots
	knows, stranger := start(t, o), start(t, options())
	for name, test := range map[string]struct {
		g    *Gateway
		host string
		want DialError
	}{
		"known":      {knows, "localhost", DialError{Busy, 486, ""}},
		"other name": {knows, "127.0.0.1", DialError{Unreachable, 0, ""}},
		"unknown":    {stranger, "localhost", DialError{Unreachable, 0, ""}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := dialErr(t, test.g.Dial(t.Context(), number(t, OutboundRoute{Address: net.JoinHostPort(test.host, trunk), Transport: TLS})))
			if test.want.Status == 0 && !strings.Contains(got.Detail, "certificate") {
				t.Errorf("told: %s", got.Detail)
			}
			got.Detail = ""
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// tlsTrunk is one that is busy; it returns its port, and what it is known by.
func tlsTrunk(t *testing.T, name string) (port string, roots *x509.CertPool) {
	t.Helper()
	certificate, key, roots := sippeer.Certify(t, name)
	pair, err := tls.X509KeyPair([]byte(certificate), []byte(key))
	if err != nil {
		t.Fatal(err)
	}
	l, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{Certificates: []tls.Certificate{pair}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go busy(c)
		}
	}()
	_, port, _ = net.SplitHostPort(l.Addr().String())
	return port, roots
}

// busy answers each INVITE of a connection with 486.
func busy(c io.ReadWriteCloser) {
	defer c.Close()
	buffer := make([]byte, 1<<16)
	for {
		n, err := c.Read(buffer)
		if err != nil {
			return
		}
		request := string(buffer[:n])
		if !strings.HasPrefix(request, "INVITE ") {
			continue
		}
		if _, err := io.WriteString(c, response(request, "486 Busy Here", "")); err != nil {
			return
		}
	}
}

// accepted answers an INVITE of a phone that is picked up.
func accepted(invite string, phone net.Addr) string {
	return response(invite, "200 OK", "v=0\r\no=phone 1 1 IN IP4 127.0.0.1\r\ns=-\r\nc=IN IP4 127.0.0.1\r\nt=0 0\r\nm=audio 9 RTP/AVP 0\r\n",
		"Contact: <sip:"+phone.String()+">", "Content-Type: application/sdp")
}

// response answers a request that begins a dialog.
func response(request, status, body string, headers ...string) string {
	lines := []string{"SIP/2.0 " + status}
	for _, line := range strings.Split(request, "\r\n") {
		name, _, _ := strings.Cut(line, ":")
		switch strings.ToLower(name) {
		case "via", "from", "call-id", "cseq":
			lines = append(lines, line)
		case "to":
			lines = append(lines, line+";tag=phone")
		}
	}
	return strings.Join(append(append(lines, headers...), "Content-Length: "+strconv.Itoa(len(body)), "", body), "\r\n")
}

func TestAddressThatIsNone(t *testing.T) {
	t.Parallel()
	for _, ip := range []string{"", "nowhere", "2001:db8::1"} {
		o := options()
		o.LoopbackOnly, o.NodeIP = false, ip
		if err := o.Check(); err == nil || !strings.HasPrefix(err.Error(), "PARLEY_RTC_NODE_IP: ") {
			t.Errorf("%q: %v", ip, err)
		}
		if g, err := StartGateway(t.Context(), o); err == nil {
			_ = g.Stop(t.Context())
			t.Errorf("%q: it started", ip)
		}
	}
}

func TestPortInUse(t *testing.T) {
	t.Parallel()
	for _, network := range []string{"udp", "tcp"} {
		o := options()
		if network == "udp" {
			c, err := net.ListenPacket("udp4", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			o.Port = c.LocalAddr().(*net.UDPAddr).Port
		} else {
			l, err := net.Listen("tcp4", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			o.Port = l.Addr().(*net.TCPAddr).Port
		}
		g, err := StartGateway(t.Context(), o)
		if err == nil {
			_ = g.Stop(t.Context())
			t.Errorf("%s: it started", network)
			continue
		}
		checked := o.Check()
		if !strings.HasPrefix(err.Error(), "PARLEY_SIP_PORT: ") || strings.Contains(err.Error(), "\n") || checked == nil || checked.Error() != err.Error() {
			t.Errorf("%s: %q, checked: %v", network, err, checked)
		}
	}
}

// A phone that is gone without a word does not hold up a gateway that stops.
func TestStopsWithoutGoodbye(t *testing.T) {
	t.Parallel()
	p := newRawPhone(t)
	g, err := StartGateway(t.Context(), options())
	if err != nil {
		t.Fatal(err)
	}
	d, dialled := number(t, OutboundRoute{Address: p.LocalAddr().String(), Transport: UDP}), make(chan error, 1)
	go func() { dialled <- g.Dial(t.Context(), d) }()
	p.send(t, accepted(p.await(t, "INVITE"), p.LocalAddr()))
	if err := <-dialled; err != nil {
		t.Fatal(err)
	}
	if err := rooms().Delete(t.Context(), d.Room); err != nil {
		t.Fatal(err)
	}
	p.await(t, "BYE") // to which there is no answer
	limited, cancel := context.WithTimeout(t.Context(), testLimit)
	defer cancel()
	if err := g.Stop(limited); err != nil {
		t.Error(err)
	}
}

// A gateway answers its health check until it has stopped.
func TestCheck(t *testing.T) {
	t.Parallel()
	g, err := StartGateway(t.Context(), options())
	if err != nil {
		t.Fatal(err)
	}
	limited, cancel := context.WithTimeout(t.Context(), testLimit)
	defer cancel()
	if err := g.Check(limited); err != nil {
		t.Error(err)
	}
	if err := g.Stop(t.Context()); err != nil {
		t.Error(err)
	}
	if err := g.Check(limited); err == nil || limited.Err() != nil {
		t.Errorf("a gateway that has stopped: %v", err)
	}
}

// Requests may come until the gateway has stopped. The race detector notices a transaction that is closed while it begins.
func TestStopsWhileRequestsCome(t *testing.T) {
	t.Parallel()
	g, err := StartGateway(t.Context(), options())
	if err != nil {
		t.Fatal(err)
	}
	p := newRawPhone(t)
	p.peer = &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1), Port: g.Port()}
	for i := range 300 {
		p.send(t, fmt.Sprintf("OPTIONS sip:x SIP/2.0\r\nVia: SIP/2.0/UDP %s;branch=z9hG4bK%d\r\nFrom: <sip:a@b>;tag=1\r\nTo: <sip:x>\r\nCall-ID: %d\r\nCSeq: 1 OPTIONS\r\nContent-Length: 0\r\n\r\n", p.LocalAddr(), i, i))
	}
	p.await(t, "SIP/2.0")
	if err := g.Stop(t.Context()); err != nil {
		t.Error(err)
	}
}

// A gateway that has stopped lets its port go and leaves nothing running, but what LiveKit cannot end. No other gateway may
// run meanwhile.
func TestStops(t *testing.T) {
	o := options()
	for range 2 {
		g, err := StartGateway(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		p := answering(t, UDP, receives("INVITE"), retransmits(486, "Busy Here"), receives("ACK"))
		d := DialRequest{Room: newRoom(t), Identity: "phone", Number: "+4930123456", Trunk: p.route(UDP), RingTimeout: testLimit}
		if got := dialErr(t, g.Dial(t.Context(), d)); got.Cause != Busy {
			t.Errorf("got %+v", got)
		}
		p.content(t)
		for range 2 {
			if err := g.Stop(t.Context()); err != nil {
				t.Error(err)
			}
		}
		g.Wait()
		o.Port = g.Port()
	}
	// The media server is in this process too, and has its own; other tests wait for their turn.
	ours := func() (left []string) {
		stacks := make([]byte, 1<<22)
		for _, g := range strings.Split(string(stacks[:runtime.Stack(stacks, true)]), "\n\n") {
			if strings.Contains(g, "parley/internal/sip.") && !strings.Contains(g, "sip.TestStops") && !strings.Contains(g, "testing.(*T).Parallel(") && !strings.Contains(g, "sip.answering") && !strings.Contains(g, "sip.TestMain") {
				left = append(left, g)
			}
		}
		return left
	}
	for deadline := time.Now().Add(testLimit); len(ours()) > 0; time.Sleep(50 * time.Millisecond) { // audio ports are drained for a while
		if time.Now().After(deadline) {
			t.Fatalf("still running:\n%s", strings.Join(ours(), "\n\n"))
		}
	}
}

// enter joins the room as its agent.
func enter(t *testing.T, room string) *media.Participant {
	t.Helper()
	token, err := tokens.Agent(room, "agent", time.Now(), time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	p, err := joiner.Join(t.Context(), media.JoinOptions{URL: mediaServer.URL(), Token: token, Agent: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Leave)
	return p
}

// playTone plays freq, paced by the clock, until stop closes.
func playTone(t *testing.T, p *media.Participant, freq float64, stop <-chan struct{}) {
	const samples = dialogue.SpeakRate / 50
	tone := audio.Tone(freq, dialogue.SpeakRate, 2*time.Second)
	tick := time.NewTicker(dialogue.FrameDuration)
	defer tick.Stop()
	for at := 0; ; at = (at + samples) % (len(tone) - samples) {
		select {
		case <-stop:
			return
		case <-tick.C:
			if err := p.Play(tone[at : at+samples]); err != nil {
				t.Errorf("play: %v", err)
				return
			}
		}
	}
}

// awaitTone waits until p receives a tone of freq Hz.
func awaitTone(t *testing.T, p *media.Participant, freq float64) {
	t.Helper()
	limit := time.After(testLimit)
	for {
		select {
		case f := <-p.Frames():
			if audio.Level(f) > -40 && audio.Power(f, freq, dialogue.ListenRate) > 0.8 {
				return
			}
		case <-limit:
			t.Errorf("never heard %v Hz", freq)
			return
		}
	}
}
