package emulator

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
)

// realtimeSession is what the emulator checks of a session.
type realtimeSession struct {
	Type             string   `json:"type"`
	Model            string   `json:"model"`
	OutputModalities []string `json:"output_modalities"`
	Instructions     *string  `json:"instructions"`
	Tools            []struct {
		Type, Name, Description string
		Parameters              json.RawMessage
	} `json:"tools"`
	ToolChoice      json.RawMessage `json:"tool_choice"`
	MaxOutputTokens json.RawMessage `json:"max_output_tokens"`
	// Reasoning is for reasoning models only: RealtimeReasoning in src/resources/realtime/realtime.ts of openai-node 7.57.0.
	Reasoning *struct {
		Effort string `json:"effort"`
	} `json:"reasoning"`
	Audio *struct {
		Input struct {
			Format        *realtimeFormat `json:"format"`
			Transcription *struct {
				Model, Language, Prompt string
				Languages               []string
			} `json:"transcription"`
			TurnDetection  json.RawMessage `json:"turn_detection"`
			NoiseReduction json.RawMessage `json:"noise_reduction"`
		} `json:"input"`
		Output struct {
			Format *realtimeFormat `json:"format"`
			Voice  string          `json:"voice"`
			Speed  *float64        `json:"speed"`
		} `json:"output"`
	} `json:"audio"`
}

type realtimeFormat struct {
	Type string `json:"type"`
	Rate int    `json:"rate"`
}

func (c *realtimeConversation) update(eventID string, given map[string]json.RawMessage) {
	var session realtimeSession
	decoder := json.NewDecoder(strings.NewReader(encode(given)))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&session); err != nil {
		c.violate(eventID, "unknown_parameter", "session: %v", err)
		return
	}
	if session.Type != "realtime" {
		c.violate(eventID, "missing_required_parameter", "Missing required parameter: 'session.type'")
		return
	}
	if session.Model != "" && session.Model != c.model {
		c.violate(eventID, "invalid_value", "the model of a session cannot be changed to %s", session.Model)
		return
	}
	for _, tool := range session.Tools {
		if tool.Name == RefusedFunction {
			c.refuse(eventID, "invalid_function_parameters", "Invalid schema for function '%s'.", tool.Name)
			return
		}
	}
	if r := session.Reasoning; r != nil && (!reasoningRealtime.MatchString(c.model) || !slices.Contains(strings.Fields("minimal low medium high xhigh"), r.Effort)) {
		c.violate(eventID, "unknown_parameter", "session.reasoning of %s: %+v", c.model, *r)
		return
	}
	if a := session.Audio; a != nil {
		for _, f := range []*realtimeFormat{a.Input.Format, a.Output.Format} {
			if f != nil && *f != (realtimeFormat{"audio/pcm", 24000}) {
				c.violate(eventID, "invalid_value", "the emulator takes audio/pcm at 24000 Hz, not %v", *f)
				return
			}
		}
		if string(a.Input.TurnDetection) != "null" && !c.set {
			c.violate(eventID, "invalid_value", "the emulator detects no turns: turn_detection has to be null")
			return
		}
		if t := a.Input.Transcription; t != nil && !c.transcribes(eventID, t.Model, t.Language, t.Languages) {
			return
		}
		if t := a.Input.Transcription; t != nil {
			c.listens, c.transcriber = true, t.Model
		}
		if v := a.Output.Voice; v != "" {
			if !slices.Contains(realtimeVoices, v) {
				c.refuse(eventID, "invalid_value", "Invalid value: '%s'. Supported values are: %s.", v, strings.Join(realtimeVoices, ", "))
				return
			}
			if c.spoke && v != c.voice {
				c.violate(eventID, "cannot_update_voice", "Cannot update a conversation's voice if assistant audio is present.")
				return
			}
			c.voice = v
		}
	}
	if c.session == nil {
		c.session = map[string]json.RawMessage{}
	}
	for name, value := range given {
		c.session[name] = value
	}
	c.set = true
	full := map[string]any{"object": "realtime.session", "id": "sess_1", "model": c.model}
	for name, value := range c.session {
		full[name] = value
	}
	c.send("session.updated", map[string]any{"session": full})
}

// reasoningRealtime are the models that reason.
var reasoningRealtime = regexp.MustCompile(`^gpt-realtime-[2-9]`)

// transcribes checks the transcription of a session. Newer models take a list of languages in place of one:
// AudioTranscription in src/resources/realtime/realtime.ts of openai-node 7.57.0.
func (c *realtimeConversation) transcribes(eventID, model, language string, languages []string) bool {
	lists := strings.HasPrefix(model, "gpt-transcribe")
	switch {
	case slices.Contains(c.s.o.NoTranscribers, model): // as after its shutdown
		c.send("error", map[string]any{"error": map[string]any{"type": "invalid_request_error", "code": "invalid_value", "param": "session.audio.input.transcription.model",
			"message": "Invalid value: '" + model + "'.", "event_id": eventID}})
		return false
	case model == "", len(language) > 0 && (len(language) != 2 || lists), len(languages) > 0 && !lists:
		c.violate(eventID, "invalid_value", "transcription with %s takes no language %q, languages %v", model, language, languages)
		return false
	}
	return true
}
