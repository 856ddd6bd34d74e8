package generation

import (
	"crypto/rand"
	"encoding/json"
	"fmt"

	"parley/internal/dialogue"
	"parley/internal/voice/routing"
)

// MaxToolRounds bounds how often a model may call functions in one turn.
const MaxToolRounds = 5

// Round is tools that a model called at once: on its way from the answer to the
// session's loop, which runs them, and back.
type Round struct {
	Answer *Answer
	Calls  []dialogue.ToolCall
	Executions

	done chan RoundResult // takes one
}

// RoundResult is what an answer continues with.
type RoundResult struct {
	Messages []dialogue.Message
	// Functions and System are as they are now: tools change what conditions and
	// templates see.
	Functions routing.Functions
	System    string
	// Over says that the answer ends with Message, which may be empty, because
	// something else follows it.
	Over    bool
	Message string
}

// Finish hands the result to the answer.
func (r *Round) Finish(result RoundResult) { r.done <- result }

// runRounds has the model answer, run tools and continue with their results,
// until it calls no more.
func (a *Answer) runRounds(r *Request, out script) error {
	spoke := false
	for n := 0; ; n++ {
		text, calls, err := a.generate(r, out.say)
		if err != nil {
			return err
		}
		spoke = spoke || text != ""
		tools, unknown := sortCalls(r.Functions, calls)
		asked := append(tools[:len(tools):len(tools)], unknown...)
		switch {
		case len(asked) == 0:
			return nil
		case n > MaxToolRounds && spoke:
			return nil // it was told not to, and has said something
		case n > MaxToolRounds:
			return a.modelFailure(r, fmt.Errorf("called functions %d times in a row instead of answering", n+1))
		}
		r.addMessages(dialogue.Message{Role: dialogue.RoleAssistant, Content: text, ToolCalls: asked})
		if n == MaxToolRounds {
			a.refuseCalls(r, asked)
			continue
		}
		var result RoundResult
		if len(tools) > 0 {
			if text != "" {
				if err := out.flush(); err != nil {
					return err
				}
			}
			if result, err = a.runTools(out, tools); err != nil {
				return err
			}
			r.addMessages(result.Messages...)
			r.Functions, r.Prompt.Tools, r.Prompt.System = result.Functions, result.Functions.List, result.System
		}
		a.answerUnknown(r, unknown)
		if result.Over || len(tools) > 0 && len(asked) < len(calls) { // a function of the engine's was called as well
			return out.say(result.Message)
		}
	}
}

// addMessages adds to the prompt, whose messages earlier prompts may share.
func (r *Request) addMessages(messages ...dialogue.Message) {
	old := r.Prompt.Messages
	r.Prompt.Messages = append(old[:len(old):len(old)], messages...)
}

// refuseCalls answers to calls that are too many.
func (a *Answer) refuseCalls(r *Request, calls []dialogue.ToolCall) {
	a.reportMisuse(r, fmt.Sprintf("the model called functions more than %d times in a turn", MaxToolRounds))
	for _, call := range calls {
		r.addMessages(dialogue.Message{Role: dialogue.RoleTool, ToolCallID: call.ID,
			Content: "Not run: no more functions can be called in this turn. Answer the caller with what you have."})
	}
}

// answerUnknown answers to calls of functions that were not offered.
func (a *Answer) answerUnknown(r *Request, calls []dialogue.ToolCall) {
	for _, call := range calls {
		a.reportMisuse(r, fmt.Sprintf("the model called the function %q, which was not offered", call.Name))
		r.addMessages(dialogue.Message{Role: dialogue.RoleTool, ToolCallID: call.ID, Content: fmt.Sprintf("There is no function %s.", call.Name)})
	}
}

func (a *Answer) reportMisuse(r *Request, message string) {
	a.report(FunctionsMisused{r.Models[0].Provider, message})
}

// runTools has the session run tools, once the turn is over, and waits for their
// results. Meanwhile it says the filler that it is given.
func (a *Answer) runTools(out script, calls []dialogue.ToolCall) (RoundResult, error) {
	select {
	case <-a.committed:
	case <-a.ctx.Done():
		return RoundResult{}, a.ctx.Err()
	}
	r := &Round{Answer: a, Calls: calls, done: make(chan RoundResult, 1)}
	a.report(ToolsRequested{r})
	filled := false
	for {
		select {
		case result := <-r.done:
			if filled {
				return result, out.flush()
			}
			return result, nil
		case filler := <-a.filler:
			filled = true
			if err := out.say(filler); err != nil {
				return RoundResult{}, err
			}
		case <-a.ctx.Done():
			return RoundResult{}, a.ctx.Err()
		}
	}
}

// sortCalls separates the tools that a model called from functions that were not
// offered. Those of the engine are neither: the session carries them out after
// the answer.
func sortCalls(f routing.Functions, calls []dialogue.ToolCall) (tools, unknown []dialogue.ToolCall) {
	for _, call := range calls {
		if call.Arguments == nil {
			call.Arguments = json.RawMessage("{}")
		}
		if call.ID == "" {
			call.ID = "call_" + rand.Text() // a result needs something to refer to
		}
		if _, engines := f.Destinations[call.Name]; engines {
			continue
		}
		if f.Tools[call.Name] {
			tools = append(tools, call)
		} else {
			unknown = append(unknown, call)
		}
	}
	return tools, unknown
}
