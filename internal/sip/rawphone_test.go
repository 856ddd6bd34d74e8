package sip

import (
	"net"
	"strings"
	"testing"
	"time"
)

// rawPhone is a phone over UDP that sends what the test says.
type rawPhone struct {
	net.PacketConn
	peer net.Addr
}

func newRawPhone(t *testing.T) *rawPhone {
	t.Helper()
	c, err := net.ListenPacket("udp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return &rawPhone{PacketConn: c}
}

// await waits for a message that begins with this word, such as a method. Others are repeated ones, and are left.
func (p *rawPhone) await(t *testing.T, word string) string {
	t.Helper()
	if err := p.SetReadDeadline(time.Now().Add(testLimit)); err != nil {
		t.Fatal(err)
	}
	buffer := make([]byte, 1<<16)
	for {
		n, from, err := p.ReadFrom(buffer)
		if err != nil {
			t.Fatalf("no %s comes: %v", word, err)
		}
		if p.peer = from; strings.HasPrefix(string(buffer[:n]), word+" ") {
			return string(buffer[:n])
		}
	}
}

func (p *rawPhone) send(t *testing.T, text string) {
	t.Helper()
	if _, err := p.WriteTo([]byte(text), p.peer); err != nil {
		t.Fatal(err)
	}
}
