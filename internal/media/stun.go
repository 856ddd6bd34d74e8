package media

import (
	"fmt"
	"net"

	"github.com/pion/stun/v3"
)

// stunResponder answers STUN binding requests (RFC 8489) on the loopback interface. Clients get it as their STUN
// server for two reasons. Without one, LiveKit names public servers of Google and Twilio. And LiveKit's Go SDK,
// with which the SIP gateway joins phones to rooms, gathers no loopback candidates: on a machine whose only
// interface is lo it learns its address here, as a server-reflexive candidate. Clients on other machines get no
// response and need none: the media server learns their addresses from connectivity checks (RFC 8445,
// peer-reflexive candidates).
type stunResponder struct{ conn net.PacketConn }

func startSTUNResponder() (*stunResponder, error) {
	conn, err := net.ListenPacket("udp4", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("open STUN responder: %w", err)
	}
	s := &stunResponder{conn}
	go AnswerSTUN(conn)
	return s, nil
}

// Addr returns the host and port for clients.
func (s *stunResponder) Addr() string { return s.conn.LocalAddr().String() }

// Close stops the responder. It is idempotent.
func (s *stunResponder) Close() { _ = s.conn.Close() }

// AnswerSTUN answers STUN binding requests until the socket is closed.
func AnswerSTUN(conn net.PacketConn) {
	buf := make([]byte, 1500)
	for {
		n, from, err := conn.ReadFrom(buf)
		if err != nil {
			return
		}
		request := &stun.Message{Raw: append([]byte(nil), buf[:n]...)}
		addr, ok := from.(*net.UDPAddr)
		if !ok || request.Decode() != nil || request.Type != stun.BindingRequest {
			continue
		}
		answer, err := stun.Build(request, stun.BindingSuccess, &stun.XORMappedAddress{IP: addr.IP, Port: addr.Port}, stun.Fingerprint)
		if err == nil {
			_, _ = conn.WriteTo(answer.Raw, from)
		}
	}
}
