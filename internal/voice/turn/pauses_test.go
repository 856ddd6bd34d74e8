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
	handle := func(a Action) {
		switch a {
		case Commit:
			interrupted = true
			d.TurnCommitted(now)
			d.AgentAudible(now)
		case Discard, Generate, Interrupt:
		}
	}
	wait := func(t time.Duration, step func() Action) {
		for end := now.Add(t); now.Before(end); {
			now = now.Add(20 * time.Millisecond)
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
