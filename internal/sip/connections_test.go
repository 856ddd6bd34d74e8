package sip

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// piped is a connection from an address that leads nowhere else.
type piped struct {
	net.Conn
	from string
}

func (p piped) RemoteAddr() net.Addr { return &net.TCPAddr{IP: net.ParseIP(p.from), Port: 5060} }

// arrive has a listener admit a connection from an address, nil if it does not.
func arrive(t *testing.T, l *limitedListener, from string) (accepted *limitedConn, far net.Conn) {
	t.Helper()
	near, far := net.Pipe()
	t.Cleanup(func() { _, _ = near.Close(), far.Close() })
	return l.admit(piped{near, from}), far
}

// When all connections are in use, a new one replaces the idlest of the address that has most, unless it has a call, and those of an address
// with fewer are kept.
func TestConnectionsOfManyAddresses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := limitListener(nil, func(address string) bool { return address == "192.0.2.1" })
		var admitted []*limitedConn
		for a := range 5 {
			for range 51 {
				if c, _ := arrive(t, l, fmt.Sprintf("192.0.2.%d", a+1)); c != nil {
					admitted = append(admitted, c)
				}
				time.Sleep(time.Millisecond)
			}
		}
		carrier, _ := arrive(t, l, "198.51.100.1")
		if l.open != maxConnections || len(admitted) != 255 || carrier == nil {
			t.Fatalf("%d connections open, %d admitted", l.open, len(admitted))
		}
		another, _ := arrive(t, l, "198.51.100.2")
		if another == nil || l.open != maxConnections {
			t.Errorf("an address without connections is refused; %d open", l.open)
		}
		for _, c := range []struct {
			what string
			conn *limitedConn
			open bool
		}{{"of an address with a call", admitted[0], true}, {"the idlest of the others", admitted[51], false}, {"the next", admitted[52], true}, {"of an address with one", carrier, true}} {
			_ = c.conn.Conn.(piped).SetReadDeadline(time.Now())
			if _, err := c.conn.Conn.Read(make([]byte, 1)); errors.Is(err, os.ErrDeadlineExceeded) != c.open {
				t.Errorf("%s: %v, want open: %t", c.what, err, c.open)
			}
		}
		if c, _ := arrive(t, l, "192.0.2.3"); c != nil {
			t.Error("an address with most connections displaces others")
		}
	})
}

// A connection that does not complete a message in time is closed; one that does may be idle.
func TestSlowMessages(t *testing.T) {
	const message = "OPTIONS sip:x SIP/2.0\r\nContent-Length: 4\r\n\r\nbody"
	for what, tc := range map[string]struct {
		first string
		slow  string // a byte a second
		want  time.Duration
	}{
		"nothing":                   {want: messageTimeout},
		"a message without end":     {first: "OPTIONS sip:x SIP/2.0\r\nX-Slow: ", slow: "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", want: messageTimeout},
		"a body without end":        {first: "OPTIONS sip:x SIP/2.0\r\nContent-Length: 400\r\n\r\n", slow: "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", want: messageTimeout},
		"a message":                 {first: message, want: connectionIdle},
		"a message, then a part":    {first: message + "OPT", slow: "IONSxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", want: messageTimeout},
		"a message that takes 10 s": {first: message[:len(message)-10], slow: message[len(message)-10:], want: connectionIdle + 10*time.Second},
	} {
		t.Run(what, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				conn, far := arrive(t, limitListener(nil, func(string) bool { return false }), "192.0.2.1")
				began := time.Now()
				var writing sync.WaitGroup
				writing.Go(func() {
					_, err := io.WriteString(far, tc.first)
					for i := 0; i < len(tc.slow) && err == nil; i++ {
						time.Sleep(time.Second)
						_, err = io.WriteString(far, tc.slow[i:i+1])
					}
				})
				defer writing.Wait()
				if _, err := io.Copy(io.Discard, conn); !errors.Is(err, os.ErrDeadlineExceeded) {
					t.Fatal(err)
				}
				_ = conn.Close()
				if took := time.Since(began); took != tc.want {
					t.Errorf("closed after %v, want %v", took, tc.want)
				}
			})
		})
	}
}
