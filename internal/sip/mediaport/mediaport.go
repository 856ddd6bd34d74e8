// Package mediaport is the RTP side of one phone call: a pair of UDP ports, what is negotiated for them, and the audio
// that goes through.
//
//	port, err := mediaport.Open(mediaport.Options{…})  // LocalPort goes into the session description
//	err = port.Configure(stream)                       // after each completed exchange of offer and answer
//	err = port.Write(pcm)                              // the agent's audio, as it comes
//	port.Close()
//
// Received packets are put in order, lost ones are concealed, and frames of 20 ms are given to Options.OnFrame: from the
// first Configure until Close there is one for each 20 ms, silence where nothing arrives. Packets are sent by an absolute
// clock. RTCP, SRTP and the keys of the phone belong to it.
package mediaport

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"sync"
	"time"

	"github.com/pion/rtcp"
	"github.com/pion/rtp"
	"github.com/pion/srtp/v3"

	"parley/internal/sip/negotiation"
)

// ErrClosed is returned by a port that was closed.
var ErrClosed = errors.New("media port is closed")

// rtpHeader is the minimum length of an RTP packet (RFC 3550 5.1).
const rtpHeader = 12

// maxDatagram bounds what is read of a packet: 80 ms of any codec, with what encryption adds, are shorter.
const maxDatagram = 1500

// PortRange is a range of UDP ports, First and Last included.
type PortRange struct{ First, Last int }

// Options are what a port is opened with.
type Options struct {
	Ports        PortRange
	LoopbackOnly bool

	// MayBeNATed reports whether the host in a session description may be behind a NAT, so that packets from any host
	// are accepted for it. It may be nil: then none is.
	MayBeNATed func(netip.Addr) bool

	ReceiveRate int // in Hz, of the frames of OnFrame: 8000, 16000, 24000 or 48000
	SendRate    int // in Hz, of the audio of Write; the same choice

	// OnFrame receives each frame of 20 ms of the phone's audio, in order. The frame is valid until it returns.
	// OnDigit may be nil; it receives the keys that the other side presses, when they are released.
	// Both are called by one goroutine at a time, must not block, and must not call the port, except for Write and
	// SendDigits.
	OnFrame func(pcm []int16)
	OnDigit func(Digit)
}

func (o Options) check() error {
	for _, rate := range []int{o.ReceiveRate, o.SendRate} {
		switch rate {
		case 8000, 16000, 24000, 48000:
		default:
			return fmt.Errorf("open media port: %d Hz is none of 8000, 16000, 24000 and 48000", rate)
		}
	}
	if o.OnFrame == nil {
		return errors.New("open media port: no OnFrame")
	}
	return nil
}

// Port is the RTP side of one call. Its methods may be called by several goroutines.
type Port struct {
	media, control packetConn
	local          int
	source         source

	receive struct {
		sync.Mutex
		*receiver
		keys    inboundKeys
		reports *reports
		stream  negotiation.Stream
		header  rtp.Header
		own     uint32 // the stream that is sent, for the other side's reports
	}
	send struct {
		sync.Mutex
		*sender
		keys      *srtp.Context
		encrypted []byte
		elapsed   time.Duration // since the last packet was due
		step      time.Duration // of the clock
		reported  uint64        // packets sent at the last report
		failures  uint64
	}

	changing sync.Mutex // is held by Configure and Close
	started  bool
	closed   chan struct{}
	running  sync.WaitGroup
}

// A goroutine that holds the lock of receiving may take that of sending, because OnFrame may write; not the other way round.

// Open binds a pair of ports. Nothing is received or sent before Configure.
func Open(o Options) (*Port, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	media, control, err := listenPair(o.Ports, o.LoopbackOnly)
	if err != nil {
		return nil, err
	}
	return newPort(o, media, control, media.LocalAddr().(*net.UDPAddr).Port), nil
}

func newPort(o Options, media, control packetConn, local int) *Port {
	if o.OnDigit == nil {
		o.OnDigit = func(Digit) {}
	}
	if o.MayBeNATed == nil {
		o.MayBeNATed = func(netip.Addr) bool { return false }
	}
	p := &Port{media: media, control: control, local: local, closed: make(chan struct{})}
	p.source.mayBeNATed, p.source.streams = o.MayBeNATed, map[uint32]struct{}{}
	p.receive.receiver, p.receive.reports = newReceiver(o.ReceiveRate, o.OnFrame, o.OnDigit), newReports()
	p.send.sender, p.send.step = newSender(o.SendRate), frameTime
	return p
}

// LocalPort returns the port of RTP; that of RTCP is the next one.
func (p *Port) LocalPort() int { return p.local }

// Configure sets or changes what was negotiated, at any time of the call. With an error, nothing has changed.
func (p *Port) Configure(s negotiation.Stream) error {
	p.changing.Lock()
	defer p.changing.Unlock()
	if p.isClosed() {
		return ErrClosed
	}
	outbound, err := newContext(s.LocalKey)
	if err != nil {
		return err
	}
	if _, err := newContext(s.RemoteKey); err != nil {
		return err
	}
	if err := p.configureSending(s, outbound); err != nil {
		return err
	}
	p.source.negotiate(s)
	if err := p.configureReceiving(s); err != nil {
		return err
	}
	if !p.started {
		p.started = true
		p.running.Go(p.readMedia)
		p.running.Go(p.readControl)
		p.running.Go(p.runClock)
	}
	return nil
}

func (p *Port) configureSending(s negotiation.Stream, keys *srtp.Context) error {
	p.send.Lock()
	defer p.send.Unlock()
	changed := !keyEqual(p.send.stream.LocalKey, s.LocalKey)
	s.Sends = s.Sends && usable(s.Remote)
	if err := p.send.configure(s); err != nil {
		return err
	}
	if changed {
		p.send.keys = keys
	}
	p.send.step = frameTime
	if p.send.packet%frameTime != 0 {
		p.send.step = frameTime / 2
	}
	return nil
}

func (p *Port) configureReceiving(s negotiation.Stream) error {
	p.send.Lock()
	own := p.send.ssrc
	p.send.Unlock()
	now := time.Now()
	p.receive.Lock()
	defer p.receive.Unlock()
	p.receive.own = own
	if !keyEqual(p.receive.stream.RemoteKey, s.RemoteKey) {
		if err := p.receive.keys.change(now, s.RemoteKey, p.receive.stats.ssrc); err != nil {
			return err
		}
	}
	p.receive.stream = s
	p.receive.configure(now, s)
	return nil
}

// Write adds audio of this side: mono PCM at Options.SendRate, in frames of 20 ms as they come. Audio that comes too late
// leaves silence; more than 200 ms that come too early are discarded, the oldest first, as is what is written while the
// other side takes no audio.
func (p *Port) Write(pcm []int16) error {
	if p.isClosed() {
		return ErrClosed
	}
	p.send.Lock()
	defer p.send.Unlock()
	p.send.write(time.Now(), pcm)
	return nil
}

// SendDigits sends keys after those that are being sent: 0 to 9, *, #, A to D, and w or a comma for a pause of half a second.
// They are telephone events if those were agreed on, else tones in the audio. Audio of this side that is written meanwhile
// is not sent.
func (p *Port) SendDigits(digits string) error {
	if err := checkDigits(digits); err != nil {
		return err
	}
	if p.isClosed() {
		return ErrClosed
	}
	p.send.Lock()
	defer p.send.Unlock()
	if len(p.send.dial.queue)+len(digits) > maxDigits {
		return fmt.Errorf("send digits: more than %d wait", maxDigits)
	}
	p.send.dial.queue = append(p.send.dial.queue, digits...)
	return nil
}

// Close ends the call's audio and returns when nothing runs any more. The ports stay bound for some seconds, so that the next
// call does not receive packets of this one. It may be called again.
func (p *Port) Close() {
	p.changing.Lock()
	defer p.changing.Unlock()
	if p.isClosed() {
		return
	}
	close(p.closed)
	past := time.Unix(1, 0)
	_, _ = p.media.SetReadDeadline(past), p.control.SetReadDeadline(past)
	p.running.Wait()
	if p.started {
		p.sendReport(time.Now(), true)
	}
	drain(p.media)
	drain(p.control)
}

func (p *Port) isClosed() bool {
	select {
	case <-p.closed:
		return true
	default:
		return false
	}
}

// String describes the audio chain: what goes through what, at which rates.
func (p *Port) String() string {
	p.receive.Lock()
	in := p.receive.String()
	encrypted := len(p.receive.keys.contexts) > 0
	p.receive.Unlock()
	p.send.Lock()
	out := p.send.String()
	if p.send.keys != nil {
		out += " -> SRTP"
	}
	p.send.Unlock()
	if encrypted {
		in = "SRTP -> " + in
	}
	return fmt.Sprintf("port %d: %s; %s", p.local, in, out)
}

// Quality returns what is known of the call's audio so far.
func (p *Port) Quality() Quality {
	p.send.Lock()
	q := Quality{Sent: Direction{Packets: p.send.packets}, Underruns: p.send.underruns}
	packet := p.send.packet
	p.send.Unlock()

	p.receive.Lock()
	defer p.receive.Unlock()
	stats, reports := &p.receive.stats, p.receive.reports
	q.Received, q.RoundTrip = stats.direction(), reports.roundTrip
	q.Duplicates, q.Late, q.Rejected, q.Concealed = stats.duplicates, stats.late, stats.rejected, stats.concealed
	q.LastRTP, q.LastRTCP = stats.at, reports.at
	codec, path := p.receive.stream.Codec, q.RoundTrip/2
	q.Codec = codec
	if stats.started {
		q.Received.MOS = opinion(codec, path+frameTime+q.Received.Jitter, q.Received.LossRate())
	}
	if reports.reportedOn {
		q.Sent.Lost, q.Sent.Jitter = min(reports.lost, q.Sent.Packets), reports.jitter
		q.Sent.MOS = opinion(codec, path+packet+2*q.Sent.Jitter, q.Sent.LossRate())
	}
	return q
}

// senderReport returns a report about what was sent; nil if nothing was since the last one. The sender is locked.
func (p *Port) senderReport(now time.Time) *rtcp.SenderReport {
	if p.send.packets == p.send.reported {
		return nil
	}
	p.send.reported = p.send.packets
	ticks := uint32(samples(p.send.stream.Codec.ClockRate(), p.send.packet))
	return &rtcp.SenderReport{
		SSRC: p.send.ssrc, NTPTime: ntp(now), RTPTime: p.send.timestamp - ticks,
		PacketCount: uint32(p.send.packets), OctetCount: uint32(p.send.octets),
	}
}
