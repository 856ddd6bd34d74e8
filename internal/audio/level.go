// Package audio processes audio: 16-bit mono PCM, Opus, resampling, voice activity detection and test tones.
// Samples are int16 at a rate in hertz; a frame is 20 ms. Values belong to one goroutine at a time; nothing starts
// a goroutine or locks.
package audio

import (
	"math"
	"time"
)

// frame is the duration of one Opus packet, and of one step of the voice activity detector.
const frame = 20 * time.Millisecond

// FrameLength returns the number of samples in a 20 ms frame at rate.
func FrameLength(rate int) int { return int(int64(rate) * int64(frame) / int64(time.Second)) }

// Duration returns how long n samples last at rate.
func Duration(n, rate int) time.Duration { return time.Duration(n) * time.Second / time.Duration(rate) }

// RMS returns the root mean square of pcm on the scale of its samples, 0 for none.
func RMS(pcm []int16) float64 {
	if len(pcm) == 0 {
		return 0
	}
	var sum float64
	for _, v := range pcm {
		sum += float64(v) * float64(v)
	}
	return math.Sqrt(sum / float64(len(pcm)))
}

// Silence is the level of digital silence, in dBFS: one step of a 16-bit sample is -90.3.
const Silence = -100.0

// Level returns the RMS of pcm in dBFS, where 0 is a square wave at full scale; never below Silence.
func Level(pcm []int16) float64 { return decibels(RMS(pcm)) }

func decibels(rms float64) float64 {
	if rms < 32768*1e-5 {
		return Silence
	}
	return 20 * math.Log10(rms/32768)
}

func clip(v float32) int16 {
	switch {
	case v >= 32767:
		return 32767
	case v <= -32768:
		return -32768
	case v < 0:
		return int16(v - 0.5)
	}
	return int16(v + 0.5)
}
