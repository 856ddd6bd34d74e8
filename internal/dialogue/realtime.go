package dialogue

import (
	"context"
	"time"
)

// RealtimeModel is a speech-to-speech provider: one model with audio as input and output.
type RealtimeModel interface {
	// Converse opens a conversation for one call. It ends with the context.
	Converse(ctx context.Context, o ConversationOptions) (Conversation, error)
}

// ConversationOptions configures a conversation.
type ConversationOptions struct {
	Model    string
	Voice    string // "" for the provider's default
	Language string // BCP 47, "" for the provider's choice
	System   string
	Tools    []Tool
	// Messages are the conversation so far.
	Messages []Message
	// Used receives what the provider bills for the model, also of answers that nobody reads any more, and Transcribed what it bills for the
	// model that transcribes the caller beside it, which it names.
	Used, Transcribed UsageFunc
}

// Conversation is the stream of one call with a realtime model, over all its turns. As a Recognition it receives the
// caller's audio and returns transcripts; the session decides when the model answers.
type Conversation interface {
	Recognition
	// Add adds messages that are not in the audio: instructions, typed text, the results of tools. It does not wait, and
	// requests no answer.
	Add(messages ...Message)
	// Respond requests an answer to the audio and messages so far. It does not wait for the answer, and ends an answer in
	// progress.
	Respond(o ResponseOptions) Response
}

// ResponseOptions configures one answer.
type ResponseOptions struct {
	// System and Tools replace those of the conversation, where the provider can change them.
	System string
	Tools  []Tool
	// RepliesToCaller: the answer is to words of the caller, rather than to an instruction. A provider that detects turns may
	// have started it already.
	RepliesToCaller bool
}

// Response is an answer that a realtime model generates.
type Response interface {
	// Events returns the answer in order. It is closed when the answer is complete, failed or was truncated; Err then
	// returns nil, or the failure.
	Events() <-chan ResponseEvent
	Err() error
	// Truncate ends the answer after so much audio was played. What was not played is removed from the conversation, and a
	// response that is not complete is cancelled. It does not wait; the usage is still an event.
	Truncate(played time.Duration)
}

// ResponseEvent is the next event of an answer; the fields that are set are new.
type ResponseEvent struct {
	PCM []int16 // at SpeakRate
	// Text is more of what is being spoken. It is not aligned with the audio, and normally ahead of it.
	Text string
	// NewItem: the text begins another item of the answer.
	NewItem bool
	// ToolCalls are complete calls.
	ToolCalls []ToolCall
	Usage     *Usage
}
