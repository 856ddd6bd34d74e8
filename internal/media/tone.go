package media

import (
	"fmt"
	"strings"

	"github.com/livekit/protocol/livekit"
)

// tones are the keys of a phone, each at its event code of RFC 4733, section 3.2.
const tones = "0123456789*#ABCD"

// SendTone sends a DTMF tone to the phones in the room: 0 to 9, *, #, or A to D. The gateway plays a tone for 250
// ms, followed by a pause of the same length. It requires JoinOptions.Data.
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
