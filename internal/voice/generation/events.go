package generation

import (
	"parley/internal/dialogue"
	"parley/internal/voice/providers"
	"parley/internal/voice/speechtext"
)

// Event is an event of an answer: one of the types below.
type Event interface{ event() }

type (
	// FirstToken: the first token of a round arrived.
	FirstToken struct{}
	// TextSent: the first text was sent to the voice.
	TextSent struct{}
	// CallsReceived are functions that the model called.
	CallsReceived struct{ Calls []dialogue.ToolCall }
	// ToolsRequested requests the execution of a round of tools; Round.SendResult answers it.
	ToolsRequested struct{ Round *Round }
	// UsageReceived is the token usage of a round.
	UsageReceived struct{ Usage dialogue.Usage }
	// AudioReceived is audio of the voice. Text is what it begins with, if a text begins with it.
	AudioReceived struct {
		Speech dialogue.Speech
		Text   speechtext.Text
	}
	// CachedSpeech is speech from the cache, between what the voice gives.
	CachedSpeech struct{ Parts []AudioReceived }
	// TextExtended is more of the transcript of the audio of a realtime model.
	TextExtended struct{ Text string }
	// UtteranceEnded: the voice has spoken all text so far. More follows as another
	// utterance.
	UtteranceEnded struct{}
	// AudioEnded: no more audio comes.
	AudioEnded struct{}
	// DropIncompleteRequested requests to drop the audio of the text whose synthesis
	// broke off; the channel receives the part of the text that is still to be spoken.
	DropIncompleteRequested struct{ Unspoken chan<- []speechtext.Text }
	// FailureSurvived is a provider's failure that does not end the answer.
	FailureSurvived struct{ Failure providers.Failure }
	// TurnDeclined: the model gave no answer to this turn, and a fixed text is spoken instead. ByPrompt: each prompt with the same
	// messages would be declined. Refused: the provider refused the request without giving such a reason.
	TurnDeclined struct{ ByPrompt, Refused bool }
	// PromptShortened: the prompt was too long for the model, and was shortened to so many characters.
	PromptShortened struct{ Characters int }
	// FunctionsMisused: the model called functions that were not offered, or too often.
	FunctionsMisused struct{ Provider, Message string }
	// LimitReached: a limit of the call, by its name in docs/limits.md, and what follows from it.
	LimitReached struct{ Limit, Message string }
	// ModelReplaced: a language model failed, and its fallback answers.
	ModelReplaced struct{ Failure providers.Failure }
	// VoiceFailed requests another voice; ReplaceVoice or NoReplacementVoice answers it.
	VoiceFailed struct {
		Choice providers.Choice
		Err    error
	}
	// ConversationFailed: the conversation with a realtime model ended, or timed out.
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
func (CachedSpeech) event()            {}
func (TextExtended) event()            {}
func (UtteranceEnded) event()          {}
func (AudioEnded) event()              {}
func (DropIncompleteRequested) event() {}
func (FailureSurvived) event()         {}
func (TurnDeclined) event()            {}
func (PromptShortened) event()         {}
func (FunctionsMisused) event()        {}
func (LimitReached) event()            {}
func (ModelReplaced) event()           {}
func (VoiceFailed) event()             {}
func (ConversationFailed) event()      {}
func (Failed) event()                  {}
