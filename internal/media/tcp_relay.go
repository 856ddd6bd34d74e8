package media

import (
	"io"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/livekit/protocol/livekit"
	wire "github.com/livekit/protocol/signalling"
	"github.com/pion/ice/v4"
	"github.com/pion/webrtc/v4"
)

// relayDialTimeout bounds connecting to the media server, which is on this machine.
const relayDialTimeout = 5 * time.Second

// TCPRelay forwards callers' ICE-TCP connections (RFC 6544) from another listener to the embedded media server, so
// that callers need to reach no other port.
type TCPRelay struct {
	address string // of the media server's TCP port, at the address of its candidate
	port    int    // of that address
}

// Relay returns the relay to the server's TCP port; false when that is not open.
func (e *Embedded) Relay() (TCPRelay, bool) { return e.relay, e.relay.port != 0 }

// relay returns the relay to the TCP port. LiveKit finds the call of a connection by the address at which it arrives,
// which must be the one of its candidate.
func (o EmbeddedOptions) relay() TCPRelay {
	if o.LoopbackOnly {
		return TCPRelay{}
	}
	host := "127.0.0.1"
	if from := sourceOf(o.NodeIP); from != nil {
		host = from.String()
	}
	return TCPRelay{net.JoinHostPort(host, strconv.Itoa(o.TCPPort)), o.TCPPort}
}

// Serve forwards a connection in both directions until one side closes it; first has been read from it. It does not
// close client.
func (r TCPRelay) Serve(client *net.TCPConn, first []byte) {
	conn, err := net.DialTimeout("tcp", r.address, relayDialTimeout)
	if err != nil {
		return // the caller tries its other candidates
	}
	server := conn.(*net.TCPConn)
	defer server.Close()
	if _, err := server.Write(first); err != nil {
		return
	}
	returned := make(chan struct{})
	go func() {
		defer close(returned)
		_, _ = io.Copy(client, server)
		_ = client.CloseRead() // ends the other direction
	}()
	_, _ = io.Copy(server, client)
	_ = server.Close()
	<-returned
}

// Advertise returns the filter that names further ports of the server's TCP candidates: the server sees only its own.
func (r TCPRelay) Advertise(ports []int) ResponseFilter {
	return func(response *livekit.SignalResponse) []*livekit.SignalResponse {
		trickle := response.GetTrickle()
		if trickle == nil {
			return nil
		}
		candidate, err := wire.FromProtoTrickle(trickle)
		if err != nil {
			return nil
		}
		responses := []*livekit.SignalResponse{response}
		for _, port := range ports {
			if further, ok := r.candidateAt(candidate, port); ok {
				responses = append(responses, &livekit.SignalResponse{Message: &livekit.SignalResponse_Trickle{
					Trickle: wire.ToProtoTrickle(further, trickle.GetTarget(), false),
				}})
			}
		}
		if len(responses) == 1 {
			return nil
		}
		return responses
	}
}

// candidateAt returns a TCP candidate of the server at another port, of the next lower priority.
func (r TCPRelay) candidateAt(candidate webrtc.ICECandidateInit, port int) (webrtc.ICECandidateInit, bool) {
	parsed, err := parseCandidate(candidate)
	if err != nil || !parsed.NetworkType().IsTCP() || parsed.Port() != r.port || port == r.port {
		return candidate, false
	}
	// RFC 8839, section 5.1: foundation, component, transport, priority, address, port, "typ" and its type, extensions.
	fields := strings.Fields(candidate.Candidate)
	fields[3], fields[5] = strconv.FormatUint(uint64(parsed.Priority()-1), 10), strconv.Itoa(port)
	candidate.Candidate = strings.Join(fields, " ")
	return candidate, true
}

func parseCandidate(candidate webrtc.ICECandidateInit) (ice.Candidate, error) {
	return ice.UnmarshalCandidate(strings.TrimPrefix(candidate.Candidate, "candidate:"))
}
