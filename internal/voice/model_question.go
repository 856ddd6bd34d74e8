package voice

import (
	"cmp"
	"context"
	"strings"
	"time"

	"parley/internal/answering"
	"parley/internal/dialogue"
)

// questionTimeout is how long the language model may take to say who has answered, or what to do in a menu.
const questionTimeout = 5 * time.Second

// modelReply is what the language model said to a question of the engine.
type modelReply struct {
	about phase // that the question was of
	text  string
	err   error
	usage dialogue.Usage
}

// hasModel reports whether there is a language model besides the one that speaks.
func (s *Session) hasModel() bool { return len(s.providers.Models()) > 0 }

// askModel asks the language model something besides the conversation. Its reply comes to handleModelReply. It is asked one question
// at a time.
func (s *Session) askModel(ctx context.Context, p dialogue.Prompt) {
	m := s.providers.Models()[0]
	p.Model, p.MaxTokens = m.Model, cmp.Or(p.MaxTokens, 60)
	if mask := s.hidden.mask(); mask != nil {
		p = mask(p)
	}
	s.answered.asking = true
	reply := modelReply{about: s.phase}
	s.work.Go(func() {
		ctx, cancel := context.WithTimeout(ctx, questionTimeout)
		defer cancel()
		var text strings.Builder
		for delta, err := range m.Generate(ctx, p) {
			if err != nil {
				reply.err = err
				break
			}
			text.WriteString(delta.Text)
			if delta.Usage != nil {
				reply.usage = *delta.Usage
			}
		}
		reply.text = strings.TrimSpace(text.String())
		s.answered.replies <- reply // of one question at a time: there is room
	})
}

// handleModelReply handles the reply to the last question.
func (s *Session) handleModelReply(ctx context.Context, r modelReply, now time.Time) {
	w := &s.answered
	w.asking = false
	s.reportUsage(s.router.Agent(), r.usage)
	switch {
	case r.about == holding:
		s.setSummary(ctx, r, now)
	case w.judge == nil || r.about != s.phase:
	case s.phase == navigating:
		s.followMenuReply(ctx, r, now)
	case s.phase == detectingAnswer:
		w.judge.ModelAnswered(classInReply(r), now)
	}
}

// whoAnswered is the question for the class of what was said.
const whoAnswered = `A phone call was answered, and this was said, as a speech recogniser has it. Say who answered, with one word:
human (a person), voicemail (a mailbox that takes a message), mailbox_full (a mailbox that takes none), screening (an assistant that asks
who is calling, or has the caller wait), menu (press or say something), or unknown.`

// askWhoAnswered asks the language model for the class of what was said.
func (s *Session) askWhoAnswered(ctx context.Context, said string) {
	if s.answered.asking {
		return
	}
	s.askModel(ctx, dialogue.Prompt{System: whoAnswered, Messages: []dialogue.Message{{Role: dialogue.RoleUser, Content: said}}})
}

// classInReply returns the class that a reply begins with; Unknown for none.
func classInReply(r modelReply) answering.Class {
	word, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(r.text)), " ")
	word = strings.Trim(word, ".,:;\"'`*\n")
	if r.err != nil || !answering.IsClass(word) {
		return answering.Unknown
	}
	return answering.Class(word)
}
