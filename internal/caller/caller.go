// Package caller is a synthetic caller: it starts a call through the API as any client does, joins the room over
// WebRTC, speaks lines, listens to the answers and measures latencies.
//
// Latencies are measured on the packets as a caller would experience them: when each was sent and received.
package caller

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"time"

	"parley/client"
	"parley/internal/audio"
	"parley/internal/dialogue"
	"parley/internal/media"
)

// Options configures a call.
type Options struct {
	Server, APIKey string
	// Workflow is the slug of the workflow to call, Agent the name of the agent; exactly one is set.
	Workflow, Agent string
	UserContext     map[string]any
	Metadata        map[string]any

	Say   []string // lines, spoken in order
	Voice string   // of the offline synthesiser; "" for slt
	WAV   string   // a recording to speak after the lines; "" for none

	// InterruptAfter speaks a line that long after the previous reply started, if the agent still speaks. 0 always
	// waits for the end of a reply.
	InterruptAfter time.Duration
	HangUp         bool   // hang up after the last reply instead of waiting for the agent to end the call
	Record         string // WAV file for the agent's received audio; "" for none

	// Dispatched, if not nil, is called with the call before it is joined.
	Dispatched func(*client.Dispatch)
	// Ready, if not nil, reports whether the nth line, from 0, may be spoken. It is asked every 20 ms until it does.
	Ready func(n int) bool
	// Synthesizer speaks the lines; nil for the offline one.
	Synthesizer dialogue.Synthesizer
	// Joiner is shared by the process; nil to create one.
	Joiner *media.Joiner
	Log    *slog.Logger
}

func (o *Options) check() error {
	switch {
	case o.Server == "":
		return errors.New("the server's address is missing")
	case (o.Workflow == "") == (o.Agent == ""):
		return errors.New("name either a workflow or an agent to call")
	case o.InterruptAfter < 0:
		return errors.New("the time before an interruption is negative")
	}
	if o.Voice == "" {
		o.Voice = "slt"
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Joiner == nil {
		o.Joiner = media.NewJoiner(o.Log)
	}
	return nil
}

// endWait is how long the server may take to end the call after the caller has left.
const endWait = 35 * time.Second

// Run makes one call. It returns an error if the call could not be made or its end is unknown; the result says how
// the call ended, and is not nil once the call was dispatched. When ctx ends, the caller hangs up.
func Run(ctx context.Context, o Options) (*Result, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	lines, err := prepare(ctx, o)
	if err != nil {
		return nil, err
	}
	api := client.New(o.Server, o.APIKey)
	dispatched, err := dispatch(ctx, api, o)
	if err != nil {
		return nil, fmt.Errorf("start call: %w", err)
	}
	answered := time.Now()
	if o.Dispatched != nil {
		o.Dispatched(dispatched)
	}
	result := &Result{CallID: dispatched.CallID, Status: dispatched.Status, Turns: []Turn{}, Transcript: []client.TranscriptEntry{}}
	line, err := o.Joiner.Join(ctx, media.JoinOptions{URL: dispatched.URL, Token: dispatched.Token})
	if errors.Is(err, media.ErrNoRoom) {
		// A call that fails when its caller joins, for example because of an invalid provider key, may delete the
		// room before the join completes.
		if ended, get := api.Calls.Get(ctx, dispatched.CallID); get == nil && ended.EndedAt != nil {
			return result, result.conclude(ctx, api, nil)
		}
	}
	if err != nil {
		return result, errors.Join(err, giveUp(ctx, api, result))
	}
	defer line.Leave()

	talk := newConversation(line, lines, o)
	spoken := talk.run(ctx)
	line.Leave()
	result.setMeasurements(talk, answered)
	if o.Record != "" {
		if err := record(o.Record, talk.heard); err != nil {
			return result, errors.Join(spoken, err)
		}
		result.Recording = o.Record
	}
	return result, errors.Join(spoken, result.conclude(ctx, api, talk.said()))
}

func dispatch(ctx context.Context, api *client.Client, o Options) (*client.Dispatch, error) {
	if o.Agent != "" {
		return api.Calls.TestAgent(ctx, client.TestAgent{AgentName: o.Agent, UserContext: o.UserContext, Metadata: o.Metadata})
	}
	return api.Calls.Start(ctx, client.StartCall{WorkflowSlug: o.Workflow, UserContext: o.UserContext, Metadata: o.Metadata})
}

// giveUp ends a call that the caller could not join.
func giveUp(ctx context.Context, api *client.Client, r *Result) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	ended, err := api.Calls.End(ctx, r.CallID)
	if err != nil {
		return fmt.Errorf("end call %s: %w", r.CallID, err)
	}
	r.Status = ended.Status
	return nil
}

// conclude reads from the API how the call ended and its transcript.
func (r *Result) conclude(ctx context.Context, api *client.Client, said []string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), endWait)
	defer cancel()
	call, err := api.Calls.Wait(ctx, r.CallID, 50*time.Millisecond)
	if call != nil && call.Status != "" {
		r.Status = call.Status
		if call.StatusReason != nil {
			r.StatusReason = *call.StatusReason
		}
	}
	if err != nil {
		return fmt.Errorf("wait for the end of call %s: %w", r.CallID, err)
	}
	transcript, err := api.Calls.Transcript(ctx, r.CallID)
	if err != nil {
		return fmt.Errorf("transcript of call %s: %w", r.CallID, err)
	}
	r.Transcript = transcript
	for i, reply := range replies(said, transcript) {
		r.Turns[i].Replied = reply
	}
	return nil
}

func record(path string, pcm []int16) error {
	f, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("record: %w", err)
	}
	if err := errors.Join(audio.WriteWAV(f, pcm, dialogue.ListenRate), f.Close()); err != nil {
		return fmt.Errorf("record: %w", err)
	}
	return nil
}
