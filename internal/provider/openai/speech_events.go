package openai

import (
	"encoding/base64"
	"encoding/json"
	"regexp"

	"parley/internal/dialogue"
	"parley/internal/provider/vendorerror"
)

// billsCharacters are the models that OpenAI bills by the characters of the text, rather than by tokens of text and audio. They have no
// stream_format sse: https://developers.openai.com/api/reference/resources/audio/subresources/speech/methods/create
var billsCharacters = regexp.MustCompile(`^tts-1`)

// speechEvent is an event of a stream of speech: SpeechAudioDeltaEvent and SpeechAudioDoneEvent.
type speechEvent struct {
	Type  string `json:"type"`
	Audio string `json:"audio"` // PCM in base64
	Usage *struct {
		InputTokens  int `json:"input_tokens"`  // of the text
		OutputTokens int `json:"output_tokens"` // of the audio
	} `json:"usage"`
}

// speechEvents reads the events of speech, and reports what they say is billed.
type speechEvents struct {
	key  string
	used dialogue.UsageFunc
}

func (s speechEvents) parse(data []byte) (pcm []byte, finished bool, err error) {
	var e speechEvent
	if err := json.Unmarshal(data, &e); err != nil {
		return nil, false, dialogue.Wrap("an event cannot be read", err)
	}
	switch e.Type {
	case "speech.audio.delta":
		if pcm, err = base64.StdEncoding.DecodeString(e.Audio); err != nil {
			return nil, false, dialogue.Wrap("the audio cannot be read", err)
		}
	case "speech.audio.done":
		if u := e.Usage; u != nil {
			s.used.Report(dialogue.SpeechUsage{Usage: dialogue.Usage{InputTokens: u.InputTokens, OutputTokens: u.OutputTokens, OutputAudioTokens: u.OutputTokens}})
		}
		return nil, true, nil
	default:
		if vendorerror.IsError(data) {
			return nil, false, vendorerror.Read(0, data).Err(s.key)
		}
	}
	return pcm, false, nil
}
