package voice

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"parley/internal/dialogue"
	"parley/internal/prompt"
	"parley/internal/template"
	"parley/internal/tool"
)

// maxUse bounds how long one call of a tool may take, with all its requests.
const maxUse = 5 * time.Minute

// notePatience bounds how long a tool waits for the note that it begins: calls
// go on without a database.
const notePatience = 2 * time.Second

// filler is what the agent says when a tool takes long and says nothing of its
// own for that.
const filler = "One moment, please."

// What a model is told of a call that has not ended, and of what was not done.
const (
	stillRunning = "Still running. Its result will follow."
	lateResult   = "A function that was still running has ended; its result is above. Tell the caller what matters of it now."
	notDone      = "The caller interrupted: %s was not done. If it is still wanted, it has to be asked for again."
)

// use runs the tools that an answer's model called.
func (s *Session) use(ctx context.Context, r *round) {
	r.begun = time.Now()
	s.history = append(s.history, dialogue.Message{Role: dialogue.RoleAssistant, ToolCalls: r.calls})
	r.at = len(s.history)
	s.uses.rounds = append(s.uses.rounds, r)
	for _, call := range r.calls {
		r.uses = append(r.uses, &use{round: r, call: call, tool: s.o.Plan.Tools[call.Name], same: s.uses.running(call)})
		s.history = append(s.history, dialogue.Message{Role: dialogue.RoleTool, ToolCallID: call.ID, Content: stillRunning})
	}
	s.startUses(ctx, r)
}

// startUses starts what can be started: several at once, but none before an
// earlier one has had its effects that it may have to see.
func (s *Session) startUses(ctx context.Context, r *round) {
	for n, u := range r.uses {
		if !u.begun.IsZero() || u.same != nil {
			continue
		}
		waits := slices.ContainsFunc(r.uses[min(r.applied, n):n], func(earlier *use) bool { return u.tool.Config.Awaits(earlier.tool.Config) })
		if !waits {
			s.startUse(ctx, u)
		}
	}
}

// startUse runs a tool once it is noted that it begins: were the worker to
// vanish first, the next one would run it again.
func (s *Session) startUse(ctx context.Context, u *use) {
	u.begun = time.Now()
	s.uses.note(u.call)
	noted := s.keep()
	call := tool.Call{Name: u.call.Name, Tool: u.tool, Arguments: u.call.Arguments, Scope: s.snapshot(u), Phone: s.o.Phone}
	s.work.Go(func() {
		select {
		case <-noted:
		case <-time.After(notePatience):
		case <-ctx.Done():
			return
		}
		limited, cancel := context.WithTimeout(ctx, maxUse)
		defer cancel()
		var outcome tool.Outcome
		if guard(func() error { outcome = s.o.Tools.Run(limited, call); return nil }) != nil {
			outcome = tool.Outcome{Answer: "The function broke.", Problems: []tool.Problem{{Critical: true, Message: "tool " + call.Name + ": broke"}}}
		}
		select {
		case s.uses.ended <- ran{u, outcome}:
		case <-ctx.Done():
		}
	})
}

// snapshot is what a use's templates see, for it alone.
func (s *Session) snapshot(u *use) template.Scope {
	scope := maps.Clone(s.scope)
	scope["flags"], scope["workflow"] = maps.Clone(s.flow.memory.Flags), s.flow.memory.seen(u.round.agent)
	scope["prompt"], _ = s.o.Plan.Prompts.Resolve(prompt.Slugs(u.tool.Config.Texts()...), s.userLanguage(), scope)
	return scope
}

// useEnded takes in what came of a use.
func (s *Session) useEnded(ctx context.Context, n ran) {
	s.uses.end(n)
	s.keepUse(n.use, time.Since(n.use.begun))
	for _, p := range n.outcome.Problems {
		s.problem(Problem{Service: ToolUse, Critical: p.Critical, Message: p.Message, Agent: n.use.round.agent, Tool: n.use.call.Name, At: time.Now()})
	}
	for _, r := range slices.Clone(s.uses.rounds) {
		s.advanceRound(ctx, r)
	}
	s.keep()
}

// keepUse notes a use in the transcript; took is 0 for one that did not end.
func (s *Session) keepUse(u *use, took time.Duration) {
	call := u.call
	call.Arguments = s.mask.JSON(call.Arguments)
	s.o.Journal.Said(Entry{Role: dialogue.RoleAssistant, At: u.begun, Agent: u.round.agent, Tool: &call, Took: took})
}

// advanceRound gives the uses that have ended their effects, in the order in
// which they were called, and starts those that waited for it.
func (s *Session) advanceRound(ctx context.Context, r *round) {
	for r.applied < len(r.uses) && r.uses[r.applied].outcome != nil {
		s.flow.change(r.agent, r.uses[r.applied].outcome.Changes...)
		s.reportRefused(r.agent)
		r.applied++
	}
	if r.applied < len(r.uses) {
		s.startUses(ctx, r)
		return
	}
	s.uses.drop(r)
	s.endRound(r)
}

// endRound puts a round's results into the history, and hands them to its
// answer if that goes on.
func (s *Session) endRound(r *round) {
	now := time.Now()
	s.quiet.broken(now)
	awaited := s.current == r.answer
	history := slices.Clone(s.history) // prompts share the old one
	var follows *following
	for n, u := range r.uses {
		content := u.outcome.Answer
		if next := u.outcome.Next; next != nil && follows == nil {
			switch f, err := s.follow(next); {
			case err != nil:
				content += "\n" + err.Error()
				s.problem(Problem{Service: ToolUse, Message: "tool " + u.call.Name + ": " + err.Error(), Agent: r.agent, Tool: u.call.Name, At: now})
			case !awaited:
				content += "\n" + fmt.Sprintf(notDone, next.Action)
			default:
				follows = f
			}
		}
		history[r.at+n].Content = content
	}
	if forgetResults(history, maxMemory-s.flow.memory.size) && !s.uses.forgot {
		s.uses.forgot = true
		s.problem(Problem{Service: ToolUse, Agent: r.agent, At: now,
			Message: fmt.Sprintf("old results of tools are forgotten: the call keeps at most %d KiB in all (limit call_memory)", maxMemory>>10)})
	}
	s.history = history
	if !awaited {
		s.uses.late = s.uses.late || slices.ContainsFunc(r.uses, func(u *use) bool { return !s.uses.awaited(u) })
		return
	}
	came := results{messages: history[r.at : r.at+len(r.uses) : r.at+len(r.uses)], offer: s.flow.offer(), system: s.instructed(s.render(s.flow.config().Prompt.System))}
	if r.answer.routes = came.offer.routes; follows != nil {
		r.answer.follows, came.over, came.message = follows, true, follows.message
	}
	r.done <- came
}

// following is what a tool wants to be done once the answer was heard.
type following struct {
	action  string
	to      route  // of a handoff or an end
	number  string // of a transfer
	message string
}

// follow finds out how what a tool wants can be done. The error is in words for
// the model.
func (s *Session) follow(next *tool.Next) (*following, error) {
	f := &following{action: next.Action, number: next.Number, message: next.Message}
	if next.Action != tool.Handoff {
		return f, nil
	}
	to, ok := s.flow.way(next.Agent)
	if !ok {
		return nil, fmt.Errorf("a handoff to %s is not possible here", next.Agent)
	}
	f.to = to
	return f, nil
}

// carryOut does what a tool wanted, now that the answer was heard.
func (s *Session) carryOut(ctx context.Context, f *following, now time.Time) {
	switch {
	case f.number != "":
		s.transfer(ctx, f.number)
	case f.to.ends():
		s.ending, s.endAt = AgentEnded, now.Add(farewellTail)
	default:
		s.handOff(ctx, f.to)
	}
}

// working is the round that the caller waits for in silence, or nil.
func (s *Session) working() *round {
	if s.current == nil || s.out.Paused() || s.out.Ready() {
		return nil
	}
	return s.uses.of(s.current)
}

// fillerDue is when the agent says that it takes a moment; zero for never.
func (s *Session) fillerDue() time.Time {
	r := s.working()
	if r == nil || r.answer.filled || s.options.FillerAfter <= 0 || r.filler() == "" {
		return time.Time{}
	}
	if s.lastPlayed.After(r.begun) {
		return s.lastPlayed.Add(s.options.FillerAfter)
	}
	return r.begun.Add(s.options.FillerAfter)
}

// filler is what is said while a round takes long: the line of its first tool
// that has one, none if that is empty.
func (r *round) filler() string {
	for _, u := range r.uses {
		if line := u.tool.Config.Filler; line != nil {
			return *line
		}
	}
	return filler
}

// fill has the agent say that it takes a moment, once for each answer.
func (s *Session) fill(now time.Time) {
	r := s.working()
	if r == nil {
		return
	}
	s.setState(Thinking)
	if due := s.fillerDue(); !due.IsZero() && !now.Before(due) {
		r.answer.filled = true
		r.answer.filler <- r.filler()
	}
}

// tellLate has the agent speak of results that came when no answer waited for
// them, when nobody else speaks.
func (s *Session) tellLate(ctx context.Context) {
	if s.uses.late && s.idle() {
		s.cue(ctx, lateResult)
	}
}

// transfer connects the caller with a number; the session's part is over then.
func (s *Session) transfer(ctx context.Context, number string) {
	s.transferring = true
	s.setState(Thinking)
	s.work.Go(func() {
		s.transfers <- guard(func() error { return s.o.Phone.Transfer(ctx, number) })
	})
}

// handedOn reports whether the call that ends was transferred just now: that is
// why it ends, then.
func (s *Session) handedOn() bool {
	select {
	case err := <-s.transfers:
		return err == nil
	default:
		return false
	}
}

// transferred follows an attempt to transfer the call. One that the call's end
// broke off did not fail.
func (s *Session) transferred(ctx context.Context, err error) {
	s.transferring = false
	switch {
	case err == nil:
		s.ending, s.endAt = AgentEnded, time.Now()
		return
	case ctx.Err() != nil:
		return
	}
	s.problem(Problem{Service: ToolUse, Critical: true, Message: fmt.Sprintf("the call could not be transferred: %v", err), Agent: s.flow.agent, At: time.Now()})
	s.cue(ctx, "The call could not be transferred. Tell the caller and go on with the conversation.")
}
