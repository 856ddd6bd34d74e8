// Package trial measures on the corpus, in virtual time, what the agent does while it speaks: how often sound that is no
// caller lowers, pauses or interrupts it, and how soon it yields to a caller. It runs the listener, turn detection and a
// recogniser that recognises words of the caller and nothing else.
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

// Condition is a sound under which the agent speaks. Sounds are made when the condition is run.
type Condition struct {
	Name   string
	Sound  func(seconds float64) (corpus.Sound, error) // of the surroundings; nil for quiet
	Echo   float64                                     // level of the agent's own voice in the caller's audio, dB; 0 for none
	Delay  float64                                     // of the echo, seconds
	Jump   float64                                     // by which every second sentence comes later, seconds
	Room   float64                                     // reverberation, seconds
	Phone  bool                                        // through the telephone's band
	Caller bool                                        // speaks over the agent every five seconds
}

// Listener is what judges the caller's frames.
type Listener interface {
	Played(pcm []int16, at time.Time)
	Push(mic []int16, at time.Time) (clean []int16, e turn.Evidence)
}

// New makes the Listener of this package's subject.
func New() Listener { return full{hearing.New(hearing.Options{})} }

type full struct{ *hearing.Listener }

func (l full) Push(mic []int16, at time.Time) ([]int16, turn.Evidence) {
	clean, e := l.Listener.Push(mic, at)
	return clean, turn.Evidence(e)
}

// NewEnergy makes a Listener that goes by energy alone.
func NewEnergy() Listener { return energy{audio.NewVAD(audio.VADOptions{})} }

type energy struct{ vad *audio.VAD }

func (energy) Played([]int16, time.Time) {}

func (l energy) Push(mic []int16, _ time.Time) ([]int16, turn.Evidence) {
	a := l.vad.Push(mic)
	return mic, turn.Evidence{Activity: a, Sure: a.Speaking}
}

// Rates are what came of a condition.
type Rates struct {
	Minutes       float64
	Ducks         int             // without a caller: the agent was lowered
	Pauses        int             // the same, and it was paused
	Interruptions int             // the same, and its answer was broken off
	Missed        int             // of the caller's beginnings: the agent did not yield before their end
	Yield         []time.Duration // from the caller's beginning until the agent was lowered, or stopped
	Stop          []time.Duration // until it was paused or interrupted
	Sure          []time.Duration // until the listener was sure of them, where it was before their end
}

const (
	frame     = corpus.Rate / 50
	frameTime = 20 * time.Millisecond
	ducked    = 0.1778 // -15 dB
	// The recogniser has a word once it was given so much of the caller's voice, and sends it so much later.
	wordLength = 300 * time.Millisecond
	wordDelay  = 200 * time.Millisecond
	// restart is how long after an interruption, and after the caller's end, the agent speaks again.
	restart = 600 * time.Millisecond
	// late is how long after the caller's end what the agent does is still their doing.
	late = 500 * time.Millisecond
)

// Material is the sounds of a condition, as long as each other.
type Material struct {
	condition Condition
	agent     corpus.Sound
	late      []bool // of each frame of the agent: it belongs to every second sentence
	around    corpus.Sound
	caller    corpus.Sound
	barges    []barge
}

// Make makes the sounds of a condition.
func (c Condition) Make(set corpus.Set, seconds float64) (m *Material, err error) {
	m = &Material{condition: c}
	if m.agent, err = corpus.Voice(set, "en", 77, seconds, 0.4); err != nil {
		return nil, err
	}
	m.agent = m.agent.Scale(math.Pow(10, (agentLevel+26)/20.0))
	m.late = everySecond(m.agent)
	m.around = corpus.Hiss(1, seconds)
	if c.Sound != nil {
		s, err := c.Sound(seconds)
		if err != nil {
			return nil, err
		}
		m.around = corpus.Mix(m.around, s)
	}
	if c.Caller {
		if m.caller, m.barges, err = barges(set, seconds); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// everySecond marks the frames of every second sentence.
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

// run is a condition that is being played.
type run struct {
	*Material
	listener Listener
	detector *turn.Detector
	tracker  *turn.SpeechTracker
	echo     [2]line // of the agent's first, third ... sentence, and of the others
	taps     []corpus.Tap
	phone    *corpus.Telephone
	said     int // frames of the agent
	upsample corpus.Sound
	silentTo time.Time // the agent is silent until then
	next     int       // barge
	yielded  bool      // to it
	stopped  bool
	sure     bool
	skipped  bool          // the agent was not speaking when it began
	given    time.Duration // of the caller's voice to the recogniser
	word     time.Time     // when the recogniser sends it
	final    time.Time
	rates    Rates
}

// line is a second and a half of sound.
type line [corpus.Rate * 3 / 2]float64

// Run plays the sounds to a listener.
func (m *Material) Run(l Listener) Rates {
	r := &run{Material: m, listener: l, taps: corpus.RoomTaps(3, m.condition.Room), upsample: corpus.Upsample(m.agent)}
	if m.condition.Phone {
		r.phone = corpus.NewTelephone()
	}
	r.rates.Minutes = float64(len(m.around)) / corpus.Rate / 60
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	r.begin(start)
	for i := range len(m.around) / frame {
		r.step(i, start.Add(time.Duration(i)*frameTime))
	}
	return r.rates
}

// begin starts an answer of the agent.
func (r *run) begin(now time.Time) {
	r.detector = turn.NewDetector(turn.DefaultOptions)
	r.tracker = turn.NewSpeechTracker(r.detector)
	r.detector.AgentStarted(now)
	r.detector.AgentAudible(now)
	r.silentTo = time.Time{}
}

// step plays a frame.
func (r *run) step(i int, now time.Time) {
	if !r.silentTo.IsZero() && !now.Before(r.silentTo) {
		r.begin(now)
	}
	r.play(i, now)
	mic := r.microphoneFrame(i)
	r.advanceBarge(i)
	_, e := r.listener.Push(mic.PCM(), now)
	a := r.tracker.PushFrame(e, now)
	if e.Sure && r.isCaller(i) && !r.sure {
		r.sure = true
		r.rates.Sure = append(r.rates.Sure, r.since(i))
	}
	r.carryOut(a.Action, i, now)
	if due := r.detector.Deadline(); !due.IsZero() && !due.After(now) {
		r.carryOut(r.detector.Elapsed(now), i, now)
	}
	r.recognize(e, a.Change, i, now)
}

// play sends a frame of the agent to the listener, and to its echo.
func (r *run) play(i int, now time.Time) {
	n := r.said % len(r.late)
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
		r.said++
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
	mic := r.around[i*frame : (i+1)*frame].Scale(1)
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

// advanceBarge goes on to the next barge when one is over.
func (r *run) advanceBarge(i int) {
	if r.next < len(r.barges) && i > r.barges[r.next].end+int(late/frameTime) {
		if !r.yielded && !r.skipped {
			r.rates.Missed++
		}
		r.next++
		r.yielded, r.stopped, r.sure, r.skipped, r.given, r.word = false, false, false, false, 0, time.Time{}
	}
	if r.next < len(r.barges) && i == r.barges[r.next].begin {
		r.skipped = r.detector.State() != turn.AgentSpeaking
	}
}

// isCaller reports whether what the agent does at a frame is the caller's doing.
func (r *run) isCaller(i int) bool { return r.next < len(r.barges) && i >= r.barges[r.next].begin }

// since returns the time from the caller's beginning to the end of a frame.
func (r *run) since(i int) time.Duration {
	return time.Duration(i+1-r.barges[r.next].begin) * frameTime
}

// carryOut counts an action, and ends the agent's turn at an interruption.
func (r *run) carryOut(action turn.Action, i int, now time.Time) {
	if action != turn.Duck && action != turn.Pause && action != turn.Interrupt {
		return
	}
	if action == turn.Interrupt {
		r.silentTo = now.Add(restart)
	}
	if r.isCaller(i) {
		since := r.since(i)
		if !r.yielded && !r.skipped {
			r.rates.Yield = append(r.rates.Yield, since)
		}
		if action != turn.Duck && !r.stopped && !r.skipped {
			r.rates.Stop = append(r.rates.Stop, since)
		}
		r.yielded, r.stopped = true, r.stopped || action != turn.Duck
		if action == turn.Interrupt {
			r.silentTo = now.Add(max(0, time.Duration(r.barges[r.next].end-i)*frameTime) + late + restart)
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

// recognize gives a frame to the recogniser.
func (r *run) recognize(e turn.Evidence, change audio.Change, i int, now time.Time) {
	if change == audio.Ended {
		r.final = now.Add(100 * time.Millisecond)
	}
	if r.isCaller(i) && loudness(r.caller[i*frame:(i+1)*frame]) > 100 && (!e.Echo || r.tracker.Speaking()) {
		if r.given += frameTime; r.given == wordLength {
			r.word = now.Add(wordDelay)
		}
	}
	if !r.word.IsZero() && !now.Before(r.word) {
		r.word = time.Time{}
		r.carryOut(r.detector.TranscriptReceived(dialogue.Transcript{Text: "I have a question"}, now), i, now)
	}
	if !r.final.IsZero() && !now.Before(r.final) {
		r.final = time.Time{}
		r.carryOut(r.detector.TranscriptReceived(dialogue.Transcript{Final: true}, now), i, now)
	}
}

// Header is the head of the table whose rows Row prints.
const Header = "| condition | lowered | paused | interrupted | missed | yields after, p50/p95 | stops after, p50/p95 | sure: how often, after |\n" +
	"|---|---|---|---|---|---|---|---|"

// String returns a row of the table; rates are per minute.
func (r Rates) String() string {
	rate := func(n int) string { return fmt.Sprintf("%.1f", float64(n)/r.Minutes) }
	missed, sure := "–", "–"
	if callers := r.Missed + len(r.Yield); callers > 0 {
		missed, sure = fmt.Sprintf("%d of %d", r.Missed, callers), fmt.Sprintf("%d: %s", len(r.Sure), quantiles(r.Sure))
	}
	return strings.Join([]string{rate(r.Ducks), rate(r.Pauses), rate(r.Interruptions), missed, quantiles(r.Yield), quantiles(r.Stop), sure}, " | ")
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
