package turn

import (
	"fmt"
	"testing"
	"time"

	"parley/internal/dialogue"
)

// speakLines has a caller say seven lines of two parts with a pause between them. After 300 ms of each silence, a recogniser sends the
// text with a flag. It returns in which of the lines the caller's turn ended in the pause.
func speakLines(pause time.Duration, flag func(*dialogue.Transcript)) (cut []int) {
	d := NewDetector(DefaultOptions)
	now := time.Unix(1000, 0)
	interrupted := false
	var audible time.Time // when the agent's answer will be; zero without one
	handle := func(a Action) {
		switch a {
		case Commit:
			interrupted, audible = true, now.Add(200*time.Millisecond)
			d.TurnCommitted(now)
		case Discard, Generate, Interrupt:
		}
	}
	wait := func(t time.Duration, step func() Action) {
		for end := now.Add(t); now.Before(end); {
			now = now.Add(20 * time.Millisecond)
			if !audible.IsZero() && !now.Before(audible) {
				d.AgentAudible(now)
				audible = time.Time{}
			}
			handle(step())
		}
	}
	part := func(words string, silence time.Duration) {
		handle(d.SpeechStarted(now, now, true))
		wait(600*time.Millisecond, func() Action { return d.SpeechContinues(now, true) })
		handle(d.TranscriptReceived(dialogue.Transcript{Text: words}, now))
		last := now
		wait(200*time.Millisecond, func() Action { return d.Elapsed(now) })
		handle(d.SpeechEnded(last, now))
		wait(100*time.Millisecond, func() Action { return d.Elapsed(now) })
		t := dialogue.Transcript{Text: words, Final: true}
		flag(&t)
		handle(d.TranscriptReceived(t, now))
		wait(silence-300*time.Millisecond, func() Action { return d.Elapsed(now) })
	}
	for line := range 7 {
		interrupted = false
		part("the name is schmidt", pause)
		if interrupted {
			cut = append(cut, line+1)
		}
		part("from the first floor", 3*time.Second)
		d.AgentStopped(now)
	}
	return cut
}

// A caller who interrupts the agent has not paused: the silence that ends a turn stays as short as it was.
func TestInterruptionsAreNoPauses(t *testing.T) {
	for name, flag := range map[string]func(*dialogue.Transcript){
		"silence": func(t *dialogue.Transcript) { t.EndOfSpeech = true }, "judgement": func(t *dialogue.Transcript) { t.EndOfTurn = true },
	} {
		t.Run(name, func(t *testing.T) {
			d := NewDetector(DefaultOptions)
			now := time.Unix(1000, 0)
			for line := range 6 {
				d.SpeechStarted(now, now, true)
				for range 40 {
					now = now.Add(20 * time.Millisecond)
					d.SpeechContinues(now, true)
				}
				last := now
				now = now.Add(300 * time.Millisecond)
				d.SpeechEnded(last, now)
				heard := dialogue.Transcript{Text: "what are your opening hours?", Final: true}
				flag(&heard)
				d.TranscriptReceived(heard, now)
				now = d.Deadline()
				if d.Elapsed(now) != Commit {
					t.Fatal("the turn did not end at the detector's deadline")
				}
				if silence := now.Sub(last); silence > 500*time.Millisecond {
					t.Errorf("turn %d ended after %v of silence", line+1, silence)
				}
				d.TurnCommitted(now)
				now = now.Add(250 * time.Millisecond)
				d.AgentAudible(now)
				now = now.Add(600 * time.Millisecond) // and the caller interrupts
			}
		})
	}
}

// A recogniser that reports silence, as Deepgram does, ends no turn of a caller who pauses for longer; one that judges words complete, and
// is wrong, does not for long.
func TestCallersPausesAreLearned(t *testing.T) {
	flags := map[string]func(*dialogue.Transcript){
		"nothing": func(*dialogue.Transcript) {}, "silence": func(t *dialogue.Transcript) { t.EndOfSpeech = true },
		"judgement": func(t *dialogue.Transcript) { t.EndOfTurn = true },
	}
	for name, flag := range flags {
		for _, pause := range []time.Duration{500 * time.Millisecond, 700 * time.Millisecond, 900 * time.Millisecond} {
			t.Run(fmt.Sprintf("%s/%v", name, pause), func(t *testing.T) {
				cut := speakLines(pause, flag)
				if len(cut) > 2 || len(cut) > 0 && cut[len(cut)-1] > 2 {
					t.Errorf("lines %v were cut", cut)
				}
			})
		}
	}
}

// A silence reported by the recogniser does not end a turn whose words go on.
func TestReportedSilenceAfterUnfinishedWords(t *testing.T) {
	d := NewDetector(DefaultOptions)
	now := time.Unix(1000, 0)
	d.SpeechStarted(now, now, true)
	d.SpeechEnded(now, now.Add(200*time.Millisecond))
	d.TranscriptReceived(dialogue.Transcript{Text: "my number is four one and", Final: true, EndOfSpeech: true}, now.Add(300*time.Millisecond))
	if got := d.Elapsed(now.Add(DefaultOptions.EndpointUnfinished - time.Millisecond)); got == Commit {
		t.Error("the turn ended before endpoint_unfinished_ms")
	}
	if got := d.Elapsed(now.Add(DefaultOptions.EndpointUnfinished)); got != Commit {
		t.Errorf("after endpoint_unfinished_ms: %v", got)
	}
}
