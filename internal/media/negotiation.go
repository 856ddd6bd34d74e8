package media

import (
	"fmt"

	"github.com/livekit/protocol/livekit"
	wire "github.com/livekit/protocol/signalling"
	"github.com/pion/webrtc/v4"
)

// handleAnswer applies the server's answer to an offer.
func (c *connection) handleAnswer(answer *livekit.SessionDescription) {
	if c.peer.SignalingState() == webrtc.SignalingStateStable {
		return // the answer to an offer that was rolled back
	}
	description, _, _ := wire.FromProtoSessionDescription(answer)
	if err := c.peer.SetRemoteDescription(description); err != nil {
		c.fail(fmt.Errorf("%w: the server's answer does not match the offer: %w", errStale, err))
		c.participant.handleConnectionLost(c, false)
		return
	}
	c.mu.Lock()
	candidates, offerPending := c.candidates, c.offerPending
	c.candidates, c.offerPending = nil, false
	c.mu.Unlock()
	for _, candidate := range candidates {
		_ = c.peer.AddICECandidate(candidate)
	}
	c.updateState(func() { c.answers++ })
	if offerPending {
		c.negotiating.Lock()
		_ = c.sendOffer(nil)
		c.negotiating.Unlock()
	}
}

// addCandidate adds an ICE candidate of the server.
func (c *connection) addCandidate(candidate webrtc.ICECandidateInit) {
	if c.peer.RemoteDescription() == nil {
		c.mu.Lock()
		c.candidates = append(c.candidates, candidate)
		c.mu.Unlock()
		return
	}
	_ = c.peer.AddICECandidate(candidate) // unusable candidates are ignored
}

// maxSections limits the media sections. The server requests further ones without end when a track ends before it has
// a section.
const maxSections = 64

// addSections adds media sections for more tracks and negotiates them, on the server's request.
func (c *connection) addSections(more *livekit.MediaSectionsRequirement) {
	c.negotiating.Lock()
	defer c.negotiating.Unlock()
	if more.GetNumAudios()+more.GetNumVideos() > 0 && len(c.peer.GetTransceivers()) >= maxSections {
		return
	}
	receiveOnly := webrtc.RTPTransceiverInit{Direction: webrtc.RTPTransceiverDirectionRecvonly}
	for kind, count := range map[webrtc.RTPCodecType]uint32{
		webrtc.RTPCodecTypeAudio: more.GetNumAudios(), webrtc.RTPCodecTypeVideo: more.GetNumVideos(),
	} {
		for range count {
			if _, err := c.peer.AddTransceiverFromKind(kind, receiveOnly); err != nil {
				return
			}
		}
	}
	if c.peer.SignalingState() != webrtc.SignalingStateStable {
		c.mu.Lock()
		c.offerPending = true
		c.mu.Unlock()
		return
	}
	_ = c.sendOffer(nil)
}

// restartICE restarts ICE. An offer whose answer was lost with the previous signalling is rolled back.
func (c *connection) restartICE() error {
	c.negotiating.Lock()
	defer c.negotiating.Unlock()
	if answer := c.peer.CurrentRemoteDescription(); answer != nil && c.peer.SignalingState() == webrtc.SignalingStateHaveLocalOffer {
		if err := c.peer.SetRemoteDescription(*answer); err != nil {
			return err
		}
	}
	return c.sendOffer(&webrtc.OfferOptions{ICERestart: true})
}

// sendOffer creates and sends an offer; c.negotiating is held.
func (c *connection) sendOffer(options *webrtc.OfferOptions) error {
	offer, err := c.peer.CreateOffer(options)
	if err != nil {
		return err
	}
	if err := c.peer.SetLocalDescription(offer); err != nil {
		return err
	}
	return c.send(&livekit.SignalRequest{Message: &livekit.SignalRequest_Offer{Offer: wire.ToProtoSessionDescription(offer, 0, nil)}})
}
