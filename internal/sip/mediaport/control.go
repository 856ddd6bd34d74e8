package mediaport

import (
	"crypto/rand"
	"encoding/hex"
	mathrand "math/rand/v2"
	"time"

	"github.com/pion/rtcp"
)

const (
	// reportInterval is the mean time between RTCP reports; each is between half and one and a half of it
	// (RFC 3550 6.2, 6.3.1).
	reportInterval = 5 * time.Second

	// ntpEpoch is the number of seconds from 1900 to 1970.
	ntpEpoch = 2208988800
)

// reports are the RTCP of a call. They belong to one goroutine at a time.
type reports struct {
	name string // canonical name: random, it says nothing of who calls (RFC 7022)

	at         time.Time // of the last packet that arrived
	senderNTP  uint32    // of the last sender report: the middle 32 bits of its time
	senderAt   time.Time // when it arrived
	roundTrip  time.Duration
	lost       uint64        // of the packets that this side sent
	jitter     time.Duration // of the same
	reportedOn bool          // the other side has reported on them
}

func newReports() *reports {
	name := make([]byte, 12)
	_, _ = rand.Read(name) // never fails
	return &reports{name: hex.EncodeToString(name)}
}

// untilReport returns the time until the next report.
func untilReport() time.Duration {
	return reportInterval/2 + mathrand.N(reportInterval)
}

// ntp returns a time as an NTP timestamp.
func ntp(t time.Time) uint64 {
	fraction := uint64(t.Nanosecond()) << 32 / uint64(time.Second)
	return uint64(t.Unix()+ntpEpoch)<<32 | fraction
}

// handle takes in a compound packet. own is the stream that this side sends, clock its rate in Hz. It reports whether the
// packet was one.
func (r *reports) handle(now time.Time, p []byte, own uint32, clock int) bool {
	packets, err := rtcp.Unmarshal(p)
	if err != nil {
		return false
	}
	r.at = now
	for _, packet := range packets {
		switch packet := packet.(type) {
		case *rtcp.SenderReport:
			r.senderNTP, r.senderAt = uint32(packet.NTPTime>>16), now
			r.handleBlocks(now, packet.Reports, own, clock)
		case *rtcp.ReceiverReport:
			r.handleBlocks(now, packet.Reports, own, clock)
		}
	}
	return true
}

func (r *reports) handleBlocks(now time.Time, blocks []rtcp.ReceptionReport, own uint32, clock int) {
	for _, b := range blocks {
		if b.SSRC != own {
			continue
		}
		r.reportedOn = true
		r.lost = uint64(b.TotalLost)
		if b.TotalLost >= 1<<23 { // negative, because of doubled packets
			r.lost = 0
		}
		r.jitter = clockDuration(uint64(b.Jitter), clock)
		if b.LastSenderReport == 0 {
			continue
		}
		units := uint32(ntp(now)>>16) - b.LastSenderReport - b.Delay
		if trip := clockDuration(uint64(units), 1<<16); trip < time.Minute { // else the clocks of the report do not fit
			r.roundTrip = trip
		}
	}
}

// compound returns a report: of a sender if sent is not nil, and on the received stream if there is one.
func (r *reports) compound(now time.Time, ssrc uint32, sent *rtcp.SenderReport, received *receiveStats, bye bool) ([]byte, error) {
	var blocks []rtcp.ReceptionReport
	if received.started {
		b := received.report()
		if !r.senderAt.IsZero() {
			b.LastSenderReport, b.Delay = r.senderNTP, uint32(now.Sub(r.senderAt)*(1<<16)/time.Second)
		}
		blocks = append(blocks, b)
	}
	var first rtcp.Packet = &rtcp.ReceiverReport{SSRC: ssrc, Reports: blocks}
	if sent != nil {
		sent.Reports = blocks
		first = sent
	}
	packets := []rtcp.Packet{first, rtcp.NewCNAMESourceDescription(ssrc, r.name)}
	if bye {
		packets = append(packets, &rtcp.Goodbye{Sources: []uint32{ssrc}})
	}
	return rtcp.Marshal(packets)
}

// isControl reports whether a packet on a port for both is RTCP (RFC 5761 4).
func isControl(p []byte) bool { return len(p) >= 2 && p[1] >= 192 && p[1] <= 223 }
