package offline

import (
	"encoding/binary"
	"math"
	"time"

	"parley/internal/audio"
	"parley/internal/dialogue"
)

const (
	// onset is the level, in samples' units, at which speech begins, and lead
	// is what is kept before: flite puts 0.1 to 0.2 s of silence in front.
	onset = 150
	lead  = 10 * time.Millisecond
)

// pieces is the speech of one text.
type pieces struct {
	u         *utterance
	text      string
	trim      bool // silence in front is not wanted
	count     int
	rate      int
	taken     int // samples at rate that were kept
	before    time.Duration
	words     []dialogue.Word // of the next piece, within the utterance
	resampler *audio.Resampler
}

// expect sets the word times of the audio that follows.
func (p *pieces) expect(rate int, words []dialogue.Word) {
	p.rate = rate
	for _, w := range words {
		w.Start += p.before + p.length()
		w.End += p.before + p.length()
		p.words = append(p.words, w)
	}
}

// length returns the duration of the speech of this text so far.
func (p *pieces) length() time.Duration {
	if p.rate == 0 {
		return 0
	}
	return time.Duration(p.taken) * time.Second / time.Duration(p.rate)
}

// add adds audio from flite.
func (p *pieces) add(rate int, pcm []int16) {
	if p.resampler == nil {
		p.rate, p.resampler = rate, audio.NewResampler(rate, dialogue.SpeakRate)
	}
	if p.trim {
		all := len(pcm)
		pcm = fromOnset(pcm, int(lead.Seconds()*float64(rate)))
		p.trim = len(pcm) == 0
		cut := time.Duration(all-len(pcm)) * time.Second / time.Duration(rate)
		for i := range p.words {
			p.words[i].Start = max(0, p.words[i].Start-cut)
			p.words[i].End = max(0, p.words[i].End-cut)
		}
	}
	if len(pcm) > 0 {
		p.taken += len(pcm)
		p.deliver(p.resampler.Process(pcm, nil))
	}
}

// flush emits what the resampler holds. Text without sound, such as an ellipsis, becomes a frame of silence, so
// that its position is known.
func (p *pieces) flush() {
	if p.resampler != nil {
		p.deliver(p.resampler.Flush(nil))
	}
	if p.count == 0 {
		p.deliver(make([]int16, dialogue.SpeakRate*int(dialogue.FrameDuration)/int(time.Second)))
	}
}

func (p *pieces) deliver(pcm []int16) {
	if len(pcm) == 0 {
		return
	}
	s := dialogue.Speech{PCM: pcm, Words: p.words}
	p.words = nil
	if p.count == 0 {
		s.Text = p.text
	}
	p.count++
	p.u.mu.Lock()
	p.u.speech = append(p.u.speech, s)
	p.u.mu.Unlock()
	signal(p.u.ready)
}

// fromOnset trims leading silence except lead.
func fromOnset(pcm []int16, keep int) []int16 {
	for i, s := range pcm {
		if s > onset || s < -onset {
			return pcm[max(0, i-keep):]
		}
	}
	return nil
}

// parseWords reads the table that speak.c sends.
func parseWords(b []byte) []dialogue.Word {
	const fixed = 4 + 4 + 2
	seconds := func(b []byte) time.Duration {
		return time.Duration(float64(math.Float32frombits(binary.LittleEndian.Uint32(b))) * float64(time.Second))
	}
	var words []dialogue.Word
	for len(b) >= fixed {
		n := int(binary.LittleEndian.Uint16(b[8:]))
		if len(b) < fixed+n {
			break
		}
		words = append(words, dialogue.Word{Text: string(b[fixed : fixed+n]), Start: seconds(b), End: seconds(b[4:])})
		b = b[fixed+n:]
	}
	return words
}
