package assemblyai

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/internal/dialogue"
	"parley/internal/provider/recognition"
)

// TestParse: a session as AssemblyAI's documentation shows it.
func TestParse(t *testing.T) {
	e := newParser("")
	for _, step := range []struct {
		name, message string
		want          recognition.Message
	}{
		{"begin", `{"type":"Begin","id":"de5d9927-73a6-4be8-b52d-b4c07be37e6b","expires_at":1759796682}`,
			recognition.Message{Greeting: true}},
		{"speech", `{"type":"SpeechStarted","timestamp":1920}`, recognition.Message{Speech: true}},
		{"a word that may change", `{"turn_order":0,"turn_is_formatted":false,"end_of_turn":false,"transcript":"","end_of_turn_confidence":0.017454,"words":[{"start":1920,"end":2000,"text":"hi","confidence":0.874618,"word_is_final":false}],"utterance":"","type":"Turn"}`,
			recognition.Message{Results: true, Text: "hi"}},
		{"a word that may not, and one that may", `{"turn_order":0,"turn_is_formatted":false,"end_of_turn":false,"transcript":"hi","end_of_turn_confidence":1.4e-05,"words":[{"text":"hi","word_is_final":true},{"text":"my","word_is_final":false}],"utterance":"","type":"Turn"}`,
			recognition.Message{Results: true, Text: "hi my"}},
		{"a pause is no end", `{"turn_order":0,"turn_is_formatted":false,"end_of_turn":false,"transcript":"hi my name is","end_of_turn_confidence":0.1,"words":[],"utterance":"hi my name is","type":"Turn"}`,
			recognition.Message{Results: true, Text: "hi my name is"}},
		{"the end", `{"turn_order":0,"turn_is_formatted":false,"end_of_turn":true,"transcript":"hi my name is sonny","end_of_turn_confidence":0.5005,"words":[{"text":"hi"},{"text":"my"},{"text":"name"},{"text":"is"},{"text":"sonny"}],"utterance":"sonny","type":"Turn"}`,
			recognition.Message{Results: true, Text: "hi my name is sonny", Final: true, EndOfTurn: true, Answer: true}},
		{"the same, formatted", `{"turn_order":0,"turn_is_formatted":true,"end_of_turn":true,"transcript":"Hi, my name is Sonny.","end_of_turn_confidence":0.5005,"words":[],"utterance":"","type":"Turn"}`,
			recognition.Message{}},
		{"the next one, forced", `{"turn_order":1,"turn_is_formatted":false,"end_of_turn":true,"transcript":"i am","end_of_turn_confidence":0.02,"words":[],"utterance":"","type":"Turn"}`,
			recognition.Message{Results: true, Text: "i am", Final: true, Answer: true}},
		{"one of words alone, without confidence", `{"turn_order":2,"end_of_turn":true,"transcript":"","words":[{"text":"a"},{"text":"voice"}],"type":"Turn"}`,
			recognition.Message{Results: true, Text: "a voice", Final: true, EndOfSpeech: true, Answer: true}},
		{"termination", `{"type":"Termination","audio_duration_seconds":10,"session_duration_seconds":11}`, recognition.Message{Session: 11 * time.Second}},
		{"what is new", `{"type":"LLMGatewayResponse","data":{}}`, recognition.Message{}},
	} {
		got, err := e.parse([]byte(step.message))
		if err != nil {
			t.Fatalf("%s: %v", step.name, err)
		}
		if diff := cmp.Diff(step.want, got); diff != "" {
			t.Errorf("%s: %s", step.name, diff)
		}
	}
}

func TestParseErrors(t *testing.T) {
	for _, test := range []struct {
		message string
		want    string
		refused bool
	}{
		{`{"type":"Error","error_code":3008,"error":"Session Expired: Maximum session duration exceeded"}`, "AssemblyAI reports an error: 3008 Session Expired: Maximum session duration exceeded", false},
		{`{"type":"Error","error_code":1008,"error":"Unauthorized Connection: bad sk-1"}`, "AssemblyAI: refused by the provider: 1008 Unauthorized Connection: bad [key]", true},
		{`{"type":"Error","error_code":1008,"error":"Unauthorized Connection: Too many concurrent sessions"}`, "AssemblyAI reports an error: 1008 Unauthorized Connection: Too many concurrent sessions", false},
		{`{"type":"Error","error_code":3006,"error":"Invalid Message: speech_model"}`, "AssemblyAI: refused by the provider: 3006 Invalid Message: speech_model", true},
		{`{"error":"Not Authorized"}`, "AssemblyAI reports an error: 0 Not Authorized", false},
		{`<html>`, "AssemblyAI sent what is no message of its protocol: invalid character '<' looking for beginning of value", false},
		{`{}`, "AssemblyAI sent a message without a type", false},
	} {
		_, err := newParser("sk-1").parse([]byte(test.message))
		if err == nil || err.Error() != test.want || errors.Is(err, dialogue.ErrRefused) != test.refused {
			t.Errorf("%s: %v, refused %v", test.message, err, errors.Is(err, dialogue.ErrRefused))
		}
	}
}

// FuzzParse: nothing that AssemblyAI sends breaks more than its stream.
func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"type":"Turn","turn_order":0,"end_of_turn":true,"transcript":"x","words":[{"text":"x"}]}`))
	f.Add([]byte(`{"type":"Error","error_code":3006,"error":"secret"}`))
	f.Fuzz(func(t *testing.T, message []byte) {
		h, err := newParser("secret").parse(message)
		if err != nil && (h != (recognition.Message{}) || strings.Contains(err.Error(), "secret") && strings.Contains(string(message), `"type":"Error"`)) {
			t.Errorf("%+v with the error %v", h, err)
		}
		if h.EndOfTurn && !h.Final {
			t.Errorf("an end that is not final: %+v", h)
		}
	})
}
