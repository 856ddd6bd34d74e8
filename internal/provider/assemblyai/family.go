package assemblyai

import (
	"encoding/json"
	"net/url"
	"strconv"
	"time"

	"parley/internal/dialogue"
	"parley/internal/provider"
)

// addFamily adds the parameters that only some families have. Universal-3 Pro formats every turn and has language_codes
// (https://assemblyai.com/docs/streaming/migration-guides/universal-to-universal-3-5-pro-streaming). Others detect the language.
func addFamily(q url.Values, o dialogue.RecognizeOptions) error {
	f, _ := provider.FamilyOf(provider.STT, "assemblyai", o.Model)
	if !f.FormatsTurns {
		// Formatted turns arrive later as a second message, and language models do not need them.
		q.Set("format_turns", "false")
	}
	addSilences(q, o)
	if err := setList(q, "keyterms_prompt", provider.KeyTermsFor("assemblyai", o.Model, o.KeyTerms)); err != nil {
		return err
	}
	if !f.FormatsTurns {
		return nil
	}
	if code := provider.SentLanguage(provider.STT, "assemblyai", o.Model, o.Language); code != "" { // else the six languages, even in turn
		return setList(q, "language_codes", []string{code})
	}
	return nil
}

// ownLongest is AssemblyAI's own max_turn_silence.
const ownLongest = time.Second

// addSilences adds the silences that the agent sets: https://www.assemblyai.com/docs/streaming/turn-detection. ForceEndpoint asks for the text
// sooner where that is due.
func addSilences(q url.Values, o dialogue.RecognizeOptions) {
	longest := o.LongestSilence
	if longest > 0 || o.TurnSilence > ownLongest {
		longest = max(longest, o.TurnSilence)
	}
	for name, silence := range map[string]time.Duration{"min_turn_silence": o.TurnSilence, "max_turn_silence": longest} {
		if silence > 0 {
			q.Set(name, strconv.FormatInt(silence.Milliseconds(), 10))
		}
	}
}

// setList sets a parameter that is a list in JSON, unless it is empty.
func setList(q url.Values, name string, list []string) error {
	if len(list) == 0 {
		return nil
	}
	encoded, err := json.Marshal(list)
	q.Set(name, string(encoded))
	return err
}
