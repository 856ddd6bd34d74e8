package sip

import (
	"bytes"
	"net"
	"net/netip"

	"github.com/livekit/sipgo/sip"
)

// localAddress returns the address of this machine that packets to a peer come from.
func localAddress(peer netip.AddrPort) (netip.Addr, error) {
	c, err := net.DialUDP("udp", nil, net.UDPAddrFromAddrPort(peer)) // sends nothing
	if err != nil {
		return netip.Addr{}, err
	}
	defer c.Close()
	return c.LocalAddr().(*net.UDPAddr).AddrPort().Addr().Unmap().WithZone(""), nil
}

// message is a request or a response.
type message interface {
	Contact() *sip.ContactHeader
	Body() []byte
	SetBody(body []byte)
}

// nameIPv6 names an IPv6 address of this machine in a message to a peer there, where LiveKit writes the IPv4 address: in the Contact and
// in the session description.
func nameIPv6(m message, own netip.Addr) {
	if contact := m.Contact(); contact != nil {
		contact.Address.Host = "[" + own.String() + "]"
	}
	if body := m.Body(); len(body) > 0 {
		m.SetBody(nameIPv6InSession(body, own))
	}
}

// nameIPv6InSession replaces the address of the origin and of each connection in a session description (RFC 8866).
func nameIPv6InSession(body []byte, own netip.Addr) []byte {
	var named []byte
	for line := range bytes.FieldsFuncSeq(body, func(r rune) bool { return r == '\r' || r == '\n' }) {
		if bytes.HasPrefix(line, []byte("c=")) || bytes.HasPrefix(line, []byte("o=")) {
			if before, _, found := bytes.Cut(line, []byte("IN IP4 ")); found {
				line = append(bytes.Clone(before), "IN IP6 "+own.String()...)
			}
		}
		named = append(append(named, line...), "\r\n"...)
	}
	return named
}

// ipv6Transaction is the transaction of an INVITE from an IPv6 peer.
type ipv6Transaction struct {
	sip.ServerTransaction
	own netip.Addr
}

func (t ipv6Transaction) Respond(r *sip.Response) error {
	nameIPv6(r, t.own)
	return t.ServerTransaction.Respond(r)
}

// answerable returns the transaction with which LiveKit answers an INVITE.
func answerable(tx sip.ServerTransaction, source netip.AddrPort) (sip.ServerTransaction, error) {
	if !source.Addr().Unmap().Is6() {
		return tx, nil
	}
	own, err := localAddress(source)
	return ipv6Transaction{tx, own}, err
}
