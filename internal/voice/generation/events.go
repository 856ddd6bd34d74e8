package generation

import (
	"parley/internal/dialogue"
	"parley/internal/voice/providers"
)

// Event is what happened to an answer: one of the types below.
type Event interface{ event() }

type (
	// FirstToken: the model's first token came, of this round.
	FirstToken struct{}
	// TextSent: the first text went to the voice.
	TextSent struct{}
	// CallsReceived are functions that the model called.
	CallsReceived struct{ Calls []dialogue.ToolCall }
	// ToolsRequested requests a round of tools, which is answered by its Finish.
	ToolsRequested struct{ Round *Round }
	// UsageReceived are tokens that were spent.
	UsageReceived struct{ Usage dialogue.Usage }
	// AudioReceived is audio of the voice.
	AudioReceived struct{ Speech dialogue.Speech }
	// TextExtended is more of the text of the audio that comes, of a realtime model.
	TextExtended struct{ Text string }
	// UtteranceEnded: the voice has spoken all that it was given, and will be given
	// more, as another utterance.
	UtteranceEnded struct{}
	// AudioEnded: no more audio comes.
	AudioEnded struct{}
	// DropIncompleteRequested requests that the audio of an incomplete text is dropped; the
	// channel receives the part that is still to be spoken.
	DropIncompleteRequested struct{ Unspoken chan<- []string }
	// FailureSurvived is a provider's failure that the answer survives.
	FailureSurvived struct{ Failure providers.Failure }
	// FunctionsMisused: the model called functions that it may not call.
	FunctionsMisused struct{ Provider, Message string }
	// ModelReplaced: a language model failed, and its fallback answers.
	ModelReplaced struct{ Failure providers.Failure }
	// VoiceFailed requests another voice: ReplaceVoice or NoReplacementVoice.
	VoiceFailed struct {
		Choice providers.Choice
		Err    error
	}
	// ConversationFailed: the conversation with a realtime model broke, or did not answer.
	ConversationFailed struct {
		Conversation dialogue.Conversation
		Err          error
	}
	// Failed: the answer ends with an error, a providers.Failure.
	Failed struct{ Err error }
)

func (FirstToken) event()              {}
func (TextSent) event()                {}
func (CallsReceived) event()           {}
func (ToolsRequested) event()          {}
func (UsageReceived) event()           {}
func (AudioReceived) event()           {}
func (TextExtended) event()            {}
func (UtteranceEnded) event()          {}
func (AudioEnded) event()              {}
func (DropIncompleteRequested) event() {}
func (FailureSurvived) event()         {}
func (FunctionsMisused) event()        {}
func (ModelReplaced) event()           {}
func (VoiceFailed) event()             {}
func (ConversationFailed) event()      {}
func (Failed) event()                  {}
