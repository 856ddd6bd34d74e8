package media

import (
	"fmt"
	"strings"

	"github.com/livekit/protocol/livekit"
)

// tones are the keys of a phone, each at its event code of RFC 4733, section 3.2.
const tones = "0123456789*#ABCD"

// SendTone has the phones in the room be sent the tone of a key: 0 to 9, *, #, or A to D. The gateway takes 250 ms to
// play one, and as long a pause after it. The participant has joined with JoinOptions.Data.
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
	if err := channels.send(&livekit.DataPacket{Value: &livekit.DataPacket_SipDtmf{SipDtmf: tone}}, p.gone); err != nil {
		return fmt.Errorf("send tone: %w", err)
	}
	return nil
}
