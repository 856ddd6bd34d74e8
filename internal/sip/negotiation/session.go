package negotiation

import (
	"crypto/rand"
	"encoding/binary"
	"errors"
	"net/netip"
	"slices"
	"strconv"
	"time"
)

// Options are this side's of a call.
type Options struct {
	// Local is where this side receives RTP, as the description names it; RTCP arrives on the next port, or on the same one if
	// the other side multiplexes.
	Local      netip.AddrPort
	Codecs     []Codec       // in the order of offers; empty for PCMU, PCMA, G722 and opus
	Encryption Encryption    // "" for Off
	PacketTime time.Duration // of packets unless the other side wants another; 0 for 20 ms
	// Permits reports whether audio may be sent to an address of the other side's description; nil for every one. In place of
	// others, and of names, audio is sent to the source of the message.
	Permits func(netip.Addr) bool
}

// Errors of offers at the wrong time.
var (
	// ErrPending is an offer while one waits for its answer: 491 to one of the other side (RFC 3261 14.2).
	ErrPending = errors.New("an offer of this side waits for its answer")
	// ErrNoOffer is an answer without an offer.
	ErrNoOffer = errors.New("no offer waits for an answer")
)

// state is that of offer and answer (RFC 3264 4). An offer of the other side is answered at once, so that there is no state for
// it.
type state string

const (
	stable    state = "stable"
	offerSent state = "offer sent"
)

// step is what happens to a session.
type step string

const (
	receiveOffer  step = "receive offer"
	sendOffer     step = "send offer"
	receiveAnswer step = "receive answer"
	reject        step = "reject"
)

// transitions are the states that follow. What is not in the table is refused with the error of its step.
var transitions = map[state]map[step]state{
	stable:    {receiveOffer: stable, sendOffer: offerSent, reject: stable},
	offerSent: {receiveAnswer: stable, reject: stable},
}

var refusedSteps = map[step]error{receiveOffer: ErrPending, sendOffer: ErrPending, receiveAnswer: ErrNoOffer}

// Session is what both sides of a call have described. It is used by one goroutine at a time. The session stays as it was when
// a method returns an error.
type Session struct {
	options   Options
	id        uint64
	state     state
	held      bool // by this side
	agreed    agreement
	described local // last, by this side: that of an open offer too
}

// agreement is the result of the last exchange.
type agreement struct {
	stream  Stream
	local   local
	formats []format // all that have been given a payload type
}

// New returns a session without a description.
func New(o Options) *Session {
	if len(o.Codecs) == 0 {
		o.Codecs = []Codec{PCMU, PCMA, G722, Opus}
	}
	if o.PacketTime == 0 {
		o.PacketTime = defaultPacketTime
	}
	if o.Permits == nil {
		o.Permits = func(netip.Addr) bool { return true }
	}
	var id [8]byte
	rand.Read(id[:])                                                                             // never fails (crypto/rand)
	return &Session{options: o, state: stable, id: binary.BigEndian.Uint64(id[:]) & (1<<31 - 1)} // some peers read 32 bits
}

// Fork returns a copy, for another branch of an INVITE that answers the same offer.
func (s *Session) Fork() *Session {
	c := *s
	return &c
}

// Stream returns the agreed stream, which is zero before the first agreement.
func (s *Session) Stream() Stream { return s.agreed.stream }

// Agreed reports whether a stream has been agreed on.
func (s *Session) Agreed() bool { return s.agreed.stream.Codec != "" }

// Pending reports whether an offer of this side waits for its answer.
func (s *Session) Pending() bool { return s.state == offerSent }

// Description returns the last description of this side; nil before the first.
func (s *Session) Description() []byte {
	if s.described.version == 0 {
		return nil
	}
	return s.described.render(s.id, s.options.Local)
}

// Hold sets whether this side holds the call: its next offers and answers do not receive audio.
func (s *Session) Hold(on bool) { s.held = on }

// wanted is the direction that this side would like.
func (s *Session) wanted() direction { return direction{sends: true, receives: !s.held} }

// apply returns the state after a step, or why it is not possible.
func (s *Session) apply(p step) (state, error) {
	next, ok := transitions[s.state][p]
	if !ok {
		return s.state, refusedSteps[p]
	}
	return next, nil
}

// Answer answers an offer that came from an address. The error is ErrPending or a Refusal.
func (s *Session) Answer(offer []byte, from netip.Addr) (answer []byte, stream Stream, err error) {
	next, err := s.apply(receiveOffer)
	if err != nil {
		return nil, Stream{}, err
	}
	d, err := parse(offer)
	if err != nil {
		return nil, Stream{}, err
	}
	at, c, err := s.accept(d)
	if err != nil {
		return nil, Stream{}, err
	}
	m := d.media[at]
	l := local{lines: make([]line, len(d.media)), audio: at}
	for i, other := range d.media {
		l.lines[i] = line{kind: other.kind, profile: other.profile, formats: other.formats}
	}
	stream = s.streamOf(d, m, c, from)
	way := d.direction(m).reversed().and(s.wanted())
	stream.Sends, stream.Receives = way.sends, way.receives
	l.direction, l.held, l.packetTime, l.multiplexed = way, s.held, stream.PacketTime, stream.Multiplexed
	l.formats = c.formats()
	if stream.RemoteKey != nil {
		stream.LocalKey = s.keyFor(*stream.RemoteKey)
		l.keys = []*Key{stream.LocalKey}
	}
	s.state = next
	s.describe(l)
	s.agree(stream, l.formats)
	return s.Description(), stream, nil
}

// accept returns the first audio line that can be used, and what of it.
func (s *Session) accept(d description) (at int, c choice, err error) {
	err = unacceptable(warnMedia, "The description has no audio.")
	for i, m := range d.media {
		if m.kind != "audio" || m.port == 0 {
			continue
		}
		if wrong := s.checkProfile(m); wrong != nil {
			err = wrong
			continue
		}
		c, ok := choose(d.formatsOf(m), s.options.Codecs)
		if ok {
			return i, c, nil
		}
		err = unacceptable(warnFormat, "None of the audio codecs is supported.")
	}
	return 0, c, err
}

// checkProfile returns why a medium's encryption is not what this side wants; nil if it is.
func (s *Session) checkProfile(m media) error {
	secured, known := profileOf(m.profile)
	keys := len(keysOf(m)) > 0
	switch {
	case !known:
		return unacceptable(warnTransport, "The audio's transport "+m.profile+" is not supported.")
	case s.options.Encryption == Require && !keys:
		return unacceptable(warnTransport, "The audio must be encrypted, with keys in the description.")
	case secured && s.options.Encryption != Require && s.options.Encryption != Allow:
		return unacceptable(warnTransport, "The audio must not be encrypted.")
	case secured && !keys:
		return unacceptable(warnTransport, "The encrypted audio has no key of a supported suite.")
	}
	return nil
}

// encrypts reports whether a key of the other side is used if there is one.
func (s *Session) encrypts() bool {
	return s.options.Encryption == Allow || s.options.Encryption == Require
}

// streamOf returns the stream that the other side describes, without directions and this side's key.
func (s *Session) streamOf(d description, m media, c choice, from netip.Addr) Stream {
	stream := Stream{
		Codec: c.codec, PayloadType: c.payload.payload, ReceivePayloadType: c.payload.payload, ComfortNoise: c.noiseFilled,
		PacketTime: d.packetTime(m, c.codec, s.options.PacketTime),
	}
	if c.events {
		stream.EventPayloadType, stream.ReceiveEventPayloadType, stream.EventClockRate = c.event.payload, c.event.payload, c.event.rate
	}
	_, stream.Multiplexed = d.value(m, "rtcp-mux")
	stream.Remote, stream.Control = s.addresses(d, m, from, stream.Multiplexed)
	if keys := keysOf(m); len(keys) > 0 && s.encrypts() {
		stream.RemoteKey = &keys[0]
	}
	return stream
}

// addresses returns where RTP and RTCP of a medium are sent.
func (s *Session) addresses(d description, m media, from netip.Addr, multiplexed bool) (rtp, rtcp netip.AddrPort) {
	at, ok := s.guarded(d.host(m), from)
	if !ok {
		return rtp, rtcp
	}
	rtp = netip.AddrPortFrom(at, uint16(m.port))
	if multiplexed {
		return rtp, rtp
	}
	rtcp = netip.AddrPortFrom(at, uint16(m.port)+1)
	if value, named := d.value(m, "rtcp"); named { // RFC 3605
		port, host := splitControl(value)
		if n, err := strconv.ParseUint(port, 10, 16); err == nil && n > 0 {
			rtcp = netip.AddrPortFrom(at, uint16(n))
		}
		if other, ok := s.guarded(host, from); ok && host != "" {
			rtcp = netip.AddrPortFrom(other, rtcp.Port())
		}
	}
	return rtp, rtcp
}

// guarded returns the address to use for one in a description: itself if it is permitted, else the source. It is not ok for the
// unspecified address, to which nothing is sent.
func (s *Session) guarded(host string, from netip.Addr) (at netip.Addr, ok bool) {
	at, err := netip.ParseAddr(host)
	at, from = at.Unmap(), from.Unmap()
	switch {
	case err == nil && at.IsUnspecified():
		return netip.Addr{}, false
	case err != nil, at.IsMulticast(), at.Zone() != "", at != from && !s.options.Permits(at):
		return from, from.IsValid()
	}
	return at, true
}

// keyFor returns this side's key that goes with one of the other side: the one it has, unless the suite changes.
func (s *Session) keyFor(remote Key) *Key {
	if own := s.agreed.stream.LocalKey; own != nil && own.Suite == remote.Suite {
		k := *own
		k.Tag = remote.Tag
		return &k
	}
	return newKey(remote.Tag, remote.Suite)
}

// describe makes l the last description of this side. Its version is a new one if it differs from the one before.
func (s *Session) describe(l local) {
	l.version = s.described.version
	if l.version == 0 || !l.equal(s.described) {
		l.version++
	}
	s.described = l
}

func (s *Session) agree(stream Stream, formats []format) {
	s.agreed = agreement{stream, s.described, remembered(s.agreed.formats, formats)}
}

// remembered adds formats to those that have a payload type in the session (RFC 3264 8.3.2).
func remembered(known, formats []format) []format {
	all := slices.Clone(formats)
	for _, k := range known {
		if !slices.ContainsFunc(all, func(f format) bool { return f.name == k.name && f.rate == k.rate || f.payload == k.payload }) {
			all = append(all, k)
		}
	}
	return all
}

// Offer returns an offer of everything that this side can do: for an INVITE, or in the response to one without a description.
func (s *Session) Offer() ([]byte, error) {
	next, err := s.apply(sendOffer)
	if err != nil {
		return nil, err
	}
	l := local{lines: slices.Clone(s.agreed.local.lines), audio: s.agreed.local.audio, direction: s.wanted(), held: s.held, packetTime: s.options.PacketTime}
	profile := "RTP/AVP"
	switch {
	case len(l.lines) == 0:
		l.lines = []line{{}}
	case s.agreed.stream.LocalKey != nil:
		profile = l.lines[l.audio].profile
	}
	if s.options.Encryption == Require && profile == "RTP/AVP" {
		profile = "RTP/SAVP"
	}
	l.lines[l.audio] = line{kind: "audio", profile: profile}
	l.formats = offered(s.options.Codecs, s.agreed.formats)
	if s.encrypts() {
		l.keys = s.offeredKeys()
	}
	s.state = next
	s.describe(l)
	return s.Description(), nil
}

func (s *Session) offeredKeys() (keys []*Key) {
	if own := s.agreed.stream.LocalKey; own != nil {
		return []*Key{own}
	}
	for _, known := range suites {
		if known.offered {
			keys = append(keys, newKey(len(keys)+1, known.name))
		}
	}
	return keys
}

// Refresh returns an offer that repeats the last description with its version, except for a hold that was set since.
func (s *Session) Refresh() ([]byte, error) {
	if s.described.version == 0 {
		return s.Offer()
	}
	next, err := s.apply(sendOffer)
	if err != nil {
		return nil, err
	}
	l := s.described
	if l.held != s.held {
		l.direction, l.held = s.wanted(), s.held
	}
	s.state = next
	s.describe(l)
	return s.Description(), nil
}

// Accept completes this side's offer by its answer, which came from an address. The error is ErrNoOffer or a Refusal; the offer
// is then rolled back.
func (s *Session) Accept(answer []byte, from netip.Addr) (Stream, error) {
	next, err := s.apply(receiveAnswer)
	if err != nil {
		return Stream{}, err
	}
	stream, formats, err := s.read(answer, from)
	if err != nil {
		s.Reject()
		return Stream{}, err
	}
	s.state = next
	s.agree(stream, formats)
	return stream, nil
}

// Preview returns the stream that an answer would complete, without completing it: for early media of a provisional response,
// whose branch may not be the one that answers.
func (s *Session) Preview(answer []byte, from netip.Addr) (Stream, error) {
	if _, err := s.apply(receiveAnswer); err != nil {
		return Stream{}, err
	}
	stream, _, err := s.read(answer, from)
	return stream, err
}

// Reject rolls an open offer back: the session stays as it was before.
func (s *Session) Reject() {
	if s.state != offerSent {
		return
	}
	s.state, _ = s.apply(reject)
	version := s.described.version
	if s.agreed.local.version > 0 {
		s.described = s.agreed.local
		s.described.version = version + 1 // that of the offer stood for another description
	}
}

// read returns the stream of an answer to this side's description.
func (s *Session) read(answer []byte, from netip.Addr) (stream Stream, formats []format, err error) {
	d, err := parse(answer)
	if err != nil {
		return stream, nil, err
	}
	offer := s.described
	if offer.audio >= len(d.media) || d.media[offer.audio].kind != "audio" || d.media[offer.audio].port == 0 {
		return stream, nil, unacceptable(warnMedia, "The answer has no audio.")
	}
	m := d.media[offer.audio]
	if err := s.checkProfile(m); err != nil {
		return stream, nil, err
	}
	given := slices.DeleteFunc(d.formatsOf(m), func(f format) bool { return !offer.has(f) })
	c, ok := choose(given, s.options.Codecs)
	if !ok {
		return stream, nil, unacceptable(warnFormat, "The answer has none of the offered codecs.")
	}
	stream = s.streamOf(d, m, c, from)
	stream.ReceivePayloadType = offer.payload(c.payload)
	if c.events {
		stream.ReceiveEventPayloadType = offer.payload(c.event)
	}
	way := offer.direction.and(d.direction(m).reversed())
	stream.Sends, stream.Receives = way.sends, way.receives
	stream.Multiplexed = stream.Multiplexed && offer.multiplexed
	if stream.RemoteKey, stream.LocalKey, err = s.answeredKeys(keysOf(m), offer); err != nil {
		return stream, nil, err
	}
	return stream, c.formats(), nil
}

// answeredKeys returns the key of an answer with the offered one that it belongs to. An answer without a key chose plain RTP.
func (s *Session) answeredKeys(given []Key, offer local) (remote, own *Key, err error) {
	if len(given) == 0 || len(offer.keys) == 0 {
		return nil, nil, nil
	}
	for _, k := range offer.keys {
		if k.Tag == given[0].Tag && k.Suite == given[0].Suite {
			return &given[0], k, nil
		}
	}
	return nil, nil, unacceptable(warnTransport, "The key in the answer belongs to none of the offered ones.")
}
