// Package corpus makes the sounds that hearing is measured with: voices and music of Debian's Asterisk packages, and
// noises made from random numbers. Everything is 16 kHz, mono, and the same for the same seed.
package corpus

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
)

// Rate is the rate of every sound, in hertz.
const Rate = 16000

// Sound is samples on the scale of int16, not yet rounded.
type Sound []float64

// The folders of asterisk-core-sounds-*-g722 and asterisk-moh-opsound-g722.
const (
	voices = "/usr/share/asterisk/sounds/*_*_*_*"
	music  = "/usr/share/asterisk/moh/*.g722"
)

// Languages are those with voices.
var Languages = []string{"en", "es", "fr", "it", "ru"}

// Set is one of two halves of the corpus that have no file in common.
type Set int

// Training is what the network is trained with and thresholds are chosen by, Held what is measured with.
const (
	Training Set = iota
	Held
)

// Voice returns speech of about so many seconds: prompts of a language in an order by seed, again and again, with the
// given pause between them, at -26 dBFS while it sounds.
func Voice(set Set, language string, seed uint64, seconds, pause float64) (Sound, error) {
	folders, err := filepath.Glob(filepath.Join(filepath.Dir(voices), language+"_*"))
	if err != nil || len(folders) == 0 {
		return nil, fmt.Errorf("no voices of language %q: install asterisk-core-sounds-%s-g722", language, language)
	}
	files, err := filepath.Glob(filepath.Join(folders[0], "*.g722"))
	if err != nil {
		return nil, err
	}
	half := files[:0]
	for i, file := range files {
		if Set(i%2) == set {
			half = append(half, file)
		}
	}
	files = half
	random := rand.New(rand.NewPCG(seed, 1))
	random.Shuffle(len(files), func(i, j int) { files[i], files[j] = files[j], files[i] })
	length := int(seconds * Rate)
	var s Sound
	for i := 0; len(s) < length; i++ {
		prompt, err := load(files[i%len(files)])
		if err != nil {
			return nil, err
		}
		prompt = trim(prompt)
		if len(prompt) < Rate/2 {
			continue
		}
		s = append(s, prompt.At(-26)...)
		s = append(s, make(Sound, int(pause*Rate))...)
	}
	return s[:min(length, len(s))], nil
}

// ShortWords returns recordings of one spoken word each, digits, letters and words of the phonetic alphabet, at -26 dBFS.
func ShortWords(set Set, language string) (all []Sound, err error) {
	for _, folder := range [...]string{"digits", "letters", "phonetic"} {
		files, err := filepath.Glob(filepath.Join(filepath.Dir(voices), language+"_*", folder, "*.g722"))
		if err != nil {
			return nil, err
		}
		for i, file := range files {
			if Set(i%2) != set {
				continue
			}
			s, err := load(file)
			if err != nil {
				return nil, err
			}
			if s = trim(s); len(s) > Rate/5 && len(s) < Rate*9/10 {
				all = append(all, s.At(-26))
			}
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("no short words of language %q: install asterisk-core-sounds-%s-g722", language, language)
	}
	return all, nil
}

// Pieces of music on hold in each set, by their place among the files.
var pieces = [...][]int{Training: {0, 2, 3}, Held: {1, 4}}

// Pieces returns how many pieces of music a set has.
func Pieces(set Set) int { return len(pieces[set]) }

// Music returns a piece of music on hold, at -26 dBFS; n is below Pieces.
func Music(set Set, n int) (Sound, error) {
	files, err := filepath.Glob(music)
	if err != nil || len(files) != 5 {
		return nil, fmt.Errorf("%d pieces of music on hold, not 5: install asterisk-moh-opsound-g722", len(files))
	}
	s, err := load(files[pieces[set][n]])
	return s.At(-26), err
}

// Speed plays s faster or slower, with its pitch.
func (s Sound) Speed(by float64) Sound {
	if len(s) == 0 {
		return s
	}
	changed := make(Sound, int(float64(len(s)-1)/by))
	for i := range changed {
		at := float64(i) * by
		n, part := int(at), at-math.Floor(at)
		changed[i] = s[n]*(1-part) + s[n+1]*part
	}
	return changed
}

// Repeat plays s again and again for so many seconds.
func (s Sound) Repeat(seconds float64) Sound {
	long := make(Sound, int(seconds*Rate))
	for i := range long {
		long[i] = s[i%len(s)]
	}
	return long
}

func load(path string) (Sound, error) {
	coded, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	pcm := decodeG722(coded[:min(len(coded), 600*Rate/2)])
	s := make(Sound, len(pcm))
	for i, v := range pcm {
		s[i] = float64(v)
	}
	return s, nil
}

// trim takes silence off both ends.
func trim(s Sound) Sound {
	const quiet = 300
	first := slices.IndexFunc(s, func(v float64) bool { return math.Abs(v) > quiet })
	if first < 0 {
		return nil
	}
	last := len(s) - 1
	for math.Abs(s[last]) <= quiet {
		last--
	}
	return s[max(0, first-Rate/50):min(len(s), last+Rate/20)]
}

// At returns s scaled so that the louder of its 20 ms frames, those within 25 dB of the loudest, have a level in dBFS.
func (s Sound) At(level float64) Sound {
	const frame = Rate / 50
	var energies []float64
	loudest := 0.0
	for i := 0; i+frame <= len(s); i += frame {
		e := 0.0
		for _, v := range s[i : i+frame] {
			e += v * v
		}
		energies = append(energies, e/frame)
		loudest = max(loudest, e/frame)
	}
	sum, n := 0.0, 0
	for _, e := range energies {
		if e > loudest*0.003 {
			sum, n = sum+e, n+1
		}
	}
	if n == 0 || sum == 0 {
		return s
	}
	return s.Scale(32768 * math.Pow(10, level/20) / math.Sqrt(sum/float64(n)))
}

// Scale multiplies a copy of s.
func (s Sound) Scale(by float64) Sound {
	scaled := make(Sound, len(s))
	for i, v := range s {
		scaled[i] = v * by
	}
	return scaled
}

// Mix adds sounds; the result is as long as the longest.
func Mix(sounds ...Sound) Sound {
	var mixed Sound
	for _, s := range sounds {
		if len(s) > len(mixed) {
			mixed = append(mixed, make(Sound, len(s)-len(mixed))...)
		}
		for i, v := range s {
			mixed[i] += v
		}
	}
	return mixed
}

// Delay puts silence before s.
func (s Sound) Delay(seconds float64) Sound { return append(make(Sound, int(seconds*Rate)), s...) }

// PCM rounds and clips.
func (s Sound) PCM() []int16 {
	pcm := make([]int16, len(s))
	for i, v := range s {
		pcm[i] = saturate(int(math.Round(v)))
	}
	return pcm
}

// PhoneBand leaves what a telephone carries: 300 to 3,400 Hz.
func (s Sound) PhoneBand() Sound {
	filtered := s.Scale(1)
	NewTelephone().Apply(filtered)
	return filtered
}
