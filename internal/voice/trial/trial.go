// Package trial measures on the corpus, in virtual time, barge-in: how often sound that is not the caller's ducks, pauses
// or interrupts the agent, and how soon the caller does. It runs the listener, turn detection and a recogniser that
// recognises words of the caller only.
package trial

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"parley/internal/audio"
	"parley/internal/dialogue"
	"parley/internal/hearing"
	"parley/internal/hearing/corpus"
	"parley/internal/voice/turn"
)

// Condition is the sound at the caller's end while the agent speaks.
type Condition struct {
	Name   string
	Sound  func(seconds float64) (corpus.Sound, error) // background; nil for quiet
	Echo   float64                                     // level of the agent's own voice in the caller's audio, dB; 0 for none
	Delay  float64                                     // of the echo, seconds
	Jump   float64                                     // additional delay of every second sentence, seconds
	Room   float64                                     // reverberation, seconds
	Phone  bool                                        // through the telephone's band
	Caller bool                                        // the caller speaks over the agent every five seconds
}

// Listener classifies the caller's frames, as voice.Listener does.
type Listener interface {
	Played(pcm []int16, at time.Time)
	Push(mic []int16, at time.Time) (clean []int16, e turn.Classification)
}

// NewListener returns the listener of calls.
func NewListener() Listener { return hearingListener{hearing.New(hearing.Options{})} }

type hearingListener struct{ *hearing.Listener }

func (l hearingListener) Push(mic []int16, at time.Time) ([]int16, turn.Classification) {
	clean, e := l.Listener.Push(mic, at)
	return clean, turn.Classification(e)
}

// NewEnergyListener returns a listener that detects speech by energy alone.
func NewEnergyListener() Listener { return energyListener{audio.NewVAD(audio.VADOptions{})} }

type energyListener struct{ vad *audio.VAD }

func (energyListener) Played([]int16, time.Time) {}

func (l energyListener) Push(mic []int16, _ time.Time) ([]int16, turn.Classification) {
	a := l.vad.Push(mic)
	return mic, turn.Classification{Activity: a, SureSpeech: a.Speaking}
}

// Rates are the results of a condition.
type Rates struct {
	Minutes       float64
	Ducks         int             // without a caller: the agent was ducked
	Pauses        int             // the same: it was paused
	Interruptions int             // the same: its answer was interrupted
	Missed        int             // barge-ins to which the agent did not react before their end
	Reaction      []time.Duration // from the start of a barge-in until the agent was ducked, paused or interrupted
	Stop          []time.Duration // the same until it was paused or interrupted
	Sure          []time.Duration // the same until the listener was sure, where it was before the end
}

const (
	frame     = corpus.Rate / 50
	frameTime = 20 * time.Millisecond
	ducked    = 0.1778 // -15 dB
	// The recogniser recognises a word after wordLength of the caller's voice, and sends it after wordDelay.
	wordLength = 300 * time.Millisecond
	wordDelay  = 200 * time.Millisecond
	// restart is how long after an interruption, and after the caller's end, the agent speaks again.
	restart = 600 * time.Millisecond
	// late is how long after the end of a barge-in the agent's reaction still counts as one to it.
	late = 500 * time.Millisecond
)

// Scene is the sounds of a condition, all of the same length.
type Scene struct {
	condition  Condition
	agent      corpus.Sound
	late       []bool // for each frame of the agent: whether it is of a second, fourth … sentence
	background corpus.Sound
	caller     corpus.Sound
	barges     []barge
}

// MakeScene makes the sounds of the condition.
func (c Condition) MakeScene(set corpus.Set, seconds float64) (m *Scene, err error) {
	m = &Scene{condition: c}
	if m.agent, err = corpus.Voice(set, "en", 77, seconds, 0.4); err != nil {
		return nil, err
	}
	m.agent = m.agent.Scale(math.Pow(10, (agentLevel+26)/20.0))
	m.late = everySecond(m.agent)
	m.background = corpus.Hiss(1, seconds)
	if c.Sound != nil {
		s, err := c.Sound(seconds)
		if err != nil {
			return nil, err
		}
		m.background = corpus.Mix(m.background, s)
	}
	if c.Caller {
		if m.caller, m.barges, err = barges(set, seconds); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// everySecond returns Scene.late.
func everySecond(s corpus.Sound) []bool {
	late := make([]bool, len(s)/frame)
	sentence, silent := 0, 0
	for i := range late {
		silent++
		if loudness(s[i*frame:(i+1)*frame]) > 60 {
			if silent > 10 {
				sentence++
			}
			silent = 0
		}
		late[i] = sentence%2 == 1
	}
	return late
}

func loudness(s corpus.Sound) float64 {
	sum := 0.0
	for _, v := range s {
		sum += v * v
	}
	return math.Sqrt(sum / float64(len(s)))
}

// run is the run of a scene.
type run struct {
	*Scene
	listener        Listener
	detector        *turn.Detector
	tracker         *turn.SpeechTracker
	echo            [2]line // of the agent's first, third … sentence, and of the others
	taps            []corpus.Tap
	phone           *corpus.Telephone
	agentFrames     int // frames that the agent has played
	upsample        corpus.Sound
	silentUntil     time.Time // when the agent speaks again; zero while it speaks
	nextBarge       int       // index of the current barge-in, or the next one
	reacted         bool      // the agent reacted to it
	stopped         bool
	sure            bool
	skipped         bool          // the agent was not speaking at its start
	recognizedAudio time.Duration // duration of the caller's voice that the recogniser received
	wordAt          time.Time     // when the recogniser sends the word
	finalAt         time.Time
	rates           Rates
}

// line is a second and a half of sound.
type line [corpus.Rate * 3 / 2]float64

// Run plays the sounds to a listener.
func (m *Scene) Run(l Listener) Rates {
	r := &run{Scene: m, listener: l, taps: corpus.RoomTaps(3, m.condition.Room), upsample: corpus.Upsample(m.agent)}
	if m.condition.Phone {
		r.phone = corpus.NewTelephone()
	}
	r.rates.Minutes = float64(len(m.background)) / corpus.Rate / 60
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	r.startAnswer(start)
	for i := range len(m.background) / frame {
		r.step(i, start.Add(time.Duration(i)*frameTime))
	}
	return r.rates
}

// startAnswer starts an answer of the agent.
func (r *run) startAnswer(now time.Time) {
	r.detector = turn.NewDetector(turn.DefaultOptions)
	r.tracker = turn.NewSpeechTracker(r.detector)
	r.detector.AgentStarted(now)
	r.detector.AgentAudible(now)
	r.silentUntil = time.Time{}
}

// step plays a frame.
func (r *run) step(i int, now time.Time) {
	if !r.silentUntil.IsZero() && !now.Before(r.silentUntil) {
		r.startAnswer(now)
	}
	r.play(i, now)
	mic := r.microphoneFrame(i)
	r.advanceBarge(i)
	_, e := r.listener.Push(mic.PCM(), now)
	a := r.tracker.PushFrame(e, now)
	if e.SureSpeech && r.isCaller(i) && !r.sure {
		r.sure = true
		r.rates.Sure = append(r.rates.Sure, r.since(i))
	}
	r.executeAction(a.Action, i, now)
	if due := r.detector.Deadline(); !due.IsZero() && !due.After(now) {
		r.executeAction(r.detector.Elapsed(now), i, now)
	}
	r.recognize(e, a.Change, i, now)
}

// play sends a frame of the agent to the listener, and to its echo.
func (r *run) play(i int, now time.Time) {
	n := r.agentFrames % len(r.late)
	var sent corpus.Sound
	gain := 1.0
	switch r.detector.State() {
	case turn.AgentSpeaking:
		sent = r.agent[n*frame : (n+1)*frame]
	case turn.Ducked:
		sent, gain = r.agent[n*frame:(n+1)*frame], ducked
	}
	if sent != nil {
		r.listener.Played(r.upsample[n*frame*3/2:(n+1)*frame*3/2].Scale(gain).PCM(), now)
		r.agentFrames++
	}
	for k := range r.echo {
		for j := range frame {
			v := 0.0
			if sent != nil && r.late[n] == (k == 1) {
				v = sent[j] * gain
			}
			r.echo[k][(i*frame+j)%len(r.echo[k])] = v
		}
	}
}

// microphoneFrame returns a frame of what the caller's microphone picks up.
func (r *run) microphoneFrame(i int) corpus.Sound {
	mic := r.background[i*frame : (i+1)*frame].Scale(1)
	if r.caller != nil {
		mic = corpus.Mix(mic, r.caller[i*frame:(i+1)*frame])
	}
	if c := r.condition; c.Echo != 0 {
		level := math.Pow(10, c.Echo/20)
		for k, delay := range [...]float64{c.Delay, c.Delay + c.Jump} {
			ring := &r.echo[k]
			for _, t := range r.taps {
				from := i*frame - int(delay*corpus.Rate) - t.Delay + 2*len(ring)
				for j := range mic {
					mic[j] += level * t.Gain * ring[(from+j)%len(ring)]
				}
			}
		}
	}
	if r.phone != nil {
		r.phone.Apply(mic)
	}
	return mic
}

// advanceBarge advances to the next barge-in when one is over.
func (r *run) advanceBarge(i int) {
	if r.nextBarge < len(r.barges) && i > r.barges[r.nextBarge].end+int(late/frameTime) {
		if !r.reacted && !r.skipped {
			r.rates.Missed++
		}
		r.nextBarge++
		r.reacted, r.stopped, r.sure, r.skipped, r.recognizedAudio, r.wordAt = false, false, false, false, 0, time.Time{}
	}
	if r.nextBarge < len(r.barges) && i == r.barges[r.nextBarge].begin {
		r.skipped = r.detector.State() != turn.AgentSpeaking
	}
}

// isCaller reports whether the agent's reaction at a frame is one to a barge-in.
func (r *run) isCaller(i int) bool {
	return r.nextBarge < len(r.barges) && i >= r.barges[r.nextBarge].begin
}

// since returns the time from the start of the barge-in to the end of a frame.
func (r *run) since(i int) time.Duration {
	return time.Duration(i+1-r.barges[r.nextBarge].begin) * frameTime
}

// executeAction counts an action, and ends the agent's turn at an interruption.
func (r *run) executeAction(action turn.Action, i int, now time.Time) {
	if action != turn.Duck && action != turn.Pause && action != turn.Interrupt {
		return
	}
	if action == turn.Interrupt {
		r.silentUntil = now.Add(restart)
	}
	if r.isCaller(i) {
		since := r.since(i)
		if !r.reacted && !r.skipped {
			r.rates.Reaction = append(r.rates.Reaction, since)
		}
		if action != turn.Duck && !r.stopped && !r.skipped {
			r.rates.Stop = append(r.rates.Stop, since)
		}
		r.reacted, r.stopped = true, r.stopped || action != turn.Duck
		if action == turn.Interrupt {
			r.silentUntil = now.Add(max(0, time.Duration(r.barges[r.nextBarge].end-i)*frameTime) + late + restart)
		}
		return
	}
	switch action {
	case turn.Duck:
		r.rates.Ducks++
	case turn.Pause:
		r.rates.Pauses++
	case turn.Interrupt:
		r.rates.Interruptions++
	}
}

// recognize simulates the recogniser at a frame.
func (r *run) recognize(e turn.Classification, change audio.Change, i int, now time.Time) {
	if change == audio.Ended {
		r.finalAt = now.Add(100 * time.Millisecond)
	}
	if r.isCaller(i) && loudness(r.caller[i*frame:(i+1)*frame]) > 100 && (!e.Echo || r.tracker.Speaking()) {
		if r.recognizedAudio += frameTime; r.recognizedAudio == wordLength {
			r.wordAt = now.Add(wordDelay)
		}
	}
	if !r.wordAt.IsZero() && !now.Before(r.wordAt) {
		r.wordAt = time.Time{}
		r.executeAction(r.detector.TranscriptReceived(dialogue.Transcript{Text: "I have a question"}, now), i, now)
	}
	if !r.finalAt.IsZero() && !now.Before(r.finalAt) {
		r.finalAt = time.Time{}
		r.executeAction(r.detector.TranscriptReceived(dialogue.Transcript{Final: true}, now), i, now)
	}
}

// Header is the head of the table whose rows Row prints.
const Header = "| condition | lowered | paused | interrupted | missed | reacts after, p50/p95 | stops after, p50/p95 | sure: how often, after |\n" +
	"|---|---|---|---|---|---|---|---|"

// String returns a row of the table; rates are per minute.
func (r Rates) String() string {
	rate := func(n int) string { return fmt.Sprintf("%.1f", float64(n)/r.Minutes) }
	missed, sure := "–", "–"
	if callers := r.Missed + len(r.Reaction); callers > 0 {
		missed, sure = fmt.Sprintf("%d of %d", r.Missed, callers), fmt.Sprintf("%d: %s", len(r.Sure), quantiles(r.Sure))
	}
	return strings.Join([]string{rate(r.Ducks), rate(r.Pauses), rate(r.Interruptions), missed, quantiles(r.Reaction), quantiles(r.Stop), sure}, " | ")
}

// Quantile returns the time that a share of times, 0 to 1, do not exceed; 0 for none.
func Quantile(times []time.Duration, share float64) time.Duration {
	if len(times) == 0 {
		return 0
	}
	return slices.Sorted(slices.Values(times))[int(float64(len(times)-1)*share)]
}

func quantiles(times []time.Duration) string {
	if len(times) == 0 {
		return "–"
	}
	return fmt.Sprintf("%d/%d ms", Quantile(times, 0.5).Milliseconds(), Quantile(times, 0.95).Milliseconds())
}
