package media

import (
	"fmt"

	"github.com/livekit/protocol/livekit"
	wire "github.com/livekit/protocol/signalling"
	"github.com/pion/webrtc/v4"
)

func (c *connection) answered(answer *livekit.SessionDescription) {
	if c.peer.SignalingState() == webrtc.SignalingStateStable {
		return // to an offer that was taken back
	}
	description, _, _ := wire.FromProtoSessionDescription(answer)
	if err := c.peer.SetRemoteDescription(description); err != nil {
		c.fail(fmt.Errorf("%w: the server's answer does not fit: %w", errStale, err))
		c.participant.lost(c, false)
		return
	}
	c.mu.Lock()
	early, again := c.candidates, c.offerAgain
	c.candidates, c.offerAgain = nil, false
	c.mu.Unlock()
	for _, candidate := range early {
		_ = c.peer.AddICECandidate(candidate)
	}
	c.change(func() { c.answers++ })
	if again {
		c.negotiating.Lock()
		_ = c.offer(nil)
		c.negotiating.Unlock()
	}
}

// candidate is where the server may be reached.
func (c *connection) candidate(candidate webrtc.ICECandidateInit) {
	if c.peer.RemoteDescription() == nil {
		c.mu.Lock()
		c.candidates = append(c.candidates, candidate)
		c.mu.Unlock()
		return
	}
	_ = c.peer.AddICECandidate(candidate) // one that cannot be used is as good as none
}

// mostSections bounds how much place there is for tracks. The server asks for more without end when a track goes before
// there was place for it.
const mostSections = 64

// widen makes place for more tracks and has them negotiated, as the server asks when more is sent in the room than there
// is place for.
func (c *connection) widen(more *livekit.MediaSectionsRequirement) {
	c.negotiating.Lock()
	defer c.negotiating.Unlock()
	if more.GetNumAudios()+more.GetNumVideos() > 0 && len(c.peer.GetTransceivers()) >= mostSections {
		return
	}
	listening := webrtc.RTPTransceiverInit{Direction: webrtc.RTPTransceiverDirectionRecvonly}
	for kind, count := range map[webrtc.RTPCodecType]uint32{
		webrtc.RTPCodecTypeAudio: more.GetNumAudios(), webrtc.RTPCodecTypeVideo: more.GetNumVideos(),
	} {
		for range count {
			if _, err := c.peer.AddTransceiverFromKind(kind, listening); err != nil {
				return
			}
		}
	}
	if c.peer.SignalingState() != webrtc.SignalingStateStable {
		c.mu.Lock()
		c.offerAgain = true
		c.mu.Unlock()
		return
	}
	_ = c.offer(nil)
}

// restart looks for a new way for the media. An offer whose answer was lost with the old signalling is taken back.
func (c *connection) restart() error {
	c.negotiating.Lock()
	defer c.negotiating.Unlock()
	if answer := c.peer.CurrentRemoteDescription(); answer != nil && c.peer.SignalingState() == webrtc.SignalingStateHaveLocalOffer {
		if err := c.peer.SetRemoteDescription(*answer); err != nil {
			return err
		}
	}
	return c.offer(&webrtc.OfferOptions{ICERestart: true})
}

// offer is called with c.negotiating held.
func (c *connection) offer(options *webrtc.OfferOptions) error {
	offer, err := c.peer.CreateOffer(options)
	if err != nil {
		return err
	}
	if err := c.peer.SetLocalDescription(offer); err != nil {
		return err
	}
	return c.send(&livekit.SignalRequest{Message: &livekit.SignalRequest_Offer{Offer: wire.ToProtoSessionDescription(offer, 0, nil)}})
}
