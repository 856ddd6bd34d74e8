package voice

import (
	"testing"
	"time"
)

func TestFramePathDoesNotAllocate(t *testing.T) {
	now := dawn
	turn := NewTurnTaker(DefaultTurnOptions)
	turn.Heard("so far I have said a good deal and", true, false, now)
	l, f := newListener(turn), new(feed)
	recognition := &fakeRecognition{ear: &fakeEar{}}
	loud, n, begun := vowel(0), 0, now
	if n := testing.AllocsPerRun(1000, func() {
		frame := room
		if n++; n%100 < 50 && n%13 < 10 {
			frame = loud
		}
		f.push(frame)
		if l.frame(frame, now); !l.speaking {
			f.idle()
		}
		f.pass(recognition, now)
		turn.Elapsed(now)
		turn.Deadline()
		now = now.Add(20 * ms)
	}); n != 0 {
		t.Errorf("a heard frame allocates %v times", n)
	}
	if turn.LastSpeech().Before(begun.Add(15 * time.Second)) {
		t.Error("no speech was heard")
	}
}
