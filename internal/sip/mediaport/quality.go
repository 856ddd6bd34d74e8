package mediaport

import (
	"math"
	"time"

	"github.com/pion/rtcp"
	"github.com/pion/rtp"

	"parley/internal/sip/negotiation"
)

// Quality is what is known of a call's audio so far.
type Quality struct {
	Codec    negotiation.Codec // of the audio that arrives; "" before it is negotiated
	Received Direction         // as this side measures it
	Sent     Direction         // as the other side reports it: Lost, Jitter and MOS are 0 until it does

	RoundTrip time.Duration // to the other side and back, by its last report; 0 if it sends none

	Duplicates uint64        // packets that came again
	Late       uint64        // packets that came after they were given up; they do not count as lost (RFC 3550 A.3)
	Rejected   uint64        // packets of other sources, damaged ones, and those without the agreed encryption
	Concealed  time.Duration // audio of lost packets
	Underruns  uint64        // times that the audio to be sent came too late

	LastRTP, LastRTCP time.Time // when the other side's last packets arrived; zero for none
}

// Direction is the quality of one direction.
type Direction struct {
	Packets uint64 // that were sent to arrive, lost ones included
	Lost    uint64
	Jitter  time.Duration // interarrival jitter (RFC 3550 6.4.1)
	MOS     float64       // estimated mean opinion score, 1 to 4.5; 0 if it is not known
}

// LossRate returns the part of the packets that was lost, 0 to 1.
func (d Direction) LossRate() float64 {
	if d.Lost == 0 {
		return 0
	}
	return float64(d.Lost) / float64(d.Packets)
}

// impairment are the figures of a codec with the concealment used here, for the E-model (ITU-T G.113): its impairment and its
// robustness to loss.
var impairment = map[negotiation.Codec]struct{ equipment, robustness float64 }{
	negotiation.PCMU: {0, 25.1}, negotiation.PCMA: {0, 25.1}, negotiation.G722: {0, 25.1}, negotiation.Opus: {0, 30},
}

// opinion estimates a mean opinion score by the E-model (ITU-T G.107) with its default values: from the one-way delay and the
// part of the packets that was lost.
func opinion(c negotiation.Codec, delay time.Duration, loss float64) float64 {
	const best = 93.2
	ms, percent, figures := float64(delay)/float64(time.Millisecond), 100*loss, impairment[c]
	delayed := 0.024 * ms
	if ms > 177.3 {
		delayed += 0.11 * (ms - 177.3)
	}
	lossy := figures.equipment
	if percent > 0 {
		lossy += (95 - figures.equipment) * percent / (percent + figures.robustness)
	}
	r := max(0, min(100, best-delayed-lossy))
	return max(1, 1+0.035*r+r*(r-60)*(100-r)*7e-6)
}

// receiveStats count a call's received packets (RFC 3550 A.3, A.8).
type receiveStats struct {
	started  bool
	ssrc     uint32
	base     int64 // extended sequence number of the first packet
	highest  int64
	received int64
	transit  int64 // of the last packet, in timestamp units
	last     uint32
	jitter   float64 // in timestamp units
	clock    int

	earlierExpected, earlierReceived int64 // of the streams before this one
	reportedExpected, reported       int64 // at the last report

	duplicates, late, damaged, rejected uint64
	concealed                           time.Duration
	at                                  time.Time // of the last packet
}

// packet counts a packet. timed says that its timestamp is when its audio began.
func (s *receiveStats) packet(now time.Time, h *rtp.Header, clock int, timed bool) {
	seq := h.SequenceNumber
	ahead := int64(int16(seq - uint16(s.highest)))
	switch {
	case !s.started || h.SSRC != s.ssrc || ahead >= misordered || ahead <= -misordered:
		s.begin(h.SSRC, seq)
	case ahead > 0:
		s.highest += ahead
	}
	s.received++
	s.at, s.clock = now, clock
	if timed && (s.received == 1 || h.Timestamp != s.last) {
		s.measure(now, h.Timestamp, clock)
	}
}

func (s *receiveStats) begin(ssrc uint32, seq uint16) {
	if s.started {
		s.earlierExpected += s.highest - s.base + 1
		s.earlierReceived += s.received
	}
	s.started, s.ssrc, s.base, s.highest, s.received = true, ssrc, int64(seq), int64(seq), 0
	s.reportedExpected, s.reported = 0, 0
}

// measure adds a packet to the jitter. A jump of more than a second is a pause, or a new clock.
func (s *receiveStats) measure(now time.Time, timestamp uint32, clock int) {
	arrival := now.Unix()*int64(clock) + int64(now.Nanosecond())*int64(clock)/int64(time.Second)
	transit := int64(uint32(arrival) - timestamp)
	d := int64(int32(uint32(transit) - uint32(s.transit)))
	if d < 0 {
		d = -d
	}
	if s.received > 1 && d < int64(clock) {
		s.jitter += (float64(d) - s.jitter) / 16
	}
	s.transit, s.last = transit, timestamp
}

// duplicate takes a packet back that was counted before.
func (s *receiveStats) duplicate() {
	s.duplicates++
	s.received--
}

// report returns the block about the received stream for an RTCP report.
func (s *receiveStats) report() rtcp.ReceptionReport {
	expected := s.highest - s.base + 1
	lost := max(0, expected-s.received)
	r := rtcp.ReceptionReport{SSRC: s.ssrc, LastSequenceNumber: uint32(s.highest), TotalLost: uint32(min(lost, 1<<23-1)), Jitter: uint32(s.jitter)}
	interval, intervalLost := expected-s.reportedExpected, expected-s.reportedExpected-(s.received-s.reported)
	if interval > 0 && intervalLost > 0 {
		r.FractionLost = uint8(min(255, intervalLost*256/interval))
	}
	s.reportedExpected, s.reported = expected, s.received
	return r
}

func (s *receiveStats) direction() Direction {
	if !s.started {
		return Direction{}
	}
	expected, received := s.earlierExpected+s.highest-s.base+1, s.earlierReceived+s.received
	return Direction{Packets: uint64(max(0, expected)), Lost: uint64(max(0, expected-received)), Jitter: unitsDuration(s.jitter, s.clock)}
}

func unitsDuration(units float64, clock int) time.Duration {
	return time.Duration(math.Round(units * float64(time.Second) / float64(clock)))
}
