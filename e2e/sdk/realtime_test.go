package sdk

import (
	"slices"
	"strings"
	"testing"

	"parley/internal/dialogue"
	"parley/internal/provider/emulator"
)

// talkative is weather with a long answer to a request for more.
var talkative = emulator.Script{Answer: func(p dialogue.Prompt) emulator.Reply {
	if last := p.Messages[len(p.Messages)-1]; last.Content == "Tell me more." {
		return emulator.Reply{Text: strings.Repeat("It was sunny all the time. ", 40)}
	}
	return weather.Answer(p)
}}

func TestOpenAIRealtimeSDK(t *testing.T) {
	const text = "what is the weather in Rome"
	server := emulator.NewOpenAIRealtime(t, emulator.Options{Key: key}, emulator.RecognizerScript{Lines: []string{text}}, talkative)
	defer server.Close()
	var got struct {
		Heard, Voice, Refused, Inactive, Third string
		Types                                  []string
		Errors, End, Bytes                     int
		First, Second                          answer
	}
	run(t, &got, "openai-realtime.mjs", serveTLS(t, server.URL), key, recording(t))
	if got.Heard != text || got.Voice != "marin" || !got.First.calls() || got.Second.Text != "It is sunny." || got.Second.Tokens == 0 || got.Bytes < dialogue.SpeakRate {
		t.Errorf("got %+v", got)
	}
	if got.End != 200 || got.Third != "cancelled" || got.Inactive != "response_cancel_not_active" || got.Errors != 1 || !strings.Contains(got.Refused, "401") {
		t.Errorf("truncated at %d, cancelled: %q, cancelled again: %q, %d errors, refused: %q", got.End, got.Third, got.Inactive, got.Errors, got.Refused)
	}
	for _, event := range strings.Fields("session.created session.updated input_audio_buffer.committed conversation.item.added conversation.item.done " +
		"conversation.item.input_audio_transcription.delta response.created response.output_item.added response.content_part.added response.output_audio.delta " +
		"response.output_audio.done response.output_audio_transcript.done response.function_call_arguments.delta response.function_call_arguments.done " +
		"response.content_part.done response.output_item.done response.done conversation.item.truncated") {
		if !slices.Contains(got.Types, event) {
			t.Errorf("no event %s: %v", event, got.Types)
		}
	}
}

func TestGeminiLiveSDK(t *testing.T) {
	const text = "what is the weather in Rome"
	server := emulator.NewGeminiLive(t, emulator.Options{Key: key}, emulator.RecognizerScript{Lines: []string{text}}, talkative)
	defer server.Close()
	type conversation struct {
		Heard, Text    string
		Call           struct{ ID, Name, Arguments string }
		Bytes, Tokens  int
		Generated, Cut bool
	}
	var got struct {
		Detected, Marked conversation
		Refused          int
	}
	run(t, &got, "gemini-live.mjs", server.URL, key, recording(t))
	for name, c := range map[string]conversation{"activity detected": got.Detected, "activity marked": got.Marked} {
		if c.Heard != text || c.Call.ID == "" || c.Call.Name != "weather" || c.Call.Arguments != `{"city":"Rome"}` || c.Text != "It is sunny." || c.Bytes < dialogue.SpeakRate ||
			c.Tokens == 0 || !c.Generated || !c.Cut {
			t.Errorf("%s: %+v", name, c)
		}
	}
	if got.Refused != 1008 {
		t.Errorf("another key: %d", got.Refused)
	}
}
