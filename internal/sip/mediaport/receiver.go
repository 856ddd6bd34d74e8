package mediaport

import (
	"math"
	"time"

	"github.com/pion/rtp"

	"parley/internal/audio"
	"parley/internal/sip/negotiation"
)

const (
	frameTime = 20 * time.Millisecond

	// stallTime is how long after the end of the last audio, and of the wait of the reorder buffer, silence replaces
	// what does not arrive. A packet later than that is played all the same.
	stallTime = 10 * time.Millisecond

	// fillMost bounds the audio that replaces a gap at once. The rest of a longer gap was filled as time went by.
	fillMost = 300 * time.Millisecond

	// noisePayload is the payload type of comfort noise (RFC 3389).
	noisePayload = rtp.PayloadTypeCN
)

// payloadKind is what a packet carries: a codec's audio, an event or comfort noise.
type payloadKind uint8

const (
	unknownPayload payloadKind = iota
	eventPayload
	comfortNoise
	pcmuPayload
	pcmaPayload
	g722Payload
	opusPayload
)

var kindOf = map[negotiation.Codec]payloadKind{
	negotiation.PCMU: pcmuPayload, negotiation.PCMA: pcmaPayload, negotiation.G722: g722Payload, negotiation.Opus: opusPayload,
}

// receiver turns packets into frames of 20 ms. It belongs to one goroutine at a time; time is what its caller says.
type receiver struct {
	rate    int // in Hz, of frames
	onFrame func(pcm []int16)
	onDigit func(Digit)

	stream negotiation.Stream
	buffer reorderBuffer
	events eventReceiver
	stats  receiveStats
	noise  noiseSource

	chain   *decodeChain // of the codec that arrived last; nil before the first packet
	playing bool         // position is known
	// position is the timestamp after the audio that was given out last.
	position uint32
	length   uint32 // of the last packet, in timestamp units
	playout  playout
	tail     []int16
	spare    [2][]int16

	due      time.Time // when audio must have arrived, else it is replaced
	dueNoise bool      // by noise
}

// decodeChain is what the audio of one codec goes through.
type decodeChain struct {
	kind      payloadKind
	codec     negotiation.Codec
	rate      int // in Hz, of decoded audio
	decoder   decoder
	concealer *concealer
	inband    *toneDetector
	resampler *audio.Resampler
	fadeIn    int // samples of the beginning that rise from silence, of a chain that replaces another
	concealed int // samples since the last packet, of a codec with its own concealment
}

func newReceiver(rate int, onFrame func([]int16), onDigit func(Digit)) *receiver {
	r := &receiver{rate: rate, onFrame: onFrame, onDigit: onDigit, tail: make([]int16, 0, 16*audio.FrameLength(rate))}
	r.playout = playout{rate: rate, emit: r.emit}
	r.events.report = onDigit
	return r
}

// configure changes what packets mean. Audio that arrived before stays.
func (r *receiver) configure(now time.Time, s negotiation.Stream) {
	r.playout.advance(now)
	if !s.Receives {
		r.drain(now, true)
		r.playout.flush()
		r.buffer.started, r.playing = false, false
	}
	r.stream = s
	if r.due.IsZero() {
		r.due = now.Add(frameTime)
	}
}

// kind returns what a payload type means. Phones also send one of the static codecs that was offered next to the agreed
// one.
func (r *receiver) kind(payloadType uint8) payloadKind {
	s := &r.stream
	switch {
	case payloadType == s.PayloadType:
		return kindOf[s.Codec]
	case payloadType == s.EventPayloadType && s.EventPayloadType != 0:
		return eventPayload
	case payloadType == noisePayload:
		return comfortNoise
	case s.Codec == negotiation.Opus: // its timestamps have another clock than those of the others
	case payloadType == rtp.PayloadTypePCMU:
		return pcmuPayload
	case payloadType == rtp.PayloadTypePCMA:
		return pcmaPayload
	case payloadType == rtp.PayloadTypeG722:
		return g722Payload
	}
	return unknownPayload
}

// push handles a packet.
func (r *receiver) push(now time.Time, h *rtp.Header, payload []byte) {
	r.playout.advance(now)
	kind := r.kind(h.PayloadType)
	if r.stats.started && h.SSRC != r.stats.ssrc {
		r.restart(now)
	}
	r.stats.packet(now, h, r.stream.Codec.ClockRate(), kind >= comfortNoise)
	if !r.stream.Receives {
		return
	}
	if kind == eventPayload {
		r.events.push(now, h.SequenceNumber, h.Timestamp, payload)
	}
	if len(payload) == 0 {
		kind = unknownPayload
	}
	switch r.buffer.push(now, h.SequenceNumber, h.Timestamp, kind, payload) {
	case duplicate:
		r.stats.duplicate()
		return
	case late:
		r.stats.late++
		return
	case distant:
		r.drain(now, true)
		r.playing = false
		r.buffer.start(now, h.SequenceNumber)
		r.buffer.push(now, h.SequenceNumber, h.Timestamp, kind, payload)
	}
	r.drain(now, false)
}

// restart begins a new stream. What waits of the old one is played.
func (r *receiver) restart(now time.Time) {
	r.drain(now, true)
	r.buffer.started, r.playing = false, false
	r.events.reset()
	if r.chain != nil {
		r.chain.kind = unknownPayload // the decoder's state is of the old stream
	}
}

// tick does what is due without a packet: it gives up missing packets, ends events, and replaces audio that does not arrive
// by silence or noise, so that there is a frame every 20 ms.
func (r *receiver) tick(now time.Time) {
	r.playout.advance(now)
	r.drain(now, false)
	r.buffer.relax(now)
	r.events.tick(now)
	if end := r.playout.next.Add(stallTime); !r.playout.isEmpty() && end.After(r.due) {
		r.due = end
	}
	if r.buffer.waiting > 0 {
		return
	}
	if now.Sub(r.due) > fillMost { // the machine stood still
		r.due = now
	}
	for ; !now.Before(r.due); r.due = r.due.Add(frameTime) {
		r.fill(frameTime)
		r.position += uint32(samples(r.stream.Codec.ClockRate(), frameTime))
	}
}

func (r *receiver) drain(now time.Time, all bool) {
	for {
		s, missing, ok := r.buffer.pop(now)
		if !ok && all {
			s, missing, ok = r.buffer.flush()
		}
		if !ok {
			return
		}
		r.deliver(now, s, missing)
	}
}

// deliver plays a packet. The audio before it is replaced: by what was lost in missing packets, or by silence where the
// sender paused.
func (r *receiver) deliver(now time.Time, s *slot, missing int) {
	if s.kind == unknownPayload || s.kind == eventPayload {
		return // its time becomes a gap
	}
	clock := r.stream.Codec.ClockRate()
	if gap := int32(s.timestamp - r.position); r.playing && gap > 0 {
		r.fillGap(clockDuration(uint64(gap), clock), missing, s)
	}
	r.playing = true
	if s.kind == comfortNoise {
		r.noise.level(s.payload[0])
		r.position, r.due, r.dueNoise = s.timestamp, now.Add(frameTime), true
		return
	}
	r.dueNoise = false
	r.useChain(s.kind)
	decoded, err := r.chain.decoder.decode(s.payload, r.spare[0][:0])
	r.spare[0] = decoded
	if err != nil || len(decoded) == 0 {
		r.stats.damaged++
		return
	}
	duration := audio.Duration(len(decoded), r.chain.rate)
	r.length = uint32(samples(clock, duration))
	r.position = s.timestamp + r.length
	r.buffer.length = duration
	r.due = now.Add(duration + r.buffer.timeout() + stallTime)
	r.play(decoded, r.events.covers(s.timestamp))
}

// fillGap replaces a gap before a packet.
func (r *receiver) fillGap(gap time.Duration, missing int, next *slot) {
	switch {
	case gap > 2*fillMost: // a jump of timestamps
		return
	case missing == 0:
		r.fill(min(gap, fillMost))
		return
	}
	packet := clockDuration(uint64(r.length), r.stream.Codec.ClockRate())
	r.stats.concealed += min(gap, packet*time.Duration(missing))
	d, isOpus := r.opus()
	if !isOpus || next.kind != opusPayload || packet == 0 || gap < packet || packet > maxPacketTime {
		r.fill(min(gap, fillMost))
		return
	}
	r.fill(min(gap, fillMost) - packet)
	recovered, err := d.recover(next.payload, samples(r.chain.rate, packet), r.spare[0][:0])
	if r.spare[0] = recovered; err == nil {
		r.play(recovered, r.events.active)
	}
}

func (r *receiver) opus() (*opusDecoder, bool) {
	if r.chain == nil || r.chain.kind != opusPayload {
		return nil, false
	}
	d, ok := r.chain.decoder.(*opusDecoder)
	return d, ok
}

// fill gives out audio in place of what did not arrive: noise, or what probably followed, which fades to silence.
func (r *receiver) fill(d time.Duration) {
	rate := r.rate
	if r.chain != nil {
		rate = r.chain.rate
	}
	n, pcm := samples(rate, d), r.spare[0][:0]
	switch {
	case n <= 0:
		return
	case r.dueNoise:
		pcm = r.noise.append(n, pcm)
	case r.chain == nil || r.events.active:
		pcm = appendSilence(n, pcm)
	default:
		pcm = r.chain.conceal(n, pcm)
	}
	r.spare[0] = pcm
	if r.chain == nil {
		r.playout.add(pcm)
		return
	}
	r.spare[1] = r.chain.resampler.Process(pcm, r.spare[1][:0])
	r.playout.add(r.spare[1])
}

// conceal appends n samples of what probably followed, which fade to silence.
func (c *decodeChain) conceal(n int, pcm []int16) []int16 {
	d, ok := c.decoder.(*opusDecoder)
	if !ok {
		return c.concealer.conceal(n, pcm)
	}
	start, most := len(pcm), samples(c.rate, concealMost)
	if c.concealed < most {
		concealed, err := d.conceal(n, pcm)
		if err == nil {
			pcm = concealed
		}
		for i := range pcm[start:] {
			pcm[start+i] = int16(float32(pcm[start+i]) * fade(c.concealed+i, c.rate))
		}
	}
	c.concealed += n
	return appendSilence(n-(len(pcm)-start), pcm)
}

func appendSilence(n int, pcm []int16) []int16 {
	for range n {
		pcm = append(pcm, 0)
	}
	return pcm
}

// play gives out decoded audio; silence in its place if it is the tone of a key.
func (r *receiver) play(pcm []int16, muted bool) {
	c := r.chain
	if c.inband != nil && r.stream.EventPayloadType == 0 {
		muted = c.inband.push(pcm) || muted
	}
	if muted {
		clear(pcm)
	}
	if c.fadeIn > 0 {
		n := min(c.fadeIn, len(pcm))
		for i := range n {
			pcm[i] = int16(int(pcm[i]) * (i + 1) / (n + 1))
		}
		c.fadeIn = 0
	}
	c.concealed = 0
	if c.concealer != nil {
		c.concealer.received(pcm)
	}
	r.spare[1] = c.resampler.Process(pcm, r.spare[1][:0])
	r.playout.add(r.spare[1])
}

// useChain makes the chain that of a codec. The audio of the one before fades out, and that of the new one fades in.
func (r *receiver) useChain(kind payloadKind) {
	old := r.chain
	if old != nil && old.kind == kind {
		return
	}
	var codec negotiation.Codec
	for c, k := range kindOf {
		if k == kind {
			codec = c
		}
	}
	rate := codecRate(codec, r.rate)
	d, err := newDecoder(codec, rate)
	if err != nil { // not for a codec and a rate of the tables
		panic(err)
	}
	c := &decodeChain{kind: kind, codec: codec, rate: rate, decoder: d}
	if codec != negotiation.Opus {
		c.concealer = newConcealer(rate)
	}
	c.inband = newToneDetector(rate, r.onDigit)
	switch {
	case old == nil:
		c.resampler = audio.NewResampler(rate, r.rate)
	case old.rate == rate && old.concealer != nil && c.concealer != nil:
		c.resampler, c.concealer, c.inband = old.resampler, old.concealer, old.inband
	default:
		r.fadeOut(old)
		c.inband.key, c.inband.pressed = old.inband.key, old.inband.pressed // a key that is held is reported once
		c.resampler, c.fadeIn = audio.NewResampler(rate, r.rate), samples(rate, overlap)
	}
	r.chain = c
}

// fadeOut gives out a short end of what a chain played.
func (r *receiver) fadeOut(c *decodeChain) {
	n := samples(c.rate, overlap)
	pcm := c.conceal(n, r.spare[0][:0])
	for i := range pcm {
		pcm[i] = int16(int(pcm[i]) * (len(pcm) - i) / (len(pcm) + 1))
	}
	r.spare[0] = pcm
	r.spare[1] = c.resampler.Flush(c.resampler.Process(pcm, r.spare[1][:0]))
	r.playout.add(r.spare[1])
}

// emit gives out frames of 20 ms.
func (r *receiver) emit(pcm []int16) {
	r.tail = append(r.tail, pcm...)
	size := audio.FrameLength(r.rate)
	at := 0
	for ; len(r.tail)-at >= size; at += size {
		r.onFrame(r.tail[at : at+size])
	}
	r.tail = r.tail[:copy(r.tail, r.tail[at:])]
}

// noiseSource makes comfort noise.
type noiseSource struct {
	peak  float32
	state uint32
}

const (
	// loudestNoise and faintestNoise bound the level of comfort noise in -dBov.
	loudestNoise, faintestNoise = 45, 90
)

// level sets the level, which is the first byte of a packet, in -dBov (RFC 3389 3).
func (n *noiseSource) level(b byte) {
	db := -float64(min(max(b&0x7f, loudestNoise), faintestNoise))
	n.peak = float32(32768 * math.Pow(10, db/20) * math.Sqrt(3)) // of evenly distributed samples
}

func (n *noiseSource) append(count int, pcm []int16) []int16 {
	for range count {
		n.state = n.state*1664525 + 1013904223 // Numerical Recipes' generator
		pcm = append(pcm, int16(n.peak*(float32(n.state>>8)/(1<<23)-1)))
	}
	return pcm
}
