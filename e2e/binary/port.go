package binary

import (
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
	"sync"
)

// claims are the ports reserved by this process.
var claims struct {
	sync.Mutex
	held []net.Listener
}

// FreePort returns a port that is free for TCP and UDP on every address, and reserves it on this machine for the
// lifetime of this process. It is outside the ranges of ephemeral ports and of phones' audio.
func FreePort() (int, error) { return FreePortRow(1) }

// FreePortRow returns the first of n consecutive free ports.
func FreePortRow(n int) (int, error) {
	const first, count, tries = 20_001, 12_000, 1000
	claims.Lock()
	defer claims.Unlock()
	for range tries {
		port := first + rand.IntN(count)
		var held []net.Listener
		for i := range n {
			claim, err := claimPort(port + i)
			if err != nil {
				break
			}
			held = append(held, claim)
		}
		if len(held) == n {
			claims.held = append(claims.held, held...)
			return port, nil
		}
		for _, claim := range held {
			claim.Close()
		}
	}
	return 0, fmt.Errorf("none of %d ports is free", tries)
}

// claimPort reserves a port by a Unix socket in the abstract namespace (unix(7)), which is machine-wide and ends
// with the process.
func claimPort(port int) (claim net.Listener, err error) {
	address := ":" + strconv.Itoa(port)
	held, err := net.Listen("unix", "@parley-test-port"+address)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			held.Close()
		}
	}()
	l, err := net.Listen("tcp", address)
	if err != nil {
		return nil, err
	}
	l.Close()
	u, err := net.ListenPacket("udp", address)
	if err != nil {
		return nil, err
	}
	u.Close()
	return held, nil
}
