package media

import (
	"net/http"
	"strconv"
	"time"

	"github.com/livekit/protocol/livekit"
)

// When a caller's media path fails, browsers notice after 13 s, and the media server after 15 s. The agent, which receives
// nothing any more, notices first. It sets resumeAttribute, which the media server sends to the caller over the signalling,
// and the signalling proxy then requests the caller to resume its session: that finds a new path, over TCP if UDP is
// blocked.

// resumeAttribute is the agent's attribute whose changes request the caller to resume its session.
const resumeAttribute = "parley.resume"

const (
	// pathSilence is how long nothing may arrive from a caller whose microphone is on. Clients with WebRTC of
	// browsers and phones send a packet every 400 ms at least, also in silence (Opus DTX).
	pathSilence = 2 * time.Second
	// resumeInterval is the time between requests to resume while nothing arrives, and resumeRequests their number.
	resumeInterval = 4 * time.Second
	resumeRequests = 3
)

// pathMonitor detects from the arrival of packets when their path has failed.
type pathMonitor struct {
	last     time.Time // arrival of the last packet; zero before the first one
	requests int       // since then
}

func (m *pathMonitor) recordPacket(now time.Time) { m.last, m.requests = now, 0 }

// isResumeDue reports whether a request to resume is due, and counts it.
func (m *pathMonitor) isResumeDue(now time.Time) bool {
	due := pathSilence + time.Duration(m.requests)*resumeInterval
	if m.last.IsZero() || m.requests == resumeRequests || now.Sub(m.last) < due {
		return false
	}
	m.requests++
	return true
}

// requestResume requests the peer to resume its session, unless its microphone is off.
func (p *Participant) requestResume(track string) {
	p.mu.Lock()
	idle := p.reconnecting || p.track != track || p.muted(track)
	p.mu.Unlock()
	if idle {
		return
	}
	p.joiner.log.Info("no packets from the caller; requesting it to resume its session")
	p.start(func() {
		p.SetAttributes(map[string]string{resumeAttribute: strconv.FormatInt(time.Now().UnixMilli(), 36)})
	})
}

// muted reports whether a track of the peer is muted; p.mu is held.
func (p *Participant) muted(track string) bool {
	for _, info := range p.others[p.peerSID].GetTracks() {
		if info.GetSid() == track {
			return info.GetMuted()
		}
	}
	return true
}

// ResumeOnRequest returns the filter for one connection of a caller: it adds the request to resume when the agent sets
// resumeAttribute.
func ResumeOnRequest() ResponseFilter {
	known, value := false, "" // of the agent's attribute
	return func(response *livekit.SignalResponse) []*livekit.SignalResponse {
		switch m := response.GetMessage().(type) {
		case *livekit.SignalResponse_Join:
			known = true
			if agent := agentOf(m.Join.GetOtherParticipants()); agent != nil {
				value = agent.GetAttributes()[resumeAttribute]
			}
		case *livekit.SignalResponse_Update:
			agent := agentOf(m.Update.GetParticipants())
			if agent == nil {
				break
			}
			before, first := value, !known // the first value after a resumption is an earlier request
			known, value = true, agent.GetAttributes()[resumeAttribute]
			if !first && value != "" && value != before {
				return []*livekit.SignalResponse{response, {Message: &livekit.SignalResponse_Leave{Leave: &livekit.LeaveRequest{
					CanReconnect: true, Reason: livekit.DisconnectReason_STATE_MISMATCH, Action: livekit.LeaveRequest_RESUME,
				}}}}
			}
		}
		return nil
	}
}

func agentOf(participants []*livekit.ParticipantInfo) *livekit.ParticipantInfo {
	for _, who := range participants {
		if who.GetKind() == livekit.ParticipantInfo_AGENT {
			return who
		}
	}
	return nil
}

// Pings of the signalling, in seconds. LiveKit's own are 5 and 15: a caller whose address changes would notice that
// late that its signalling is dead, and until then not resume its session.
const (
	pingInterval = 1
	pingTimeout  = 3
)

// ShortenPings is a filter that shortens the ping interval and timeout of a client, so that it detects a dead signalling
// connection early.
func ShortenPings(response *livekit.SignalResponse) []*livekit.SignalResponse {
	join := response.GetJoin()
	if join == nil || join.GetPingTimeout() == 0 {
		return nil
	}
	join.PingInterval, join.PingTimeout = pingInterval, pingTimeout
	return []*livekit.SignalResponse{response}
}

// ChainFilters returns a filter that applies several in order.
func ChainFilters(filters ...ResponseFilter) ResponseFilter {
	return func(response *livekit.SignalResponse) []*livekit.SignalResponse {
		responses, changed := []*livekit.SignalResponse{response}, false
		for _, filter := range filters {
			var next []*livekit.SignalResponse
			for _, r := range responses {
				if filtered := filter(r); filtered != nil {
					next, changed = append(next, filtered...), true
				} else {
					next = append(next, r)
				}
			}
			responses = next
		}
		if !changed {
			return nil
		}
		return responses
	}
}

// SendsInSilence reports whether the client of a joining request is one that sends packets in silence too: it uses
// the WebRTC of browsers and phones. Others may send nothing.
func SendsInSilence(r *http.Request) bool {
	switch clientSDK(r) {
	case livekit.ClientInfo_JS, livekit.ClientInfo_SWIFT, livekit.ClientInfo_ANDROID, livekit.ClientInfo_FLUTTER, livekit.ClientInfo_REACT_NATIVE:
		return true
	}
	return false
}

// clientSDK returns the client's library: a separate parameter, or part of the join request.
func clientSDK(r *http.Request) livekit.ClientInfo_SDK {
	query := r.URL.Query()
	switch query.Get("sdk") {
	case "js":
		return livekit.ClientInfo_JS
	case "ios", "swift":
		return livekit.ClientInfo_SWIFT
	case "android":
		return livekit.ClientInfo_ANDROID
	case "flutter":
		return livekit.ClientInfo_FLUTTER
	case "reactnative":
		return livekit.ClientInfo_REACT_NATIVE
	}
	join, err := unpackJoin(query.Get(joinRequestParameter))
	if err != nil {
		return livekit.ClientInfo_UNKNOWN
	}
	return join.GetClientInfo().GetSdk()
}
