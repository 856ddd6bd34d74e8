package synthesis

import "parley/internal/dialogue"

// Track converts the audio of one context to speech for a Follower: it joins split samples, counts them, and marks
// where a text starts.
type Track struct {
	texts   []string // said in the context
	begun   int      // texts that have started
	due     int      // texts that start with the next audio
	samples int      // of the utterance
	half    []byte   // the first byte of a sample
	pieces  []dialogue.Speech
}

// NewTrack returns the track of a context. samples is the number of the utterance's samples before it.
func NewTrack(samples int) Track { return Track{samples: samples, due: 1} }

// Said adds a text, as in the transcript.
func (t *Track) Said(text, _ string) { t.texts = append(t.texts, text) }

// Samples returns the utterance's number of samples so far.
func (t *Track) Samples() int { return t.samples }

// Texts returns the number of texts.
func (t *Track) Texts() int { return len(t.texts) }

// Due returns how many texts have started, including the one that starts with the next audio.
func (t *Track) Due() int { return min(t.due, len(t.texts)) }

// Next starts the next text with the next audio.
func (t *Track) Next() { t.due++ }

// Play adds audio.
func (t *Track) Play(audio []byte) {
	if len(t.half) > 0 && len(audio) > 0 {
		audio = append(t.half, audio...)
	}
	even := len(audio) &^ 1
	if even < len(audio) {
		t.half = []byte{audio[even]}
	} else if even > 0 {
		t.half = nil
	}
	if even == 0 {
		return
	}
	pcm := make([]int16, even/2)
	for i := range pcm {
		pcm[i] = int16(uint16(audio[2*i]) | uint16(audio[2*i+1])<<8)
	}
	t.samples += len(pcm)
	t.mark()
	if last := len(t.pieces) - 1; last >= 0 && t.pieces[last].PCM == nil {
		t.pieces[last].PCM = pcm
		return
	}
	t.pieces = append(t.pieces, dialogue.Speech{PCM: pcm})
}

// mark emits the start of the texts that are due, one segment each.
func (t *Track) mark() {
	for ; t.begun < t.Due(); t.begun++ {
		t.pieces = append(t.pieces, dialogue.Speech{Text: t.texts[t.begun]})
	}
}

// AddWords adds words, with their times in the utterance.
func (t *Track) AddWords(words ...dialogue.Word) {
	if len(words) == 0 {
		return
	}
	if len(t.pieces) == 0 {
		t.pieces = append(t.pieces, dialogue.Speech{})
	}
	last := &t.pieces[len(t.pieces)-1]
	last.Words = append(last.Words, words...)
}

// Pieces returns the speech since the last call.
func (t *Track) Pieces() []dialogue.Speech {
	pieces := t.pieces
	t.pieces = nil
	return pieces
}

// Finish returns the last speech. Texts without audio are marked at the end, because their position is unknown.
func (t *Track) Finish() []dialogue.Speech {
	t.due = len(t.texts)
	t.mark()
	return t.Pieces()
}
