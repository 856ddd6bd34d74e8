package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"parley/client"
)

type callsShow struct {
	target
	output
	ID string `arg:"" help:"The call's id."`
}

// Run prints a call and its timeline.
func (c *callsShow) Run(s signalled) error {
	key, err := c.key()
	if err != nil {
		return err
	}
	api := client.New(c.Server, key).Calls
	call, err := api.Get(s.ctx, c.ID)
	if err != nil {
		return err
	}
	moments, err := api.Timeline(s.ctx, c.ID)
	if err != nil {
		return err
	}
	return c.print(struct {
		Call     *client.Call    `json:"call"`
		Timeline []client.Moment `json:"timeline"`
	}{call, moments}, strings.Join(timeline(call, moments), "\n"))
}

// timeline returns a line about the call, and one for each item: the seconds since the call was made, and what happened.
// What was said and whose number it is are not in them.
func timeline(call *client.Call, moments []client.Moment) []string {
	lines := []string{fmt.Sprintf("%s  %s, %s, %s  %s %s", call.ID, call.CallType, call.Direction, call.CreatedAt.Local().Format(time.DateTime), call.Status, value(call.StatusReason))}
	for _, m := range moments {
		lines = append(lines, fmt.Sprintf("%8.2fs  %-15s %s", m.Timestamp.Sub(call.CreatedAt).Seconds(), m.Type, strings.Join(strings.Fields(describe(m)), " ")))
	}
	return lines
}

// describe returns what a timeline's item says.
func describe(m client.Moment) string {
	switch m.Type {
	case client.MomentStatus:
		text := m.Status + " " + m.StatusReason
		if m.SIPStatus != nil {
			text += fmt.Sprintf(" (SIP %d)", *m.SIPStatus)
		}
		return text
	case client.MomentHandoff:
		return m.PreviousAgent + " → " + m.Agent
	case client.MomentToolCall:
		return m.Name + " " + milliseconds("took", m.DurationMS)
	case client.MomentTurn:
		text := m.Agent
		for _, part := range []struct {
			name string
			ms   *float64
		}{{"voice to voice", m.VoiceToVoiceMS}, {"endpointing", m.EndpointingMS}, {"stt", m.STTLatencyMS}, {"llm", m.LLMLatencyMS}, {"tts", m.TTSLatencyMS}} {
			text += " " + milliseconds(part.name, part.ms)
		}
		if m.Interrupted {
			text += " interrupted"
		}
		return text
	case client.MomentError:
		return m.Level + " of " + m.Service + ": " + m.Message
	default:
		return m.Cause
	}
}

func milliseconds(name string, ms *float64) string {
	if ms == nil {
		return ""
	}
	return fmt.Sprintf("%s %.0f ms", name, *ms)
}

func value(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

const (
	// tailInterval is the time between two looks at the calls.
	tailInterval = time.Second
	// tailPage is how many of the newest calls are looked at.
	tailPage = 100
)

type callsTail struct {
	target
}

// Run prints a line for each call whose status changes, until a signal.
func (c *callsTail) Run(s signalled) error {
	key, err := c.key()
	if err != nil {
		return err
	}
	ticker := time.NewTicker(tailInterval)
	defer ticker.Stop()
	follow := &follower{list: client.New(c.Server, key).Calls.List, out: os.Stdout, known: map[string]string{}}
	for {
		if err := follow.printChanges(s.ctx); err != nil && s.ctx.Err() == nil {
			return err
		}
		select {
		case <-s.ctx.Done():
			return nil
		case <-ticker.C:
		}
	}
}

// follower prints the changes of calls.
type follower struct {
	list  func(context.Context, client.CallQuery) (*client.CallPage, error)
	out   io.Writer
	known map[string]string // status by call
	began bool              // calls that were over before are not printed
}

func (f *follower) printChanges(ctx context.Context) error {
	page, err := f.list(ctx, client.CallQuery{PageSize: tailPage})
	if err != nil {
		return err
	}
	now := map[string]string{}
	for i := len(page.Items) - 1; i >= 0; i-- { // the newest is the first
		call := page.Items[i]
		now[call.ID] = call.Status
		if f.known[call.ID] == call.Status || !f.began && call.EndedAt != nil {
			continue
		}
		line := fmt.Sprintf("%s  %s  %-12s %s %s", time.Now().Format(time.TimeOnly), call.ID, call.Status, call.CallType, value(call.WorkflowSlug))
		if call.EndedAt != nil {
			line += fmt.Sprintf(" %d s", call.DurationSeconds)
		}
		if _, err := fmt.Fprintln(f.out, strings.TrimRight(line, " ")); err != nil {
			return err
		}
	}
	f.known, f.began = now, true
	return nil
}
