// Package trial measures the detection of who answered on recordings, in virtual time.
package trial

import (
	"strings"
	"time"

	"parley/internal/answering"
	"parley/internal/hearing"
)

// Rate is the rate of every recording, in hertz.
const Rate = 16000

const frame = 20 * time.Millisecond

// Segment is something that is said in a recording.
type Segment struct {
	Text       string
	Start, End time.Duration
}

// Recording is what a phone sends from the answer on.
type Recording struct {
	Name, Language, Codec string
	Class                 answering.Class // who it is
	Held                  bool            // neither its script nor its voice were looked at while thresholds and phrases were chosen
	PCM                   []int16
	Said                  []Segment // nil if it is not known
	// MessageFrom is when a mailbox takes a message: its greeting and its beeps are over; 0 if it is not known.
	MessageFrom time.Duration
}

// Result is what was decided on a recording.
type Result struct {
	Recording
	Verdicts  []answering.Verdict
	MessageAt time.Duration // when the message to a mailbox began, that of the last beep; 0 for none
}

// First returns the class of the first verdict.
func (r Result) First() answering.Class {
	if len(r.Verdicts) == 0 {
		return ""
	}
	return r.Verdicts[0].Class
}

// Settled returns the class of the last verdict.
func (r Result) Settled() answering.Class {
	if len(r.Verdicts) == 0 {
		return ""
	}
	return r.Verdicts[len(r.Verdicts)-1].Class
}

// CutOff reports whether the message to a mailbox began while its greeting or beeps still sounded.
func (r Result) CutOff() bool {
	return r.MessageAt > 0 && r.MessageFrom > 0 && r.MessageAt < r.MessageFrom
}

// options are the defaults of agents.
func options(transcripts bool) answering.Options {
	return answering.Options{Window: 6 * time.Second, NoSpeech: 5 * time.Second, OnTimeout: answering.Human, Transcripts: transcripts}
}

// Run plays a recording to a judge. With transcripts, what is said is recognised with the delays of a streaming recogniser, and one word
// of fifteen is lost.
func Run(r Recording, transcripts bool) Result {
	began := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	j := answering.NewJudge(options(transcripts && r.Said != nil), began)
	listener := hearing.New(hearing.Options{})
	result := Result{Recording: r}
	var heard []transcript
	if transcripts {
		heard = recognized(r.Said)
	}
	const size = Rate / 50
	last := len(r.PCM)/size + int(4*time.Second/frame)
	quiet := make([]int16, size)
	for n := range last {
		at := time.Duration(n+1) * frame
		now := began.Add(at)
		pcm := quiet
		if (n+1)*size <= len(r.PCM) {
			pcm = r.PCM[n*size : (n+1)*size]
		}
		_, c := listener.Push(pcm, now)
		j.PushFrame(pcm, c.Voiced, c.Noise, now)
		for len(heard) > 0 && heard[0].at <= at {
			j.Transcript(heard[0].text, heard[0].final, now)
			heard = heard[1:]
		}
		result.follow(j, at, now)
	}
	return result
}

// follow does what the agent would do.
func (r *Result) follow(j *answering.Judge, at time.Duration, now time.Time) {
	if v := j.Verdict(); v != nil {
		r.Verdicts = append(r.Verdicts, *v)
		j.Continue(now)
	}
	if r.Settled() != answering.Voicemail {
		return
	}
	switch {
	case r.MessageAt == 0 && j.MayLeaveMessage(true, now):
		r.MessageAt = at
		j.ExpectPerson(now)
	case r.MessageAt > 0 && j.BeepEnded().After(now.Add(-frame-400*time.Millisecond)) && at-r.MessageAt > 400*time.Millisecond:
		r.MessageAt = at // it begins again
	}
}

// transcript is a transcript of a recogniser.
type transcript struct {
	text  string
	final bool
	at    time.Duration
}

const (
	interimEvery, interimLag = 400 * time.Millisecond, 300 * time.Millisecond
	finalLag                 = 350 * time.Millisecond // after the last word: voice activity detection and the recogniser
	lostWord                 = 15
)

// recognized returns the transcripts of what is said.
func recognized(said []Segment) (all []transcript) {
	count := 0
	for _, s := range said {
		var words []string
		for _, word := range strings.Fields(s.Text) {
			if count++; count%lostWord != 0 {
				words = append(words, word)
			}
		}
		length := s.End - s.Start
		for at := interimEvery; at < length; at += interimEvery {
			n := int(int64(len(words)) * int64(at) / int64(length))
			all = append(all, transcript{strings.Join(words[:n], " "), false, s.Start + at + interimLag})
		}
		all = append(all, transcript{strings.Join(words, " "), true, s.End + finalLag})
	}
	for i := 1; i < len(all); i++ { // an interim transcript never comes after the final one
		all[i].at = max(all[i].at, all[i-1].at)
	}
	return all
}
