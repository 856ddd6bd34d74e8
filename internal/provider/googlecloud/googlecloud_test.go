package googlecloud_test

import (
	"errors"
	"strings"
	"testing"

	"parley/internal/dialogue"
	"parley/internal/provider/emulator"
	"parley/internal/provider/googlecloud"
	"parley/internal/provider/providertest"
)

func TestRecognizer(t *testing.T) {
	v := providertest.SpeechToText{
		Serve: emulator.NewGoogleCloud,
		Connect: func(key, baseURL string) dialogue.Recognizer {
			return googlecloud.New(googlecloud.Options{Key: key, BaseURL: baseURL})
		},
	}
	providertest.UtteranceRecognizer(t, v)
	t.Run("asks again", func(t *testing.T) { providertest.RetriesUtterances(t, v) })
}

// A base URL without project and location is refused before a request.
func TestBaseURL(t *testing.T) {
	for _, base := range []string{"https://eu-speech.googleapis.com", "https://eu-speech.googleapis.com/v2/projects/p", "https://speech.googleapis.com/v1/projects/p/locations/eu"} {
		_, err := googlecloud.New(googlecloud.Options{Key: "key", BaseURL: base}).Recognize(t.Context(), dialogue.RecognizeOptions{})
		if !errors.Is(err, dialogue.ErrRefused) || !strings.Contains(err.Error(), "/v2/projects/PROJECT/locations/LOCATION") {
			t.Errorf("%s: %v", base, err)
		}
	}
}
