package recording

import (
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"gopkg.in/hraban/opus.v2"

	"parley/internal/audio"
	"parley/internal/dialogue"
	"parley/internal/leaktest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// one is one channel of stereo sound at 48 kHz between two moments.
func one(stereo []int16, side int, from, to time.Duration) (pcm []int16) {
	for i := int(from * 48000 / time.Second); i < int(to*48000/time.Second); i++ {
		pcm = append(pcm, stereo[2*i+side])
	}
	return pcm
}

// heard decodes a recording: both channels in turn, at 48 kHz.
func heard(t *testing.T, from io.Reader) (stereo []int16) {
	t.Helper()
	stream, err := opus.NewStream(from)
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close()
	buf := make([]int16, 2*5760)
	for {
		n, err := stream.Read(buf)
		stereo = append(stereo, buf[:2*n]...)
		if errors.Is(err, io.EOF) {
			return stereo
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

func TestEachVoiceHasItsSideAndItsTime(t *testing.T) {
	file := filepath.Join(t.TempDir(), "call.ogg")
	synctest.Test(t, func(t *testing.T) {
		f, err := os.Create(file)
		if err != nil {
			t.Fatal(err)
		}
		r, err := New(f, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		r.Record(true)
		low, high := audio.Tone(440, dialogue.ListenRate, 2*time.Second), audio.Tone(880, dialogue.SpeakRate, 2*time.Second)
		for n := range 300 { // 6 s
			switch at := time.Duration(n) * 20 * time.Millisecond; {
			case at < 2*time.Second:
				r.WriteCaller(low[n*320 : (n+1)*320])
			case at >= 3*time.Second && at < 5*time.Second:
				r.Record(at < 4*time.Second)
				r.WriteAgent(high[(n-150)*480 : (n-149)*480])
			}
			time.Sleep(20*time.Millisecond + time.Duration(n%3-1)*time.Millisecond)
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		if err := r.Close(); err != nil {
			t.Errorf("closed twice: %v", err)
		}
	})
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	stereo := heard(t, f)
	if length := time.Duration(len(stereo)/2) * time.Second / 48000; length < 3900*time.Millisecond || length > 4200*time.Millisecond {
		t.Errorf("the recording has %v; the last sound was at 4 s", length)
	}
	for _, c := range []struct {
		what     string
		side     int
		hertz    float64
		from, to time.Duration
		loud     bool
	}{
		{"the caller on the left", 0, 440, 100 * time.Millisecond, 1900 * time.Millisecond, true},
		{"the caller on the right", 1, 440, 100 * time.Millisecond, 1900 * time.Millisecond, false},
		{"the agent on the right", 1, 880, 3100 * time.Millisecond, 3900 * time.Millisecond, true},
		{"the agent on the left", 0, 880, 3100 * time.Millisecond, 3900 * time.Millisecond, false},
		{"the pause", 1, 880, 2200 * time.Millisecond, 2900 * time.Millisecond, false},
	} {
		pcm := one(stereo, c.side, c.from, c.to)
		if got := audio.Power(pcm, c.hertz, 48000); got > 0.9 != c.loud {
			t.Errorf("%s: %.2f of the sound is at %.0f Hz", c.what, got, c.hertz)
		}
		if peak := max(slices.Max(pcm), -slices.Min(pcm)); !c.loud && peak > 400 {
			t.Errorf("%s: sound up to %d", c.what, peak)
		}
	}
}

// A writer that fails ends the recording, and nothing else.
func TestFullDisk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, err := New(full{}, slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		r.Record(true)
		for range 100 {
			r.WriteAgent(audio.Tone(880, dialogue.SpeakRate, 20*time.Millisecond))
			time.Sleep(20 * time.Millisecond)
		}
		if err := r.Close(); !errors.Is(err, errFull) {
			t.Errorf("got %v", err)
		}
	})
}

var errFull = errors.New("no space left on device")

// full is a file on a full disk.
type full struct{}

func (full) Write([]byte) (int, error)          { return 0, errFull }
func (full) WriteAt([]byte, int64) (int, error) { return 0, errFull }
func (full) Seek(int64, int) (int64, error)     { return 0, nil }
func (full) Close() error                       { return nil }

// A hold is silence of its length in the recording, in both channels, and the sound after it is at its time.
func TestHeldTimeIsSilence(t *testing.T) {
	const held = 20 * time.Second
	for _, ends := range []string{"resumed", "ended on hold"} {
		t.Run(ends, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "call.ogg")
			synctest.Test(t, func(t *testing.T) {
				f, err := os.Create(file)
				if err != nil {
					t.Fatal(err)
				}
				r, err := New(f, slog.New(slog.DiscardHandler))
				if err != nil {
					t.Fatal(err)
				}
				tone := audio.Tone(440, dialogue.ListenRate, time.Second)
				speak := func(d time.Duration) {
					for n := range int(d / (20 * time.Millisecond)) {
						r.WriteCaller(tone[n%50*320 : (n%50+1)*320])
						time.Sleep(20 * time.Millisecond)
					}
				}
				r.Record(true)
				speak(time.Second)
				r.Hold(true)
				speak(held) // music on hold
				if ends == "resumed" {
					r.Hold(false)
					speak(time.Second)
				}
				if err := r.Close(); err != nil || r.lost.Load() != 0 {
					t.Fatal(err, r.lost.Load())
				}
			})
			f, err := os.Open(file)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			stereo := heard(t, f)
			length := time.Duration(len(stereo)/2) * time.Second / 48000
			end := time.Second + held
			if ends == "resumed" {
				end += time.Second
				if level := audio.Level(one(stereo, 0, end-800*time.Millisecond, end-200*time.Millisecond)); level < -30 {
					t.Errorf("after the hold the caller is at %.0f dB", level)
				}
			}
			if (length - end).Abs() > 100*time.Millisecond {
				t.Errorf("the recording has %v, want %v", length, end)
			}
			for side := range 2 {
				if level := audio.Level(one(stereo, side, 1200*time.Millisecond, time.Second+held-200*time.Millisecond)); level > -60 {
					t.Errorf("on hold channel %d is at %.0f dB", side, level)
				}
			}
		})
	}
}
