package voice

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/internal/dialogue"
)

// record makes a playout and the list of when frames went out, after dawn.
func record() (*playout, *[]time.Duration, *time.Time) {
	var sent []time.Duration
	now := dawn
	p := &playout{}
	p.play = func([]int16) error { sent = append(sent, now.Sub(dawn)); return nil }
	return p, &sent, &now
}

func speech(text string, frames int) dialogue.Speech {
	return dialogue.Speech{Text: text, PCM: make([]int16, frames*frameSamples)}
}

// run lets time go by to a moment, ticking as the session does: when told.
func run(p *playout, now *time.Time, to time.Duration) {
	for end := dawn.Add(to); ; {
		next := p.next()
		if next.IsZero() || next.After(end) {
			*now = end
			p.tick(*now)
			return
		}
		if next.After(*now) {
			*now = next
		}
		p.tick(*now)
	}
}

func every20(from time.Duration, n int) (at []time.Duration) {
	for i := range n {
		at = append(at, from+time.Duration(i)*20*ms)
	}
	return at
}

func TestPlayoutPaces(t *testing.T) {
	p, sent, now := record()
	p.begin(false)
	p.add(speech("a", 5))
	p.end()
	run(p, now, 300*ms)
	if diff := cmp.Diff(every20(0, 5), *sent); diff != "" {
		t.Error(diff)
	}
	if !p.finished() || !p.next().IsZero() {
		t.Error("not finished")
	}
}

// A tick that comes late does not shift those after it; one that comes far
// too late begins anew rather than send a burst.
func TestPlayoutAbsoluteClock(t *testing.T) {
	p, sent, now := record()
	p.begin(false)
	p.add(speech("a", 20))
	for _, at := range []time.Duration{0, 27 * ms, 40 * ms, 95 * ms, 100 * ms, 400 * ms, 420 * ms} {
		*now = dawn.Add(at)
		p.tick(*now)
	}
	want := []time.Duration{0, 27 * ms, 40 * ms, 95 * ms, 95 * ms, 100 * ms, 400 * ms, 420 * ms}
	if diff := cmp.Diff(want, *sent); diff != "" {
		t.Error(diff)
	}
}

func TestPlayoutHoldPauseDrop(t *testing.T) {
	p, sent, now := record()
	p.begin(true)
	p.add(speech("a", 10))
	run(p, now, 100*ms)
	if len(*sent) != 0 {
		t.Fatalf("held, and %d frames sent", len(*sent))
	}
	p.release()
	run(p, now, 150*ms)
	p.pause()
	run(p, now, 900*ms)
	if diff := cmp.Diff(every20(100*ms, 3), *sent); diff != "" {
		t.Fatal(diff)
	}
	p.resume()
	run(p, now, 930*ms)
	if diff := cmp.Diff(append(every20(100*ms, 3), every20(900*ms, 2)...), *sent); diff != "" {
		t.Fatal(diff)
	}
	p.begin(false)
	run(p, now, 2*time.Second)
	if len(*sent) != 5 || p.heard() != "" || p.finished() {
		t.Errorf("after the drop: %d frames, heard %q", len(*sent), p.heard())
	}
}

func TestPlayoutOddLengths(t *testing.T) {
	var values [][]int16
	p := &playout{play: func(pcm []int16) error { values = append(values, append([]int16(nil), pcm...)); return nil }}
	p.begin(false)
	pcm := make([]int16, frameSamples+100)
	for i := range pcm {
		pcm[i] = 7
	}
	p.add(dialogue.Speech{Text: "a b", PCM: pcm})
	p.tick(dawn)
	p.tick(dawn.Add(20 * ms))
	if len(values) != 1 || p.finished() {
		t.Fatalf("%d frames before the end is known, want 1", len(values))
	}
	p.end()
	p.end()
	p.tick(dawn.Add(40 * ms))
	if len(values) != 2 || !p.finished() || p.heard() != "a b" || p.played != len(pcm) {
		t.Fatalf("%d frames, heard %q, played %d", len(values), p.heard(), p.played)
	}
	if last := values[1]; len(last) != frameSamples || last[99] != 7 || last[100] != 0 {
		t.Error("the last frame is not filled up with silence")
	}
}

// What was played is given up, or a long answer would keep all its audio.
func TestPlayoutForgets(t *testing.T) {
	p, sent, now := record()
	p.begin(false)
	for i := range 600 {
		p.add(speech("", 5))
		run(p, now, time.Duration(i+1)*100*ms)
	}
	if len(*sent) != 3000 || len(p.pcm) > 3*dialogue.SpeakRate {
		t.Errorf("%d frames sent, %d samples kept", len(*sent), len(p.pcm))
	}
}

func TestPlayoutLineRefuses(t *testing.T) {
	gone := errors.New("gone")
	p := &playout{play: func([]int16) error { return gone }}
	p.begin(false)
	p.add(speech("a", 2))
	p.end()
	if err := p.tick(dawn); !errors.Is(err, gone) {
		t.Errorf("tick returned %v", err)
	}
	p.tick(dawn.Add(20 * ms))
	if !p.finished() {
		t.Error("time does not go by")
	}
}

func TestHeard(t *testing.T) {
	words := func(start time.Duration, text ...string) (w []dialogue.Word) {
		for i, t := range text {
			at := start + time.Duration(i)*100*ms
			w = append(w, dialogue.Word{Text: t, Start: at, End: at + 100*ms})
		}
		return w
	}
	first, second := speech("One two three.", 15), speech("Four five.", 10)
	timedFirst, timedSecond := first, second
	timedFirst.Words, timedSecond.Words = words(0, "one", "two", "three"), words(300*ms, "four", "five")
	for _, tc := range []struct {
		name   string
		pieces []dialogue.Speech
		ended  bool
		frames int
		want   string
	}{
		{"nothing", []dialogue.Speech{first, second}, true, 0, ""},
		{"everything", []dialogue.Speech{first, second}, true, 25, "One two three. Four five."},
		{"the first text", []dialogue.Speech{first, second}, true, 15, "One two three."},
		{"by share", []dialogue.Speech{first, second}, true, 8, "One two"},
		{"by share, second", []dialogue.Speech{first, second}, true, 22, "One two three. Four"},
		{"by word times", []dialogue.Speech{timedFirst, timedSecond}, true, 9, "One"},
		{"by word times, at the border", []dialogue.Speech{timedFirst, timedSecond}, true, 10, "One two"},
		{"by word times, second", []dialogue.Speech{timedFirst, timedSecond}, true, 21, "One two three. Four"},
		// Three words take longer than 100 ms: more audio is to come.
		{"synthesis goes on", []dialogue.Speech{speech("One two three.", 5)}, false, 5, ""},
		{"synthesis goes on, with word times", []dialogue.Speech{timedFirst}, false, 15, "One two three."},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p, _, now := record()
			p.begin(false)
			for _, piece := range tc.pieces {
				p.add(piece)
			}
			if tc.ended {
				p.end()
			}
			run(p, now, time.Duration(tc.frames-1)*20*ms)
			if tc.frames == 0 {
				p.begin(false)
			}
			if got := p.heard(); got != tc.want {
				t.Errorf("heard %q, want %q", got, tc.want)
			}
		})
	}
}

func TestFramePathDoesNotAllocate(t *testing.T) {
	p := &playout{play: func([]int16) error { return nil }}
	p.begin(false)
	p.add(speech("a", 3000))
	now := dawn
	if n := testing.AllocsPerRun(1000, func() { p.tick(now); p.next(); now = now.Add(20 * ms) }); n != 0 {
		t.Errorf("a played frame allocates %v times", n)
	}
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

func TestCutWords(t *testing.T) {
	for _, tc := range []struct {
		text  string
		share float64
		want  string
	}{
		{"one two three four", 0.5, "one two"},
		{"one two three four", 0.1, ""},
		{"one two three four", 1, "one two three four"},
		{"Überraschung über Überraschung", 0.6, "Überraschung über"},
		{"我们九点开门。", 0.5, "我们九"},
		{"九時に開店します", 0.26, "九時"},
		{"เปิดเก้าโมง", 0, ""},
	} {
		if got := cutWords(tc.text, tc.share); got != tc.want {
			t.Errorf("%v of %q: %q, want %q", tc.share, tc.text, got, tc.want)
		}
	}
}

// Where a provider times characters, or words that no space parts, as many of
// them as were played are kept.
func TestCutWithoutSpaces(t *testing.T) {
	p := playout{played: samplesOf(500 * time.Millisecond), queued: samplesOf(time.Second)}
	for i, r := range []string{"我们", "九点", "开", "门"} {
		at := time.Duration(i) * 250 * time.Millisecond
		p.words = append(p.words, dialogue.Word{Text: r, Start: at, End: at + 250*time.Millisecond})
	}
	if got := p.cut(mark{text: "我们九点开门"}, p.queued, false); got != "我们九" {
		t.Errorf("kept %q of what was half played", got)
	}
}

func samplesOf(d time.Duration) int { return int(d * dialogue.SpeakRate / time.Second) }
