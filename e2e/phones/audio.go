package phones

import (
	"encoding/binary"
	"net"
	"net/netip"
	"slices"
	"sync"
	"time"

	"github.com/livekit/media-sdk/g711"
)

// Rate is the sample rate of a phone's audio, in Hz.
const Rate = 8000

const (
	packetTime    = 20 * time.Millisecond
	packetSamples = Rate / 50
	rtpHeader     = 12

	pcmu, telephoneEvent = 0, 101 // payload types
	keys                 = "0123456789*#ABCD"
)

// Audio is the audio of a phone over RTP: PCMU in packets of 20 ms. It sends to whoever sends to it, from the first packet that
// it receives on.
type Audio struct {
	conn *net.UDPConn
	done chan struct{}
	wait sync.WaitGroup

	mu       sync.Mutex
	sound    []int16 // to be sent, before silence
	peer     netip.AddrPort
	received Received
	start    time.Time // when the packet with the timestamp first was due
	first    uint32
	last     uint16          // sequence number
	lastTime uint32          // timestamp
	late     []time.Duration // relative to start
	sent     uint32          // packets
	played   int             // samples that were sent
	recorded *Recorded       // nil if nothing is kept
	event    uint32          // timestamp of the last telephone event
}

// Received is what a phone has received.
type Received struct {
	Packets int
	Missing int // of the sequence numbers; a packet that comes behind its successor counts as very many
	Skipped int // times without a packet, by the timestamps; pauses of a second and more are left out
}

// Recorded is what a phone has received since Record.
type Recorded struct {
	Packets []Packet
	Keys    string // pressed by telephone events (RFC 4733)
}

// Packet is a packet of sound.
type Packet struct {
	At  time.Duration // how much the phone had sent when it came
	PCM []int16       // 20 ms at Rate
}

// NewAudio opens a port on 127.0.0.1.
func NewAudio() (*Audio, error) {
	conn, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		return nil, err
	}
	_ = conn.SetReadBuffer(1 << 20)
	a := &Audio{conn: conn, done: make(chan struct{})}
	a.wait.Go(a.receive)
	a.wait.Go(a.send)
	return a, nil
}

// Port returns the UDP port.
func (a *Audio) Port() int { return a.conn.LocalAddr().(*net.UDPAddr).Port }

// Play sends sound at Rate instead of silence, after what it still plays.
func (a *Audio) Play(pcm []int16) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.sound = append(a.sound, pcm...)
}

// Record keeps from now on what is received, for Recorded.
func (a *Audio) Record() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.recorded = new(Recorded)
}

// Recorded returns what was received since Record.
func (a *Audio) Recorded() Recorded {
	a.mu.Lock()
	defer a.mu.Unlock()
	return Recorded{Packets: slices.Clone(a.recorded.Packets), Keys: a.recorded.Keys}
}

// Played returns how much the phone has sent since somebody first sent to it.
func (a *Audio) Played() time.Duration {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.playedTime()
}

func (a *Audio) playedTime() time.Duration { return time.Duration(a.played) * time.Second / Rate }

// Close closes the port.
func (a *Audio) Close() {
	close(a.done)
	_ = a.conn.Close()
	a.wait.Wait()
}

// Received returns what was received so far.
func (a *Audio) Received() Received {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.received
}

// Late returns by how much each packet came after its time, which is that of the earliest packet and the RTP timestamps.
func (a *Audio) Late() []time.Duration {
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.late) == 0 {
		return nil
	}
	late, earliest := slices.Clone(a.late), slices.Min(a.late)
	for i := range late {
		late[i] -= earliest
	}
	return late
}

func (a *Audio) receive() {
	buffer := make([]byte, 2048)
	for {
		n, from, err := a.conn.ReadFromUDPAddrPort(buffer)
		if err != nil {
			return
		}
		now := time.Now()
		if n < rtpHeader {
			continue
		}
		timestamp := binary.BigEndian.Uint32(buffer[4:])
		switch buffer[1] & 0x7f { // no comfort noise, no RTCP
		case pcmu:
			a.count(now, from, binary.BigEndian.Uint16(buffer[2:]), timestamp)
			a.record(buffer[rtpHeader:n])
		case telephoneEvent:
			a.recordKey(buffer[rtpHeader:n], timestamp)
		}
	}
}

func (a *Audio) count(now time.Time, from netip.AddrPort, sequence uint16, timestamp uint32) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.received.Packets == 0 {
		a.start, a.first, a.last, a.lastTime = now, timestamp, sequence-1, timestamp-packetSamples
	}
	a.peer = from
	a.received.Packets++
	a.received.Missing += int(sequence - a.last - 1)
	if pause := timestamp - a.lastTime; pause < Rate {
		a.received.Skipped += int(pause/packetSamples) - int(sequence-a.last)
	}
	a.last, a.lastTime = sequence, timestamp
	a.late = append(a.late, now.Sub(a.start.Add(time.Duration(int32(timestamp-a.first))*time.Second/Rate)))
}

func (a *Audio) record(payload []byte) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.recorded != nil {
		a.recorded.Packets = append(a.recorded.Packets, Packet{a.playedTime(), g711.ULawSample(payload).Decode()})
	}
}

// recordKey adds the key of a telephone event, all packets of which have its timestamp.
func (a *Audio) recordKey(payload []byte, timestamp uint32) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.recorded == nil || len(payload) < 4 || int(payload[0]) >= len(keys) || a.recorded.Keys != "" && timestamp == a.event {
		return
	}
	a.event = timestamp
	a.recorded.Keys += keys[payload[0] : payload[0]+1]
}

// send sends a packet each 20 ms; those that this process was too late for follow at once.
func (a *Audio) send() {
	packet := make([]byte, rtpHeader+packetSamples)
	packet[0], packet[11] = 0x80, 7 // version 2; a source
	next, silence := time.Now(), make([]int16, packetSamples)
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-a.done:
			return
		case <-timer.C:
		}
		for now := time.Now(); !next.After(now); next = next.Add(packetTime) {
			a.mu.Lock()
			peer, frame := a.peer, silence
			if peer.IsValid() && len(a.sound) >= packetSamples {
				frame, a.sound = a.sound[:packetSamples], a.sound[packetSamples:]
			}
			a.sent++
			binary.BigEndian.PutUint16(packet[2:], uint16(a.sent))
			binary.BigEndian.PutUint32(packet[4:], a.sent*packetSamples)
			g711.EncodeULawTo(packet[rtpHeader:], frame)
			if peer.IsValid() {
				a.played += packetSamples
			}
			a.mu.Unlock()
			if peer.IsValid() {
				_, _ = a.conn.WriteToUDPAddrPort(packet, peer) // fails once the call is over
			}
		}
		timer.Reset(time.Until(next))
	}
}
