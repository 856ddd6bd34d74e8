// Package recordings plays an operator's recordings to the hearing and turn detection of a call, as if a caller made these
// sounds while the agent speaks.
package recordings

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"parley/internal/audio"
	"parley/internal/dialogue"
	"parley/internal/hearing"
	"parley/internal/voice/turn"
)

// Kind is what a recording holds.
type Kind string

// The kinds: folders of an operator's recordings.
const (
	Speech Kind = "speech" // somebody speaks to the agent: it is to be interrupted
	Noise  Kind = "noise"  // anything else: it is to speak on
)

// Recording is what the microphone of a caller picks up while the agent speaks.
type Recording struct {
	Name string // <kind>/<file>
	Kind Kind
	PCM  []int16 // mono, 16 kHz
	Text string  // what a recogniser transcribes of it; "" for nothing
}

// Result is what a recording did to the agent. Times are from the beginning of the sound in it; 0 for never.
type Result struct {
	Recording
	Lowered, Paused, Interrupted time.Duration
	Silenced                     time.Duration // how long it was paused or interrupted, to the end of the recording
}

// Wrong reports whether speech did not interrupt the agent, or anything else did.
func (r Result) Wrong() bool {
	return (r.Kind == Speech) != (r.Interrupted > 0)
}

// Read reads the recordings of a folder: speech/<name>.wav and noise/<name>.wav, with what a recogniser makes of one
// beside it in <name>.txt.
func Read(dir string) (all []Recording, err error) {
	for _, kind := range [...]Kind{Speech, Noise} {
		files, err := filepath.Glob(filepath.Join(dir, string(kind), "*.wav"))
		if err != nil {
			return nil, err
		}
		slices.Sort(files)
		for _, file := range files {
			r, err := read(file, kind)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", file, err)
			}
			all = append(all, r)
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s has no recordings: they are expected as speech/<name>.wav and noise/<name>.wav", dir)
	}
	return all, nil
}

func read(file string, kind Kind) (r Recording, err error) {
	f, err := os.Open(file) //nolint:gosec // a file that the operator names
	if err != nil {
		return r, err
	}
	defer f.Close()
	r = Recording{Name: string(kind) + "/" + filepath.Base(file), Kind: kind}
	if r.PCM, err = audio.ReadWAV(f, dialogue.ListenRate); err != nil {
		return r, err
	}
	text, err := os.ReadFile(strings.TrimSuffix(file, ".wav") + ".txt") //nolint:gosec // beside the recording
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return r, err
	}
	r.Text = strings.Join(strings.Fields(string(text)), " ")
	return r, nil
}

const (
	frame     = dialogue.ListenRate / 50
	frameTime = dialogue.FrameDuration
	// quiet is the level of a frame, in dBFS, under which a recording has not begun.
	quiet = -50
	// wordAfter is how long after the beginning of the sound the recogniser has a first word, and finalAfter how long after
	// its end the whole text.
	wordAfter, finalAfter = 500 * time.Millisecond, 400 * time.Millisecond
	// before and after are the silence around a recording.
	before, after = 2 * time.Second, 2 * time.Second
)

// player plays one recording.
type player struct {
	detector *turn.Detector
	begin    time.Time // of the sound
	result   Result
}

// Play plays a recording over an agent with the default settings of turn-taking. Language is that of the caller; "" if it
// is unknown.
func Play(r Recording, language string) Result {
	p := &player{detector: turn.NewDetector(turn.DefaultOptions), result: Result{Recording: r}}
	p.detector.SetLanguage(language)
	listener, tracker := hearing.New(hearing.Options{}), turn.NewSpeechTracker(p.detector)
	pcm := slices.Concat(make([]int16, samples(before)), r.PCM, make([]int16, samples(after)+frame-len(r.PCM)%frame))
	start := time.Unix(0, 0)
	begin, end := bounds(pcm)
	p.begin = start.Add(time.Duration(begin) * frameTime)
	words := turn.Words(r.Text)
	p.detector.AgentStarted(start)
	p.detector.AgentAudible(start)
	for i := range len(pcm) / frame {
		now := start.Add(time.Duration(i+1) * frameTime)
		_, e := listener.Push(pcm[i*frame:(i+1)*frame], now)
		p.execute(tracker.PushFrame(turn.Classification(e), now).Action, now)
		if len(words) > 0 && i == begin+int(wordAfter/frameTime) {
			p.execute(p.detector.TranscriptReceived(dialogue.Transcript{Text: words[0]}, now), now)
		}
		if i == end+int(finalAfter/frameTime) {
			p.execute(p.detector.TranscriptReceived(dialogue.Transcript{Text: r.Text, Final: true}, now), now)
		}
		if due := p.detector.Deadline(); !due.IsZero() && !due.After(now) {
			p.execute(p.detector.Elapsed(now), now)
		}
		if s := p.detector.State(); i < begin+len(r.PCM)/frame && (s == turn.Paused || s < turn.AgentThinking) {
			p.result.Silenced += frameTime
		}
	}
	return p.result
}

func samples(d time.Duration) int { return int(d / frameTime * frame) }

// bounds returns the first and the last frame with sound.
func bounds(pcm []int16) (first, last int) {
	first = -1
	for i := range len(pcm) / frame {
		if audio.Level(pcm[i*frame:(i+1)*frame]) > quiet {
			if last = i; first < 0 {
				first = i
			}
		}
	}
	return max(first, 0), last
}

func (p *player) execute(a turn.Action, now time.Time) {
	record := func(d *time.Duration) {
		if *d == 0 {
			*d = now.Sub(p.begin)
		}
	}
	switch a {
	case turn.Duck:
		record(&p.result.Lowered)
	case turn.Pause:
		record(&p.result.Paused)
	case turn.Interrupt:
		record(&p.result.Interrupted)
	case turn.ResumeInterrupted:
		p.detector.AgentStarted(now)
		p.detector.AgentAudible(now)
	case turn.Commit: // the next answer
		p.detector.TurnCommitted(now)
		p.detector.AgentAudible(now)
	}
}

// Write writes a row for each recording, and the totals: speech that was missed, other sound that interrupted the agent.
func Write(w io.Writer, results []Result) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	row := func(cells ...string) { _, _ = fmt.Fprintln(t, strings.Join(cells, "\t")) }
	row("recording", "lowered after", "paused after", "interrupted after", "silent for", "")
	said, missed, others, wrong := 0, 0, 0, 0
	for _, r := range results {
		verdict := ""
		if r.Kind == Speech {
			said++
		} else {
			others++
		}
		switch {
		case r.Wrong() && r.Kind == Speech:
			verdict = "missed"
			missed++
		case r.Wrong():
			verdict = "false"
			wrong++
		}
		row(r.Name, milliseconds(r.Lowered), milliseconds(r.Paused), milliseconds(r.Interrupted), milliseconds(r.Silenced), verdict)
	}
	row()
	row(fmt.Sprintf("speech missed: %d of %d; other sound that interrupted: %d of %d", missed, said, wrong, others))
	return t.Flush()
}

func milliseconds(d time.Duration) string {
	if d == 0 {
		return "-"
	}
	return fmt.Sprintf("%d ms", d.Milliseconds())
}
