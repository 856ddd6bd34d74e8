package main

import (
	"errors"
	"io"
	"net"
	"os"
	"strconv"
	"syscall"
)

// usualPorts are those of a running Parley and of the services beside it, which no test may use: on other people's machines
// somebody else has them.
var usualPorts = []int{8080, 5060, 7880, 7881, 7882, 9090, 6379, 5432}

// firstAudioPort and lastAudioPort are the beginning of the default range for phones' audio, of which tests' servers have to pass
// over ports in use.
const firstAudioPort, lastAudioPort = 10_000, 10_100

// takePorts takes these ports on all addresses, except those that are in use already, where CI is set. Elsewhere it would keep
// their owners from starting.
func takePorts() (held []io.Closer, err error) {
	if os.Getenv("CI") == "" {
		return nil, nil
	}
	take := func(l io.Closer, failure error) {
		switch {
		case failure == nil:
			held = append(held, l)
		case !errors.Is(failure, syscall.EADDRINUSE):
			err = errors.Join(err, failure)
		}
	}
	for _, port := range usualPorts {
		address := ":" + strconv.Itoa(port)
		take(net.Listen("tcp", address))
		take(net.ListenPacket("udp", address))
	}
	for port := firstAudioPort; port <= lastAudioPort; port++ {
		take(net.ListenPacket("udp", ":"+strconv.Itoa(port)))
	}
	return held, err
}
