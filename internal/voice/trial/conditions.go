package trial

import (
	"math"

	"parley/internal/hearing/corpus"
)

// agentLevel of the agent's voice as it is sent, dBFS.
const agentLevel = -20

// sounds makes sounds of a set of the corpus.
type sounds struct {
	set  corpus.Set
	seed uint64
}

// at returns a sound whose seed is n more, changed by some dB.
func (s sounds) at(make func(uint64, float64) corpus.Sound, n uint64, change float64) func(float64) (corpus.Sound, error) {
	return func(seconds float64) (corpus.Sound, error) {
		return make(s.seed+n, seconds).Scale(math.Pow(10, change/20)), nil
	}
}

// music returns a piece of music at a level in dBFS.
func (s sounds) music(piece int, level float64) func(float64) (corpus.Sound, error) {
	return func(seconds float64) (corpus.Sound, error) {
		m, err := corpus.Music(s.set, piece)
		if err != nil {
			return nil, err
		}
		return m.Repeat(seconds).Scale(math.Pow(10, (level+26)/20)), nil
	}
}

// babble returns eight voices at a level in dBFS.
func (s sounds) babble(level float64) func(float64) (corpus.Sound, error) {
	return func(seconds float64) (corpus.Sound, error) {
		b, err := corpus.Babble(s.set, s.seed, seconds, 8)
		return b.Scale(math.Pow(10, (level+26)/20)), err
	}
}

// Conditions returns those of docs/turn-taking.md.
func Conditions(set corpus.Set) []Condition {
	s := sounds{set: set, seed: 900 + 50*uint64(set)}
	return []Condition{
		{Name: "quiet"},
		{Name: "echo -6 dB, 80 ms", Echo: -6, Delay: 0.08},
		{Name: "echo -10 dB, 150 ms", Echo: -10, Delay: 0.15},
		{Name: "echo -10 dB, 150 ms, room 0.3 s", Echo: -10, Delay: 0.15, Room: 0.3},
		{Name: "echo -20 dB, 150 ms, room 0.3 s", Echo: -20, Delay: 0.15, Room: 0.3},
		{Name: "echo -30 dB, 480 ms", Echo: -30, Delay: 0.48},
		{Name: "echo -20 dB, 300 ms, telephone", Echo: -20, Delay: 0.3, Phone: true},
		{Name: "echo -20 dB, 200 ms, every second sentence 240 ms", Echo: -20, Delay: 0.2, Jump: 0.04},
		{Name: "echo -10 dB, 150 ms, every second sentence 250 ms", Echo: -10, Delay: 0.15, Jump: 0.1},
		{Name: "echo -40 dB, 150 ms", Echo: -40, Delay: 0.15},
		{Name: "music -26 dBFS", Sound: s.music(0, -26)},
		{Name: "music -40 dBFS", Sound: s.music(0, -40)},
		{Name: "other music -30 dBFS", Sound: s.music(1, -30)},
		{Name: "babble of 8, -40 dBFS", Sound: s.babble(-40)},
		{Name: "babble of 8, -30 dBFS", Sound: s.babble(-30)},
		{Name: "traffic -26 dBFS", Sound: s.at(corpus.Traffic, 1, 0)},
		{Name: "typing -26 dBFS", Sound: s.at(corpus.Typing, 2, 0)},
		{Name: "coughs -20 dBFS", Sound: s.at(corpus.Coughs, 3, 0)},
		{Name: "sneezes -20 dBFS", Sound: s.at(corpus.Sneezes, 4, 0)},
		{Name: "DTMF -20 dBFS", Sound: s.at(corpus.Tones, 5, 0)},
		{Name: "music -30 dBFS, telephone", Sound: s.music(0, -30), Phone: true},
		{Name: "caller in quiet", Caller: true},
		{Name: "caller, telephone", Caller: true, Phone: true},
		{Name: "caller at 10 dB over traffic", Caller: true, Sound: s.at(corpus.Traffic, 6, -10)},
		{Name: "caller at 10 dB over babble", Caller: true, Sound: s.babble(-36)},
		{Name: "caller at 10 dB over music", Caller: true, Sound: s.music(1, -36)},
		{Name: "caller over echo -20 dB, room 0.3 s", Caller: true, Echo: -20, Delay: 0.15, Room: 0.3},
		{Name: "caller over echo -10 dB", Caller: true, Echo: -10, Delay: 0.15},
	}
}

// barge is a barge-in of the caller, in frames.
type barge struct{ begin, end int }

// barges returns barge-ins of a voice, one every five seconds from the fifth on. The Russian voice is not in the training
// set.
func barges(set corpus.Set, seconds float64) (corpus.Sound, []barge, error) {
	language := "ru"
	if set == corpus.Training {
		language = "fr"
	}
	voice, err := corpus.Voice(set, language, 55, seconds*2, 1)
	if err != nil {
		return nil, nil, err
	}
	mixed := make(corpus.Sound, int(seconds*corpus.Rate))
	var all []barge
	at := 0
	for begin := 5.0; begin+5 < seconds && at < len(voice); begin += 5 {
		for at < len(voice) && math.Abs(voice[at]) < 200 {
			at++
		}
		end, silent := at, 0
		for end < len(voice) && silent < corpus.Rate*8/10 && end < at+5*corpus.Rate/2 {
			if silent++; math.Abs(voice[end]) > 100 {
				silent = 0
			}
			end++
		}
		copy(mixed[int(begin*corpus.Rate):], voice[at:end])
		all = append(all, barge{begin: int(begin * 50), end: int(begin*50) + (end-at-silent)/frame})
		for at = end; at < len(voice) && silent < corpus.Rate*8/10; at++ { // the rest of the sentence
			if silent++; math.Abs(voice[at]) > 100 {
				silent = 0
			}
		}
	}
	return mixed, all, nil
}
