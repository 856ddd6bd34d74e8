package roundtrip

import (
	"fmt"
	"time"

	"parley/internal/dialogue"
	"parley/internal/provider"
)

// The most that the parts of a trial cost at a listed vendor, in US dollars, at list prices of November 2026 rounded up. A language
// model's prompts have at most a thousand tokens, and its answers twice a hundred and the room for reasoning.
const (
	perSecondHeard      = 0.0003
	perCharacterSpoken  = 0.0003
	perLanguageModelRun = 0.12
	perConversation     = 0.05 // 20 s of speech and a short prompt
)

// Cost says what trials use and the most that they cost.
func Cost(trials []Trial) string {
	heard := time.Duration(len(sentence()))*time.Second/dialogue.ListenRate + time.Second
	count := map[provider.Kind]int{}
	dollars := 0.0
	for _, t := range trials {
		count[t.Kind]++
		switch t.Kind {
		case provider.STT:
			dollars += perSecondHeard * heard.Seconds()
		case provider.TTS:
			dollars += perCharacterSpoken * float64(len(spoken))
		case provider.LLM:
			dollars += perLanguageModelRun
		case provider.Realtime:
			dollars += perConversation
		}
	}
	return fmt.Sprintf("%d recognisers hear %.0f s each, %d voices speak %d characters each, %d language models answer twice, %d speech-to-speech models once. At list prices this costs at most about US$%.2f.",
		count[provider.STT], heard.Seconds(), count[provider.TTS], len(spoken), count[provider.LLM], count[provider.Realtime], dollars+0.005)
}
