package deepgram

import (
	"encoding/json"
	"fmt"

	"parley/internal/provider/recognition"
	"parley/internal/provider/vendorerror"
)

// result is a message of Deepgram, as far as it matters here.
type result struct {
	Type string `json:"type"`

	// Results. IsFinal: the text of this stretch of audio will not change;
	// stretches follow one another, and no word is in two of them. SpeechFinal:
	// the speaker paused for the endpointing time. FromFinalize: it answers
	// Finalize.
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
	} `json:"alternatives"`
}

func hear(message []byte) (recognition.Heard, error) {
	var r result
	if err := json.Unmarshal(message, &r); err != nil {
		return recognition.Heard{}, fmt.Errorf("Deepgram sent what is no message of its protocol: %w", err)
	}
	switch {
	case r.Type == "Results" || r.Type == "" && r.FromFinalize:
		// The documentation shows the answer to a Finalize that found nothing
		// as an object with from_finalize alone.
		h := recognition.Heard{Results: true, Final: r.IsFinal || r.FromFinalize, EndOfTurn: r.SpeechFinal, Answer: r.FromFinalize}
		if r.Channel == nil {
			return h, nil
		}
		var c channel
		if err := json.Unmarshal(r.Channel, &c); err != nil {
			return recognition.Heard{}, fmt.Errorf("Deepgram sent what is no message of its protocol: %w", err)
		}
		if len(c.Alternatives) > 0 {
			h.Text = c.Alternatives[0].Transcript
		}
		return h, nil
	case r.Type == "SpeechStarted":
		return recognition.Heard{Speech: true}, nil
	case r.Type == "Error":
		return recognition.Heard{}, fmt.Errorf("Deepgram reports an error: %s", vendorerror.Clean(r.Description+" "+r.Message, ""))
	case r.Type == "":
		return recognition.Heard{}, fmt.Errorf("Deepgram sent a message without a type")
	}
	return recognition.Heard{}, nil // Metadata, UtteranceEnd and what is new
}
