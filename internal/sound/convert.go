package sound

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"parley/internal/audio"
	"parley/internal/dialogue"
)

const (
	// rate is the rate at which sounds are played, in hertz, and frame the samples of a packet.
	rate  = dialogue.SpeakRate
	frame = rate / 50
	// level is that of stored sounds in dBFS, somewhat below that of speech; maxGain limits by how much a quiet one is amplified.
	level, maxGain = -26, 10
	// quietest is the least level of the loudest frame of a sound, in dBFS. Frames with less than audibleShare of its amplitude are pauses.
	quietest, audibleShare = -60, 0.03
	// preRoll is the number of frames that the encoder gets before the first.
	preRoll = 4
)

// converting admits one conversion at a time: a long one takes a processor for about a second, which calls need as well.
var converting = make(chan struct{}, 1)

// errSilent is the error of a file in which nothing is audible.
var errSilent = errors.New("the sound is silent")

// errTooShort is the error of sound that is shorter than MinDuration.
var errTooShort = errors.New("the sound is too short")

// convert returns a file as it is stored, and how long it lasts. An error is audio.ErrFormat, audio.ErrTooLong, errTooShort or errSilent, or
// of a context that ended while others were converted.
func convert(ctx context.Context, file []byte) (content []byte, lasts time.Duration, err error) {
	select {
	case converting <- struct{}{}:
		defer func() { <-converting }()
	case <-ctx.Done():
		return nil, 0, ctx.Err()
	}
	pcm, err := audio.DecodeFile(file, rate, MaxDuration)
	if err != nil {
		return nil, 0, err
	}
	if audio.Duration(len(pcm), rate) < MinDuration {
		return nil, 0, errTooShort
	}
	pcm = pcm[:len(pcm)/frame*frame]
	if err := normalise(pcm); err != nil {
		return nil, 0, err
	}
	packets, err := encode(pcm)
	return audio.EncodeOpusFile(packets, rate), audio.Duration(len(pcm), rate), err
}

// normalise sets the level of what is audible, without clipping.
func normalise(pcm []int16) error {
	var peak int
	var loudest, power float64 // RMS of the loudest frame, and sum of the squares of those that are audible
	for f := range slices.Chunk(pcm, frame) {
		loudest = max(loudest, audio.RMS(f))
		for _, v := range f {
			peak = max(peak, int(v), -int(v))
		}
	}
	if loudest < amplitude(quietest) {
		return errSilent
	}
	audible := 0
	for f := range slices.Chunk(pcm, frame) {
		if rms := audio.RMS(f); rms > loudest*audibleShare {
			power += rms * rms
			audible++
		}
	}
	gain := amplitude(level) / math.Sqrt(power/float64(audible))
	gain = min(gain, maxGain, math.MaxInt16/float64(peak))
	for n, v := range pcm {
		pcm[n] = int16(math.Round(float64(v) * gain))
	}
	return nil
}

// amplitude returns the RMS of a level in dBFS, on the scale of samples.
func amplitude(level float64) float64 { return 32768 * math.Pow(10, level/20) }

// encode returns packets of 20 ms. The encoder gets the end of the sound first, so that there is no gap where the sound is played again.
func encode(pcm []int16) (packets [][]byte, err error) {
	encoder, err := audio.NewEncoder(rate)
	if err == nil {
		err = encoder.ExpectLoss(0)
	}
	if err != nil {
		return nil, err
	}
	var buf [audio.MaxPacket]byte
	frames := len(pcm) / frame
	for n := -preRoll; n < frames; n++ {
		at := (n + frames) % frames * frame
		size, err := encoder.Encode(pcm[at:at+frame], buf[:])
		if err != nil {
			return nil, fmt.Errorf("encode a sound: %w", err)
		}
		if n >= 0 {
			packets = append(packets, slices.Clone(buf[:size]))
		}
	}
	return packets, nil
}
