package openai

import (
	"bytes"
	"context"
	"encoding/json"
	"mime/multipart"
	"time"

	"parley/internal/audio"
	"parley/internal/dialogue"
	"parley/internal/provider/transcription"
)

// openTranscriptions opens a recognition with a request for each utterance.
// https://platform.openai.com/docs/api-reference/audio/createTranscription
func openTranscriptions(ctx context.Context, options Options, o dialogue.RecognizeOptions) (dialogue.Recognition, error) {
	h := options.hints(o)
	return transcription.Open(ctx, transcription.Vendor{
		Account: options.account(), URL: options.base() + "/audio/transcriptions", Probe: options.base() + "/models", Header: options.header(),
		Body: func(pcm []int16) (contentType string, body []byte, err error) { return h.form(o.Model, pcm) },
		Text: func(answer []byte) (string, dialogue.SpeechUsage, error) {
			var a struct {
				Text  *string             `json:"text"`
				Usage *TranscriptionUsage `json:"usage"`
			}
			if json.Unmarshal(answer, &a) != nil || a.Text == nil {
				return "", dialogue.SpeechUsage{}, dialogue.NewError("the answer is no transcript")
			}
			used := a.Usage.Speech()
			used.Model = o.Model
			return *a.Text, used, nil
		},
		Used: o.Used, BilledDuration: options.billedDuration(),
	})
}

// leastOfGroq is the least audio that Groq bills for a request: https://console.groq.com/docs/speech-to-text.
const leastOfGroq = 10 * time.Second

// billedDuration returns the duration that the provider bills for a request of a duration, nil for the same.
func (o Options) billedDuration() func(time.Duration) time.Duration {
	if o.name() != "groq" {
		return nil
	}
	return func(length time.Duration) time.Duration { return max(length, leastOfGroq) }
}

// form encodes an utterance as multipart/form-data.
func (h hints) form(model string, pcm []int16) (contentType string, body []byte, err error) {
	var buffer bytes.Buffer
	form := multipart.NewWriter(&buffer)
	fields := [][2]string{{"model", model}, {"response_format", "json"}}
	if h.language != "" {
		fields = append(fields, [2]string{"language", h.language})
	}
	for _, language := range h.languages {
		fields = append(fields, [2]string{"languages[]", language})
	}
	for _, keyword := range h.keywords {
		fields = append(fields, [2]string{"keywords[]", keyword})
	}
	for _, field := range fields {
		if err := form.WriteField(field[0], field[1]); err != nil {
			return "", nil, err
		}
	}
	file, err := form.CreateFormFile("file", "utterance.wav")
	if err != nil {
		return "", nil, err
	}
	if err := audio.WriteWAV(file, pcm, dialogue.ListenRate); err != nil {
		return "", nil, err
	}
	if err := form.Close(); err != nil {
		return "", nil, err
	}
	return form.FormDataContentType(), buffer.Bytes(), nil
}
