package mediaport

import (
	"fmt"
	"slices"
	"time"

	"github.com/gotranspile/g722"
	"github.com/livekit/media-sdk/g711"

	"parley/internal/audio"
	"parley/internal/sip/negotiation"
)

// opusRates are the rates in Hz that Opus is encoded from and decoded to (RFC 6716 2.1.3).
var opusRates = []int{8000, 12000, 16000, 24000, 48000}

// codecRate returns the rate in Hz at which a codec's audio is encoded or decoded, for audio of the given rate: Opus does
// its own resampling.
func codecRate(c negotiation.Codec, rate int) int {
	if c == negotiation.Opus && slices.Contains(opusRates, rate) {
		return rate
	}
	return c.SampleRate()
}

// decoder decodes the packets of one stream.
type decoder interface {
	// decode appends the audio of a payload to pcm. The payload is not empty.
	decode(payload []byte, pcm []int16) ([]int16, error)
}

func newDecoder(c negotiation.Codec, rate int) (decoder, error) {
	switch c {
	case negotiation.PCMU:
		return g711Decoder(g711.DecodeULawTo), nil
	case negotiation.PCMA:
		return g711Decoder(g711.DecodeALawTo), nil
	case negotiation.G722:
		return g722Decoder{g722.NewDecoder(g722.Rate64000, 0)}, nil
	case negotiation.Opus:
		d, err := audio.NewDecoder(rate)
		return &opusDecoder{Decoder: d, rate: rate}, err
	}
	return nil, fmt.Errorf("decode audio: unknown codec %q", c)
}

type g711Decoder func(pcm []int16, payload []byte)

func (d g711Decoder) decode(payload []byte, pcm []int16) ([]int16, error) {
	n := len(pcm)
	pcm = slices.Grow(pcm, len(payload))[:n+len(payload)]
	d(pcm[n:], payload)
	return pcm, nil
}

type g722Decoder struct{ *g722.Decoder }

func (d g722Decoder) decode(payload []byte, pcm []int16) ([]int16, error) {
	n := len(pcm)
	pcm = slices.Grow(pcm, 2*len(payload))[:n+2*len(payload)]
	return pcm[:n+d.Decode(pcm[n:], payload)], nil
}

// opusDecoder also conceals and recovers lost packets, better than a concealer can.
type opusDecoder struct {
	*audio.Decoder
	rate int
}

func (d *opusDecoder) decode(payload []byte, pcm []int16) ([]int16, error) {
	n, most := len(pcm), audio.MaxPacketFrames*audio.FrameLength(d.rate)
	pcm = slices.Grow(pcm, most)[:n+most]
	samples, err := d.Decode(payload, pcm[n:])
	return pcm[:n+samples], err
}

// conceal appends so many samples of what probably followed, in steps of 2.5 ms.
func (d *opusDecoder) conceal(samples int, pcm []int16) ([]int16, error) {
	unit, most := d.rate/400, audio.FrameLength(d.rate)
	for samples >= unit {
		step := min(samples/unit*unit, most)
		n := len(pcm)
		pcm = slices.Grow(pcm, step)[:n+step]
		if err := d.Conceal(pcm[n:]); err != nil {
			return pcm[:n], err
		}
		samples -= step
	}
	return pcm, nil
}

// recover appends the audio of a single lost packet of so many samples, from the copy in the packet after it.
func (d *opusDecoder) recover(next []byte, samples int, pcm []int16) ([]int16, error) {
	n := len(pcm)
	pcm = slices.Grow(pcm, samples)[:n+samples]
	if err := d.DecodeFEC(next, pcm[n:]); err != nil {
		return pcm[:n], err
	}
	return pcm, nil
}

// encoder encodes packets of 10 to 60 ms for one stream.
type encoder interface {
	// encode appends the payload of a packet to out.
	encode(pcm []int16, out []byte) ([]byte, error)
}

func newEncoder(c negotiation.Codec, rate int) (encoder, error) {
	switch c {
	case negotiation.PCMU:
		return g711Encoder(g711.EncodeULawTo), nil
	case negotiation.PCMA:
		return g711Encoder(g711.EncodeALawTo), nil
	case negotiation.G722:
		return g722Encoder{g722.NewEncoder(g722.Rate64000, 0)}, nil
	case negotiation.Opus:
		e, err := audio.NewEncoder(rate)
		return opusEncoder{e}, err
	}
	return nil, fmt.Errorf("encode audio: unknown codec %q", c)
}

type g711Encoder func(payload []byte, pcm []int16)

func (e g711Encoder) encode(pcm []int16, out []byte) ([]byte, error) {
	n := len(out)
	out = slices.Grow(out, len(pcm))[:n+len(pcm)]
	e(out[n:], pcm)
	return out, nil
}

type g722Encoder struct{ *g722.Encoder }

func (e g722Encoder) encode(pcm []int16, out []byte) ([]byte, error) {
	n := len(out)
	out = slices.Grow(out, len(pcm)/2+1)[:n+len(pcm)/2+1]
	return out[:n+e.Encode(out[n:], pcm)], nil
}

type opusEncoder struct{ *audio.Encoder }

func (e opusEncoder) encode(pcm []int16, out []byte) ([]byte, error) {
	n := len(out)
	out = slices.Grow(out, audio.MaxPacket)[:n+audio.MaxPacket]
	size, err := e.Encode(pcm, out[n:])
	return out[:n+size], err
}

// samples returns how many samples last as long as d.
func samples(rate int, d time.Duration) int { return int(int64(rate) * int64(d) / int64(time.Second)) }
