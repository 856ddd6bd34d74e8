package assemblyai

import (
	"encoding/json"
	"net/url"
	"strings"

	"parley/internal/dialogue"
	"parley/internal/provider"
)

// universal3 reports whether a model is of the Universal-3 Pro family, which formats every turn and takes language_codes
// (https://assemblyai.com/docs/streaming/migration-guides/universal-to-universal-3-5-pro-streaming).
func universal3(model string) bool {
	return strings.HasPrefix(model, "u3-") || strings.HasPrefix(model, "universal-3")
}

// addFamily adds the parameters that only some families take. Others detect the language.
func addFamily(q url.Values, o dialogue.RecognizeOptions) error {
	if !universal3(o.Model) {
		// Formatted turns arrive later as a second message, and language models do not need them.
		q.Set("format_turns", "false")
		return nil
	}
	code, _ := provider.LanguageCode(provider.STT, "assemblyai", o.Model, o.Language)
	if code == "" {
		return nil // the six languages, even in turn
	}
	codes, err := json.Marshal([]string{code})
	q.Set("language_codes", string(codes))
	return err
}
