package mediaport

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"time"
)

const (
	// digitTime and digitGap are the durations of a key that is sent and of the silence after it: most equipment asks for
	// 40 ms of each at least (ITU-T Q.24), some for 100 ms.
	digitTime, digitGap = 120 * time.Millisecond, 80 * time.Millisecond

	// digitPause is the duration of a pause in what is dialled.
	digitPause = 500 * time.Millisecond

	// maxDigits bounds the keys that wait to be sent.
	maxDigits = 128

	// eventVolume is the level of a telephone event in -dBm0.
	eventVolume = 10

	// lowTonePeak and highTonePeak are the amplitudes of the tones of a key in the audio: -9 and -7 dBm0.
	lowTonePeak, highTonePeak = 8100.0, 10200.0
)

// checkDigits returns an error that names the first character that is no key and no pause.
func checkDigits(digits string) error {
	for i := range len(digits) {
		if _, ok := eventOf(digits[i]); !ok && !isPause(digits[i]) {
			return fmt.Errorf("send digits: %q is none of 0 to 9, *, #, A to D, and w or a comma for a pause", digits[i])
		}
	}
	return nil
}

func isPause(c byte) bool { return strings.IndexByte("wW,", c) >= 0 }

// dialler sends keys one after the other, as telephone events or as tones. It is asked once for each packet.
type dialler struct {
	queue   []byte
	elapsed time.Duration // since the current key or pause began
	start   uint32        // timestamp of the event
	ends    int           // packets that say that the event has ended
}

// active reports whether a key, a pause or the gap after one is being sent.
func (d *dialler) active() bool { return len(d.queue) > 0 }

func (d *dialler) key() byte { return d.queue[0] }

// length returns how long the current element is, without the gap after it.
func (d *dialler) length() time.Duration {
	if isPause(d.key()) {
		return digitPause
	}
	return digitTime
}

// advance ends a packet.
func (d *dialler) advance(packet time.Duration) {
	d.elapsed += packet
	total := d.length()
	if !isPause(d.key()) {
		total += digitGap
	}
	if d.elapsed >= total && (d.ends == 0 || d.ends >= endRepeats) {
		d.queue = d.queue[1:]
		d.elapsed, d.ends = 0, 0
	}
}

// event appends the payload of the packet that begins now to out; ok is false in pauses. Its duration ends with the packet;
// the end of the event is said endRepeats times (RFC 4733 2.5.1.4).
func (d *dialler) event(packet time.Duration, clock int, out []byte) (payload []byte, ok bool) {
	event, isKey := eventOf(d.key())
	if !isKey || d.ends >= endRepeats {
		return out, false
	}
	length := d.elapsed + packet
	flags := byte(eventVolume)
	if length >= digitTime {
		length = (digitTime + packet - 1).Truncate(packet) // the same in all repeats
		flags |= 0x80
		d.ends++
	}
	out = append(out, event, flags)
	return binary.BigEndian.AppendUint16(out, uint16(samples(clock, length))), true
}

// tones writes the part of the current element's tones that begins now into pcm; silence in pauses.
func (d *dialler) tones(pcm []int16, rate int) {
	clear(pcm)
	event, isKey := eventOf(d.key())
	if !isKey {
		return
	}
	low, high := tonesOf(keys[event])
	start, end, ramp := samples(rate, d.elapsed), samples(rate, digitTime), rate/200
	for i := range pcm {
		k := start + i
		if k >= end {
			return
		}
		gain := float64(min(k, end-1-k, ramp)) / float64(ramp)
		t := 2 * math.Pi * float64(k) / float64(rate)
		pcm[i] = int16(gain * (lowTonePeak*math.Sin(low*t) + highTonePeak*math.Sin(high*t)))
	}
}

func tonesOf(key byte) (low, high float64) {
	for row, columns := range toneKeys {
		if column := strings.IndexByte(columns, key); column >= 0 {
			return lowTones[row], highTones[column]
		}
	}
	return 0, 0
}
