package synthesis

import "parley/internal/dialogue"

// Track makes speech of the audio of one context, for a Follower: it joins
// samples that were cut in two, counts them, and marks where a text begins.
type Track struct {
	texts   []string // said in the context
	begun   int      // how many of them are marked
	due     int      // how many are to be marked before the next audio
	samples int      // of the utterance
	half    []byte   // the first byte of a sample
	pieces  []dialogue.Speech
}

// NewTrack returns the track of a context that so many samples of the
// utterance came before.
func NewTrack(samples int) Track { return Track{samples: samples, due: 1} }

// Said adds a text, as the transcript will have it.
func (t *Track) Said(text, _ string) { t.texts = append(t.texts, text) }

// Samples is how many samples the utterance has so far.
func (t *Track) Samples() int { return t.samples }

// Texts is how many texts were said.
func (t *Track) Texts() int { return len(t.texts) }

// Due is how many texts have begun, the one included that the next audio
// speaks.
func (t *Track) Due() int { return min(t.due, len(t.texts)) }

// Next says that the next audio speaks the next text.
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

// mark begins the texts that are due, a piece each.
func (t *Track) mark() {
	for ; t.begun < t.Due(); t.begun++ {
		t.pieces = append(t.pieces, dialogue.Speech{Text: t.texts[t.begun]})
	}
}

// Tell adds words, with their times in the utterance.
func (t *Track) Tell(words ...dialogue.Word) {
	if len(words) == 0 {
		return
	}
	if len(t.pieces) == 0 {
		t.pieces = append(t.pieces, dialogue.Speech{})
	}
	last := &t.pieces[len(t.pieces)-1]
	last.Words = append(last.Words, words...)
}

// Pieces takes the speech made since it was last asked.
func (t *Track) Pieces() []dialogue.Speech {
	pieces := t.pieces
	t.pieces = nil
	return pieces
}

// Finish takes the last speech: the texts that no audio came for are marked at
// the end, for nothing is known of where in the audio they are.
func (t *Track) Finish() []dialogue.Speech {
	t.due = len(t.texts)
	t.mark()
	return t.Pieces()
}
