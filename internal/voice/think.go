package voice

import (
	"context"
	"fmt"
	"strings"
	"time"

	"parley/internal/dialogue"
	"parley/internal/voice/turn"
)

// commit ends the caller's turn: the answer drafted to these very words is
// heard at once, or one is begun.
func (s *Session) commit(ctx context.Context, now time.Time) {
	text := s.turn.Text()
	s.callerWords.end(text)
	s.spokeAt, s.quiet.prompts, s.unheard = s.turn.LastSpeech(), 0, false
	s.latency = Turn{Agent: s.flow.agent, Endpointing: now.Sub(s.spokeAt), STT: since(s.spokeAt, s.finalAt), Providers: Played{STT: s.cast.stt.Provider}}
	s.o.Journal.Said(Entry{Role: dialogue.RoleUser, Text: text, At: s.spokeAt, Agent: s.flow.agent})
	if s.current == nil || !s.current.draft || !turn.SameWords(s.current.to, text) {
		s.answer(ctx, text, true)
	}
	s.history = append(s.history, dialogue.Message{Role: dialogue.RoleUser, Content: text})
	if s.cast.recognition == nil || s.feed.backlog() > staleBacklog {
		s.feed.skip() // the turn was taken without it: it must not come as another one
	}
	s.current.draft = false
	close(s.current.committed)
	s.turn.TurnTaken(now)
	s.out.Release()
	s.setState(Thinking)
}

// open has the agent speak first: its greeting, or what the model makes of a
// cue. The call's own greeting, user.greeting, goes before the first agent's.
func (s *Session) open(ctx context.Context, cue string) {
	greeting, _ := s.o.User["greeting"].(string)
	if len(s.history) > 0 || strings.TrimSpace(greeting) == "" {
		greeting = s.render(s.flow.config().Prompt.Greeting)
	}
	if strings.TrimSpace(greeting) == "" {
		s.cue(ctx, cue)
		return
	}
	s.history = append(s.history, dialogue.Message{Role: dialogue.RoleSystem, Content: cue})
	s.recite(ctx, greeting)
}

// cue has the model speak without a word of the caller.
func (s *Session) cue(ctx context.Context, cue string) {
	s.history = append(s.history, dialogue.Message{Role: dialogue.RoleSystem, Content: cue})
	s.answer(ctx, "", false)
	s.setState(Thinking)
}

// recite has the agent speak a given text.
func (s *Session) recite(ctx context.Context, text string) {
	a := s.begin(ctx, "", false)
	a.begin(&s.work, s.brief(a), s.parts, recite(text))
}

// answer begins the model's answer to the history and the caller's words.
func (s *Session) answer(ctx context.Context, to string, draft bool) {
	if to != "" {
		s.flow.moves = 0
	}
	a := s.begin(ctx, to, draft)
	b := s.brief(a)
	s.uses.late = false // the prompt holds them
	if to != "" {
		b.prompt.Messages = append(b.prompt.Messages, dialogue.Message{Role: dialogue.RoleUser, Content: to})
	}
	a.begin(&s.work, b, s.parts, a.think(b, s.parts))
}

// begin puts a new answer in the place of the current one.
func (s *Session) begin(ctx context.Context, to string, draft bool) *answer {
	a := &answer{agent: s.flow.agent, to: to, draft: draft, begun: time.Now(), committed: make(chan struct{}), relief: make(chan speaker, 1), filler: make(chan string, 1)}
	s.settle(a.begun)
	a.ctx, a.cancel = context.WithCancel(ctx)
	s.current = a
	s.out.Reset(draft)
	if !draft {
		close(a.committed)
		s.turn.AgentStarted(a.begun)
	}
	return a
}

func (s *Session) brief(a *answer) brief {
	c := s.flow.config()
	offer := s.flow.offer()
	a.routes = offer.routes
	b := brief{models: s.models(), speaker: s.speaker(), agent: s.flow.agent, offer: offer, prompt: dialogue.Prompt{
		System: s.instructed(s.render(c.Prompt.System)), Tools: offer.tools, Messages: s.history[:len(s.history):len(s.history)],
	}}
	if a.to != "" { // a caller who said nothing is not asked to say it again
		b.pardon = s.wording(pardonSlug, pardon)
	}
	return b
}

// lackInputs tells of the agent's inputs that have no value.
func (s *Session) lackInputs() {
	for _, path := range s.flow.missing {
		s.problem(Problem{Service: Workflow, Agent: s.flow.agent, At: time.Now(),
			Message: fmt.Sprintf("an input comes from {{%s}}, which this call does not have", path)})
	}
	s.flow.missing = nil
	s.reportRefused(s.flow.agent)
}

// reportRefused reports what an agent or its tools set and the call's memory
// has no room for.
func (s *Session) reportRefused(agent string) {
	for _, path := range s.flow.memory.refused {
		s.problem(Problem{Service: Workflow, Critical: true, Agent: agent, At: time.Now(),
			Message: fmt.Sprintf("%s is not set: the call keeps at most %d KiB in all (limit call_memory)", path, maxMemory>>10)})
	}
	s.flow.memory.refused = nil
}

// settle ends the current answer where it stands and keeps what was heard.
func (s *Session) settle(now time.Time) {
	a := s.current
	if a == nil {
		return
	}
	heard := s.out.SpokenText()
	s.drop()
	if a.draft {
		return
	}
	s.agentWords.end(heard)
	if a.firstHeard.IsZero() {
		s.reportSilence(a, now)
	}
	if heard != "" {
		s.o.Journal.Said(Entry{Role: dialogue.RoleAssistant, Text: heard, At: a.firstHeard, Agent: s.flow.agent})
		s.history = append(s.history, dialogue.Message{Role: dialogue.RoleAssistant, Content: heard})
	}
	if a.follows != nil {
		s.history = append(s.history, dialogue.Message{Role: dialogue.RoleSystem, Content: fmt.Sprintf(notDone, a.follows.action)})
	}
	if a.to == "" {
		return
	}
	if a.firstToken.IsZero() {
		a.firstToken = a.firstText // of what is said because no token came
	}
	s.latency.LLM = since(a.begun, a.firstToken)
	s.latency.TTS = since(a.firstText, a.firstAudio)
	s.latency.VoiceToVoice = since(s.spokeAt, a.firstHeard)
	s.latency.Usage = a.usage
	s.latency.Providers.LLM, s.latency.Providers.TTS = s.models()[0].Provider, s.cast.tts.Provider
	s.o.Journal.TurnTaken(s.latency)
	s.keepBudget(s.latency, now)
}

// since is the time between two moments; 0 when they are not both known or
// not in order.
func since(from, to time.Time) time.Duration {
	if from.IsZero() || to.Before(from) {
		return 0
	}
	return to.Sub(from)
}

// drop forgets the current answer and everything of it that was not heard.
func (s *Session) drop() {
	if a := s.current; a != nil {
		a.cancel()
		s.current = nil
		if a.draft || a.to == "" { // no turn counts its tokens
			s.spend(a.agent, a.usage)
		}
	}
	s.out.Reset(false)
	s.turn.AgentStopped(time.Now())
}

// spend tells of tokens that no turn has.
func (s *Session) spend(agent string, u dialogue.Usage) {
	if u != (dialogue.Usage{}) {
		s.o.Journal.TokensSpent(agent, u)
	}
}
