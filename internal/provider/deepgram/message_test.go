package deepgram

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/provider/recognition"
)

// TestParse: messages as Deepgram's documentation shows them.
func TestParse(t *testing.T) {
	for _, test := range []struct {
		name, message string
		want          recognition.Message
	}{
		{"interim", `{"type":"Results","channel_index":[0,1],"duration":1.039875,"start":0.0,"is_final":false,"speech_final":false,"channel":{"alternatives":[{"transcript":"another big","confidence":0.9600255,"words":[{"word":"another","start":0.2971154,"end":0.7971154,"confidence":0.9588303},{"word":"big","start":0.85173076,"end":1.039875,"confidence":0.9600255}]}]},"metadata":{"request_id":"04cf6ffc-f83c-4a3c-b3f2-2cb3d9ba6b7d","model_info":{"name":"nova-3"}}}`,
			recognition.Message{Results: true, Text: "another big"}},
		{"final", `{"type":"Results","is_final":true,"speech_final":false,"channel":{"alternatives":[{"transcript":"another big"}]}}`,
			recognition.Message{Results: true, Text: "another big", Final: true}},
		{"end of speech", `{"type":"Results","is_final":true,"speech_final":true,"channel":{"alternatives":[{"transcript":"problem"},{"transcript":"problems"}]}}`,
			recognition.Message{Results: true, Text: "problem", Final: true, EndOfSpeech: true}},
		{"answer to Finalize", `{"type":"Results","is_final":true,"speech_final":false,"from_finalize":true,"channel":{"alternatives":[{"transcript":""}]}}`,
			recognition.Message{Results: true, Final: true, Answer: true}},
		{"bare answer to Finalize", `{"from_finalize":true}`,
			recognition.Message{Results: true, Final: true, Answer: true}},
		{"no alternatives", `{"type":"Results","is_final":true,"channel":{"alternatives":[]}}`,
			recognition.Message{Results: true, Final: true}},
		{"speech", `{"type":"SpeechStarted","channel":[0,1],"timestamp":9.54}`,
			recognition.Message{Speech: true}},
		{"utterance end", `{"type":"UtteranceEnd","channel":[0,2],"last_word_end":3.1}`, recognition.Message{}},
		{"metadata", `{"type":"Metadata","transaction_key":"deprecated","request_id":"8c8ebea9","sha256":"52fc6c","created":"2026-01-01T00:00:00.000Z","duration":12.0,"channels":1}`, recognition.Message{}},
		{"what is new", `{"type":"SomethingNew","channel":7}`, recognition.Message{}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, err := parse([]byte(test.message))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestParseErrors(t *testing.T) {
	for _, message := range []string{
		``, `null`, `[]`, `{}`, `"Results"`, `<html>`, `{"type":7}`, `{"type":"Results","channel":[0,1]}`, `{"type":"Results","is_final":"yes"}`,
		`{"type":"Error","description":"Could not process","message":"bad"}`,
	} {
		if got, err := parse([]byte(message)); err == nil {
			t.Errorf("%s is understood as %+v", message, got)
		}
	}
}

// FuzzParse: nothing that Deepgram sends breaks more than its stream.
func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"type":"Results","is_final":true,"channel":{"alternatives":[{"transcript":"x"}]}}`))
	f.Add([]byte(`{"type":"SpeechStarted","channel":[0,1]}`))
	f.Add([]byte(`{"from_finalize":true,"channel":null}`))
	f.Fuzz(func(t *testing.T, message []byte) {
		h, err := parse(message)
		if err != nil && h != (recognition.Message{}) {
			t.Errorf("%+v with an error", h)
		}
		if h.Answer && !h.Final {
			t.Errorf("an answer that is not final: %+v", h)
		}
	})
}
