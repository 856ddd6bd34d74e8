package media

import (
	"errors"
	"fmt"
	"strings"

	"github.com/livekit/protocol/livekit"
)

// tones are the keys of a phone, each at its event code of RFC 4733, section 3.2.
const tones = "0123456789*#ABCD"

// SendTone, of a participant that joined with JoinOptions.Tones, has the phones in the room be sent the tone of a key: 0 to 9, *, #, or A to D. The gateway takes 250 ms to
// play one, and as long a pause after it.
func (p *Participant) SendTone(key byte) error {
	select {
	case <-p.gone:
		return fmt.Errorf("send tone: %w", errGone)
	default:
	}
	code := strings.IndexByte(tones, key)
	if code < 0 {
		return fmt.Errorf("send tone: no phone has the key %q", key)
	}
	p.mu.Lock()
	channels := p.connection.data
	p.mu.Unlock()
	if channels == nil {
		return errors.New("send tone: the participant did not join to send tones")
	}
	tone := &livekit.SipDTMF{Code: uint32(code), Digit: string(key)}
	if err := channels.send(&livekit.DataPacket{Value: &livekit.DataPacket_SipDtmf{SipDtmf: tone}}); err != nil {
		return fmt.Errorf("send tone: %w", err)
	}
	return nil
}
