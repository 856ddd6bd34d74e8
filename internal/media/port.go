package media

import (
	"fmt"
	"io"
	"net"
	"strconv"
)

// reservePorts replaces every port 0 by a free one and checks that the others are free, by binding each as LiveKit
// will.
func (o *EmbeddedOptions) reservePorts() error {
	media := "" // all addresses
	if o.LoopbackOnly {
		media = "127.0.0.1"
	}
	var reserved []io.Closer // until all ports are chosen, so that they differ
	defer func() {
		for _, h := range reserved {
			_ = h.Close()
		}
	}()
	reserve := func(variable, network, host string, port *int) error {
		h, bound, err := bind(network, net.JoinHostPort(host, strconv.Itoa(*port)))
		if err != nil {
			return fmt.Errorf("%s: the media server cannot use %s port %d, choose a free one: %w", variable, network, *port, err)
		}
		reserved, *port = append(reserved, h), bound
		return nil
	}
	if err := reserve("PARLEY_RTC_PORT", "tcp", "127.0.0.1", &o.Port); err != nil {
		return err
	}
	if !o.LoopbackOnly {
		if err := reserve("PARLEY_RTC_TCP_PORT", "tcp", media, &o.TCPPort); err != nil {
			return err
		}
	}
	return reserve("PARLEY_RTC_UDP_PORT", "udp", media, &o.UDPPort)
}

func bind(network, address string) (io.Closer, int, error) {
	if network == "udp" {
		c, err := net.ListenPacket(network, address)
		if err != nil {
			return nil, 0, err
		}
		return c, c.LocalAddr().(*net.UDPAddr).Port, nil
	}
	l, err := net.Listen(network, address)
	if err != nil {
		return nil, 0, err
	}
	return l, l.Addr().(*net.TCPAddr).Port, nil
}
