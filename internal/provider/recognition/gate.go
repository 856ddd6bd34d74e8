package recognition

import (
	"time"

	"parley/internal/audio"
	"parley/internal/dialogue"
)

const (
	frameSamples = dialogue.ListenRate / 50
	// lead is how much audio before the first sound belongs to an utterance.
	lead = 300 * time.Millisecond
	// Frames above loudness count as speech whatever the noise, and onset of them begin an utterance: the VAD classifies the first
	// sound after digital silence as noise.
	loudness = -40.0 // dBFS
	onset    = 3
)

// Gate cuts the caller's audio into utterances: from the first sound to the next Finalize. What lies between, such as the
// silence while the agent speaks, is not sent: it costs money, and models of the Whisper family hallucinate words in it.
type Gate struct {
	vad    *audio.VAD
	before []int16 // the last audio without speech
	open   bool    // within an utterance
	loud   int     // frames above loudness up to now
	quiet  int     // frames without speech up to now
}

// NewGate returns a Gate between utterances.
func NewGate() *Gate { return &Gate{vad: audio.NewVAD(audio.VADOptions{})} }

// Push adds audio and returns what belongs to the utterance; begins reports that it is its first.
func (g *Gate) Push(pcm []int16) (spoken []int16, begins bool) {
	for frame := pcm; len(frame) > 0; frame = frame[min(frameSamples, len(frame)):] {
		a := g.vad.Push(frame[:min(frameSamples, len(frame))])
		if g.loud++; a.Level < loudness {
			g.loud = 0
		}
		if g.quiet++; a.Speaking || g.loud >= onset {
			g.quiet = 0
		}
		begins = begins || !g.open && (a.Speaking && a.Voiced || g.loud >= onset)
		g.open = g.open || begins
	}
	if g.open {
		spoken = append(g.before, pcm...)
		g.before = nil
		return spoken, begins
	}
	g.before = append(g.before, pcm...)
	if most := int(lead.Seconds() * dialogue.ListenRate); len(g.before) > most {
		g.before = append([]int16(nil), g.before[len(g.before)-most:]...)
	}
	return nil, false
}

// End ends the utterance and reports whether there is one.
func (g *Gate) End() bool {
	was := g.open
	g.open = false
	return was
}

// Quiet returns the time since the last speech.
func (g *Gate) Quiet() time.Duration { return time.Duration(g.quiet) * dialogue.FrameDuration }

// Open reports whether an utterance has begun and not ended.
func (g *Gate) Open() bool { return g.open }
