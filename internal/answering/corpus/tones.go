package corpus

import (
	"fmt"
	"slices"
	"time"

	"parley/internal/answering"
	"parley/internal/answering/trial"
	"parley/internal/audio"
	hearing "parley/internal/hearing/corpus"
)

// cadence is a tone of the network: on and off, in seconds, again and again.
type cadence struct {
	country     string
	frequencies []float64
	on, off     float64
}

var (
	busy = []cadence{{"DE", []float64{425}, 0.48, 0.48}, {"US", []float64{480, 620}, 0.5, 0.5}, {"UK", []float64{400}, 0.375, 0.375}, {"FR", []float64{440}, 0.5, 0.5}}
	ring = []cadence{{"DE", []float64{425}, 1, 4}, {"US", []float64{440, 480}, 2, 4}, {"FR", []float64{440}, 1.5, 3.5}, {"IT", []float64{425}, 1, 4}}
)

func (c cadence) play(times int) (sound hearing.Sound) {
	for range times {
		sound = append(sound, tone(c.on, c.frequencies...)...)
		sound = append(sound, make(hearing.Sound, int(c.off*Rate))...)
	}
	return sound
}

func tone(seconds float64, frequencies ...float64) hearing.Sound {
	mixed := hearing.Sound{}
	for _, f := range frequencies {
		pcm := audio.Tone(f, Rate, time.Duration(seconds*float64(time.Second)))
		line := make(hearing.Sound, len(pcm))
		for i, v := range pcm {
			line[i] = float64(v) / float64(len(frequencies))
		}
		mixed = hearing.Mix(mixed, line)
	}
	return mixed
}

// Unspoken makes the recordings without a language: tones of the network and of a fax, silence, noise and music; and people who answer
// after ring-back tones or music.
func Unspoken() (all []trial.Recording, err error) {
	add := func(name string, class answering.Class, sound hearing.Sound, said ...trial.Segment) {
		seed := uint64(len(all))
		r := trial.Recording{Name: name, Language: "–", Class: class, Held: len(all)%3 == 2, Said: slices.Concat([]trial.Segment{}, said)}
		if err == nil {
			err = finish(&r, append(sound, make(hearing.Sound, 6*Rate)...), seed)
		}
		all = append(all, r)
	}
	for _, c := range busy {
		add("busy-"+c.country, answering.Unknown, c.play(8))
	}
	for n, d := range []float64{0.33, 0.28, 0.38} {
		sit := append(append(tone(d, 950), tone(d, 1400)...), tone(d, 1800)...)
		add(fmt.Sprintf("special-information-%d", n), answering.Unknown, sit.Delay(0.4))
	}
	for n, d := range []float64{2.6, 3.3, 4} {
		add(fmt.Sprintf("fax-%d", n), answering.Fax, tone(d, 2100).Delay(0.5+float64(n)/2))
	}
	for n := range uint64(3) {
		add(fmt.Sprintf("silence-%d", n), answering.Silence, make(hearing.Sound, Rate))
		add(fmt.Sprintf("hum-%d", n), answering.Silence, hearing.Hum(n, 8).At(-45))
		add(fmt.Sprintf("traffic-%d", n), answering.Silence, hearing.Traffic(n, 8).At(-40))
	}
	for n := range hearing.Pieces(hearing.Held) {
		music, musicErr := hearing.Music(hearing.Held, n)
		if musicErr != nil {
			return nil, musicErr
		}
		add(fmt.Sprintf("music-%d", n), answering.Silence, music[:8*Rate])
	}
	for _, c := range ring {
		hello, speechErr := hearing.Speech("Hello?", "en-us")
		if speechErr != nil {
			return nil, speechErr
		}
		ringing := c.play(1)
		start := at(len(ringing))
		add("ring-back-"+c.country, answering.Human, append(ringing, hello...), trial.Segment{Text: "Hello?", Start: start, End: start + at(len(hello))})
	}
	return all, err
}

// All makes the whole corpus.
func All() (all []trial.Recording, err error) {
	for _, language := range Languages {
		spoken, err := Spoken(language)
		if err != nil {
			return nil, err
		}
		all = append(all, spoken...)
	}
	unspoken, err := Unspoken()
	return append(all, unspoken...), err
}
