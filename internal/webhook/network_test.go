package webhook

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"sync"
	"testing"
	"time"
)

// network connects a Deliverer to endpoints in memory. Unlike a connection of
// the kernel's, one that waits lets the virtual time of a synctest bubble continue.
type network struct {
	mu        sync.Mutex
	listeners map[string]*listener // by host:port
}

// listen makes an endpoint with its own host name, which is closed after
// the test.
func (n *network) listen(t testing.TB) *listener {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.listeners == nil {
		n.listeners = map[string]*listener{}
	}
	l := &listener{host: fmt.Sprintf("receiver%d.test", len(n.listeners)+1), accepted: make(chan net.Conn), closed: make(chan struct{})}
	n.listeners[l.host] = l
	t.Cleanup(func() { l.Close() })
	return l
}

// dial implements http.Transport.DialContext.
func (n *network) dial(ctx context.Context, _, address string) (net.Conn, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	n.mu.Lock()
	l := n.listeners[host]
	n.mu.Unlock()
	if l == nil {
		return nil, fmt.Errorf("no endpoint at %s", address)
	}
	near, far := net.Pipe()
	select {
	case l.accepted <- far:
		return near, nil
	case <-l.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// transport makes connections of the network, with what the Deliverer's own
// transport is set to.
func (n *network) transport() *http.Transport {
	transport := newTransport(true)
	transport.DialContext = n.dial
	return transport
}

// listener is an endpoint of a network.
type listener struct {
	host     string
	accepted chan net.Conn
	closed   chan struct{}
	close    sync.Once
}

func (l *listener) Accept() (net.Conn, error) {
	select {
	case c := <-l.accepted:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *listener) Close() error {
	l.close.Do(func() { close(l.closed) })
	return nil
}

func (l *listener) Addr() net.Addr { return l }

func (l *listener) Network() string { return "memory" }
func (l *listener) String() string  { return l.host }

// patience bounds the wait for a condition. In a bubble it is virtual time, which advances while nothing runs.
const patience = time.Minute
