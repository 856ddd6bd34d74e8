package sound

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"

	"parley/internal/audio"
	"parley/internal/dialogue"
	"parley/internal/fault"
)

const (
	// rate is the rate at which sounds are played, in hertz, and frame the samples of a packet.
	rate  = dialogue.SpeakRate
	frame = rate / 50
	// level is that of stored sounds in dBFS, somewhat below that of speech; maxGain limits by how much a quiet one is amplified.
	level, maxGain = -26, 10
	// quietest is the least level of the loudest frame of a sound, in dBFS. Frames with less than audibleShare of its amplitude are pauses.
	quietest, audibleShare = -60, 0.03
	// paced is the number of frames after which the encoder pauses for as long as they took.
	paced = 50
	// preRoll is the number of frames that the encoder gets before the first.
	preRoll = 4
)

// converter converts files of a process, one at a time and one of a tenant: a long one takes a processor for two seconds, which calls need as
// well.
type converter struct {
	turn    chan struct{}
	tenants sync.Map // those whose file is converted, or waits
}

var conversions = &converter{turn: make(chan struct{}, 1)}

// convertWait limits the wait for the files of other tenants.
const convertWait = 10 * time.Second

// acquireTurn waits for a tenant's turn, or returns an error for the client. done ends it.
func (c *converter) acquireTurn(ctx context.Context, tenantID string) (done func(), err error) {
	const retryAfter = 2 * time.Second
	if _, busy := c.tenants.LoadOrStore(tenantID, true); busy {
		return nil, fault.Later(fault.RateLimitExceeded, retryAfter, "another file of yours is being converted: try again in a moment")
	}
	ctx, cancel := context.WithTimeout(ctx, convertWait)
	defer cancel()
	select {
	case c.turn <- struct{}{}:
		return func() { <-c.turn; c.tenants.Delete(tenantID) }, nil
	case <-ctx.Done():
		c.tenants.Delete(tenantID)
		return nil, fault.Later(fault.ServiceUnavailable, retryAfter, "files of others are being converted: try again in a moment")
	}
}

// errSilent is the error of a file in which nothing is audible.
var errSilent = errors.New("the sound is silent")

// errTooShort is the error of sound that is shorter than MinDuration.
var errTooShort = errors.New("the sound is too short")

// convert is the function convert, in a tenant's turn.
func (c *converter) convert(ctx context.Context, tenantID string, file []byte) ([]byte, time.Duration, error) {
	done, err := c.acquireTurn(ctx, tenantID)
	if err != nil {
		return nil, 0, err
	}
	defer done()
	return convert(ctx, file)
}

// convert returns a file as it is stored, and how long it lasts. An error is audio.ErrFormat, audio.ErrTooLong, errTooShort or errSilent.
func convert(ctx context.Context, file []byte) (content []byte, lasts time.Duration, err error) {
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
	packets, err := encode(ctx, pcm)
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
func encode(ctx context.Context, pcm []int16) (packets [][]byte, err error) {
	encoder, err := audio.NewEncoder(rate)
	if err == nil {
		err = encoder.ExpectLoss(0)
	}
	if err != nil {
		return nil, err
	}
	var buf [audio.MaxPacket]byte
	frames := len(pcm) / frame
	began := time.Now()
	for n := -preRoll; n < frames; n++ {
		if n%paced == 0 { // calls have half of the processor's time
			time.Sleep(time.Since(began))
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			began = time.Now()
		}
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
