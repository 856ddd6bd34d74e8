package trial

import (
	"fmt"
	"strings"
	"time"

	"parley/internal/audio"
	"parley/internal/dialogue"
	"parley/internal/hearing/corpus"
	"parley/internal/voice/turn"
)

// Place is where a caller speaks while the agent is silent.
type Place struct {
	Name  string
	Sound func(seconds float64) (corpus.Sound, error) // nil for quiet
	Phone bool                                        // through the telephone's band
}

// Places returns those of docs/turn-taking.md. The caller is 10 dB louder than the sound, or 20 dB.
func Places(set corpus.Set) []Place {
	s := sounds{set: set, seed: 800 + 50*uint64(set)}
	return []Place{
		{Name: "quiet"},
		{Name: "quiet, telephone", Phone: true},
		{Name: "music at 20 dB", Sound: s.music(0, -46)},
		{Name: "music at 10 dB", Sound: s.music(0, -36)},
		{Name: "hum at 10 dB", Sound: s.at(corpus.Hum, 1, -10)},
		{Name: "traffic at 10 dB", Sound: s.at(corpus.Traffic, 2, -10)},
		{Name: "babble of 8 at 10 dB", Sound: s.babble(-36)},
	}
}

// Turns are the results of a caller's utterances with a pause in each.
type Turns struct {
	Said int
	Cut  int             // turns that ended before the utterance did
	Open int             // utterances after which no turn ended before the next
	End  []time.Duration // from the end of an utterance to the end of its turn
}

// String returns the cells of a table.
func (t Turns) String() string {
	return fmt.Sprintf("%d of %d | %d | %s", t.Cut, t.Said, t.Open, quantiles(t.End))
}

// utterance is the start and end of an utterance of two segments, in frames.
type utterance struct{ begin, end int }

// between is the time from one utterance's beginning to the next one's, seconds.
const between = 10

// utterances returns a caller who pauses within each utterance.
func utterances(set corpus.Set, seconds, pause float64) (corpus.Sound, []utterance, error) {
	voice, begins, err := barges(set, seconds)
	if err != nil {
		return nil, nil, err
	}
	mixed := make(corpus.Sound, len(voice))
	var all []utterance
	for i := 0; i+1 < len(begins); i += 2 {
		at := len(all)*between*50 + 100
		for _, segment := range begins[i : i+2] {
			end := min(segment.end, segment.begin+75)
			for end > segment.begin && loudness(voice[(end-1)*frame:end*frame]) < 100 { // no silence at the end
				end--
			}
			if at*frame+(end-segment.begin)*frame > len(mixed) {
				return mixed, all, nil
			}
			copy(mixed[at*frame:], voice[segment.begin*frame:end*frame])
			at += end - segment.begin + int(pause*50)
		}
		all = append(all, utterance{begin: len(all)*between*50 + 100, end: at - int(pause*50)})
	}
	return mixed, all, nil
}

// Run plays a caller to a listener, with a pause of so many seconds within each utterance.
func (p Place) Run(set corpus.Set, l Listener, seconds, pause float64) (Turns, error) {
	around := corpus.Hiss(1, seconds)
	if p.Sound != nil {
		s, err := p.Sound(seconds)
		if err != nil {
			return Turns{}, err
		}
		around = corpus.Mix(around, s)
	}
	caller, all, err := utterances(set, seconds, pause)
	if err != nil {
		return Turns{}, err
	}
	mixed := corpus.Mix(around, caller)
	if p.Phone {
		mixed = mixed.PhoneBand()
	}
	d := turn.NewDetector(turn.DefaultOptions)
	c := &conversation{detector: d, tracker: turn.NewSpeechTracker(d), all: all}
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for i, pcm := 0, mixed.PCM(); (i+1)*frame <= len(pcm); i++ {
		_, e := l.Push(pcm[i*frame:(i+1)*frame], start.Add(time.Duration(i)*frameTime))
		c.step(e, loudness(caller[i*frame:(i+1)*frame]) > 100, i, start.Add(time.Duration(i)*frameTime))
	}
	return c.turns, nil
}

// conversation runs turn detection for a caller whose agent answers with silence.
type conversation struct {
	detector        *turn.Detector
	tracker         *turn.SpeechTracker
	all             []utterance
	next            int  // utterance
	ended           bool // the turn of the utterance before
	turns           Turns
	recognizedAudio time.Duration // of the caller's voice, since the last final transcript
	wordAt          time.Time     // when the recogniser sends an interim transcript
	finalAt         time.Time     // when it sends a final one
}

func (c *conversation) step(e turn.Classification, voice bool, i int, now time.Time) {
	if c.next < len(c.all) && i == c.all[c.next].begin {
		if c.next > 0 && !c.ended {
			c.turns.Open++
		}
		c.next, c.ended = c.next+1, false
		c.turns.Said++
	}
	a := c.tracker.PushFrame(e, now)
	c.executeAction(a.Action, i, now)
	if due := c.detector.Deadline(); !due.IsZero() && !due.After(now) {
		c.executeAction(c.detector.Elapsed(now), i, now)
	}
	if a.Change == audio.Ended {
		c.finalAt = now.Add(100 * time.Millisecond)
	}
	if voice {
		if c.recognizedAudio += frameTime; c.recognizedAudio%wordLength == 0 {
			c.wordAt = now.Add(wordDelay)
		}
	}
	if !c.wordAt.IsZero() && !now.Before(c.wordAt) {
		c.wordAt = time.Time{}
		c.executeAction(c.detector.TranscriptReceived(dialogue.Transcript{Text: c.text()}, now), i, now)
	}
	if !c.finalAt.IsZero() && !now.Before(c.finalAt) {
		text := c.text()
		c.finalAt, c.wordAt, c.recognizedAudio = time.Time{}, time.Time{}, 0
		c.executeAction(c.detector.TranscriptReceived(dialogue.Transcript{Text: text, Final: true}, now), i, now)
	}
}

// text returns what the recogniser has recognised: a word for each 300 ms of the caller's voice.
func (c *conversation) text() string {
	words := strings.Fields("please tell me when it opens today again please tell me when it opens")
	return strings.Join(words[:min(len(words), int(c.recognizedAudio/wordLength))], " ")
}

// executeAction counts the ends of turns, and answers them with silence.
func (c *conversation) executeAction(action turn.Action, i int, now time.Time) {
	if action != turn.Commit {
		return
	}
	c.detector.TurnCommitted(now)
	c.detector.AgentStopped(now)
	if c.next == 0 {
		return
	}
	if u := c.all[c.next-1]; i < u.end {
		c.turns.Cut++
	} else if !c.ended {
		c.ended = true
		c.turns.End = append(c.turns.End, time.Duration(i+1-u.end)*frameTime)
	}
}
