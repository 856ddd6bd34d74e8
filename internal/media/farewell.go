package media

import (
	"sync/atomic"
	"time"

	"github.com/pion/interceptor"
)

// farewell holds the signalling connection open for a moment after the goodbye was sent on it. The SDK closes it at
// once, and when it closes before LiveKit has passed the goodbye on (one in sixty under load), that is lost, and the
// others in the room hear of the leaving 20 seconds later, as of a lost connection. The SDK offers no hook there, but
// before it closes the connection it closes the peer connection, and with that its interceptors.
type farewell struct {
	interceptor.NoOp
	leaving atomic.Bool
	said    chan struct{} // closed when the moment is over
}

const (
	farewellTime = 100 * time.Millisecond
	// farewellLimit is for a connection that is lost already.
	farewellLimit = 500 * time.Millisecond
)

func newFarewell() *farewell { return &farewell{said: make(chan struct{})} }

// NewInterceptor makes the farewell part of a peer connection; of a later one, if the SDK must connect anew.
func (f *farewell) NewInterceptor(string) (interceptor.Interceptor, error) { return f, nil }

// Close is called by the peer connection.
func (f *farewell) Close() error {
	if f.leaving.CompareAndSwap(true, false) {
		time.Sleep(farewellTime)
		close(f.said)
	}
	return nil
}

// say runs leave, which closes the peer connection in the background, and waits until it may be forgotten.
func (f *farewell) say(leave func()) {
	f.leaving.Store(true)
	leave()
	select {
	case <-f.said:
	case <-time.After(farewellLimit):
	}
}
