package trial

import (
	"math"

	"parley/internal/hearing/corpus"
)

// agentLevel of the agent's voice as it is sent, dBFS.
const agentLevel = -20

// Agent is what the agent says.
func Agent(seconds float64) (corpus.Sound, error) {
	s, err := corpus.Voice("en", 77, seconds, 0.4)
	return s.Scale(math.Pow(10, (agentLevel+26)/20.0)), err
}

// Conditions are those of docs/turn-taking.md. Voices and music are other parts than those that the network was trained on.
func Conditions(seconds float64) ([]Condition, error) {
	babble, err := corpus.Babble(900, seconds, 8)
	if err != nil {
		return nil, err
	}
	song, err := corpus.Music(3, true)
	if err != nil {
		return nil, err
	}
	other, err := corpus.Music(4, true)
	if err != nil {
		return nil, err
	}
	song, other = song.Repeat(seconds), other.Repeat(seconds)
	caller, onset, err := barges(seconds)
	if err != nil {
		return nil, err
	}
	traffic := corpus.Traffic(901, seconds)
	level := func(s corpus.Sound, db float64) corpus.Sound { return s.Scale(math.Pow(10, (db+26)/20)) }
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
		{Name: "music -26 dBFS", Sound: level(song, -26)},
		{Name: "music -40 dBFS", Sound: level(song, -40)},
		{Name: "other music -30 dBFS", Sound: level(other, -30)},
		{Name: "babble of 8, -40 dBFS", Sound: level(babble, -40)},
		{Name: "babble of 8, -30 dBFS", Sound: level(babble, -30)},
		{Name: "traffic -26 dBFS", Sound: traffic},
		{Name: "typing -26 dBFS", Sound: corpus.Typing(902, seconds)},
		{Name: "coughs -20 dBFS", Sound: corpus.Coughs(903, seconds)},
		{Name: "sneezes -20 dBFS", Sound: corpus.Sneezes(904, seconds)},
		{Name: "DTMF -20 dBFS", Sound: corpus.Tones(905, seconds)},
		{Name: "music -30 dBFS, telephone", Sound: level(song, -30), Phone: true},
		{Name: "caller in quiet", Barge: caller, Onset: onset},
		{Name: "caller, telephone", Barge: caller, Onset: onset, Phone: true},
		{Name: "caller at 10 dB over traffic", Barge: caller, Onset: onset, Sound: level(traffic, -36)},
		{Name: "caller at 10 dB over babble", Barge: caller, Onset: onset, Sound: level(babble, -36)},
		{Name: "caller over echo -20 dB, room 0.3 s", Barge: caller, Onset: onset, Echo: -20, Delay: 0.15, Room: 0.3},
		{Name: "caller over echo -10 dB", Barge: caller, Onset: onset, Echo: -10, Delay: 0.15},
	}, nil
}

// barges are sentences of a Russian voice, one every five seconds from the fifth on, and when they begin.
func barges(seconds float64) (corpus.Sound, []float64, error) {
	voice, err := corpus.Voice("ru", 55, seconds*2, 1)
	if err != nil {
		return nil, nil, err
	}
	mixed := make(corpus.Sound, int(seconds*corpus.Rate))
	var onset []float64
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
		onset = append(onset, begin)
		for at = end; at < len(voice) && silent < corpus.Rate*8/10; at++ { // the rest of the sentence
			if silent++; math.Abs(voice[at]) > 100 {
				silent = 0
			}
		}
	}
	return mixed, onset, nil
}
