package media

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/livekit/protocol/livekit"
	"github.com/pion/webrtc/v4"
	"google.golang.org/protobuf/proto"
)

// dataChannels returns the data channels of the current connection, or of the next one while the participant
// reconnects.
func (p *Participant) dataChannels() (*dataChannels, error) {
	p.mu.Lock()
	reconnecting, reconnected := p.reconnecting, p.reconnected
	p.mu.Unlock()
	if reconnecting {
		select {
		case <-reconnected:
		case <-p.done:
		case <-time.After(dataTimeout):
			return nil, ErrLost
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.ended:
		return nil, errLeft
	case p.connection.data == nil:
		return nil, errors.New("the participant did not join to send data")
	}
	return p.connection.data, nil
}

// dataChannels carry messages between participants. LiveKit requires both a reliable and a lossy one.
type dataChannels struct {
	reliable *webrtc.DataChannel
	opened   chan struct{}

	mu   sync.Mutex
	sent uint32
}

// newDataChannels opens the channels. received is called with each reliable message, one at a time.
func newDataChannels(peer *webrtc.PeerConnection, received func(*livekit.DataPacket)) (*dataChannels, error) {
	unordered, once := false, uint16(1)
	if _, err := peer.CreateDataChannel("_lossy", &webrtc.DataChannelInit{Ordered: &unordered, MaxRetransmits: &once}); err != nil {
		return nil, err
	}
	reliable, err := peer.CreateDataChannel("_reliable", nil)
	if err != nil {
		return nil, err
	}
	d := &dataChannels{reliable: reliable, opened: make(chan struct{})}
	reliable.OnOpen(func() { close(d.opened) })
	handle := func(m webrtc.DataChannelMessage) {
		packet := new(livekit.DataPacket)
		if proto.Unmarshal(m.Data, packet) == nil {
			received(packet)
		}
	}
	reliable.OnMessage(handle)
	peer.OnDataChannel(func(c *webrtc.DataChannel) { // the server may send over its own channels
		if c.Label() == reliable.Label() {
			c.OnMessage(handle)
		}
	})
	return d, nil
}

// dataTimeout bounds the wait for the channels, which open shortly after media are connected.
const dataTimeout = 5 * time.Second

// send sends a message to all participants, unless done closes first.
func (d *dataChannels) send(packet *livekit.DataPacket, done <-chan struct{}) error {
	select {
	case <-d.opened:
	case <-done:
		return errLeft
	case <-time.After(dataTimeout):
		return fmt.Errorf("%w: its data channel does not open", ErrLost)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.sent++
	packet.Sequence = d.sent
	data, err := proto.Marshal(packet)
	if err != nil {
		return err
	}
	return d.reliable.Send(data)
}
