package provider

// realtimeLimits are what agents cannot do with a speech-to-speech provider, beyond what holds for all of them.
var realtimeLimits = map[string][]string{
	"google": {
		"what the caller did not hear of an interrupted answer stays in a Gemini model's conversation, which is told of it",
		"the functions of an agent are those that it begins with",
	},
	"openai": {"the transcript of the caller is a second model's, and may differ from what the model heard"},
}

// KeyKind returns the kind whose keys a provider uses: a vendor's speech-to-speech models use that of its language models.
func KeyKind(kind Kind) Kind {
	if kind == Realtime {
		return LLM
	}
	return kind
}

// RealtimeLimits returns what agents cannot do with a speech-to-speech provider, a sentence each.
func RealtimeLimits(name string) []string {
	return append([]string{"texts that the agent is to say as they are, such as the greeting, the silence prompt and what a tool has it say, are instructions to a speech-to-speech model, which may change the words; the filler of a tool is not said"}, realtimeLimits[name]...)
}
