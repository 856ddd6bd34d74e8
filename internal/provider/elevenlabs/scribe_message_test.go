package elevenlabs

import (
	"strings"
	"testing"

	"parley/internal/dialogue"
	"parley/internal/provider/recognition"
)

// FuzzParseScribe: nothing that Scribe sends breaks more than its stream, and no error has the key.
func FuzzParseScribe(f *testing.F) {
	f.Add([]byte(`{"message_type":"committed_transcript","text":"x"}`))
	f.Add([]byte(`{"message_type":"auth_error","error":"k-e-y is wrong"}`))
	f.Fuzz(func(t *testing.T, message []byte) {
		h, err := parseScribe(message, "k-e-y")
		if err != nil && (h != (recognition.Message{}) || strings.Contains(dialogue.Summary(err), "k-e-y")) {
			t.Errorf("%+v with %v", h, err)
		}
	})
}
