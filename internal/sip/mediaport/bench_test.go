package mediaport

import (
	"encoding/binary"
	"fmt"
	"net"
	"slices"
	"syscall"
	"testing"
	"time"

	"parley/internal/audio"
	"parley/internal/sip/negotiation"
)

// cpuTime returns the processor time of this process.
func cpuTime(b *testing.B) time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		b.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// BenchmarkCalls reports what a call costs, in parts of a core, with 30 calls at once in real time: each of 30 ports sends
// speech to another one and receives that of another. An operation is a frame of 20 ms of all of them: -benchtime=500x.
func BenchmarkCalls(b *testing.B) {
	for _, codec := range codecs {
		for _, encrypted := range []bool{false, true} {
			b.Run(fmt.Sprintf("%s/SRTP=%v", codec, encrypted), func(b *testing.B) {
				s := streamOf(codec)
				s.EventPayloadType, s.EventClockRate = 101, 8000
				if encrypted {
					s.LocalKey, s.RemoteKey = newKey(b, "AES_CM_128_HMAC_SHA1_80"), newKey(b, "AES_CM_128_HMAC_SHA1_80")
				}
				const calls = 30
				var ports []*Port
				for range calls {
					p, err := Open(Options{Ports: PortRange{20000, 60000}, LoopbackOnly: true, ReceiveRate: 24000, SendRate: 16000, OnFrame: func([]int16) {}})
					if err != nil {
						b.Fatal(err)
					}
					defer p.Close()
					ports = append(ports, p)
				}
				for i, p := range ports {
					s := s
					peer := ports[i^1]
					if i&1 != 0 {
						s.LocalKey, s.RemoteKey = s.RemoteKey, s.LocalKey
					}
					s.Remote, s.Control = loopbackPort(peer.LocalPort()), loopbackPort(peer.LocalPort()+1)
					if err := p.Configure(s); err != nil {
						b.Fatal(err)
					}
				}
				tone := audio.Tone(300, 16000, time.Second)
				ticker := time.NewTicker(frameTime)
				defer ticker.Stop()
				before, start, i := cpuTime(b), time.Now(), 0
				b.ReportAllocs()
				for b.Loop() {
					<-ticker.C
					i++
					frame := tone[i%50*320 : (i%50+1)*320]
					for _, p := range ports {
						_ = p.Write(frame)
					}
				}
				b.ReportMetric(100*float64(cpuTime(b)-before)/float64(time.Since(start))/calls, "%core/call")
				b.ReportMetric(ports[0].Quality().Received.LossRate(), "lost")
			})
		}
	}
}

// BenchmarkPacing reports how late packets arrive over the loopback interface: -benchtime=1000x.
func BenchmarkPacing(b *testing.B) {
	listener, err := net.ListenUDP("udp", net.UDPAddrFromAddrPort(loopbackPort(0)))
	if err != nil {
		b.Fatal(err)
	}
	defer listener.Close()
	p, err := Open(Options{Ports: PortRange{20000, 60000}, LoopbackOnly: true, ReceiveRate: 16000, SendRate: 24000, OnFrame: func([]int16) {}})
	if err != nil {
		b.Fatal(err)
	}
	defer p.Close()
	s := streamOf(negotiation.PCMU)
	s.Remote, s.Control = listener.LocalAddr().(*net.UDPAddr).AddrPort(), nowhereRTP
	if err := p.Configure(s); err != nil {
		b.Fatal(err)
	}
	var late []time.Duration
	var start time.Time
	var first uint32
	buffer := make([]byte, maxDatagram)
	for b.Loop() {
		if _, _, err := listener.ReadFromUDPAddrPort(buffer); err != nil {
			b.Fatal(err)
		}
		timestamp := binary.BigEndian.Uint32(buffer[4:])
		if start.IsZero() {
			start, first = time.Now(), timestamp
		}
		late = append(late, time.Since(start.Add(clockDuration(uint64(timestamp-first), 8000))))
	}
	slices.Sort(late)
	for i := range late[1:] { // the earliest packet was in time
		late[i+1] -= late[0]
	}
	late[0] = 0
	for _, percent := range []int{50, 99} {
		b.ReportMetric(float64(late[(len(late)-1)*percent/100])/float64(time.Millisecond), fmt.Sprintf("ms-p%d", percent))
	}
}

// BenchmarkPacket reports the cost of a packet of 20 ms.
func BenchmarkPacket(b *testing.B) {
	for _, codec := range codecs {
		b.Run("receive/"+string(codec), func(b *testing.B) {
			p := newPhone(codec, frameTime)
			packets := p.packets(b, audio.Tone(440, 16000, 4*time.Second))
			r := newReceiver(24000, func([]int16) {}, func(Digit) {})
			s := p.stream
			s.EventPayloadType = 101
			r.configure(beginning, s)
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				q := packets[i%len(packets)]
				q.header.SequenceNumber, q.header.Timestamp = uint16(i), uint32(i*samples(codec.ClockRate(), frameTime))
				r.push(beginning.Add(time.Duration(i)*frameTime), &q.header, q.payload)
			}
		})
		b.Run("send/"+string(codec), func(b *testing.B) {
			sender := newSender(16000)
			if err := sender.configure(streamOf(codec)); err != nil {
				b.Fatal(err)
			}
			tone := audio.Tone(440, 16000, 4*time.Second)
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				now := beginning.Add(time.Duration(i) * frameTime)
				sender.write(now, tone[i%200*320:(i%200+1)*320])
				if _, err := sender.next(now.Add(frameTime/2), 0); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
