package recognition

import (
	"context"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"
)

// pipes is a network in memory, for virtual time: every dial is accepted.
type pipes chan net.Conn

func (p pipes) dial(context.Context, string, string) (net.Conn, error) {
	ours, theirs := net.Pipe()
	p <- theirs
	return ours, nil
}

func (p pipes) Accept() (net.Conn, error) {
	conn, ok := <-p
	if !ok {
		return nil, net.ErrClosed
	}
	return conn, nil
}
func (p pipes) Close() error   { return nil }
func (p pipes) Addr() net.Addr { return &net.TCPAddr{} }

func plain(conn net.Conn) net.Conn { return conn }

// virtually runs a stream to a vendor in virtual time.
func virtually(t *testing.T, d Dialect, wire func(net.Conn) net.Conn, vendor func(ctx context.Context, conn *websocket.Conn), caller func(t *testing.T, s *Stream)) {
	synctest.Test(t, func(t *testing.T) {
		network := make(pipes, 1)
		old := client.Transport
		client.Transport = &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, n, address string) (net.Conn, error) {
			conn, err := network.dial(ctx, n, address)
			return wire(conn), err
		}}
		defer func() { client.Transport = old }()
		ctx, cancel := context.WithCancel(t.Context())
		server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			conn, err := websocket.Accept(w, r, nil)
			if err != nil {
				t.Error(err)
				return
			}
			defer conn.CloseNow()
			vendor(ctx, conn)
		})}
		go server.Serve(network)
		defer close(network)
		defer cancel()
		s, err := Open(t.Context(), d, Request{URL: "http://vendor.test"})
		if err != nil {
			t.Fatal(err)
		}
		caller(t, s)
		s.Close()
	})
}

// TestDeadConnection: a vendor that neither reads nor writes, or reads and
// answers nothing, is noticed though nobody hangs up.
func TestDeadConnection(t *testing.T) {
	deaf := func(ctx context.Context, _ *websocket.Conn) { <-ctx.Done() }
	for _, test := range []struct {
		name   string
		dialer func(net.Conn) net.Conn
		want   string
	}{
		{"a network that takes nothing", plain, "connection to Vendor is dead: it accepts no data"},
		{"a network that swallows all", func(c net.Conn) net.Conn { return &swallow{Conn: c} }, "connection to Vendor is dead: it has not answered for 10s"},
	} {
		t.Run(test.name, func(t *testing.T) {
			virtually(t, dialect(), test.dialer, deaf, func(t *testing.T, s *Stream) {
				began := time.Now()
				if err := s.ended(t); err == nil || err.Error() != test.want {
					t.Errorf("Err = %v", err)
				}
				if took := time.Since(began); took > pulseEvery+pulseWait {
					t.Errorf("noticed after %v", took)
				}
			})
		})
	}
}

// swallow loses what is written after the handshake.
type swallow struct {
	net.Conn
	writes int
}

func (s *swallow) Write(b []byte) (int, error) {
	if s.writes++; s.writes > 1 {
		return len(b), nil
	}
	return s.Conn.Write(b)
}

// TestClose: its duration is bounded.
func TestClose(t *testing.T) {
	listens := func(ctx context.Context, conn *websocket.Conn) {
		for {
			if _, _, err := conn.Read(ctx); err != nil {
				return
			}
		}
	}
	for _, test := range []struct {
		name   string
		vendor func(ctx context.Context, conn *websocket.Conn)
		want   time.Duration
	}{
		{"a vendor that hangs up", func(ctx context.Context, conn *websocket.Conn) {
			for {
				if _, message, err := conn.Read(ctx); err != nil || string(message) == "farewell" {
					conn.Close(websocket.StatusNormalClosure, "")
					return
				}
			}
		}, 0},
		{"a vendor that does not answer", listens, farewellWait},
		{"a network that takes nothing", func(ctx context.Context, _ *websocket.Conn) { <-ctx.Done() }, leaveWait},
	} {
		t.Run(test.name, func(t *testing.T) {
			virtually(t, dialect(), plain, test.vendor, func(t *testing.T, s *Stream) {
				began := time.Now()
				s.Write(make([]int16, 3200))
				s.Close()
				if took := time.Since(began); took != test.want {
					t.Errorf("Close took %v, want %v", took, test.want)
				}
				if err := s.Err(); err != nil {
					t.Errorf("Err = %v", err)
				}
			})
		})
	}
}

// TestIdleConnection: one that answers its pings lives through an hour in which
// nobody speaks.
func TestIdleConnection(t *testing.T) {
	d := dialect()
	d.KeepAlive, d.KeepAliveAfter = "alive", 4*time.Second
	alive := 0
	virtually(t, d, plain, func(ctx context.Context, conn *websocket.Conn) {
		for {
			_, message, err := conn.Read(ctx)
			if err != nil {
				return
			}
			if string(message) == "alive" {
				alive++
			}
		}
	}, func(t *testing.T, s *Stream) {
		time.Sleep(time.Hour + time.Second)
		if err := s.Write(make([]int16, 320)); err != nil {
			t.Errorf("Write after an hour: %v", err)
		}
		synctest.Wait()
		if alive != 900 {
			t.Errorf("%d messages keep an hour alive, want 900", alive)
		}
	})
}

// TestStuckVendor: a vendor that answers nothing over a live connection is distinguished from one that receives silence,
// after several Finalize.
func TestStuckVendor(t *testing.T) {
	virtually(t, dialect(), plain, func(ctx context.Context, conn *websocket.Conn) {
		for {
			if _, _, err := conn.Read(ctx); err != nil {
				return
			}
		}
	}, func(t *testing.T, s *Stream) {
		began := time.Now()
		for s.Finalize() == nil {
			asked := time.Now()
			if heard, ok := <-s.Transcripts(); ok {
				if !heard.Final || heard.Text != "" || time.Since(asked) != answerWait {
					t.Errorf("heard %+v after %v", heard, time.Since(asked))
				}
			}
			time.Sleep(4 * time.Second)
		}
		if err := s.ended(t); err == nil || err.Error() != "Vendor has not answered for 15s" {
			t.Errorf("Err = %v", err)
		}
		if took := time.Since(began); took < silentFor || took > silentFor+10*time.Second {
			t.Errorf("noticed after %v", took)
		}
	})
}

// TestHandshakeStalls: opening ends by itself.
func TestHandshakeStalls(t *testing.T) {
	d := dialect()
	d.Greets = true
	synctest.Test(t, func(t *testing.T) {
		network := make(pipes, 1)
		old := client.Transport
		client.Transport = &http.Transport{DialContext: network.dial, DisableKeepAlives: true}
		defer func() { client.Transport = old }()
		go func() {
			conn := <-network
			for b := make([]byte, 4096); ; {
				if _, err := conn.Read(b); err != nil {
					return
				}
			}
		}()
		began := time.Now()
		_, err := Open(t.Context(), d, Request{URL: "http://vendor.test"})
		if err == nil || err.Error() != "connect to Vendor: the provider cannot be reached: no answer within 5s" {
			t.Errorf("Open: %v", err)
		}
		if took := time.Since(began); took != handshakeWait {
			t.Errorf("Open took %v", took)
		}
	})
}
