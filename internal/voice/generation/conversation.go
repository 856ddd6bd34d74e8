package generation

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"parley/internal/dialogue"
	"parley/internal/voice/providers"
	"parley/internal/voice/speechtext"
)

// usageTimeout bounds the wait for the token usage of a cancelled answer.
const usageTimeout = 3 * time.Second

// GenerateRealtime starts the answer of a realtime model, with its tools, as Generate does with a language model. timeout
// is how long the model may send nothing. The call's context bounds the wait for the usage of a cancelled answer.
func (a *Answer) GenerateRealtime(call context.Context, work *sync.WaitGroup, c dialogue.Conversation, r Request, timeout time.Duration) {
	s := &realtimeAnswer{Answer: a, call: call, conversation: c, timeout: timeout}
	a.onCancel = s.truncate
	work.Go(func() {
		err := providers.CatchPanic(func() error { return s.runResponses(&r) })
		switch spent := errors.As(err, new(requestsSpent)); {
		case spent:
			a.report(Failed{err})
		case err != nil && a.ctx.Err() == nil:
			a.report(ConversationFailed{c, err})
			return
		}
		a.report(AudioEnded{})
	})
}

// realtimeAnswer is an answer of a realtime model: one response, and one more for each round of tools.
type realtimeAnswer struct {
	*Answer
	call         context.Context
	conversation dialogue.Conversation
	timeout      time.Duration

	mu          sync.Mutex
	responses   []startedResponse
	samples     int            // of the audio of all responses
	playedAtEnd *time.Duration // how much was played when the answer was cancelled; nil before
}

// startedResponse is a response, with the sample of the answer at which its audio starts.
type startedResponse struct {
	dialogue.Response
	at int
}

// truncate records how much of a cancelled answer was played, and truncates its responses at the model.
func (s *realtimeAnswer) truncate(played time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.playedAtEnd = &played
	for _, b := range s.responses {
		b.Truncate(max(0, played-speakTime(b.at)))
	}
}

func speakTime(samples int) time.Duration {
	return time.Duration(samples) * time.Second / dialogue.SpeakRate
}

// startResponse starts a response, unless the answer is cancelled.
func (s *realtimeAnswer) startResponse(r *Request) (dialogue.Response, error) {
	if err := s.awaitRequest(r.Budget); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.playedAtEnd != nil {
		return nil, context.Canceled
	}
	response := s.conversation.Respond(dialogue.ResponseOptions{System: r.Prompt.System, Tools: r.Prompt.Tools, RepliesToCaller: r.RepliesToCaller})
	s.responses = append(s.responses, startedResponse{response, s.samples})
	return response, nil
}

// runResponses has the model respond, runs the tools that it calls, and has it respond to their results, until it calls no
// more.
func (s *realtimeAnswer) runResponses(r *Request) error {
	spoke := false
	for n := 0; ; n++ {
		response, err := s.startResponse(r)
		if err != nil {
			return err
		}
		audible, calls, err := s.relayResponse(response)
		if err != nil {
			return err
		}
		spoke = spoke || audible
		tools, unknown := sortCalls(r.Functions, calls)
		tools, rejected := s.admitTools(r.Budget, tools)
		asked := slices.Concat(tools, rejected, unknown)
		switch {
		case len(asked) == 0 && len(calls) == 0 && !spoke:
			s.report(FailureSurvived{providers.NewFailure(r.Realtime, s.Agent, errEmpty)})
			return nil
		case len(asked) == 0:
			return nil
		case n > MaxToolRounds:
			return nil // the model was instructed to call no more
		}
		if n == MaxToolRounds {
			s.report(FunctionsMisused{r.Realtime.Provider, fmt.Sprintf("the model called functions more than %d times in a turn", MaxToolRounds)})
			s.addCallResults(asked, "Not run: no more functions can be called in this turn. Answer the caller with what you have.")
			continue
		}
		var result RoundResult
		if len(tools) > 0 {
			if result, err = s.runRound(tools); err != nil {
				return err
			}
			s.conversation.Add(result.Messages...)
			r.Functions, r.Prompt.Tools, r.Prompt.System = result.Functions, result.Functions.List, result.SystemPrompt
		}
		s.addCallResults(rejected, toolNotAdmitted)
		for _, call := range unknown {
			s.report(FunctionsMisused{r.Realtime.Provider, unknownFunction})
			s.addCallResults([]dialogue.ToolCall{call}, fmt.Sprintf("There is no function %s.", call.Name))
		}
		if result.EndsAnswer || len(tools) > 0 && len(asked) < len(calls) { // one of the engine's functions was called as well
			return s.speakLast(r, result.Message)
		}
	}
}

// speakLast has the model say a text that ends the answer; "" for none.
func (s *realtimeAnswer) speakLast(r *Request, text string) error {
	if text == "" {
		return nil
	}
	s.conversation.Add(dialogue.Message{Role: dialogue.RoleSystem, Content: Verbatim(text)})
	response, err := s.startResponse(r)
	if err != nil {
		return err
	}
	_, _, err = s.relayResponse(response)
	return err
}

// Verbatim returns the instruction to a realtime model to say a text word for word.
func Verbatim(text string) string {
	return "Say exactly the following text to the caller, word for word, and nothing else:\n" + text
}

// addCallResults sends the model the same result for each call.
func (s *realtimeAnswer) addCallResults(calls []dialogue.ToolCall, result string) {
	for _, call := range calls {
		s.conversation.Add(dialogue.Message{Role: dialogue.RoleTool, ToolCallID: call.ID, Content: result})
	}
}

// runRound waits until the turn is over, has the session run tools, and waits for their results.
func (s *realtimeAnswer) runRound(calls []dialogue.ToolCall) (RoundResult, error) {
	select {
	case <-s.committed:
	case <-s.ctx.Done():
		return RoundResult{}, s.ctx.Err()
	}
	r := &Round{Answer: s.Answer, Calls: calls, done: make(chan RoundResult, 1)}
	s.report(ToolsRequested{r})
	select {
	case result := <-r.done:
		return result, nil
	case <-s.ctx.Done():
		return RoundResult{}, s.ctx.Err()
	}
}

// relayResponse reports the events of a response as they arrive, until it ends. audible: it has audio.
func (s *realtimeAnswer) relayResponse(response dialogue.Response) (audible bool, calls []dialogue.ToolCall, err error) {
	stall := time.NewTimer(s.timeout)
	defer stall.Stop()
	hasText := false
	for first := true; ; first = false {
		var event dialogue.ResponseEvent
		more := true
		select {
		case event, more = <-response.Events():
		case <-stall.C:
			return audible, calls, providers.TimeoutError(s.timeout)
		case <-s.ctx.Done():
			s.awaitUsage(response)
			return audible, calls, s.ctx.Err()
		}
		if !more {
			return audible, calls, response.Err()
		}
		stall.Reset(s.timeout)
		if first {
			s.report(FirstToken{})
		}
		if event.Text != "" {
			if !hasText {
				hasText = true
				s.report(TextSent{})
			}
			if event.NewItem {
				s.report(AudioReceived{Text: speechtext.Plain(event.Text)})
			} else {
				s.report(TextExtended{event.Text})
			}
		}
		if len(event.PCM) > 0 {
			audible = true
			s.mu.Lock()
			s.samples += len(event.PCM)
			s.mu.Unlock()
			s.report(AudioReceived{Speech: dialogue.Speech{PCM: event.PCM}})
		}
		if len(event.ToolCalls) > 0 {
			calls = append(calls, event.ToolCalls...)
			s.report(CallsReceived{event.ToolCalls})
		}
		if event.Usage != nil {
			s.reportUsage(*event.Usage)
		}
	}
}

// reportUsage reports the tokens of a response. Those of a cancelled one are reported too: they are billed.
func (s *realtimeAnswer) reportUsage(u dialogue.Usage) {
	select {
	case s.reports <- Report{s.Answer, time.Now(), UsageReceived{u}}:
	case <-s.call.Done():
	}
}

// awaitUsage reports the usage of a cancelled response, which arrives after it.
func (s *realtimeAnswer) awaitUsage(response dialogue.Response) {
	late := time.NewTimer(usageTimeout)
	defer late.Stop()
	for {
		select {
		case event, more := <-response.Events():
			if !more {
				return
			}
			if event.Usage == nil {
				continue
			}
			s.reportUsage(*event.Usage)
			return
		case <-late.C:
			return
		case <-s.call.Done():
			return
		}
	}
}
