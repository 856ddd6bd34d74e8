package emulator

import (
	"encoding/binary"
	"encoding/json"
	"strings"
	"time"

	"parley/internal/audio"
)

// RecognizerScript scripts an emulated recogniser. It detects utterances by the energy of the audio and reads their texts
// from the script, one line per utterance of a connection, starting over after the last. All times are audio times.
type RecognizerScript struct {
	// Lines are the callers' utterances. A line that ends in a comma or an ellipsis is not an end of turn.
	Lines []string
	// Endpointing is the silence that ends an utterance; if zero, what the client requests, or 300 ms. Pauses
	// within a line must be shorter.
	Endpointing time.Duration
	// Lag is the recognition delay, 50 ms if zero.
	Lag time.Duration
}

const (
	recognizerRate  = 16000
	recognizerFrame = 20 * time.Millisecond
	recognizerOnset = 60 * time.Millisecond // of sound that begins an utterance
	// wordTime is the assumed duration of a word in interim results.
	wordTime = 250 * time.Millisecond
	// loud is the level, in dBFS, above which sound is speech.
	loud = -45.0
)

// finding is what was detected in a frame.
type finding struct {
	began   bool   // an utterance did
	interim string // a new interim text, if any
	ended   bool   // an utterance did
}

// speechDetector is the emulated recogniser of one connection.
type speechDetector struct {
	h    RecognizerScript
	line int

	heard  time.Duration // of audio in all
	loud   time.Duration // without a frame of silence, up to now
	voiced time.Duration // since the utterance began
	quiet  time.Duration // since its last sound
	within bool          // an utterance
	shown  int           // words of its line in interim results
	given  bool          // its text was given as final
	begun  time.Duration // heard when the utterance began
}

func newSpeechDetector(h RecognizerScript) *speechDetector {
	if h.Endpointing == 0 {
		h.Endpointing = 300 * time.Millisecond
	}
	if h.Lag == 0 {
		h.Lag = 50 * time.Millisecond
	}
	return &speechDetector{h: h}
}

// pushAudio adds a frame of pcm_s16le.
func (e *speechDetector) pushAudio(frame []byte) (f finding) {
	pcm := make([]int16, len(frame)/2)
	for i := range pcm {
		pcm[i] = int16(binary.LittleEndian.Uint16(frame[2*i:]))
	}
	d := audio.Duration(len(pcm), recognizerRate)
	e.heard += d
	if audio.Level(pcm) >= loud {
		e.loud += d
		e.voiced += d
		e.quiet = 0
	} else {
		e.loud = 0
		e.quiet += d
	}
	switch {
	case !e.within && e.loud >= recognizerOnset:
		e.within, e.given, e.shown, e.voiced, e.begun = true, false, 0, e.loud, e.heard-e.loud
		f.began = true
	case e.within && e.quiet >= e.h.Endpointing+e.h.Lag:
		e.within, f.ended = false, true
	case e.within && !e.given:
		words := strings.Fields(e.text())
		if n := min(int((e.voiced-e.h.Lag)/wordTime), max(1, len(words)-1), len(words)); n > e.shown {
			e.shown = n
			f.interim = strings.Join(words[:n], " ")
		}
	}
	return f
}

// text returns the text of the current utterance.
func (e *speechDetector) text() string {
	if len(e.h.Lines) == 0 {
		return "hello"
	}
	return e.h.Lines[e.line%len(e.h.Lines)]
}

// takeText returns the text of the utterance that was not returned yet; the rest of a continuing utterance is empty.
func (e *speechDetector) takeText() string {
	if e.given || !e.within {
		return ""
	}
	e.given = true
	return e.text()
}

// end advances to the next line, and returns the remainder of this one.
func (e *speechDetector) end() string {
	e.within = true
	text := e.takeText()
	e.within = false
	e.line++
	return text
}

// unfinished reports whether a line is not an end of turn.
func unfinished(line string) bool {
	return strings.HasSuffix(line, ",") || strings.HasSuffix(line, "…") || strings.HasSuffix(line, "...")
}

// frames cuts audio into frames; the last one may be shorter.
func frames(pcm []byte) [][]byte {
	size := int(recognizerRate*recognizerFrame/time.Second) * 2
	var cut [][]byte
	for len(pcm) > 0 {
		n := min(size, len(pcm))
		cut = append(cut, pcm[:n])
		pcm = pcm[n:]
	}
	return cut
}

func encode(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // of our own types
	}
	return string(b)
}
