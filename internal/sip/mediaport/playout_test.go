package mediaport

import (
	"testing"
	"time"

	"parley/internal/audio"
)

// pacing plays packets, and returns when each frame came.
func pacing(t *testing.T, change func([]packet) []packet, length time.Duration) (at []time.Duration) {
	t.Helper()
	p := newPhone(codecs[0], frameTime)
	e := newTestReceiver(16000, p.stream)
	emit := e.onFrame
	e.onFrame = func(pcm []int16) {
		emit(pcm)
		at = append(at, e.playout.now.Sub(beginning))
	}
	e.receive(change(p.packets(t, audio.Tone(440, 16000, length))))
	return at
}

// longestPause returns the longest time between two frames after a time.
func longestPause(at []time.Duration, after time.Duration) (longest time.Duration) {
	for i := 1; i < len(at); i++ {
		if at[i-1] >= after {
			longest = max(longest, at[i]-at[i-1])
		}
	}
	return longest
}

// Over a network that loses, delays and doubles packets, the listener soon has a frame every 20 ms, rather than none for the time that
// a missing packet is waited for and then several at once.
func TestPlayoutIsEvenOverABadNetwork(t *testing.T) {
	at := pacing(t, func(p []packet) []packet { return double(jitter(loss(p, 0.1), 60*time.Millisecond)) }, 10*time.Second)
	if longest := longestPause(at, 3*time.Second); longest > 60*time.Millisecond {
		t.Errorf("no frame for %v", longest)
	}
}

// What comes in time is not delayed, and what a network held back once is delayed no longer than that lasts.
func TestPlayoutDoesNotDelay(t *testing.T) {
	for i, at := range pacing(t, func(p []packet) []packet { return p }, 3*time.Second)[:140] {
		if late := at - time.Duration(i+1)*frameTime; late > frameTime {
			t.Fatalf("frame %d comes %v late", i, late)
		}
	}
	heldBack := func(packets []packet) []packet {
		for i := range packets[50:60] {
			packets[50+i].at = packets[60].at
		}
		return packets
	}
	at := pacing(t, heldBack, 40*time.Second)
	delay := func(frame int) time.Duration { return at[frame] - time.Duration(frame+1)*frameTime }
	if d := delay(100); d < 60*time.Millisecond {
		t.Errorf("1 s after it the burst has gone through at once: the delay is %v", d)
	}
	if d := delay(len(at) - 100); d > frameTime {
		t.Errorf("at the end the delay is still %v", d)
	}
}
