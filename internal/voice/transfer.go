package voice

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"parley/internal/answering"
	"parley/internal/audio"
	"parley/internal/netguard"
	"parley/internal/tool"
	"parley/internal/transfer"
	"parley/internal/voice/providers"
	"parley/internal/voice/routing"
	"parley/internal/voice/turn"
)

const (
	// comfortInterval is the time between two hold messages to the caller.
	comfortInterval = 30 * time.Second
	// personSilence is the silence of a person who has answered after which they count as one, and personWindow the longest time in which
	// it is found out who has answered.
	personSilence, personWindow = 2 * time.Second, 6 * time.Second
)

// beginTransfer begins a transfer to a person: the caller is put on hold, and the first target is dialled.
func (s *Session) beginTransfer(ctx context.Context, request tool.Transfer, now time.Time) {
	t := &personTransfer{request: request, machine: transfer.New(request.Mode, len(request.Targets)),
		cancel: func() {}, comfortDue: now.Add(comfortInterval)}
	s.transfer, s.phase = t, holding
	s.agentState.set(Thinking)
	switch {
	case request.Mode == transfer.Bridge && !request.Page:
	case request.Summary != tool.AutoSummary:
		t.summary = request.Summary
	case s.hasModel() && !s.answered.asking:
		t.asked = true
		s.askModel(ctx, summaryPrompt(s.history.Messages(), s.router.Language()))
	default:
		t.summary = s.fixedText(callerWaitsText).Text
	}
	s.transferEvent(ctx, transfer.Begin, nil, now)
}

// transferEvent has the state machine handle an event, records a target that was not reached, and does what follows.
func (s *Session) transferEvent(ctx context.Context, e transfer.Event, failure *transfer.Failure, now time.Time) {
	t := s.transfer
	if t == nil {
		return
	}
	target, attempt := t.target(), t.machine.Target()
	dialled := t.machine.State() != transfer.Requested && t.machine.State() != transfer.Holding && t.machine.State() != transfer.Connected
	actions := t.machine.Handle(e, failure)
	if dialled && (t.machine.Target() != attempt || t.machine.State() == transfer.Returned) {
		s.recordTransfer(Transfer{Phase: TransferFailed, To: target, Attempt: attempt + 1, Failure: t.machine.Failure()})
	}
	for _, action := range actions {
		s.executeTransferAction(ctx, action, now)
	}
}

func (s *Session) executeTransferAction(ctx context.Context, action transfer.Action, now time.Time) {
	t := s.transfer
	switch action {
	case transfer.Hold:
		s.options.Persons.Hold(s.router.Agent(), s.router.Config().HoldSound)
		s.transferEvent(ctx, transfer.CallerHeld, nil, now)
	case transfer.Dial:
		s.reachTarget(ctx, now)
	case transfer.FindPerson:
		s.findPerson(now)
	case transfer.Brief:
		t.judge = nil
		s.brief(ctx, now)
	case transfer.AwaitReply:
		t.acceptBy = now.Add(t.request.Accept)
	case transfer.Connect:
		s.connectPerson(ctx, now)
	case transfer.HangUp:
		s.hangUpPerson(now)
	case transfer.GoOn:
		s.goOnWithCaller(ctx, now)
	case transfer.PassOn:
		s.passOn(ctx, now)
	case transfer.EndCall:
		s.endCallAt(now, Transferred)
	}
}

// recordTransfer records a step of the transfer.
func (s *Session) recordTransfer(step Transfer) {
	request := s.transfer.request
	step.Mode, step.Attempts, step.Page = request.Mode, len(request.Targets), request.Page && tool.AgentTarget(step.To) == ""
	if step.Page && step.Phase == TransferStarted {
		step.Summary = s.transfer.summary
	}
	s.options.Journal.TransferChanged(step)
}

// reachTarget dials the transfer's target, or hands the caller over to it if it is an agent.
func (s *Session) reachTarget(ctx context.Context, now time.Time) {
	t := s.transfer
	s.recordTransfer(Transfer{Phase: TransferStarted, To: t.target(), Attempt: t.machine.Target() + 1})
	agent := tool.AgentTarget(t.target())
	if agent == "" {
		s.dialPerson(ctx)
		return
	}
	var possible bool
	if t.agent, possible = s.router.FindHandoff(agent); possible {
		s.transferEvent(ctx, transfer.AgentTakes, nil, now)
		return
	}
	s.transferEvent(ctx, transfer.DialFailed, &transfer.Failure{Reason: transfer.Rejected, Detail: "A handoff to the agent " + agent + " is not possible here."}, now)
}

// passOn hands the caller over to the agent that is the transfer's target.
func (s *Session) passOn(ctx context.Context, now time.Time) {
	t := s.transfer
	s.stopAnswer(now)
	s.recordTransfer(Transfer{Phase: TransferCompleted, To: t.target(), Attempt: t.machine.Target() + 1})
	s.leaveTransfer(now)
	if reason := t.machine.Failure().Reason; reason != "" {
		s.addInstruction(fmt.Sprintf("The caller was to be connected with a person, who was not reached (%s).", reason))
	}
	s.handOff(ctx, t.agent)
}

// leaveTransfer takes the caller off hold; an agent goes on with them.
func (s *Session) leaveTransfer(now time.Time) {
	s.transfer, s.phase = nil, conversing
	s.options.Persons.Resume()
	s.silence.recordActivity(now)
	s.latency.exclude(now)
}

// dialPerson dials the transfer's target.
func (s *Session) dialPerson(ctx context.Context) {
	t := s.transfer
	ctx, t.cancel = context.WithCancel(ctx)
	dialled := make(chan dialOutcome)
	t.dialled = dialled
	call := PersonCall{Target: t.target(), Ring: t.request.Ring, CallerID: t.request.CallerID, Headers: t.request.Headers}
	s.work.Go(func() {
		var o dialOutcome
		o.err = providers.CatchPanic(func() (err error) {
			o.person, err = s.options.Persons.Dial(ctx, call)
			return err
		})
		select {
		case dialled <- o:
		case <-ctx.Done():
			if o.person != nil {
				o.person.HangUp()
			}
		}
	})
}

// handleDialOutcome handles the end of a dial.
func (s *Session) handleDialOutcome(ctx context.Context, o dialOutcome, now time.Time) {
	t := s.transfer
	if o.err == nil {
		t.person = o.person
		s.recordTransfer(Transfer{Phase: TransferAnswered, To: t.target(), Attempt: t.machine.Target() + 1})
		s.transferEvent(ctx, transfer.PhoneAnswered, nil, now)
		return
	}
	failure := new(transfer.Failure)
	if !errors.As(o.err, &failure) {
		failure = &transfer.Failure{Reason: transfer.Rejected, Detail: netguard.Text(o.err)}
	}
	s.transferEvent(ctx, transfer.DialFailed, failure, now)
}

// findPerson begins to find out who has answered.
func (s *Session) findPerson(now time.Time) {
	options := s.router.Config().AnswerDetection.Options(s.recognisesPerson())
	options.NoSpeech, options.Window = personSilence, personWindow
	options.OnTimeout, options.AsksModel = answering.Human, false
	s.transfer.judge = answering.NewJudge(options, now)
}

// recognisesPerson reports whether the words of a person are recognised: those that a realtime model hears are the caller's.
func (s *Session) recognisesPerson() bool {
	return s.providers.Recognition() != nil && !s.providers.UsesRealtime()
}

// handlePersonFrame handles a frame of the person's audio, before they are connected.
func (s *Session) handlePersonFrame(ctx context.Context, pcm []int16, now time.Time) {
	heard := pcm
	if !s.recognisesPerson() {
		heard = silentFrame
	}
	activity := s.input.pushFrame(heard, s.providers.Recognition() != nil, now)
	class := s.input.class
	if !s.recognisesPerson() {
		class = Classification{Activity: audio.Activity{Voiced: isLoud(pcm)}}
	}
	if judge := s.transfer.judge; judge != nil {
		judge.PushFrame(pcm, class.Voiced && !class.Echo, class.Noise, now)
	}
	s.handleTurnAction(ctx, activity.Action, now)
}

// handlePersonTranscript handles words of the person.
func (s *Session) handlePersonTranscript(ctx context.Context, text string, final bool, now time.Time) {
	t := s.transfer
	if t.judge != nil {
		t.judge.Transcript(text, final, now)
	}
	if final && t.request.Mode == transfer.Consult && t.machine.State() == transfer.Briefing {
		if reply := transfer.Reply(text); reply != 0 {
			s.transferEvent(ctx, reply, nil, now)
		}
	}
}

// handlePersonKey handles a key of the person.
func (s *Session) handlePersonKey(ctx context.Context, key byte, now time.Time) {
	switch key {
	case transfer.AcceptKey:
		s.transferEvent(ctx, transfer.PersonAccepted, nil, now)
	case transfer.DeclineKey:
		s.transferEvent(ctx, transfer.PersonDeclined, nil, now)
	}
}

// dropTurn ends a turn of a person, whose words are read as they come.
func (s *Session) dropTurn(ctx context.Context, action turn.Action, now time.Time) {
	if action != turn.Commit {
		s.ignoreTurnAction(ctx, action, now)
		return
	}
	s.input.endTurn(s.providers.Recognition())
	s.detector.TurnCommitted(now)
	s.detector.AgentStopped(now)
}

// keepTransfer does what is due in a transfer.
func (s *Session) keepTransfer(ctx context.Context, now time.Time) {
	t := s.transfer
	if t == nil {
		return
	}
	s.silence.recordActivity(now)
	if t.judge != nil {
		t.judge.Elapsed(now)
		if v := t.judge.Verdict(); v != nil {
			t.judge = nil
			s.transferEvent(ctx, eventOf(v.Class), nil, now)
		}
	}
	if !t.acceptBy.IsZero() && !now.Before(t.acceptBy) {
		t.acceptBy = time.Time{}
		s.transferEvent(ctx, transfer.AcceptTimedOut, nil, now)
	}
	if s.phase == holding && s.output.current == nil && !t.hears() && !now.Before(t.comfortDue) {
		t.comfortDue = now.Add(comfortInterval)
		s.speakFixedText(ctx, s.fixedText(stillTryingText))
	}
}

// eventOf returns what a class of who answered means to a transfer.
func eventOf(class answering.Class) transfer.Event {
	switch class {
	case answering.Voicemail, answering.MailboxFull, answering.Fax, answering.Menu, answering.Screening:
		return transfer.MachineFound
	}
	return transfer.PersonFound
}

// transferDueAt returns when keepTransfer has something to do; zero for never.
func (s *Session) transferDueAt() time.Time {
	t := s.transfer
	switch {
	case t == nil || t.isConnected() || s.phase.ends():
		return time.Time{}
	case t.judge != nil:
		return time.Now().Add(watchInterval)
	case !t.acceptBy.IsZero():
		return t.acceptBy
	case t.hears() || s.output.current != nil:
		return time.Time{}
	}
	return t.comfortDue
}

// brief has the person hear the summary, once it is there.
func (s *Session) brief(ctx context.Context, _ time.Time) {
	t := s.transfer
	if t.asked || t.speaking {
		return // setSummary goes on
	}
	text := routing.Rendered{Text: t.summary}
	if t.request.Mode == transfer.Consult {
		text.Text += " " + s.fixedText(acceptText).Text
	}
	s.addInstruction("The person was told this about the caller; the caller has not heard it:")
	t.speaking = true
	s.speakFixedText(ctx, text)
}

// setSummary sets the summary that the language model has written.
func (s *Session) setSummary(ctx context.Context, r modelReply, now time.Time) {
	t := s.transfer
	if t == nil || !t.asked {
		return
	}
	t.asked, t.summary = false, strings.Join(strings.Fields(s.hidden.values.Restore(r.text)), " ")
	if r.err != nil || t.summary == "" {
		t.summary = s.fixedText(callerWaitsText).Text
	}
	if t.request.Page {
		s.recordTransfer(Transfer{Phase: TransferSummarised, To: t.target(), Attempt: t.machine.Target() + 1, Summary: t.summary})
	}
	if t.machine.State() == transfer.Briefing {
		s.brief(ctx, now)
	}
}

// endSpeechInTransfer is called when the agent has spoken, to the person or to the caller on hold.
func (s *Session) endSpeechInTransfer(ctx context.Context, _ *answer, now time.Time) {
	if t := s.transfer; t.speaking {
		t.speaking = false
		s.transferEvent(ctx, transfer.BriefingEnded, nil, now)
	}
}

// connectPerson lets caller and person hear each other.
func (s *Session) connectPerson(ctx context.Context, now time.Time) {
	t := s.transfer
	s.stopAnswer(now)
	t.judge, t.acceptBy, t.speaking = nil, time.Time{}, false
	t.person.Connect()
	s.phase = bridged
	if t.request.After == tool.AfterListen {
		s.phase = observing
		s.transcribeColleague(ctx, t.person)
	}
	s.agentState.set(Listening)
	step := Transfer{Phase: TransferCompleted, To: t.target(), Attempt: t.machine.Target() + 1}
	if t.request.Mode != transfer.Bridge {
		step.Summary = t.summary
	}
	s.recordTransfer(step)
}

// hangUpPerson ends the person's call, or the dial.
func (s *Session) hangUpPerson(now time.Time) {
	t := s.transfer
	if t.speaking {
		s.stopAnswer(now)
	}
	t.judge, t.acceptBy, t.speaking = nil, time.Time{}, false
	t.cancel()
	t.dialled = nil
	if t.person != nil {
		t.person.HangUp()
		t.person = nil
	}
}

// goOnWithCaller has the agent go on with the caller after a transfer that failed.
func (s *Session) goOnWithCaller(ctx context.Context, now time.Time) {
	failure := s.transfer.machine.Failure()
	s.stopAnswer(now)
	s.leaveTransfer(now)
	message := fmt.Sprintf("the caller could not be transferred (%s)", failure.Reason)
	if failure.Detail != "" {
		message += ": " + failure.Detail
	}
	s.problems.report(Problem{Service: ToolUse, Critical: failure.Reason == transfer.NoTrunk, Message: message, Agent: s.router.Agent(), At: now})
	result, _ := json.Marshal(struct { // texts and a number
		Status string          `json:"status"`
		Reason transfer.Reason `json:"reason"`
		SIP    int             `json:"sip_status,omitempty"`
	}{"not_transferred", failure.Reason, failure.SIPStatus})
	s.generateOnInstruction(ctx, "The transfer has failed: "+string(result)+". The caller was on hold and is with you again. Tell them, and go on with the conversation.")
}

// failInTransfer handles the failure of a provider while the caller is on hold.
func (s *Session) failInTransfer(ctx context.Context, p Problem) {
	s.closeTransfer(ctx)
	s.options.Persons.Resume()
	s.transfer = nil
	s.apologize(ctx, p)
}

// ignoreFailure ignores the failure of a provider that nobody needs any more.
func (s *Session) ignoreFailure(context.Context, Problem) {}

// closeTransfer ends a transfer with the call: the person's phone is hung up.
func (s *Session) closeTransfer(ctx context.Context) {
	s.transferEvent(ctx, transfer.CallerHungUp, nil, time.Now())
}

// loudSample is the least amplitude of a person who speaks, where only that is measured.
const loudSample = 1000

func isLoud(pcm []int16) bool {
	for _, v := range pcm {
		if v > loudSample || v < -loudSample {
			return true
		}
	}
	return false
}
