package providers

import (
	"context"
	"time"

	"parley/internal/agent"
	"parley/internal/dialogue"
)

// RealtimeSource is a Source that has speech-to-speech providers.
type RealtimeSource interface {
	RealtimeModel(name string) (dialogue.RealtimeModel, error)
}

// realtimeStream is the realtime model in use; the zero value without one.
type realtimeStream struct {
	choice       agent.Realtime
	agent        string                // whose prompt and voice it has
	conversation dialogue.Conversation // nil while it is being opened again
	initial      int                   // number of messages of the history that it was opened with
}

// withoutRealtime returns the streams that an agent without a realtime model can use.
func (s streams) withoutRealtime() streams {
	if s.realtime.choice != (agent.Realtime{}) {
		s.recognition, s.stt, s.realtime = nil, agent.STT{}, realtimeStream{}
	}
	return s
}

// usesRealtime reports whether the agent's realtime model is to be opened. One that failed is opened only if the agent
// has no cascade.
func (o opening) usesRealtime() bool {
	r := o.Config.Realtime
	return r != nil && !(o.failed[realtimeChoice(*r)] && o.Config.HasCascade())
}

// openConversation opens a realtime model. Each agent has a conversation of its own: its voice and, with some providers,
// its prompt cannot be changed later.
func (o opening) openConversation(ctx context.Context) Opened {
	r := *o.Config.Realtime
	if old := o.old.realtime; old.conversation != nil && old.choice == r && old.agent == o.Agent && o.old.language == o.Language {
		return Opened{Agent: o.Agent, streams: o.old}
	}
	conversation, err := openStream(ctx, o.Config.HasCascade(), func() (func(context.Context) (dialogue.Conversation, error), error) {
		source, ok := o.source.(RealtimeSource)
		if !ok {
			return nil, dialogue.NewError("speech to speech is not available here")
		}
		model, err := source.RealtimeModel(r.Provider)
		return func(ctx context.Context) (dialogue.Conversation, error) {
			return model.Converse(ctx, dialogue.ConversationOptions{
				Model: r.Model, Voice: r.Voice, Language: o.Language, System: o.InitialPrompt.System, Tools: o.InitialPrompt.Tools, Messages: o.InitialPrompt.Messages,
			})
		}, err
	})
	switch {
	case ctx.Err() != nil:
		if err == nil {
			conversation.Close()
		}
		return Opened{Agent: o.Agent, streams: o.old, Err: context.Cause(ctx)}
	case err != nil:
		return Opened{Agent: o.Agent, streams: o.old, Err: NewFailure(realtimeChoice(r), o.Agent, err)}
	}
	return Opened{Agent: o.Agent, streams: streams{
		recognition: conversation, language: o.Language,
		realtime: realtimeStream{choice: r, agent: o.Agent, conversation: conversation, initial: o.HistoryLength},
	}}
}

// UsesRealtime reports whether a realtime model is in use, open or about to be opened again.
func (s *Set) UsesRealtime() bool { return s.streams.realtime.choice != (agent.Realtime{}) }

// Conversation returns the open conversation with a realtime model, or nil.
func (s *Set) Conversation() dialogue.Conversation { return s.streams.realtime.conversation }

// InitialMessages returns how many messages of the history the open conversation was opened with.
func (s *Set) InitialMessages() int { return s.streams.realtime.initial }

// Realtime returns the choice of the realtime model in use.
func (s *Set) Realtime() Choice { return realtimeChoice(s.streams.realtime.choice) }

// HandleConversationFailure handles an answer of the open conversation that failed, and closes the conversation. The same
// model is to be reopened, or the cascade opened.
func (s *Set) HandleConversationFailure(n AgentSpec, err error, now time.Time) (Failure, Replacement) {
	broken := s.streams.realtime.conversation
	s.broken, s.streams.recognition = broken, nil
	s.work.Go(func() { broken.Close() })
	return s.decideConversationReplacement(n, err, now)
}

// decideConversationReplacement returns what replaces a conversation that ended with an error.
func (s *Set) decideConversationReplacement(n AgentSpec, err error, now time.Time) (Failure, Replacement) {
	s.streams.realtime.conversation = nil
	choice := realtimeChoice(s.streams.realtime.choice)
	failure := NewFailure(choice, n.Agent, err)
	if now.Sub(s.lastBreak) > breakMemory {
		s.breaks = 0
	}
	s.breaks, s.lastBreak = s.breaks+1, now
	if s.breaks <= MaxBreaks && !isRefused(err) {
		return failure, Reopening
	}
	if !n.Config.HasCascade() {
		return failure, NoReplacement
	}
	s.breaks = 0
	s.recordFailures(NewReplacedFailure(choice, n.Agent, err))
	return failure, Opening
}
