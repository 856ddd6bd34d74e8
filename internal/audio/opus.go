package audio

import (
	"errors"
	"fmt"

	"gopkg.in/hraban/opus.v2"
)

// MaxPacket is room enough for any Opus packet of one frame (RFC 6716, section 3.2.1: 1,275 bytes and a header).
const MaxPacket = 1276

// MaxPacketFrames bounds what one Opus packet may hold, in frames: 120 ms (RFC 6716, section 2.1.4).
const MaxPacketFrames = 6

// Encoder turns frames of speech at one rate into Opus packets: mono, 32 kbit/s, with in-band error correction while
// losses are expected. Without, libopus encodes by transform (CELT) instead of linear prediction, which costs a quarter
// of the time and keeps the spectrum below 8 kHz as well. Complexity 5 costs half of 10 and sounds the same at this rate.
type Encoder struct {
	enc  *opus.Encoder
	size int // of a frame, all channels
}

// NewEncoder returns an Encoder for PCM at rate: 8000, 12000, 16000, 24000 or 48000 Hz.
func NewEncoder(rate int) (*Encoder, error) {
	enc, err := opus.NewEncoder(rate, 1, opus.AppAudio)
	if err != nil {
		return nil, fmt.Errorf("open Opus encoder at %d Hz: %w", rate, err)
	}
	e := &Encoder{enc, FrameLength(rate)}
	if err := errors.Join(enc.SetBitrate(32000), enc.SetComplexity(5), e.ExpectLoss(UsualLoss)); err != nil {
		return nil, fmt.Errorf("set up Opus encoder: %w", err)
	}
	return e, nil
}

// UsualLoss is an Encoder's initial expected packet loss, in percent.
const UsualLoss = 10

// ExpectLoss says how many percent of the packets will be lost: the more, the more of the bits go into error
// correction. 0 turns that off.
func (e *Encoder) ExpectLoss(percent int) error {
	return errors.Join(e.enc.SetInBandFEC(percent > 0), e.enc.SetPacketLossPerc(percent))
}

// NewStereoEncoder returns an Encoder for two voices, left and right sample in turn, that is to be kept rather than sent:
// 48 kbit/s, by transform, nothing for losses. Complexity 3 costs a fifth of linear prediction at 5.
func NewStereoEncoder(rate int) (*Encoder, error) {
	enc, err := opus.NewEncoder(rate, 2, opus.AppAudio)
	if err != nil {
		return nil, fmt.Errorf("open stereo Opus encoder at %d Hz: %w", rate, err)
	}
	if err := errors.Join(enc.SetBitrate(48000), enc.SetComplexity(3)); err != nil {
		return nil, fmt.Errorf("set up stereo Opus encoder: %w", err)
	}
	return &Encoder{enc, 2 * FrameLength(rate)}, nil
}

// Encode writes pcm, a frame of 20 ms or else 10, 40 or 60 ms, as a packet into buf (MaxPacket bytes always suffice) and
// returns its length.
func (e *Encoder) Encode(pcm []int16, buf []byte) (int, error) {
	switch len(pcm) {
	case e.size, e.size / 2, 2 * e.size, 3 * e.size:
	default:
		return 0, fmt.Errorf("encode Opus: %d samples, want the %d of a 20 ms frame, or of 10, 40 or 60 ms", len(pcm), e.size)
	}
	n, err := e.enc.Encode(pcm, buf)
	if err != nil {
		return 0, fmt.Errorf("encode Opus: %w", err)
	}
	return n, nil
}

// Decoder decodes the Opus packets of one sender, of any rate and number of channels, to mono PCM at its own rate,
// and conceals lost ones. Every packet, decoded or lost, must be passed to it in order.
type Decoder struct {
	dec  *opus.Decoder
	rate int
}

// NewDecoder returns a Decoder to rate: 8000, 12000, 16000, 24000 or 48000 Hz.
func NewDecoder(rate int) (*Decoder, error) {
	dec, err := opus.NewDecoder(rate, 1)
	if err != nil {
		return nil, fmt.Errorf("open Opus decoder at %d Hz: %w", rate, err)
	}
	return &Decoder{dec, rate}, nil
}

// Decode writes the sound of packet into pcm and returns how many samples it has: up to MaxPacketFrames frames.
func (d *Decoder) Decode(packet []byte, pcm []int16) (int, error) {
	// libopus reads the capacity, so it is limited to what the caller gave.
	n, err := d.dec.Decode(packet, pcm[:len(pcm):len(pcm)])
	if err != nil {
		return 0, fmt.Errorf("decode Opus: %w", err)
	}
	return n, nil
}

// Conceal fills pcm, as long as the sound that was lost (a multiple of 2.5 ms), with what probably followed; it fades
// when called again and again.
func (d *Decoder) Conceal(pcm []int16) error {
	if err := d.dec.DecodePLC(pcm[:len(pcm):len(pcm)]); err != nil {
		return fmt.Errorf("conceal lost Opus packet: %w", err)
	}
	return nil
}

// DecodeFEC fills pcm, of the length of the single packet lost before next, from the redundant copy in next, or
// conceals it without one. Decode(next) must follow.
func (d *Decoder) DecodeFEC(next []byte, pcm []int16) error {
	if err := d.dec.DecodeFEC(next, pcm[:len(pcm):len(pcm)]); err != nil {
		return fmt.Errorf("recover lost Opus packet: %w", err)
	}
	return nil
}
