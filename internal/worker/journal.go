package worker

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"time"

	"parley/internal/call"
	"parley/internal/database"
	"parley/internal/dialogue"
	"parley/internal/voice"
)

// journalRetry is the wait before a failed write is retried.
const journalRetry = 500 * time.Millisecond

// closeLimit is how long the last write is tried, as long as that of the call's end: the database may be away.
const closeLimit = finishTries * time.Second

// journal writes a conversation's records to the database in the background: records accumulate while a transaction
// runs and go with the next one, so the conversation never waits. Their times are database times.
type journal struct {
	s      *session
	record func(context.Context, call.Lease, call.Records) error

	mu          sync.Mutex
	pending     call.Records
	hasPending  bool
	waiters     []chan struct{} // closed when pending is written
	answerHeard time.Time       // first audio of the agent's last answer

	// Used by run only. Records of a failed write are retried unchanged under the same number, because the database
	// may have committed them.
	writing        []call.Records
	written        int64           // number of the last committed records
	writingWaiters []chan struct{} // closed when all of writing is written

	wake   chan struct{}
	closed chan struct{}
	done   chan struct{}
}

func newJournal(s *session) *journal {
	j := &journal{s: s, record: s.w.o.Calls.Record, written: s.call.Journalled,
		wake: make(chan struct{}, 1), closed: make(chan struct{}), done: make(chan struct{})}
	go j.run()
	return j
}

// Said adds a transcript entry.
func (j *journal) EntryAdded(e voice.Entry) {
	entry := call.TranscriptEntry{Role: string(e.Role), Content: e.Text, CreatedAt: j.s.clock.database(e.At)}
	if e.Agent != "" {
		entry.AgentName = &e.Agent
	}
	if e.Tool != nil {
		entry.ToolCall = toolCall(e)
	}
	j.add(func(n *call.Records) {
		n.Entries = append(n.Entries, entry)
		if e.Role == dialogue.RoleAssistant {
			j.answerHeard = e.At
		}
	})
}

func toolCall(e voice.Entry) json.RawMessage {
	arguments := e.Tool.Arguments
	if !json.Valid(arguments) {
		arguments = json.RawMessage("{}")
	}
	encoded, err := json.Marshal(struct {
		Name      string          `json:"name"`
		Arguments json.RawMessage `json:"arguments"`
		Duration  *float64        `json:"duration_ms,omitempty"`
		Answer    string          `json:"answer,omitempty"`
	}{e.Tool.Name, arguments, call.Milliseconds(e.Duration), cutAnswer(e.Answer)})
	if err != nil {
		return nil
	}
	return encoded
}

// maxToolAnswer is how many bytes of a tool's answer are stored.
const maxToolAnswer = 4 << 10

// cutAnswer returns the first maxToolAnswer bytes of a text, without a part of a character.
func cutAnswer(text string) string {
	if len(text) <= maxToolAnswer {
		return text
	}
	return strings.ToValidUTF8(text[:maxToolAnswer], "") + "…"
}

// saveContext adds the conversation's context, for a worker that takes the call over. The result is closed when it is
// committed.
func (j *journal) saveContext(context json.RawMessage) <-chan struct{} {
	kept := make(chan struct{})
	j.add(func(n *call.Records) { n.Context, j.waiters = context, append(j.waiters, kept) })
	return kept
}

// AgentChanged adds a change of the speaking agent; previous is empty at the start.
func (j *journal) AgentChanged(agent, previous string) {
	j.s.recorder.setAgent(agent)
	j.s.line.announce(agent)
	j.add(func(n *call.Records) { n.Handoffs = append(n.Handoffs, call.Handoff{Agent: agent, Previous: previous}) })
}

// TurnAnswered adds a turn's measurements.
func (j *journal) TurnAnswered(t voice.Turn) {
	j.s.log.InfoContext(j.s.trace, "turn", "agent", t.Agent, "voice_to_voice_ms", t.VoiceToVoice.Milliseconds(), "endpointing_ms", t.Endpointing.Milliseconds(),
		"stt_ms", t.STT.Milliseconds(), "llm_ms", t.LLM.Milliseconds(), "tts_ms", t.TTS.Milliseconds(), "interrupted", t.Interrupted)
	turn := call.Turn{
		AgentName: t.Agent, EndpointingMS: call.Milliseconds(t.Endpointing), STTMS: call.Milliseconds(t.STT), LLMMS: call.Milliseconds(t.LLM),
		TTSMS: call.Milliseconds(t.TTS), VoiceToVoiceMS: call.Milliseconds(t.VoiceToVoice), Interrupted: t.Interrupted,
		InputTokens: counted(t.Usage.InputTokens), OutputTokens: counted(t.Usage.OutputTokens), CreatedAt: j.s.clock.database(time.Now()),
	}
	turn.STTProvider, turn.LLMProvider, turn.TTSProvider = named(t.Providers.STT), named(t.Providers.LLM), named(t.Providers.TTS)
	var heard time.Time
	j.add(func(n *call.Records) {
		n.Turns = append(n.Turns, turn)
		heard, j.answerHeard = j.answerHeard, time.Time{}
	})
	j.s.traceTurn(t, heard)
}

// TokensUsed adds tokens of an agent that belong to no turn.
func (j *journal) TokensUsed(agent string, u dialogue.Usage) {
	j.add(func(n *call.Records) {
		n.ExtraTokens = append(n.ExtraTokens, call.ExtraTokens{Agent: agent, Tokens: int64(u.InputTokens) + int64(u.OutputTokens)})
	})
}

// named returns a provider's name, nil for none.
func named(provider string) *string {
	if provider == "" {
		return nil
	}
	return &provider
}

// counted returns a number of tokens, nil for zero (not reported).
func counted(tokens int) *int64 {
	if tokens <= 0 {
		return nil
	}
	n := int64(tokens)
	return &n
}

// Problem adds an item of the error log.
func (j *journal) Problem(p voice.Problem) {
	j.s.traceProblem(p)
	j.s.log.WarnContext(j.s.trace, "problem", "service", p.Service, "provider", p.Provider, "critical", p.Critical, "message", p.Message)
	item := call.ErrorItem{Service: string(p.Service), Level: call.LevelWarning, Message: p.Message, CreatedAt: j.s.clock.database(p.At)}
	if p.Critical {
		item.Level = call.LevelError
	}
	if p.Agent != "" {
		item.Agent = &p.Agent
	}
	if p.Provider != "" || p.Tool != "" {
		if details, err := json.Marshal(struct {
			Provider string      `json:"provider,omitempty"`
			Cause    voice.Cause `json:"cause,omitempty"`
			Attempts int         `json:"attempts,omitempty"`
			Tool     string      `json:"tool,omitempty"`
		}{p.Provider, p.Cause, p.Attempts, p.Tool}); err == nil {
			item.Details = details
		}
	}
	j.add(func(n *call.Records) { n.Errors = append(n.Errors, item) })
}

// Rejoined adds the incident that the agent or the caller has rejoined the room.
func (j *journal) Rejoined(who call.IncidentType, roomLost bool) {
	i := call.Incident{Type: who, Cause: call.SignallingLost, CreatedAt: j.s.clock.database(time.Now())}
	if roomLost {
		i.Cause = call.RoomLost
	}
	j.add(func(n *call.Records) { n.Incidents = append(n.Incidents, i) })
}

// Overlapped adds the incident that the caller was audible while the agent spoke.
func (j *journal) Overlapped(o voice.Overlap) {
	i := call.Incident{Type: call.IncidentType(o.Outcome), Cause: call.Cause(o.Cause), CreatedAt: j.s.clock.database(o.At)}
	j.add(func(n *call.Records) { n.Incidents = append(n.Incidents, i) })
}

func (j *journal) add(add func(*call.Records)) {
	j.mu.Lock()
	add(&j.pending)
	j.hasPending = true
	j.mu.Unlock()
	j.notify()
}

// notify wakes run.
func (j *journal) notify() {
	select {
	case j.wake <- struct{}{}:
	default:
	}
}

// close writes the remaining records and ends the journal.
func (j *journal) close() {
	close(j.closed)
	<-j.done
}

func (j *journal) run() {
	defer close(j.done)
	for {
		select {
		case <-j.wake:
			if !j.write() {
				select {
				case <-time.After(journalRetry):
					j.notify()
				case <-j.closed:
				}
			}
		case <-j.closed:
			for end := time.Now().Add(closeLimit); !j.write() && time.Now().Before(end); {
				time.Sleep(journalRetry)
			}
			return
		}
	}
}

// write writes the current records. It returns false when they have to be retried.
func (j *journal) write() bool {
	for j.next() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		notes := j.writing[0]
		notes.Number = j.written + 1
		err := j.record(ctx, j.s.lease, notes)
		cancel()
		refusal := database.Refusal(err)
		switch {
		case err == nil:
			j.writing, j.written = j.writing[1:], notes.Number
		case errors.Is(err, call.ErrFenced):
			j.writing = nil
			j.s.cancel(errLost)
			return true
		case refusal != "": // the error may contain what was said
			parts := notes.Split()
			if len(parts) == 1 {
				j.s.log.ErrorContext(j.s.trace, "conversation record rejected by the database", "note", kind(notes), "code", refusal)
				parts = nil
			}
			j.writing = append(parts, j.writing[1:]...)
		default:
			j.s.log.ErrorContext(j.s.trace, "failed to store conversation records", "error", err)
			return false
		}
		if len(j.writing) == 0 {
			for _, kept := range j.writingWaiters {
				close(kept)
			}
			j.writingWaiters = nil
		}
	}
	return true
}

// next makes the pending records current when the previous ones are written. It returns false when there is nothing
// to write.
func (j *journal) next() bool {
	if len(j.writing) > 0 {
		return true
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if !j.hasPending {
		return false
	}
	j.writing = append(j.writing, j.pending)
	j.pending, j.hasPending = call.Records{}, false
	j.writingWaiters, j.waiters = j.waiters, nil
	return true
}

// kind names the kind of a single record.
func kind(n call.Records) string {
	switch {
	case n.Entries != nil:
		return "transcript"
	case n.Errors != nil:
		return "error"
	case n.Handoffs != nil:
		return "handoff"
	case n.Incidents != nil:
		return "incident"
	case n.Turns != nil:
		return "turn"
	case n.ExtraTokens != nil:
		return "tokens"
	}
	return "context"
}
