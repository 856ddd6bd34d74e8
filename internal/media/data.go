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
	away, back := p.reconnecting, p.back
	p.mu.Unlock()
	if away {
		select {
		case <-back:
		case <-p.gone:
		case <-time.After(dataTimeout):
			return nil, ErrLost
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.over:
		return nil, errGone
	case p.connection.data == nil:
		return nil, errors.New("the participant did not join to send data")
	}
	return p.connection.data, nil
}

// dataChannels carry messages between participants. LiveKit requires both a reliable and a lossy one.
type dataChannels struct {
	reliable *webrtc.DataChannel
	open     chan struct{}

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
	d := &dataChannels{reliable: reliable, open: make(chan struct{})}
	reliable.OnOpen(func() { close(d.open) })
	take := func(m webrtc.DataChannelMessage) {
		packet := new(livekit.DataPacket)
		if proto.Unmarshal(m.Data, packet) == nil {
			received(packet)
		}
	}
	reliable.OnMessage(take)
	peer.OnDataChannel(func(c *webrtc.DataChannel) { // the server may send over its own channels
		if c.Label() == reliable.Label() {
			c.OnMessage(take)
		}
	})
	return d, nil
}

// dataTimeout bounds the wait for the channels, which open shortly after media are connected.
const dataTimeout = 5 * time.Second

// send sends a message to all participants, unless gone closes first.
func (d *dataChannels) send(packet *livekit.DataPacket, gone <-chan struct{}) error {
	select {
	case <-d.open:
	case <-gone:
		return errGone
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
