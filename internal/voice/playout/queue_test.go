package playout

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/internal/dialogue"
	"parley/internal/voice/speechtext"
)

const ms = time.Millisecond

// start is when the tests' time begins.
var start = time.Date(2026, 1, 1, 6, 0, 0, 0, time.UTC)

// record makes a queue and the list of when frames were played, after start.
func record() (*Queue, *[]time.Duration, *time.Time) {
	var sent []time.Duration
	now := start
	p := NewQueue(func([]int16) error { sent = append(sent, now.Sub(start)); return nil })
	return p, &sent, &now
}

func speech(text string, frames int) dialogue.Speech {
	return dialogue.Speech{Text: text, PCM: make([]int16, frames*frameSamples)}
}

// run lets time go by to a moment, calling at each deadline as the session does.
func run(p *Queue, now *time.Time, to time.Duration) {
	for end := start.Add(to); ; {
		next := p.NextFrameAt()
		if next.IsZero() || next.After(end) {
			*now = end
			p.PlayDue(*now)
			return
		}
		if next.After(*now) {
			*now = next
		}
		p.PlayDue(*now)
	}
}

func every20(from time.Duration, n int) (at []time.Duration) {
	for i := range n {
		at = append(at, from+time.Duration(i)*20*ms)
	}
	return at
}

func TestQueuePaces(t *testing.T) {
	p, sent, now := record()
	p.Reset(false)
	p.Append(speech("a", 5))
	p.End()
	run(p, now, 300*ms)
	if diff := cmp.Diff(every20(0, 5), *sent); diff != "" {
		t.Error(diff)
	}
	if !p.Finished() || !p.NextFrameAt().IsZero() {
		t.Error("not finished")
	}
}

// A tick that comes late does not shift those after it; one that comes far
// too late begins anew rather than send a burst.
func TestQueueAbsoluteClock(t *testing.T) {
	p, sent, now := record()
	p.Reset(false)
	p.Append(speech("a", 20))
	for _, at := range []time.Duration{0, 27 * ms, 40 * ms, 95 * ms, 100 * ms, 400 * ms, 420 * ms} {
		*now = start.Add(at)
		p.PlayDue(*now)
	}
	want := []time.Duration{0, 27 * ms, 40 * ms, 95 * ms, 95 * ms, 100 * ms, 400 * ms, 420 * ms}
	if diff := cmp.Diff(want, *sent); diff != "" {
		t.Error(diff)
	}
}

func TestQueueHoldPauseDrop(t *testing.T) {
	p, sent, now := record()
	p.Reset(true)
	p.Append(speech("a", 10))
	run(p, now, 100*ms)
	if len(*sent) != 0 {
		t.Fatalf("held, and %d frames sent", len(*sent))
	}
	p.Release()
	run(p, now, 150*ms)
	p.Pause()
	run(p, now, 900*ms)
	if diff := cmp.Diff(every20(100*ms, 3), *sent); diff != "" {
		t.Fatal(diff)
	}
	p.Resume()
	run(p, now, 930*ms)
	if diff := cmp.Diff(append(every20(100*ms, 3), every20(900*ms, 2)...), *sent); diff != "" {
		t.Fatal(diff)
	}
	p.Reset(false)
	run(p, now, 2*time.Second)
	if len(*sent) != 5 || p.SpokenText() != "" || p.Finished() {
		t.Errorf("after the drop: %d frames, heard %q", len(*sent), p.SpokenText())
	}
}

// Ducked audio is 15 dB softer from the next frame on, which fades, and goes on at once; a pause within ends at full volume.
func TestQueueDuck(t *testing.T) {
	var last []int16 // last sample of each frame
	q := NewQueue(func(pcm []int16) error { last = append(last, pcm[len(pcm)-1]); return nil })
	loud := speech("one", 8)
	for i := range loud.PCM {
		loud.PCM[i] = 10000
	}
	q.Append(loud)
	now := start
	run(q, &now, 20*ms)
	q.Duck()
	run(q, &now, 60*ms)
	q.Pause()
	run(q, &now, 100*ms)
	q.Resume()
	run(q, &now, 200*ms)
	if len(last) < 6 || last[1] != 10000 || last[2] > 2000 || last[3] != 1780 || last[4] != 10000 || last[5] != 10000 {
		t.Errorf("the frames end with %v, want 10000, 1780 while ducked, and 10000 after the pause", last)
	}
}

func TestQueueOddLengths(t *testing.T) {
	var values [][]int16
	p := NewQueue(func(pcm []int16) error { values = append(values, append([]int16(nil), pcm...)); return nil })
	p.Reset(false)
	pcm := make([]int16, frameSamples+100)
	for i := range pcm {
		pcm[i] = 7
	}
	p.Append(dialogue.Speech{Text: "a b", PCM: pcm})
	p.PlayDue(start)
	p.PlayDue(start.Add(20 * ms))
	if len(values) != 1 || p.Finished() {
		t.Fatalf("%d frames before the end is known, want 1", len(values))
	}
	p.End()
	p.End()
	p.PlayDue(start.Add(40 * ms))
	if len(values) != 2 || !p.Finished() || p.SpokenText() != "a b" || p.played != len(pcm) {
		t.Fatalf("%d frames, heard %q, played %d", len(values), p.SpokenText(), p.played)
	}
	if last := values[1]; len(last) != frameSamples || last[99] != 7 || last[100] != 0 {
		t.Error("the last frame is not filled up with silence")
	}
}

// What was played is given up, or a long answer would keep all its audio.
func TestQueueForgets(t *testing.T) {
	p, sent, now := record()
	p.Reset(false)
	for i := range 600 {
		p.Append(speech("", 5))
		run(p, now, time.Duration(i+1)*100*ms)
	}
	if len(*sent) != 3000 || len(p.pcm) > 3*dialogue.SpeakRate {
		t.Errorf("%d frames sent, %d samples kept", len(*sent), len(p.pcm))
	}
}

func TestQueueLineRefuses(t *testing.T) {
	gone := errors.New("gone")
	p := NewQueue(func([]int16) error { return gone })
	p.Reset(false)
	p.Append(speech("a", 2))
	p.End()
	if err := p.PlayDue(start); !errors.Is(err, gone) {
		t.Errorf("tick returned %v", err)
	}
	p.PlayDue(start.Add(20 * ms))
	if !p.Finished() {
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
			p.Reset(false)
			for _, piece := range tc.pieces {
				p.Append(piece)
			}
			if tc.ended {
				p.End()
			}
			run(p, now, time.Duration(tc.frames-1)*20*ms)
			if tc.frames == 0 {
				p.Reset(false)
			}
			if got := p.SpokenText(); got != tc.want {
				t.Errorf("heard %q, want %q", got, tc.want)
			}
		})
	}
}

func TestFramePathDoesNotAllocate(t *testing.T) {
	p := NewQueue(func([]int16) error { return nil })
	p.Reset(false)
	p.Append(speech("a", 3000))
	now := start
	if n := testing.AllocsPerRun(1000, func() { p.PlayDue(now); p.NextFrameAt(); now = now.Add(20 * ms) }); n != 0 {
		t.Errorf("a played frame allocates %v times", n)
	}
}

func TestCutAtWord(t *testing.T) {
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
		if got := tc.text[:cutAtWord(tc.text, tc.share)]; got != tc.want {
			t.Errorf("%v of %q: %q, want %q", tc.share, tc.text, got, tc.want)
		}
	}
}

// Where a provider times characters, or words that no space parts, as many of
// them as were played are kept.
func TestCutWithoutSpaces(t *testing.T) {
	p := Queue{played: samplesOf(500 * time.Millisecond), queued: samplesOf(time.Second)}
	for i, r := range []string{"我们", "九点", "开", "门"} {
		at := time.Duration(i) * 250 * time.Millisecond
		p.words = append(p.words, dialogue.Word{Text: r, Start: at, End: at + 250*time.Millisecond})
	}
	const text = "我们九点开门"
	if got := text[:p.playedPart(textStart{text: speechtext.Plain(text)}, p.queued, false)]; got != "我们九" {
		t.Errorf("kept %q of what was half played", got)
	}
}

func samplesOf(d time.Duration) int { return int(d * dialogue.SpeakRate / time.Second) }
