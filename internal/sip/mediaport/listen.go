package mediaport

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/netip"
	"syscall"
	"time"
)

// drainTime is how long a closed port stays bound, so that the next call does not receive packets that a peer still
// sends.
const drainTime = 5 * time.Second

// drainBuffer is the receive buffer in bytes of a socket that nobody reads any more.
const drainBuffer = 1 << 12

// packetConn is the part of net.UDPConn that a port uses.
type packetConn interface {
	ReadFromUDPAddrPort(p []byte) (int, netip.AddrPort, error)
	WriteToUDPAddrPort(p []byte, to netip.AddrPort) (int, error)
	SetReadDeadline(t time.Time) error
	SetReadBuffer(bytes int) error
	Close() error
}

// listenPair binds an even port for RTP and the odd one above it for RTCP (RFC 3550 11), beginning at a random one of the
// range.
func listenPair(ports PortRange, loopbackOnly bool) (media, control *net.UDPConn, err error) {
	address := netip.IPv6Unspecified() // of both families
	if loopbackOnly {
		address = netip.AddrFrom4([4]byte{127, 0, 0, 1})
	}
	media, control, err = listenPairAt(ports, address)
	if errors.Is(err, syscall.EAFNOSUPPORT) { // a machine without IPv6
		media, control, err = listenPairAt(ports, netip.IPv4Unspecified())
	}
	return media, control, err
}

func listenPairAt(ports PortRange, address netip.Addr) (media, control *net.UDPConn, err error) {
	first, last := (max(ports.First, 1024)+1)&^1, ports.Last
	if last <= 0 || last > 65535 {
		last = 65535
	}
	pairs := (last - first + 1) / 2
	if pairs <= 0 {
		return nil, nil, fmt.Errorf("listen for RTP: the ports %d to %d hold no pair of an even and an odd one", ports.First, ports.Last)
	}
	start := rand.IntN(pairs)
	for i := range pairs {
		port := first + 2*((start+i)%pairs)
		media, err = listen(address, port)
		if err == nil {
			if control, err = listen(address, port+1); err == nil {
				return media, control, nil
			}
			media.Close()
		}
		if !errors.Is(err, syscall.EADDRINUSE) {
			return nil, nil, fmt.Errorf("listen for RTP: %w", err)
		}
	}
	return nil, nil, fmt.Errorf("listen for RTP: all ports from %d to %d are in use", first, last)
}

func listen(address netip.Addr, port int) (*net.UDPConn, error) {
	return net.ListenUDP("udp", net.UDPAddrFromAddrPort(netip.AddrPortFrom(address, uint16(port))))
}

// drain closes a connection after drainTime. What arrives until then fills a small buffer in the kernel and is lost.
func drain(c packetConn) {
	_ = c.SetReadBuffer(drainBuffer)
	time.AfterFunc(drainTime, func() { _ = c.Close() })
}
