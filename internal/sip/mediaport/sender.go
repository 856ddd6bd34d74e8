package mediaport

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"time"

	"parley/internal/audio"
	"parley/internal/sip/negotiation"
)

const (
	// maxPacketTime bounds the audio of a packet.
	maxPacketTime = 60 * time.Millisecond

	// prebuffer is how long audio after silence waits at least, so that the next frame may be a little late.
	prebuffer = 5 * time.Millisecond

	// gapMost is the longest pause in what is written that counts as audio that came too late.
	gapMost = 100 * time.Millisecond

	// queueMost bounds the audio that waits to be sent.
	queueMost = 200 * time.Millisecond

	// queueSpare is the audio that may wait without need. Silence beyond it is left out.
	queueSpare = 2 * frameTime

	// silentPeak is the greatest sample of a frame that counts as silence: -60 dBFS.
	silentPeak = 32

	// noiseAfter is the silence after which comfort noise replaces it, noiseInterval the time between its packets, and
	// noiseLevel its level in -dBov.
	noiseAfter, noiseInterval = 200 * time.Millisecond, 200 * time.Millisecond
	noiseLevel                = 78
)

// sender turns audio into packets. It is asked for one each packet time, and has silence where no audio is written. It
// belongs to one goroutine at a time.
type sender struct {
	rate int // in Hz, of the audio that is written

	stream    negotiation.Stream
	packet    time.Duration // of a packet
	encoder   encoder
	coded     int // in Hz, of the audio that is encoded
	resampler *audio.Resampler
	last      []int16 // the last audio before the resampler, for the next one

	ssrc      uint32
	seq       uint16
	timestamp uint32 // of the next packet
	marker    bool   // the next packet follows silence

	queue    []int16
	complete time.Time     // when the queue last became long enough for a packet
	talking  bool          // the last packet was of audio that was written
	paused   time.Duration // since then; 0 before the first audio
	silence  time.Duration // since the last packet with sound
	dial     dialler

	pcm, wide []int16
	out       []byte

	packets, octets      uint64
	underruns, discarded uint64 // packets of silence amid audio; frames that were not sent
}

func newSender(rate int) *sender {
	s := &sender{rate: rate, last: make([]int16, samples(rate, frameTime)), queue: make([]int16, 0, samples(rate, queueMost+frameTime))}
	s.renew()
	return s
}

// renew begins a new stream. Its sequence numbers begin low, so that a peer that misses the first packets does not take
// the wrap for one (RFC 3711 3.3.1).
func (s *sender) renew() {
	s.ssrc, s.seq, s.timestamp = rand.Uint32(), uint16(rand.UintN(1<<15)), rand.Uint32()
	s.marker = true
}

// configure changes what is sent, from the next packet on.
func (s *sender) configure(next negotiation.Stream) error {
	before := s.stream
	packet := packetTime(next)
	if s.encoder == nil || before.Codec != next.Codec {
		coded := codecRate(next.Codec, s.rate)
		e, err := newEncoder(next.Codec, coded)
		if err != nil {
			return err
		}
		if s.resampler == nil || s.coded != coded {
			s.coded, s.resampler = coded, audio.NewResampler(s.rate, coded)
			s.wide = s.resampler.Process(s.last, s.wide[:0]) // what was sent last stands before what follows
		}
		s.encoder = e
	}
	if before.Codec != "" && (!keyEqual(before.LocalKey, next.LocalKey) || before.Codec.ClockRate() != next.Codec.ClockRate()) {
		s.renew() // with a counter of its own for the new key, with timestamps of its own for the new clock (RFC 7160 4.1)
	}
	if !before.Sends && next.Sends {
		s.marker = true
	}
	if !next.Sends {
		s.queue = s.queue[:0]
		s.talking, s.paused = false, 0
	}
	s.stream, s.packet = next, packet
	return nil
}

// packetTime returns the duration of the packets that are sent: a multiple of 10 ms, and one that the codec has.
func packetTime(s negotiation.Stream) time.Duration {
	const unit = 10 * time.Millisecond
	d := s.PacketTime.Truncate(unit)
	switch {
	case d <= 0:
		return frameTime
	case s.Codec == negotiation.Opus && d%frameTime != 0 && d > unit: // RFC 6716 2.1.4
		d -= unit
	}
	return min(d, maxPacketTime)
}

// write adds audio. It replaces the oldest where more waits than queueMost.
func (s *sender) write(now time.Time, pcm []int16) {
	if !s.stream.Sends {
		return
	}
	need := samples(s.rate, s.packet)
	if len(s.queue) < need && len(s.queue)+len(pcm) >= need {
		s.complete = now
	}
	s.queue = append(s.queue, pcm...)
	if over := len(s.queue) - samples(s.rate, queueMost); over > 0 {
		s.discard(over)
	}
}

func (s *sender) discard(n int) {
	s.queue = s.queue[:copy(s.queue, s.queue[n:])]
	s.discarded++
}

// waiting returns the number of packets whose audio is in the queue.
func (s *sender) waiting() int { return len(s.queue) / samples(s.rate, s.packet) }

// next returns the packet that is due, valid until the next call; nil if none is to be sent. skipped is the number of
// packets before it that the machine was too late for.
func (s *sender) next(now time.Time, skipped int) (packet []byte, err error) {
	ticks := uint32(samples(s.stream.Codec.ClockRate(), s.packet))
	s.timestamp += uint32(skipped) * ticks
	s.marker = s.marker || skipped > 0
	if s.stream.Sends {
		s.takeAudio(now)
		packet, err = s.build()
	}
	s.timestamp += ticks
	return packet, err
}

// build returns a packet with the audio that was taken, or with what is dialled.
func (s *sender) build() ([]byte, error) {
	if !s.dial.active() {
		return s.nextAudio()
	}
	defer s.dial.advance(s.packet)
	if s.stream.EventPayloadType == 0 {
		s.dial.tones(s.pcm, s.rate)
		s.silence = 0
		return s.nextAudio()
	}
	if p := s.nextEvent(); p != nil {
		return p, nil
	}
	clear(s.pcm)
	return s.nextAudio()
}

// takeAudio takes the audio of a packet from the queue. What is not there is silence.
func (s *sender) takeAudio(now time.Time) {
	n := samples(s.rate, s.packet)
	for spare := n + samples(s.rate, queueSpare); len(s.queue) >= spare && silent(s.queue[:n]); {
		s.discard(n)
	}
	s.pcm = append(s.pcm[:0], make([]int16, n)...)
	switch {
	case len(s.queue) >= n && (s.talking || now.Sub(s.complete) >= prebuffer):
		copy(s.pcm, s.queue)
		s.queue = s.queue[:copy(s.queue, s.queue[n:])]
		s.marker = s.marker || !s.talking
		if s.paused > 0 && s.paused <= gapMost {
			s.underruns++
		}
		s.talking, s.paused = true, 0
	case s.talking: // the rest of what was written
		copy(s.pcm, s.queue)
		s.queue, s.talking, s.paused = s.queue[:0], false, s.packet
	case s.paused > 0:
		s.paused += s.packet
	}
	if s.silence += s.packet; !silent(s.pcm) {
		s.silence = 0
	}
}

func silent(pcm []int16) bool {
	for _, v := range pcm {
		if v > silentPeak || v < -silentPeak {
			return false
		}
	}
	return true
}

// nextAudio encodes the packet's audio.
func (s *sender) nextAudio() ([]byte, error) {
	s.wide = s.resampler.Process(s.pcm, s.wide[:0])
	s.remember()
	if s.stream.ComfortNoise && s.silence > noiseAfter {
		if (s.silence-noiseAfter-s.packet)%noiseInterval >= s.packet {
			return nil, nil
		}
		s.header(noisePayload, s.timestamp, false)
		s.out, s.marker = append(s.out, noiseLevel), true
		return s.finish(), nil
	}
	s.header(s.stream.PayloadType, s.timestamp, s.marker)
	out, err := s.encoder.encode(s.wide, s.out)
	if err != nil {
		return nil, fmt.Errorf("encode audio for the phone: %w", err)
	}
	s.out, s.marker = out, false
	return s.finish(), nil
}

func (s *sender) remember() {
	n := min(len(s.pcm), len(s.last))
	copy(s.last, s.last[n:])
	copy(s.last[len(s.last)-n:], s.pcm[len(s.pcm)-n:])
}

// nextEvent returns the packet of the key that is being sent; nil in pauses.
func (s *sender) nextEvent() []byte {
	clock := max(s.stream.EventClockRate, 8000)
	if s.dial.elapsed == 0 {
		s.dial.start = s.timestamp
		if audioClock := s.stream.Codec.ClockRate(); audioClock != clock {
			s.dial.start = uint32(uint64(s.timestamp) * uint64(clock) / uint64(audioClock))
		}
	}
	s.header(s.stream.EventPayloadType, s.dial.start, s.dial.elapsed == 0)
	out, ok := s.dial.event(s.packet, clock, s.out)
	if !ok {
		s.seq--
		return nil
	}
	s.out, s.marker = out, true
	return s.finish()
}

// header begins a packet.
func (s *sender) header(payloadType uint8, timestamp uint32, marker bool) {
	if marker {
		payloadType |= 0x80
	}
	s.out = append(s.out[:0], 0x80, payloadType)
	s.out = binary.BigEndian.AppendUint16(s.out, s.seq)
	s.out = binary.BigEndian.AppendUint32(s.out, timestamp)
	s.out = binary.BigEndian.AppendUint32(s.out, s.ssrc)
	s.seq++
}

func (s *sender) finish() []byte {
	s.packets++
	s.octets += uint64(len(s.out) - rtpHeader)
	return s.out
}
