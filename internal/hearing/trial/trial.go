// Package trial measures hearing on the corpus, frame by frame and without a clock: how often sound that is no caller
// pauses or interrupts the agent, and how soon a caller who speaks over it is heard.
package trial

import (
	"fmt"
	"math"
	"slices"
	"time"

	"parley/internal/audio"
	"parley/internal/hearing"
	"parley/internal/hearing/corpus"
)

// Condition is a sound under which the agent speaks.
type Condition struct {
	Name  string
	Sound corpus.Sound // of the surroundings; nil for quiet
	Echo  float64      // level of the agent's own voice in the caller's audio, dB; 0 for none
	Delay float64      // of the echo, seconds
	Jump  float64      // by which every second sentence comes later, seconds
	Room  float64      // reverberation, seconds
	Phone bool         // through the telephone's band
	Barge corpus.Sound // what the caller says over the agent; nil for nothing
	Onset []float64    // when they begin, seconds
}

// Rates are what came of a condition.
type Rates struct {
	Minutes        float64
	Pauses         int // that no speech of the caller caused
	Interruptions  int
	Missed         int // of the caller's beginnings, without a pause or an interruption
	Yield          []time.Duration
	PausedBefore   int // the same of the energy detector alone
	InterruptsOnce int
	YieldBefore    []time.Duration
	Sure           []time.Duration // to the interruption without a word
}

const (
	frame       = corpus.Rate / 50
	pauseAfter  = 160 * time.Millisecond
	interrupt   = 500 * time.Millisecond
	resumeAfter = 20  // frames
	longest     = 175 // frames that the caller may speak for
)

// Run plays a condition for so many seconds.
func Run(c Condition, agent corpus.Sound, seconds float64) Rates {
	mic := make(corpus.Sound, int(seconds*corpus.Rate))
	agent = agent[:min(len(agent), len(mic))]
	if c.Echo != 0 {
		echo := agent
		if c.Room > 0 {
			echo = echo.Room(3, c.Room)
		}
		echo = echo.Scale(math.Pow(10, c.Echo/20))
		mic = corpus.Mix(mic, jump(echo, agent, 0).Delay(c.Delay), jump(echo, agent, 1).Delay(c.Delay+c.Jump))
	}
	mic = corpus.Mix(mic, c.Sound, c.Barge, corpus.Hiss(1, seconds))
	if c.Phone {
		mic = mic.PhoneBand()
	}
	pcm, played := mic[:int(seconds*corpus.Rate)].PCM(), corpus.Upsample(agent).PCM()
	r := Rates{Minutes: seconds / 60}
	listener, before := hearing.New(hearing.Options{}), audio.NewVAD(audio.VADOptions{})
	now, old := counter{onset: c.Onset}, counter{onset: c.Onset}
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for i := 0; (i+1)*frame <= len(pcm); i++ {
		at := start.Add(time.Duration(i) * 20 * time.Millisecond)
		if end := (i + 1) * frame * 3 / 2; end <= len(played) {
			listener.Played(played[i*frame*3/2:end], at)
		}
		heard := pcm[i*frame : (i+1)*frame]
		_, e := listener.Push(heard, at)
		now.count(i, e.Voiced && e.Activity.Speech >= pauseAfter && !e.Echo && !e.Noise, e.Sure)
		a := before.Push(heard)
		old.count(i, a.Speaking && a.Speech >= pauseAfter, a.Speaking && a.Speech >= interrupt)
	}
	r.Pauses, r.Interruptions, r.Yield = now.pauses, now.interruptions, now.yields
	r.Sure = now.sures
	r.PausedBefore, r.InterruptsOnce, r.YieldBefore = old.pauses, old.interruptions, old.yields
	r.Missed = len(c.Onset) - len(now.yields)
	return r
}

// jump keeps every second sentence of the agent in its echo, from the first (0) or the second (1) on.
func jump(echo, agent corpus.Sound, first int) corpus.Sound {
	const pause = corpus.Rate / 5
	kept := make(corpus.Sound, len(echo))
	sentence, quiet := 0, 0
	for i, v := range echo {
		if quiet++; i < len(agent) && math.Abs(agent[i]) > 100 {
			if quiet > pause {
				sentence++
			}
			quiet = 0
		}
		if sentence%2 == first {
			kept[i] = v
		}
	}
	return kept
}

// counter counts pauses and interruptions, and the time to the first pause of each beginning of the caller.
type counter struct {
	onset                 []float64
	pauses, interruptions int
	yields, sures         []time.Duration
	paused, interrupted   bool
	quiet, next           int
	yielded, surely       int // beginnings up to which either was noted
}

func (c *counter) count(i int, pause, interrupt bool) {
	at := float64(i+1) / 50
	for c.next < len(c.onset) && at > c.onset[c.next]+float64(longest)/50 {
		c.next++
	}
	if c.next < len(c.onset) && at > c.onset[c.next] {
		since := time.Duration(math.Round((at-c.onset[c.next])*50)) * 20 * time.Millisecond
		if pause && c.yielded <= c.next {
			c.yields, c.yielded = append(c.yields, since), c.next+1
		}
		if interrupt && c.surely <= c.next {
			c.sures, c.surely = append(c.sures, since), c.next+1
		}
		c.paused, c.interrupted = pause, interrupt
		return
	}
	if pause && !c.paused {
		c.pauses++
		c.paused = true
	}
	if interrupt && !c.interrupted {
		c.interruptions++
		c.interrupted = true
	}
	c.quiet++
	if pause || interrupt {
		c.quiet = 0
	}
	if c.quiet > resumeAfter {
		c.paused, c.interrupted = false, false
	}
}

// Header is the head of the table whose rows Rates print, in each cell energy alone → this package, per minute.
const Header = "| condition | false pauses | false interruptions | missed | time to yield, p50/p95, energy alone | now | sure without a word: how often, after |\n|---|---|---|---|---|---|---|"

// String is a row of the table.
func (r Rates) String() string {
	return fmt.Sprintf("%5.1f → %4.1f | %5.1f → %4.1f | %d | %s | %s | %d: %s", float64(r.PausedBefore)/r.Minutes, float64(r.Pauses)/r.Minutes,
		float64(r.InterruptsOnce)/r.Minutes, float64(r.Interruptions)/r.Minutes, r.Missed, quantiles(r.YieldBefore), quantiles(r.Yield),
		len(r.Sure), quantiles(r.Sure))
}

func quantiles(d []time.Duration) string {
	if len(d) == 0 {
		return "–"
	}
	d = slices.Sorted(slices.Values(d))
	return fmt.Sprintf("%d/%d ms", d[len(d)/2].Milliseconds(), d[len(d)*95/100].Milliseconds())
}
