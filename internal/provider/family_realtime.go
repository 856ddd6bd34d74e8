package provider

import "regexp"

// realtimeFamilies are the families of speech-to-speech models. Which languages they speak the vendors do not list.
var realtimeFamilies = []Family{
	// RealtimeReasoning in src/resources/realtime/realtime.ts of openai-node 7.57.0: the models from gpt-realtime-2 on reason.
	{kind: Realtime, name: "openai", models: regexp.MustCompile(`^gpt-realtime-[2-9]`), Reasons: true, Effort: "minimal", Parameters: []Parameter{{Name: Tools}}},
	// https://developers.openai.com/api/reference/resources/realtime/client-events
	{kind: Realtime, name: "openai", models: regexp.MustCompile(`^gpt-realtime`), Parameters: []Parameter{{Name: Tools}}},
	// https://ai.google.dev/gemini-api/docs/models/gemini-3.8-live; instructions reach gemini-3.1-flash-live-preview at the beginning only:
	// mutable_chat_context in livekit/agents, livekit-plugins-google/…/realtime_api.py, da6af86.
	{kind: Realtime, name: "google", models: regexp.MustCompile(`^gemini-3\.1-flash-live`), Unserved: "it takes no instructions within a conversation"},
	{kind: Realtime, name: "google", models: regexp.MustCompile(`^gemini-`), Parameters: []Parameter{{Name: Tools}}},
}
