package voice

import (
	"parley/internal/dialogue"
	"parley/internal/voice/providers"
	"parley/internal/voice/turn"
	"testing"
	"time"
)

func TestFramePathDoesNotAllocate(t *testing.T) {
	now := time.Date(2026, 1, 1, 6, 0, 0, 0, time.UTC)
	detector := turn.NewDetector(turn.DefaultOptions)
	detector.TranscriptReceived(dialogue.Transcript{Text: "so far I have said a good deal and", Final: true}, now)
	l, f := turn.NewSpeechTracker(detector), new(providers.AudioBuffer)
	listener := newEnergyListener()
	recognition := &fakeRecognition{recognizer: &fakeRecognizer{}}
	loud, n, begun := vowel(0), 0, now
	if n := testing.AllocsPerRun(1000, func() {
		frame := room
		if n++; n%100 < 50 && n%13 < 10 {
			frame = loud
		}
		clean, class := listener.Push(frame, now)
		f.PushFrame(clean)
		if l.PushFrame(class, now); !l.Speaking() {
			f.TrimSilence()
		}
		f.WriteTo(recognition, now)
		detector.Elapsed(now)
		detector.Deadline()
		now = now.Add(20 * ms)
	}); n != 0 {
		t.Errorf("a heard frame allocates %v times", n)
	}
	if detector.LastSpeech().Before(begun.Add(15 * time.Second)) {
		t.Error("no speech was heard")
	}
}
