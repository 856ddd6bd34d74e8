package deepgram

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/provider/recognition"
)

// TestParseFlux: messages as Deepgram's documentation and SDK have them.
func TestParseFlux(t *testing.T) {
	for message, want := range map[string]recognition.Message{
		`{"type":"Connected","request_id":"r","sequence_id":0}`: {},
		`{"type":"TurnInfo","request_id":"r","sequence_id":3,"event":"StartOfTurn","turn_index":0,"transcript":"one","words":[{"word":"one","confidence":0.9}],"end_of_turn_confidence":0.1}`: {Results: true, Text: "one"},
		`{"type":"TurnInfo","event":"Update","turn_index":0,"audio_window_start":0,"audio_window_end":1.2,"transcript":"one ticket","words":[],"end_of_turn_confidence":0.2}`:                 {Results: true, Text: "one ticket"},
		`{"type":"TurnInfo","event":"EagerEndOfTurn","turn_index":0,"transcript":"one ticket","end_of_turn_confidence":0.55}`:                                                                 {Results: true, Text: "one ticket", LikelyEndOfTurn: true},
		`{"type":"TurnInfo","event":"TurnResumed","turn_index":0,"transcript":"one ticket"}`:                                                                                                  {Results: true, Text: "one ticket"},
		`{"type":"TurnInfo","event":"EndOfTurn","turn_index":0,"transcript":"one ticket","languages":["en"],"trigger":"model"}`:                                                               {Results: true, Text: "one ticket", Final: true, EndOfTurn: true, Answer: true},
		`{"type":"TurnInfo","event":"SomethingNew","transcript":"x"}`:                                                                                                                         {},
		`{"type":"ConfigureSuccess","thresholds":{},"keyterms":[]}`:                                                                                                                           {},
	} {
		got, err := parseFlux([]byte(message))
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s: %v\n%s", message, err, diff)
		}
	}
	for _, message := range []string{``, `null`, `[]`, `{}`, `<html>`, `{"type":7}`, `{"type":"TurnInfo","transcript":7}`,
		`{"type":"Error","sequence_id":1,"code":"INTERNAL_SERVER_ERROR","description":"No."}`} {
		if got, err := parseFlux([]byte(message)); err == nil {
			t.Errorf("%s is understood as %+v", message, got)
		}
	}
}

// FuzzParseFlux: nothing that Flux sends breaks more than its stream.
func FuzzParseFlux(f *testing.F) {
	f.Add([]byte(`{"type":"TurnInfo","event":"EndOfTurn","transcript":"x","end_of_turn_confidence":0.9}`))
	f.Add([]byte(`{"type":"Error","code":"X","description":"y"}`))
	f.Fuzz(func(t *testing.T, message []byte) {
		if h, err := parseFlux(message); err != nil && h != (recognition.Message{}) {
			t.Errorf("%+v with an error", h)
		}
	})
}
