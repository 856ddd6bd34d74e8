package media

import (
	"io"
	"net"
	"testing"
	"testing/synctest"
	"time"
)

// waitingPackets is a connection with packets that have arrived.
type waitingPackets struct {
	net.PacketConn
	n int
}

func (w *waitingPackets) ReadFrom([]byte) (int, net.Addr, error) {
	if w.n == 0 {
		return 0, nil, io.EOF
	}
	w.n--
	return 1, nil, nil
}

// Of packets that come at once, and of those that follow, as many are taken as the rate allows.
func TestPacketRate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := new(waitingPackets)
		conn := limitPacketsOf(w)
		for i, want := range []int{maxPackets, packetsPerSecond, packetsPerSecond} {
			w.n = 10 * maxPackets
			got := 0
			for {
				if _, _, err := conn.ReadFrom(nil); err != nil {
					break
				}
				got++
			}
			if got != want {
				t.Errorf("second %d: %d packets, want %d", i, got, want)
			}
			time.Sleep(time.Second)
		}
	})
}
