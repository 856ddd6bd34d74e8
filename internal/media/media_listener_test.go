package media

import (
	"encoding/binary"
	"errors"
	"io"
	"net"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pion/stun/v3"
)

// firstPacket returns the first packet of a connection for a call, in TCP framing.
func firstPacket(t *testing.T, call string) []byte {
	t.Helper()
	request, err := stun.Build(stun.TransactionID, stun.BindingRequest, stun.NewUsername(call+":client"))
	if err != nil {
		t.Fatal(err)
	}
	return append(binary.BigEndian.AppendUint16(nil, uint16(len(request.Raw))), request.Raw...)
}

// ends reports whether the server closes a connection.
func ends(conn net.Conn) bool {
	_ = conn.SetReadDeadline(time.Now().Add(testLimit))
	_, err := conn.Read(make([]byte, 1))
	return err != nil && !errors.Is(err, os.ErrDeadlineExceeded)
}

// A connection reaches its call while that is open, and no call has more than it needs.
func TestMediaConnectionsOfCalls(t *testing.T) {
	t.Parallel()
	l, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	m := newMediaListener(l)
	connect := func(first []byte) net.Conn {
		conn, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = conn.Close() })
		if _, err := conn.Write(first); err != nil {
			t.Fatal(err)
		}
		return conn
	}
	refused := func(what string, conn net.Conn) {
		t.Helper()
		if !ends(conn) {
			t.Errorf("%s stays open", what)
		}
	}
	m.open("call")
	packet := firstPacket(t, "call")
	var assigned []net.Conn
	for range maxPerCall {
		connect(append(packet, "more"...))
		conn, err := m.Accept()
		if err != nil {
			t.Fatal(err)
		}
		got := make([]byte, len(packet)+4)
		if _, err := io.ReadFull(conn, got); err != nil || string(got) != string(packet)+"more" {
			t.Errorf("%v; the call receives other bytes", err)
		}
		assigned = append(assigned, conn)
	}
	refused("one connection more", connect(packet))
	_, _ = assigned[0].Close(), assigned[0].Close()
	connect(packet)
	if _, err := m.Accept(); err != nil {
		t.Error(err)
	}
	refused("one connection more than were closed", connect(packet))
	refused("a connection of no call", connect(firstPacket(t, "nobody")))
	refused("a long packet", connect([]byte{maxFirstPacket>>8 + 1, 0}))
	refused("another packet", connect(append([]byte{0, 20}, make([]byte, 20)...)))
	m.remove("call")
	refused("a connection of a call that is over", connect(packet))
	if err := m.Close(); err != nil {
		t.Error(err)
	}
	if _, err := m.Accept(); !errors.Is(err, net.ErrClosed) {
		t.Errorf("accepted after the end: %v", err)
	}
}

// The oldest connection without a packet makes room for a new one.
func TestMediaConnectionsWithoutPacket(t *testing.T) {
	t.Parallel()
	l, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	m := newMediaListener(l)
	defer m.Close()
	m.open("call")
	var silent []net.Conn
	for range maxUnassigned + 1 {
		conn, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = conn.Close() })
		silent = append(silent, conn)
	}
	if !ends(silent[0]) {
		t.Error("the oldest connection stays open")
	}
	if _, err := silent[maxUnassigned].Write(firstPacket(t, "call")); err != nil {
		t.Fatal(err)
	}
	if _, err := m.Accept(); err != nil {
		t.Error(err)
	}
}

// A connection whose first packet does not come is given up.
func TestFirstPacketsThatStall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, client := net.Pipe()
		go func() { _, _ = client.Write([]byte{0, 20, 0}) }()
		began := time.Now()
		if _, call := readFirstPacket(server); call != "" || time.Since(began) != firstPacketTimeout {
			t.Errorf("%q after %v", call, time.Since(began))
		}
	})
}
