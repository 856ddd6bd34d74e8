package media

import (
	"fmt"
	"strings"

	"github.com/livekit/protocol/livekit"
)

// tones are the keys of a phone, each at its event code of RFC 4733, section 3.2.
const tones = "0123456789*#ABCD"

// SendTone sends a key of a phone to the room: 0 to 9, *, #, or A to D. An agent's tones are played to the phones in the room, each for 250
// ms, followed by a pause of the same length; a phone's are keys that were pressed. It requires JoinOptions.Data.
func (p *Participant) SendTone(key byte) error {
	code := strings.IndexByte(tones, key)
	if code < 0 {
		return fmt.Errorf("send tone: no phone has the key %q", key)
	}
	channels, err := p.dataChannels()
	if err != nil {
		return fmt.Errorf("send tone: %w", err)
	}
	tone := &livekit.SipDTMF{Code: uint32(code), Digit: string(key)}
	if err := channels.send(&livekit.DataPacket{Value: &livekit.DataPacket_SipDtmf{SipDtmf: tone}}, p.done); err != nil {
		return fmt.Errorf("send tone: %w", err)
	}
	return nil
}

// receiveTone calls OnTone with the key of the peer's packet.
func (p *Participant) receiveTone(packet *livekit.DataPacket) {
	tone := packet.GetSipDtmf()
	if tone == nil || p.options.OnTone == nil || int(tone.GetCode()) >= len(tones) {
		return
	}
	p.mu.Lock()
	fromPeer := !p.ended && packet.GetParticipantIdentity() == p.peer
	p.mu.Unlock()
	if fromPeer {
		p.options.OnTone(tones[tone.GetCode()])
	}
}
