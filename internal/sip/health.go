package sip

import (
	"context"
	"fmt"
	"net"
	"strings"

	"github.com/google/uuid"
)

// Check sends OPTIONS to the gateway over UDP (RFC 3261, section 11). It returns
// an error if there is no response before ctx ends.
func (g *Gateway) Check(ctx context.Context) error {
	var dialer net.Dialer
	conn, err := dialer.DialContext(ctx, "udp4", fmt.Sprintf("127.0.0.1:%d", g.port))
	if err != nil {
		return fmt.Errorf("send OPTIONS to the SIP gateway: %w", err)
	}
	defer conn.Close()
	if deadline, ok := ctx.Deadline(); ok {
		_ = conn.SetDeadline(deadline)
	}
	if _, err := conn.Write(optionsRequest(UDP, conn.LocalAddr().String(), conn.RemoteAddr().String())); err != nil {
		return fmt.Errorf("send OPTIONS to the SIP gateway: %w", err)
	}
	answer := make([]byte, 2048)
	n, err := conn.Read(answer)
	if err != nil {
		return fmt.Errorf("the SIP gateway does not answer: %w", err)
	}
	if line, _, _ := strings.Cut(string(answer[:n]), "\r\n"); !strings.HasPrefix(line, "SIP/2.0 200 ") {
		return fmt.Errorf("the SIP gateway answers OPTIONS with %q", line)
	}
	return nil
}

// optionsRequest returns an OPTIONS request from one address to another, host:port.
func optionsRequest(over Transport, from, to string) []byte {
	id := uuid.NewString()
	return []byte(strings.Join([]string{
		"OPTIONS sip:" + to + " SIP/2.0",
		"Via: SIP/2.0/" + strings.ToUpper(string(over)) + " " + from + ";branch=z9hG4bK" + id + ";rport",
		"Max-Forwards: 1",
		"From: <sip:health@" + from + ">;tag=" + id,
		"To: <sip:" + to + ">",
		"Call-ID: " + id,
		"CSeq: 1 OPTIONS",
		"Contact: <sip:health@" + from + ">",
		"Accept: application/sdp",
		"Content-Length: 0", "", "",
	}, "\r\n"))
}
