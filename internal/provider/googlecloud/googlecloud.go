// Package googlecloud is a client of Google Cloud's Speech-to-Text, version 2, with its Chirp models: a request for each utterance.
// Streaming is available over gRPC only and ends an utterance with its stream.
// https://docs.cloud.google.com/speech-to-text/docs/reference/rest/v2/projects.locations.recognizers/recognize
package googlecloud

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"

	"parley/internal/dialogue"
	"parley/internal/provider"
	"parley/internal/provider/llm"
	"parley/internal/provider/transcription"
)

// name is the provider's in the catalogue.
const name = "google_cloud"

// Options configures a Recognizer.
type Options struct {
	Key string // an API key that is allowed to use Speech-to-Text
	// BaseURL has the region and the project: https://eu-speech.googleapis.com/v2/projects/PROJECT/locations/eu.
	BaseURL string
	// Client makes the connections; nil for the process's own.
	Client *http.Client
}

// Recognizer is a dialogue.Recognizer.
type Recognizer struct{ o Options }

// New returns a Recognizer. It makes no request.
func New(o Options) *Recognizer { return &Recognizer{o} }

// location is the path of a base URL.
var location = regexp.MustCompile(`/v2/projects/[^/]+/locations/[^/]+$`)

// request is the body of a request.
type request struct {
	Config struct {
		Decoding struct {
			Encoding string `json:"encoding"`
			Rate     int    `json:"sampleRateHertz"`
			Channels int    `json:"audioChannelCount"`
		} `json:"explicitDecodingConfig"`
		Languages []string `json:"languageCodes"`
		Model     string   `json:"model"`
		Features  struct {
			Punctuation bool `json:"enableAutomaticPunctuation"`
		} `json:"features"`
	} `json:"config"`
	Content []byte `json:"content"` // base64 in JSON
}

// answer is what is used of a response.
type answer struct {
	Results []struct {
		Alternatives []struct {
			Transcript string `json:"transcript"`
		} `json:"alternatives"`
	} `json:"results"`
	Metadata struct {
		Billed string `json:"totalBilledDuration"` // of google.protobuf.Duration in JSON: 2s
	} `json:"metadata"`
}

// startedSeconds returns what is billed for audio of a duration where the answer does not say it.
// https://cloud.google.com/speech-to-text/pricing
func startedSeconds(length time.Duration) time.Duration {
	return (length + time.Second - 1).Truncate(time.Second)
}

// Recognize sends one request to the server, so that a wrong key or address is reported before the caller speaks.
func (r *Recognizer) Recognize(ctx context.Context, o dialogue.RecognizeOptions) (dialogue.Recognition, error) {
	base := strings.TrimSuffix(r.o.BaseURL, "/")
	if u, err := url.Parse(base); err != nil || !location.MatchString(u.Path) {
		return nil, dialogue.Errorf("the request is %w: the base URL does not end in /v2/projects/PROJECT/locations/LOCATION", dialogue.ErrRefused)
	}
	if o.Model == "" {
		if entry, ok := provider.Find(provider.STT, name); ok {
			o.Model = entry.Models[0]
		}
	}
	language := provider.SentLanguage(provider.STT, name, o.Model, o.Language)
	if language == "" {
		language = "auto" // found in the audio
	}
	return transcription.Open(ctx, transcription.Vendor{
		Account: llm.Account{Key: r.o.Key, Client: r.o.Client}, URL: base + "/recognizers/_:recognize", Probe: base,
		Header: http.Header{"X-Goog-Api-Key": {r.o.Key}},
		Body: func(pcm []int16) (string, []byte, error) {
			var q request
			q.Config.Decoding.Encoding, q.Config.Decoding.Rate, q.Config.Decoding.Channels = "LINEAR16", dialogue.ListenRate, 1
			q.Config.Languages, q.Config.Model, q.Config.Features.Punctuation = []string{language}, o.Model, true
			q.Content = littleEndian(pcm)
			body, err := json.Marshal(q)
			return "application/json", body, err
		},
		Text: text, Used: o.Used, BilledDuration: startedSeconds,
	})
}

// text joins the texts of an answer, which has none for silence.
func text(body []byte) (string, dialogue.SpeechUsage, error) {
	var a answer
	if len(body) == 0 || body[0] != '{' || json.Unmarshal(body, &a) != nil {
		return "", dialogue.SpeechUsage{}, dialogue.NewError("the answer is no transcript")
	}
	var all []string
	for _, result := range a.Results {
		if len(result.Alternatives) > 0 {
			all = append(all, strings.TrimSpace(result.Alternatives[0].Transcript))
		}
	}
	billed, _ := time.ParseDuration(a.Metadata.Billed) // 0 if it is not said
	return strings.Join(all, " "), dialogue.SpeechUsage{Audio: billed}, nil
}

func littleEndian(pcm []int16) []byte {
	raw := make([]byte, 0, 2*len(pcm))
	for _, v := range pcm {
		raw = append(raw, byte(v), byte(uint16(v)>>8))
	}
	return raw
}
