package offline

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"
)

// Scores are acoustic log likelihoods per frame (10 ms), relative to the best of all senones. Measured with four
// flite voices, clean and at 20 dB SNR: sentences of the grammar score -26 to -51, others -51 (one word) and mostly
// -60 to -120.
const (
	scoreCertain = -50 // above: it is a sentence of the grammar
	scoreDoubt   = -58 // below: it is not, the open model starts early
	// scoreRejected is the score below which similarity to the open model's text is ignored.
	scoreRejected = -75
	// scoreLead is how much lower than the open model's score that of a
	// sentence may be where the open model's text differs, if it is not doubtful
	// anyway: the open model chooses among all words. Measured through Opus:
	// sentences of the grammar score at most 22 lower, others 32 or more; but 7 to 57
	// if they begin or sound like one ("book a flight"), and some of these are mistaken for it.
	scoreLead = 23
)

const (
	// doubtFrames is the minimum speech before scoreDoubt applies.
	doubtFrames = 50
	// framesPerLetter is the slowest speech; slower results of the open model are noise. Speech has 4 to 20.
	framesPerLetter = 25
)

// hypothesis is a result of a recogniser process.
type hypothesis struct {
	score    float32
	frames   int  // that words cover, 10 ms each
	complete bool // a whole sentence
	text     string
}

func parseHypothesis(b []byte) (hypothesis, error) {
	if len(b) < 9 {
		return hypothesis{}, fmt.Errorf("speech process sent a result of %d bytes", len(b))
	}
	return hypothesis{
		score:    math.Float32frombits(binary.LittleEndian.Uint32(b)),
		frames:   int(binary.LittleEndian.Uint32(b[4:])),
		complete: b[8] == 1,
		text:     string(b[9:]),
	}, nil
}

// parsePosition reads a number of samples.
func parsePosition(b []byte) (int, error) {
	if len(b) != 4 {
		return 0, fmt.Errorf("speech process sent a position of %d bytes", len(b))
	}
	return int(binary.LittleEndian.Uint32(b)), nil
}

// certain reports whether a result of the grammar needs no second result.
func (h hypothesis) certain() bool {
	return h.text != "" && h.complete && h.score > scoreCertain
}

// doubtful reports, during speech, whether it is probably outside the grammar.
func (h hypothesis) doubtful() bool {
	return h.frames >= doubtFrames && h.score < scoreDoubt
}

// spoken reports whether the open model's result is speech rather than noise.
func (h hypothesis) spoken() bool {
	letters := len(h.text) - strings.Count(h.text, " ")
	return letters > 0 && h.frames <= letters*framesPerLetter
}

// settle chooses between the results of the grammar and the open model. The open model mishears words of a sentence
// that the grammar has whole, so similarity of the two favours the grammar, also for an incomplete sentence.
func settle(closed, open hypothesis) (text string, sentence bool) {
	if !open.spoken() {
		return "", false
	}
	near := closed.score > scoreDoubt && closed.score > open.score-scoreLead
	switch {
	case closed.complete && closed.score > scoreRejected && similarity(closed.text, open.text) >= 0.7,
		closed.complete && near && open.frames <= closed.frames*6/5:
		return closed.text, true
	case closed.fragment() && near && open.frames <= closed.frames*5/4: // it lacks the word that broke off
		return closed.text, false
	}
	return open.text, false
}

// similarity returns 1 for equal texts and 0 for texts without common letters: one minus the edit distance in letters,
// relative to the longer text.
func similarity(a, b string) float64 {
	longest := max(len(a), len(b))
	if longest == 0 {
		return 1
	}
	return 1 - float64(distance([]byte(a), []byte(b)))/float64(longest)
}

// distance returns the Levenshtein distance.
func distance[T comparable](a, b []T) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range a {
		diagonal := row[0]
		row[0] = i + 1
		for j := range b {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
