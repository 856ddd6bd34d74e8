package mediaport

import (
	"errors"
	"net"
	"net/netip"
	"os"
	"time"
)

// readMedia handles the packets of the RTP port until the port is closed.
func (p *Port) readMedia() {
	p.read(p.media, func(now time.Time, packet []byte, from netip.AddrPort) {
		if isControl(packet) {
			p.handleControl(now, packet, from, true)
			return
		}
		p.handleMedia(now, packet, from)
	})
}

// readControl handles the packets of the RTCP port until the port is closed.
func (p *Port) readControl() {
	p.read(p.control, func(now time.Time, packet []byte, from netip.AddrPort) { p.handleControl(now, packet, from, false) })
}

func (p *Port) read(c packetConn, handle func(now time.Time, packet []byte, from netip.AddrPort)) {
	buffer := make([]byte, maxDatagram)
	for {
		n, from, err := c.ReadFromUDPAddrPort(buffer)
		switch {
		case p.isClosed(), errors.Is(err, net.ErrClosed), errors.Is(err, os.ErrDeadlineExceeded):
			return
		case err != nil: // of a packet that was sent, or of a machine without memory
			time.Sleep(time.Millisecond)
			continue
		}
		handle(time.Now(), buffer[:n], from)
	}
}

// handleMedia handles an RTP packet. What does not belong to the call changes nothing.
func (p *Port) handleMedia(now time.Time, packet []byte, from netip.AddrPort) {
	p.receive.Lock()
	defer p.receive.Unlock()
	r := &p.receive
	if len(packet) < rtpHeader || packet[0]>>6 != 2 || !p.source.admits(from) {
		r.stats.rejected++
		return
	}
	plain, err := r.keys.decrypt(now, packet, &r.header)
	if err != nil {
		r.stats.rejected++
		return
	}
	n, err := r.header.Unmarshal(plain)
	if err != nil {
		r.stats.rejected++
		return
	}
	payload := plain[n:]
	if r.header.Padding {
		if payload = withoutPadding(payload); payload == nil {
			r.stats.rejected++
			return
		}
	}
	if !p.source.pin(from, r.header.SSRC) {
		r.stats.rejected++
		return
	}
	r.push(now, &r.header, payload)
}

// withoutPadding returns a payload without the padding that its last byte counts (RFC 3550 5.1); nil if there is less.
func withoutPadding(payload []byte) []byte {
	if len(payload) == 0 {
		return nil
	}
	padding := int(payload[len(payload)-1])
	if padding == 0 || padding > len(payload) {
		return nil
	}
	return payload[:len(payload)-padding]
}

// handleControl handles an RTCP packet that came on the port of RTP or on its own.
func (p *Port) handleControl(now time.Time, packet []byte, from netip.AddrPort, multiplexed bool) {
	p.receive.Lock()
	defer p.receive.Unlock()
	r := &p.receive
	admitted := p.source.admitsControl
	if multiplexed {
		admitted = p.source.admits
	}
	if multiplexed && !r.stream.Multiplexed || !admitted(from) {
		r.stats.rejected++
		return
	}
	plain, err := r.keys.decryptControl(now, packet)
	if err != nil || !r.reports.handle(now, plain, r.own, r.stream.Codec.ClockRate()) {
		r.stats.rejected++
		return
	}
	if !multiplexed {
		p.source.pinControl(from)
	}
}

// runClock sends packets and reports, and gives the receiver its time, until the port is closed. Of the packets that the machine was
// too late for, those whose audio waits follow at once, and others are left out.
func (p *Port) runClock() {
	step := p.step()
	due := time.Now().Add(step)
	report := due.Add(untilReport() / 2) // RFC 3550 6.2: the first one comes sooner
	timer := time.NewTimer(step)
	defer timer.Stop()
	for {
		select {
		case <-p.closed:
			return
		case <-timer.C:
		}
		now := time.Now()
		passed := 1 + int(now.Sub(due)/step)
		p.sendMedia(now, time.Duration(passed)*step)
		p.receive.Lock()
		p.receive.tick(now)
		p.receive.Unlock()
		if now.After(report) {
			p.sendReport(now, false)
			report = now.Add(untilReport())
		}
		due = due.Add(time.Duration(passed-1) * step)
		step = p.step()
		due = due.Add(step)
		timer.Reset(time.Until(due))
	}
}

func (p *Port) step() time.Duration {
	p.send.Lock()
	defer p.send.Unlock()
	return p.send.step
}

// sendMedia sends the packets that are due after a time has passed.
func (p *Port) sendMedia(now time.Time, passed time.Duration) {
	p.send.Lock()
	defer p.send.Unlock()
	s := &p.send
	if s.elapsed += passed; s.elapsed < s.packet {
		return
	}
	count := int(s.elapsed / s.packet)
	s.elapsed %= s.packet
	for ; count > 1 && s.waiting() > 1; count-- {
		p.sendPacket(now, 0)
	}
	p.sendPacket(now, count-1)
}

// sendPacket sends the next packet, if there is one; skipped packets before it are left out. The lock of send is held.
func (p *Port) sendPacket(now time.Time, skipped int) {
	s := &p.send
	packet, err := s.next(now, skipped)
	to, known := p.source.target()
	if err != nil || packet == nil || !known {
		return
	}
	if s.keys != nil {
		if packet, err = s.keys.EncryptRTP(s.encrypted[:0], packet, nil); err != nil {
			return
		}
		s.encrypted = packet
	}
	_, _ = p.media.WriteToUDPAddrPort(packet, to) // what does not leave is lost, like any packet
}

// sendReport sends an RTCP report; the last one says goodbye.
func (p *Port) sendReport(now time.Time, bye bool) {
	p.send.Lock()
	own, sent := p.send.ssrc, p.senderReport(now)
	p.send.Unlock()

	p.receive.Lock()
	p.receive.own = own
	packet, err := p.receive.reports.compound(now, own, sent, &p.receive.stats, bye)
	conn, target := p.control, p.source.controlTarget
	if p.receive.stream.Multiplexed {
		conn, target = p.media, p.source.target
	}
	p.receive.Unlock()

	to, known := target()
	if err != nil || !known {
		return
	}
	p.send.Lock()
	defer p.send.Unlock()
	if p.send.keys != nil {
		if packet, err = p.send.keys.EncryptRTCP(nil, packet, nil); err != nil {
			return
		}
	}
	_, _ = conn.WriteToUDPAddrPort(packet, to)
}
