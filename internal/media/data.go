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

// dataChannels are those of the connection that the participant has, or will have when it is back in its room.
func (p *Participant) dataChannels() (*dataChannels, error) {
	p.mu.Lock()
	away, back := p.reconnecting, p.back
	p.mu.Unlock()
	if away {
		select {
		case <-back:
		case <-p.gone:
		case <-time.After(dataPatience):
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

// dataChannels carry messages to others in the room. LiveKit wants both kinds before it takes them for ready.
type dataChannels struct {
	reliable *webrtc.DataChannel
	open     chan struct{}

	mu   sync.Mutex
	sent uint32
}

// received gets what others in the room send reliably, one packet after the other.
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
	peer.OnDataChannel(func(c *webrtc.DataChannel) { // the server may send over channels of its own
		if c.Label() == reliable.Label() {
			c.OnMessage(take)
		}
	})
	return d, nil
}

// dataPatience bounds the wait for the channels, which open shortly after the media are connected.
const dataPatience = 5 * time.Second

// send sends a message to everybody in the room, unless gone closes before it can be sent.
func (d *dataChannels) send(packet *livekit.DataPacket, gone <-chan struct{}) error {
	select {
	case <-d.open:
	case <-gone:
		return errGone
	case <-time.After(dataPatience):
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
