package mcpserver

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// explainCall is the tool that explains a call. It answers from what other tools return.
const explainCall = "explain_call"

var explainTool = mcp.Tool{
	Name:  explainCall,
	Title: "Explain a call",
	Description: "Explains why a call went as it did: how it ended, errors and warnings, slow turns with their cause, interruptions, tools, " +
		"handoffs and losses of connections. Each finding has the ids of the timeline's entries that show it: timeline/12 is what " +
		"get_call_timeline returns with offset 12. agents has the beginning of the prompts that the call ran with, if the key may read them.",
	InputSchema: object{"type": "object", "required": []any{"id"}, "properties": object{
		"id": object{"type": "string", "format": "uuid", "description": "Unique identifier of the call."},
	}},
	Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true, IdempotentHint: true, DestructiveHint: new(bool), OpenWorldHint: new(bool)},
}

// Bounds of an explanation.
const (
	slowTurn    = 2000.0 // milliseconds from the caller's last sound to the agent's first
	slowTool    = 5000.0 // milliseconds
	maxEntries  = 10     // ids of one finding
	maxFindings = 40
	maxPrompt   = 600 // characters of each agent's prompt
)

// moment is what an explanation reads of an entry of a timeline.
type moment struct {
	Type         string
	Timestamp    time.Time
	Status       string
	StatusReason string `json:"status_reason"`
	SIPStatus    int    `json:"sip_status"`
	Agent        string
	Previous     string `json:"previous_agent"`
	Class        string
	Cause        string
	Name         string
	Phase        string
	DurationMS   float64 `json:"duration_ms"`
	Endpointing  float64 `json:"endpointing_ms"`
	STT          float64 `json:"stt_latency_ms"`
	LLM          float64 `json:"llm_latency_ms"`
	TTS          float64 `json:"tts_latency_ms"`
	VoiceToVoice float64 `json:"voice_to_voice_ms"`
	Service      string
	Level        string
	Message      string
}

// finding is one thing that happened, with the entries that show it.
type finding struct {
	Severity string   `json:"severity"` // error, warning or info
	Text     string   `json:"text"`
	Count    int      `json:"count"`
	Entries  []string `json:"entries"` // the first ones
}

// explanation is the result of the tool.
type explanation struct {
	CallID       string        `json:"call_id"`
	Status       string        `json:"status"`
	StatusReason *string       `json:"status_reason"`
	Entries      int           `json:"timeline_entries"`
	Findings     []finding     `json:"findings"`
	Agents       []agentPrompt `json:"agents,omitempty"`
}

type agentPrompt struct {
	Agent  string `json:"agent"`
	System string `json:"system"`
}

// explain answers explain_call.
func (s *Server) explain(ctx context.Context, text json.RawMessage) (*mcp.CallToolResult, error) {
	var call struct {
		ID           string
		Status       string
		StatusReason *string `json:"status_reason"`
	}
	var timeline []moment
	for _, read := range []struct {
		tool string
		into any
	}{{"get_call", &call}, {"get_call_timeline", &timeline}} {
		answer, problem, err := s.perform(ctx, s.tools[read.tool], text)
		if problem != nil || err != nil {
			return problem, err
		}
		if err := json.Unmarshal(answer, read.into); err != nil {
			return nil, fmt.Errorf("explain a call: read %s: %w", read.tool, err)
		}
	}
	made := explanation{CallID: call.ID, Status: call.Status, StatusReason: call.StatusReason, Entries: len(timeline), Findings: findings(timeline)}
	// A key without the scopes of prompts is explained the rest.
	if answer, problem, err := s.perform(ctx, s.prompts, text); err == nil && problem == nil {
		made.Agents = agentPrompts(answer)
	}
	encoded, err := json.Marshal(made)
	if err != nil {
		return nil, err
	}
	return result(string(encoded)), nil
}

// findings returns what a timeline shows, the worst first. What happened several times is one finding.
func findings(timeline []moment) []finding {
	list, places := []finding{}, map[string]int{}
	for n, m := range timeline {
		severity, text := m.finding()
		if text == "" {
			continue
		}
		place, known := places[severity+text]
		if !known {
			place = len(list)
			places[severity+text], list = place, append(list, finding{Severity: severity, Text: text})
		}
		f := &list[place]
		if f.Count++; len(f.Entries) < maxEntries {
			f.Entries = append(f.Entries, "timeline/"+strconv.Itoa(n))
		}
	}
	order := []string{"error", "warning", "info"}
	slices.SortStableFunc(list, func(a, b finding) int {
		return cmp.Compare(slices.Index(order, a.Severity), slices.Index(order, b.Severity))
	})
	return list[:min(len(list), maxFindings)]
}

// finding returns what an entry shows; "" for nothing.
func (m moment) finding() (severity, text string) {
	switch m.Type {
	case "status":
		return m.statusFinding()
	case "error":
		return m.Level, fmt.Sprintf("%s of %s: %s", m.Level, m.Service, m.Message)
	case "handoff":
		if m.Previous != "" {
			return "info", fmt.Sprintf("%s handed over to %s", m.Previous, m.Agent)
		}
	case "answer":
		return "info", fmt.Sprintf("the phone was answered by: %s (%s)", m.Class, m.Cause)
	case "tool_call":
		switch {
		case m.Phase == "cancelled":
			return "warning", fmt.Sprintf("the tool %s was cut off by the end of the call", m.Name)
		case m.DurationMS > slowTool:
			return "warning", fmt.Sprintf("the tool %s took more than %.0f s", m.Name, slowTool/1000)
		}
		return "info", fmt.Sprintf("the tool %s was called", m.Name)
	case "turn":
		if m.VoiceToVoice > slowTurn {
			return "warning", fmt.Sprintf("an answer began more than %.0f s after the caller's last word, mostly by %s", slowTurn/1000, m.slowest())
		}
	case "agent_interrupted":
		return "info", fmt.Sprintf("the agent was interrupted (%s)", m.Cause)
	case "worker_lost", "agent_rejoined", "caller_rejoined":
		return "warning", fmt.Sprintf("%s (%s)", strings.ReplaceAll(m.Type, "_", " "), m.Cause)
	case "call_held", "transfer_requested", "transfer_completed", "transfer_failed", "operator_joined", "operator_left", "page_opened":
		return "info", strings.ReplaceAll(m.Type, "_", " ")
	}
	return "", ""
}

// statusFinding returns how a call ended; nothing for a status before its end.
func (m moment) statusFinding() (severity, text string) {
	switch m.Status {
	case "completed":
		severity = "info"
	case "failed", "disconnected", "timeout":
		severity = "error"
	default:
		return "", ""
	}
	text = "the call ended as " + m.Status
	if m.StatusReason != "" {
		text += ": " + m.StatusReason
	}
	if m.SIPStatus != 0 {
		text += fmt.Sprintf(" (SIP status %d)", m.SIPStatus)
	}
	return severity, text
}

// slowest names the part of a turn that took the longest.
func (m moment) slowest() string {
	parts := []struct {
		name string
		ms   float64
	}{
		{"the end of the turn (endpointing)", m.Endpointing}, {"speech to text", m.STT}, {"the language model", m.LLM}, {"text to speech", m.TTS},
	}
	most := parts[0]
	for _, p := range parts[1:] {
		if p.ms > most.ms {
			most = p
		}
	}
	return most.name
}

// agentPrompts returns the beginnings of the prompts that a call ran with.
func agentPrompts(answer []byte) []agentPrompt {
	var read struct{ Agents []agentPrompt }
	if json.Unmarshal(answer, &read) != nil {
		return nil
	}
	for n := range read.Agents {
		if text := []rune(read.Agents[n].System); len(text) > maxPrompt {
			read.Agents[n].System = string(text[:maxPrompt]) + "…"
		}
	}
	return read.Agents
}
