package media

import (
	"fmt"
	"net"

	"github.com/pion/stun/v3"
)

// stunResponder answers STUN binding requests (RFC 8489) on the loopback interface. Clients are told to ask it, for two
// reasons. Told of none, LiveKit names Google's and Twilio's, which no one who runs Parley asked for. And LiveKit's Go SDK,
// by which the SIP gateway brings phones into rooms, gathers no loopback candidates, nor has it a setting for that: on a
// machine whose only interface is lo it learns its address here, as a server-reflexive candidate. Callers elsewhere get no
// answer and need none, for the media server has an address that they reach and learns theirs from their own checks
// (RFC 8445, peer-reflexive candidates).
type stunResponder struct{ conn net.PacketConn }

func answerSTUN() (*stunResponder, error) {
	conn, err := net.ListenPacket("udp4", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("open STUN responder: %w", err)
	}
	s := &stunResponder{conn}
	go s.serve()
	return s, nil
}

// Addr is the host and port to give to clients.
func (s *stunResponder) Addr() string { return s.conn.LocalAddr().String() }

// Close ends the responder; more than once is harmless.
func (s *stunResponder) Close() { _ = s.conn.Close() }

func (s *stunResponder) serve() {
	buf := make([]byte, 1500)
	for {
		n, from, err := s.conn.ReadFrom(buf)
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
			_, _ = s.conn.WriteTo(answer.Raw, from)
		}
	}
}
