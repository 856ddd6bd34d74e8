package deepgram

import (
	"cmp"
	"encoding/json"
	"fmt"
	"time"

	"parley/internal/dialogue"
	"parley/internal/provider/recognition"
	"parley/internal/provider/vendorerror"
)

// result is a message of Deepgram; unused fields are left out.
type result struct {
	Type string `json:"type"`

	// Results. IsFinal: the text of this segment of audio will not change; segments do not overlap. SpeechFinal:
	// the speaker paused for the endpointing time. FromFinalize: the response to Finalize.
	IsFinal      bool `json:"is_final"`
	SpeechFinal  bool `json:"speech_final"`
	FromFinalize bool `json:"from_finalize"`
	// Channel is a channel in Results, and an index ([0,1]) elsewhere.
	Channel json.RawMessage `json:"channel"`

	// Error.
	Description string `json:"description"`
	Message     string `json:"message"`
}

type channel struct {
	Alternatives []struct {
		Transcript string `json:"transcript"`
		// Languages are those of a multilingual recognition, the most frequent one first
		// (https://developers.deepgram.com/docs/multilingual-code-switching).
		Languages []string `json:"languages"`
		// Words have their times in seconds since the beginning of the stream's audio.
		Words []struct {
			Word       string  `json:"word"`
			Punctuated string  `json:"punctuated_word"`
			Start      float64 `json:"start"`
			End        float64 `json:"end"`
		} `json:"words"`
	} `json:"alternatives"`
}

// words returns the words of the first alternative; nil for none.
func (c channel) words() *dialogue.SpokenWords {
	list := c.Alternatives[0].Words
	if len(list) == 0 {
		return nil
	}
	words := make(dialogue.SpokenWords, len(list))
	for i, w := range list {
		seconds := func(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
		words[i] = dialogue.SpokenWord{Text: cmp.Or(w.Punctuated, w.Word), Start: seconds(w.Start), End: seconds(w.End)}
	}
	return &words
}

func parse(message []byte) (recognition.Message, error) {
	var r result
	if err := json.Unmarshal(message, &r); err != nil {
		return recognition.Message{}, fmt.Errorf("Deepgram sent what is no message of its protocol: %w", err)
	}
	switch {
	case r.Type == "Results" || r.Type == "" && r.FromFinalize:
		// In the documentation, the response to a Finalize without speech is an object with from_finalize only.
		h := recognition.Message{Results: true, Final: r.IsFinal || r.FromFinalize, EndOfSpeech: r.SpeechFinal, Answer: r.FromFinalize}
		if r.Channel == nil {
			return h, nil
		}
		var c channel
		if err := json.Unmarshal(r.Channel, &c); err != nil {
			return recognition.Message{}, fmt.Errorf("Deepgram sent what is no message of its protocol: %w", err)
		}
		if len(c.Alternatives) > 0 {
			h.Text = c.Alternatives[0].Transcript
			if languages := c.Alternatives[0].Languages; len(languages) > 0 {
				h.Language = languages[0]
			}
			if h.Final {
				h.Words = c.words()
			}
		}
		return h, nil
	case r.Type == "SpeechStarted":
		return recognition.Message{Speech: true}, nil
	case r.Type == "Error":
		return recognition.Message{}, vendorerror.OfMessage("Deepgram", false, "", vendorerror.Clean(r.Description+" "+r.Message, ""))
	case r.Type == "":
		return recognition.Message{}, fmt.Errorf("Deepgram sent a message without a type")
	}
	return recognition.Message{}, nil // Metadata, UtteranceEnd and what is new
}
