// Command hearing trains the network of internal/hearing/speech on the corpus and writes it:
//
//	go run ./tools/hearing -o internal/hearing/speech/network.json
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"

	"parley/internal/hearing/corpus"
	"parley/internal/hearing/speech"
	"parley/internal/voice/trial"
)

const (
	units   = 40
	frame   = corpus.Rate / 50
	seconds = 40 // of each sound
)

type example struct {
	features [speech.Inputs]float32
	wanted   float32
}

func main() {
	out := flag.String("o", "internal/hearing/speech/network.json", "file to write")
	passes := flag.Int("passes", 9, "passes over the examples")
	flag.Parse()
	examples, err := collect()
	if err == nil {
		fmt.Println(len(examples), "examples")
		err = write(train(examples, *passes), *out)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "hearing:", err)
		os.Exit(1)
	}
}

// collect makes the examples: noises alone, voices alone and voices over noises, at several levels, wide and in the
// telephone's band. Russian and the held half of the corpus are kept for the measurement.
func collect() (all []example, err error) {
	var noises []corpus.Sound
	for i := range corpus.Pieces(corpus.Training) {
		m, err := corpus.Music(corpus.Training, i)
		if err != nil {
			return nil, err
		}
		for j, speed := range []float64{1, 0.82, 1.2} {
			m := m.Speed(speed)
			for from := j * 5 * corpus.Rate; from+seconds*corpus.Rate <= len(m); from += 2 * seconds * corpus.Rate {
				noises = append(noises, m[from:from+seconds*corpus.Rate])
			}
		}
	}
	for i := range uint64(3) {
		for people := 4; people <= 12; people += 2 {
			babble, err := corpus.Babble(corpus.Training, 100*i+uint64(people), seconds, people)
			if err != nil {
				return nil, err
			}
			noises = append(noises, babble)
		}
		noises = append(noises, corpus.Traffic(20+i, seconds), corpus.Typing(30+i, seconds), corpus.Coughs(40+i, seconds),
			corpus.Coughs(44+i, seconds), corpus.Sneezes(50+i, seconds), corpus.Tones(60+i, seconds), corpus.Tones(64+i, seconds), corpus.Traffic(24+i, seconds), corpus.Hum(70+i, seconds/2))
	}
	for i := range uint64(8) {
		noises = append(noises, corpus.Song(80+i, seconds))
	}
	random := rand.New(rand.NewPCG(1, 9))
	for i, n := range noises {
		gate := onAndOff(n, random)
		for _, level := range []float64{4, -6, -18} {
			all = append(all, of(nil, gate.Scale(math.Pow(10, level/20)))...)
		}
		all = append(all, of(nil, n.Scale(0.7).PhoneBand())...)
		all = append(all, of(nil, gate.Scale(0.6).PhoneBand())...)
		language := corpus.Languages[i%4]
		voice, err := corpus.Voice(corpus.Training, language, 100+uint64(i), seconds, 0.7)
		if err != nil {
			return nil, err
		}
		voice = voice.Speed(0.85 + 0.4*random.Float64()).Scale(math.Pow(10, (8-14*random.Float64())/20))
		if i%3 == 0 {
			voice = voice.Room(uint64(i), 0.3)
		}
		all = append(all, of(voice, nil)...)
		if i%3 == 1 {
			all = append(all, softly(voice, 0.05+0.1*random.Float64(), nil, nil)...)
		}
		all = append(all, of(voice, n.Scale(0.25))...)
		if i%2 == 0 {
			voice = voice.PhoneBand()
		}
		all = append(all, of(voice, n.Scale(0.1))...)
		if i%2 == 0 {
			all = append(all, of(voice, nil)...)
		}
	}
	words, err := singleWords(noises, random)
	return append(all, words...), err
}

// singleWords makes the examples of single words, after digital silence, in rooms of several levels and over noises.
func singleWords(noises []corpus.Sound, random *rand.Rand) (all []example, err error) {
	var words []corpus.Sound
	for _, language := range corpus.Languages {
		if language == "ru" {
			continue
		}
		recorded, err := corpus.ShortWords(corpus.Training, language)
		if err != nil {
			return nil, err
		}
		words = append(words, recorded...)
	}
	for _, listener := range []bool{false, true} {
		spoken, err := trial.Words(corpus.Training, listener)
		if err != nil {
			return nil, err
		}
		for _, w := range spoken {
			words = append(words, w.Sound)
		}
	}
	random.Shuffle(len(words), func(i, j int) { words[i], words[j] = words[j], words[i] })
	for i := 0; i < len(words); i += 12 {
		var line corpus.Sound
		for _, w := range words[i:min(i+12, len(words))] {
			line = append(line, make(corpus.Sound, int((0.7+2*random.Float64())*corpus.Rate))...)
			line = append(line, w.Scale(math.Pow(10, (6-16*random.Float64())/20))...)
		}
		line = append(line, make(corpus.Sound, corpus.Rate)...)
		seconds := float64(len(line)) / corpus.Rate
		all = append(all, in(line, nil, nil)...)
		all = append(all, softly(line, 0.05+0.2*random.Float64(), nil, nil)...)
		all = append(all, in(line, nil, corpus.Hiss(uint64(i), seconds).At([]float64{-50, -55, -60, -65}[i/12%4]))...)
		all = append(all, of(line, noises[random.IntN(len(noises))].Repeat(seconds).Scale(0.1+0.2*random.Float64()))...)
		if i/12%2 == 0 {
			line = line.PhoneBand()
		}
		all = append(all, in(line, nil, corpus.Traffic(uint64(i), seconds).At([]float64{-38, -46, -54}[i/12%3]))...)
	}
	return all, nil
}

// onAndOff breaks a sound off now and then: what begins is what is hard to judge.
func onAndOff(s corpus.Sound, random *rand.Rand) corpus.Sound {
	cut := s.Scale(1)
	for at := 0; at < len(cut); {
		at += int((1 + 3*random.Float64()) * corpus.Rate)
		for i := at; i < min(len(cut), at+corpus.Rate*6/10); i++ {
			cut[i] = 0
		}
		at += corpus.Rate * 6 / 10
	}
	return cut
}

// of makes the examples of a voice and a noise in a quiet room.
func of(voice, noise corpus.Sound) []example {
	return in(voice, noise, corpus.Hiss(1, float64(max(len(voice), len(noise)))/corpus.Rate))
}

// in makes the examples of a voice and a noise in a room; nil is digital silence.
func in(voice, noise, room corpus.Sound) []example {
	return softly(voice, 1, noise, room)
}

// softly makes the examples of a voice that is that much softer.
func softly(voice corpus.Sound, gain float64, noise, room corpus.Sound) (all []example) {
	mixed := corpus.Mix(voice.Scale(gain), noise, room).PCM()
	features := speech.NewFeatures()
	since := 100
	for at := 0; at+frame <= len(mixed); at += frame {
		e := example{features: *features.Push(mixed[at : at+frame])}
		sum := 0.0
		for i := at; i < min(at+frame, len(voice)); i++ {
			sum += voice[i] * voice[i]
		}
		since++
		if math.Sqrt(sum/frame) > 250 {
			since = 0
		}
		if at/frame%2 != 0 { // neighbours are alike
			continue
		}
		if since == 0 {
			e.wanted = 1
		} else if since < 10 && voice != nil {
			continue
		}
		all = append(all, e)
	}
	return all
}

// train fits a network by Adam, one example at a time in batches of 64.
func train(examples []example, passes int) *speech.Network {
	random := rand.New(rand.NewPCG(7, 7))
	n := &speech.Network{Bias: make([]float32, units), Output: make([]float32, units), Hidden: make([][speech.Inputs]float32, units)}
	for i := range speech.Inputs {
		var sum, square float64
		for _, e := range examples {
			sum += float64(e.features[i])
			square += float64(e.features[i]) * float64(e.features[i])
		}
		mean := sum / float64(len(examples))
		n.Mean[i] = float32(mean)
		n.Scale[i] = float32(math.Sqrt(square/float64(len(examples))-mean*mean) + 1e-3)
	}
	var parameters []*float32
	for u := range n.Hidden {
		for i := range n.Hidden[u] {
			n.Hidden[u][i] = float32(random.NormFloat64() * 0.2)
			parameters = append(parameters, &n.Hidden[u][i])
		}
		n.Output[u] = float32(random.NormFloat64() * 0.2)
		parameters = append(parameters, &n.Bias[u], &n.Output[u])
	}
	parameters = append(parameters, &n.Offset)
	gradient := make([]float32, len(parameters))
	first, second := make([]float32, len(parameters)), make([]float32, len(parameters))
	step := 0
	for pass := range passes {
		random.Shuffle(len(examples), func(i, j int) { examples[i], examples[j] = examples[j], examples[i] })
		rate, loss := 0.003*math.Pow(0.6, float64(pass)), 0.0
		for at := 0; at+64 <= len(examples); at += 64 {
			clear(gradient)
			for _, e := range examples[at : at+64] {
				loss += learn(n, &e, gradient)
			}
			step++
			for i, p := range parameters {
				g := gradient[i] / 64
				first[i] += 0.1 * (g - first[i])
				second[i] += 0.001 * (g*g - second[i])
				corrected := float64(second[i]) / (1 - math.Pow(0.999, float64(min(step, 10000))))
				*p -= float32(rate * float64(first[i]) / (math.Sqrt(corrected) + 1e-8))
			}
		}
		fmt.Printf("pass %d: loss %.4f\n", pass+1, loss/float64(len(examples)))
	}
	return n
}

// learn adds the gradient of one example, in the order of train's parameters, and returns its loss. Noise classified as
// speech counts three times: it interrupts an agent, while speech that is missed is usually detected a moment later.
func learn(n *speech.Network, e *example, gradient []float32) float64 {
	var in [speech.Inputs]float32
	for i, v := range e.features {
		in[i] = (v - n.Mean[i]) / n.Scale[i]
	}
	var hidden [units]float32
	sum := n.Offset
	for u := range units {
		h := n.Bias[u]
		for i, w := range n.Hidden[u] {
			h += w * in[i]
		}
		hidden[u] = max(h, 0)
		sum += n.Output[u] * hidden[u]
	}
	p := float32(1 / (1 + math.Exp(-float64(sum))))
	weight, loss := float32(1), -math.Log(float64(p)+1e-7)
	if e.wanted == 0 {
		weight, loss = 3, -math.Log(float64(1-p)+1e-7)
	}
	wrong := weight * (p - e.wanted)
	at := 0
	for u := range units {
		if hidden[u] > 0 {
			back := wrong * n.Output[u]
			for i, v := range in {
				gradient[at+i] += back * v
			}
			gradient[at+speech.Inputs] += back
		}
		gradient[at+speech.Inputs+1] += wrong * hidden[u]
		at += speech.Inputs + 2
	}
	gradient[at] += wrong
	return loss
}

func write(n *speech.Network, path string) error {
	raw, err := json.Marshal(n)
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(raw, '\n'), 0o644)
}
