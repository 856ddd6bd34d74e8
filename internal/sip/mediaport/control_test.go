package mediaport

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/pion/rtcp"

	"parley/internal/sip/negotiation"
)

// unmarshal returns the RTCP packets in a datagram.
func unmarshal(t testing.TB, d datagram) []rtcp.Packet {
	t.Helper()
	packets, err := rtcp.Unmarshal(d.data)
	if err != nil {
		t.Fatal(err)
	}
	return packets
}

// Reports leave about every 5 seconds, say what was sent and received, and the last one says goodbye.
func TestReports(t *testing.T) {
	for _, multiplexed := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			p := openFake(t)
			s := streamOf(negotiation.PCMU)
			s.Multiplexed = multiplexed
			s.Remote, s.Control = peerRTP, peerRTCP
			if multiplexed {
				s.Control = peerRTP
			}
			p.configure(t, s)
			var reports []datagram
			collect := func() (media []datagram) {
				for _, d := range p.media.take() {
					if isControl(d.data) {
						reports = append(reports, d)
					} else {
						media = append(media, d)
					}
				}
				reports = append(reports, p.control.take()...)
				return media
			}
			for seq := range uint16(3000) { // a minute, one packet of ten lost
				if seq%10 != 5 {
					p.arrive(rtpPacket(t, 7, seq))
				}
				time.Sleep(frameTime)
			}
			media := collect()
			if len(reports) < 8 || len(reports) > 24 {
				t.Fatalf("%d reports in a minute", len(reports))
			}
			stream := parse(t, media)[0]
			for i, d := range reports {
				if i > 0 && (d.at.Sub(reports[i-1].at) < 2500*time.Millisecond || d.at.Sub(reports[i-1].at) > 7520*time.Millisecond) {
					t.Errorf("report %d is %v after the one before", i, d.at.Sub(reports[i-1].at))
				}
				if d.peer != s.Control {
					t.Errorf("report %d goes to %v", i, d.peer)
				}
			}
			last := unmarshal(t, reports[len(reports)-1])
			report, ok := last[0].(*rtcp.SenderReport)
			if !ok || len(last) != 2 {
				t.Fatalf("the report is %v", last)
			}
			at := reports[len(reports)-1].at
			sent := 0
			for _, d := range media {
				if !d.at.After(at) {
					sent++
				}
			}
			if report.SSRC != stream.SSRC || int(report.PacketCount) != sent || int(report.OctetCount) != 160*sent || report.RTPTime != stream.Timestamp+uint32(sent-1)*160 {
				t.Errorf("after %d packets: %v", sent, report)
			}
			if len(report.Reports) != 1 {
				t.Fatalf("%d blocks", len(report.Reports))
			}
			b := report.Reports[0]
			if b.SSRC != 7 || b.FractionLost < 20 || b.FractionLost > 31 || b.TotalLost < 250 || b.TotalLost > 300 || b.LastSequenceNumber < 2500 {
				t.Errorf("block %+v, want a tenth lost", b)
			}
			q := p.Quality()
			if q.Received.Packets != 3000 || q.Received.Lost != 300 || q.Received.Jitter > time.Millisecond || q.Received.MOS < 2 || q.Received.MOS > 4 {
				t.Errorf("received: %+v", q.Received)
			}
			p.Close()
			collect()
			end := unmarshal(t, reports[len(reports)-1])
			if bye, ok := end[len(end)-1].(*rtcp.Goodbye); !ok || bye.Sources[0] != stream.SSRC {
				t.Errorf("the last report is %v", end)
			}
		})
	}
}

// The other side's reports become the quality of what is sent, and the round trip.
func TestReportsOfTheOtherSide(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := openFake(t)
		p.configure(t, streamOf(negotiation.PCMU))
		if q := p.Quality(); q.Sent.MOS != 0 || q.Received.MOS != 0 || !q.LastRTCP.IsZero() || !q.LastRTP.IsZero() {
			t.Errorf("before anything came: %+v", q)
		}
		time.Sleep(10 * time.Second)
		sent := p.control.take()
		report := unmarshal(t, sent[len(sent)-1])[0].(*rtcp.SenderReport)
		if elapsed := time.Since(sent[len(sent)-1].at); elapsed < time.Second { // then the peer answers two seconds later
			time.Sleep(time.Second - elapsed)
		}
		held := time.Since(sent[len(sent)-1].at) - 90*time.Millisecond // 90 ms on the way
		answer := func(block rtcp.ReceptionReport) {
			data, err := rtcp.Marshal([]rtcp.Packet{&rtcp.SenderReport{SSRC: 7, NTPTime: ntp(time.Now()), Reports: []rtcp.ReceptionReport{block}}})
			if err != nil {
				t.Fatal(err)
			}
			p.control.in <- datagram{data: data, peer: peerRTCP}
			synctest.Wait()
		}
		answer(rtcp.ReceptionReport{SSRC: report.SSRC, TotalLost: 50, Jitter: 80, LastSenderReport: uint32(report.NTPTime >> 16), Delay: uint32(held * (1 << 16) / time.Second)})
		q := p.Quality()
		if trip := q.RoundTrip; trip < 89*time.Millisecond || trip > 91*time.Millisecond {
			t.Errorf("round trip %v, want 90 ms", trip)
		}
		if q.Sent.Lost != 50 || q.Sent.Jitter != 10*time.Millisecond || q.Sent.LossRate() < 0.09 || q.Sent.LossRate() > 0.11 || q.Sent.MOS < 2.5 || q.Sent.MOS > 4 {
			t.Errorf("sent: %+v", q.Sent)
		}
		if q.LastRTCP.IsZero() || !q.LastRTP.IsZero() {
			t.Errorf("activity: %+v", q)
		}
		answer(rtcp.ReceptionReport{SSRC: report.SSRC + 1, TotalLost: 400})     // of another stream
		answer(rtcp.ReceptionReport{SSRC: report.SSRC, TotalLost: 1<<24 - 3})   // more came than was sent
		p.control.in <- datagram{data: []byte{0x81, 201, 0, 9}, peer: peerRTCP} // cut off
		p.control.in <- datagram{data: sent[0].data, peer: peerRTP}             // from another port of the peer
		p.control.in <- datagram{data: sent[0].data, peer: nowhereRTP}          // from a stranger
		synctest.Wait()
		if q := p.Quality(); q.Sent.Lost != 0 || q.Rejected != 3 {
			t.Errorf("lost %d, rejected %d", q.Sent.Lost, q.Rejected)
		}
	})
}

// A call without loss is good; loss, delay and both make it worse.
func TestOpinion(t *testing.T) {
	for _, test := range []struct {
		delay time.Duration
		loss  float64
		want  float64
	}{{20 * time.Millisecond, 0, 4.4}, {20 * time.Millisecond, 0.01, 4.33}, {20 * time.Millisecond, 0.05, 4}, {20 * time.Millisecond, 0.1, 3.45}, {150 * time.Millisecond, 0, 4.33}, {400 * time.Millisecond, 0, 3.1}, {20 * time.Millisecond, 1, 1.1}} {
		if got := opinion(negotiation.PCMU, test.delay, test.loss); got < test.want-0.1 || got > test.want+0.1 {
			t.Errorf("%v and %.0f %% loss: %.2f, want %.2f", test.delay, 100*test.loss, got, test.want)
		}
	}
}
