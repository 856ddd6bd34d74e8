package emulator

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"

	"parley/internal/dialogue"
)

// speechBody is the body of a request for speech.
// https://developers.openai.com/api/reference/resources/audio/subresources/speech/methods/create
type speechBody struct {
	Model      string   `json:"model"`
	Input      string   `json:"input"`
	Voice      string   `json:"voice"`
	Format     string   `json:"response_format"`
	Speed      *float64 `json:"speed"`
	SampleRate *int     `json:"sample_rate"`
	Stream     string   `json:"stream_format"`
}

// billsCharacters are OpenAI's models that are billed by characters, and have no events.
var billsCharacters = regexp.MustCompile(`^tts-1`)

// fault returns what is wrong with a request, "" for nothing.
func (v *compatible) fault(b speechBody) string {
	switch {
	case b.Model == "" || b.Input == "":
		return "you must provide a model and an input"
	case utf8.RuneCountInString(b.Input) > 4096:
		return "string too long: input has at most 4096 characters"
	case b.Voice == "":
		return "you must provide a voice"
	case b.Speed != nil && (*b.Speed < 0.25 || *b.Speed > 4):
		return fmt.Sprintf("speed %v is not between 0.25 and 4", *b.Speed)
	// https://console.groq.com/docs/text-to-speech/orpheus
	case v.Groq && b.Format != "wav":
		return "response_format must be one of [wav]"
	case (v.Groq || v.OpenAI) && b.SampleRate != nil:
		return "unknown parameter: 'sample_rate'"
	// Models of speaches have their own rates unless one is asked for: routers/speech.py, 870e1e1.
	case !v.Groq && !v.OpenAI && (b.SampleRate == nil || *b.SampleRate != dialogue.SpeakRate):
		return "the speech would have the model's own rate"
	case b.Stream != "" && (!v.OpenAI || b.Stream != "sse" || billsCharacters.MatchString(b.Model)):
		return fmt.Sprintf("stream_format %q is not supported with this model", b.Stream)
	case !v.Groq && b.Format != "pcm":
		return fmt.Sprintf("response_format is %q", b.Format)
	}
	return ""
}

// speech serves requests for speech.
func (v *compatible) speech(w http.ResponseWriter, r *http.Request) {
	if !v.admit(w, r) {
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client has left
	}
	var b speechBody
	problem := ""
	if err := strictly(body, &b); err != nil {
		problem = err.Error()
	} else {
		problem = v.fault(b)
	}
	if problem != "" {
		v.breach("/v1/audio/speech: %s", problem)
		refuseOpenAI(w, http.StatusBadRequest, problem)
		return
	}
	if b.Voice == UnknownVoice {
		refuseOpenAI(w, http.StatusBadRequest, "The voice does not exist.")
		return
	}
	switch v.Fault() {
	case Garbage:
		w.Header().Set("Content-Type", "text/html")
		io.WriteString(w, "<html>502 Bad Gateway") //nolint:errcheck // the client may be gone
		return
	case Stall:
		<-r.Context().Done()
		return
	}
	v.stream(w, r.Context(), b)
}

// stream streams the speech of a text.
func (v *compatible) stream(w http.ResponseWriter, ctx context.Context, b speechBody) {
	if !rest(ctx, v.o.Delay) {
		v.release()
		return
	}
	sound := v.sound(b.Input)
	usage := v.chargeSpeech(b, sound)
	if b.Stream == "sse" {
		v.streamEvents(w, ctx, sound, usage)
		return
	}
	w.Header().Set("Content-Type", "audio/"+b.Format)
	if b.Format == "wav" {
		w.Write(streamedHeader(2 * dialogue.SpeakRate)) //nolint:errcheck // the client may be gone
	}
	v.streamPieces(ctx, sound, func(piece []byte) bool {
		if b.Format == "wav" {
			piece = doubled(piece)
		}
		if _, err := w.Write(piece); err != nil {
			return false
		}
		return http.NewResponseController(w).Flush() == nil
	})
}

// streamPieces has the pieces of speech sent as they come, and reports whether the last one was.
func (v *compatible) streamPieces(ctx context.Context, s sound, send func(piece []byte) bool) bool {
	dropped := false
	whole := s.pieces(ctx, int(pieceTime.Seconds()*dialogue.SpeakRate)*2, func(from, to int) bool {
		if !send(s.pcm[from:to]) {
			return false
		}
		dropped = v.Fault() == Drop
		return !dropped
	})
	switch {
	case dropped:
		panic(http.ErrAbortHandler) // closes the connection
	case !whole:
		v.release()
	}
	return whole
}

// chargeSpeech charges speech, and returns the tokens that are billed, nil where characters are.
func (v *compatible) chargeSpeech(b speechBody, s sound) map[string]any {
	if !v.OpenAI || billsCharacters.MatchString(b.Model) {
		v.charge("tts characters", utf8.RuneCountInString(b.Input))
		return nil
	}
	text, spoken := len(strings.Fields(b.Input))+1, int(started(s.length(), 50*time.Millisecond)/(50*time.Millisecond))
	v.charge("tts input_tokens", text)
	v.charge("tts output_audio_tokens", spoken)
	return map[string]any{"input_tokens": text, "output_tokens": spoken, "total_tokens": text + spoken}
}

// streamEvents streams speech as SpeechAudioDeltaEvent and SpeechAudioDoneEvent.
func (v *compatible) streamEvents(w http.ResponseWriter, ctx context.Context, s sound, usage map[string]any) {
	w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	send := func(event map[string]any) bool {
		if _, err := fmt.Fprintf(w, "data: %s\n\n", encode(event)); err != nil {
			return false
		}
		return http.NewResponseController(w).Flush() == nil
	}
	whole := v.streamPieces(ctx, s, func(piece []byte) bool {
		return send(map[string]any{"type": "speech.audio.delta", "audio": base64.StdEncoding.EncodeToString(piece)})
	})
	if whole {
		send(map[string]any{"type": "speech.audio.done", "usage": usage})
	}
}

// streamedHeader returns the header of a WAV file whose length is not known, mono.
func streamedHeader(rate int) []byte {
	h := append([]byte("RIFF"), 0xff, 0xff, 0xff, 0xff)
	h = append(h, "WAVEfmt "...)
	h = binary.LittleEndian.AppendUint32(h, 16)
	h = binary.LittleEndian.AppendUint16(h, 1) // PCM
	h = binary.LittleEndian.AppendUint16(h, 1) // mono
	h = binary.LittleEndian.AppendUint32(h, uint32(rate))
	h = binary.LittleEndian.AppendUint32(h, uint32(2*rate))
	h = binary.LittleEndian.AppendUint16(h, 2)
	h = binary.LittleEndian.AppendUint16(h, 16)
	return append(append(h, "data"...), 0xff, 0xff, 0xff, 0xff)
}

// doubled returns audio at twice the rate.
func doubled(pcm []byte) []byte {
	twice := make([]byte, 0, 2*len(pcm))
	for i := 0; i+1 < len(pcm); i += 2 {
		twice = append(twice, pcm[i], pcm[i+1], pcm[i], pcm[i+1])
	}
	return twice
}
