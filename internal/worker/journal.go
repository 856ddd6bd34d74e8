package worker

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"time"

	"parley/internal/call"
	"parley/internal/database"
	"parley/internal/dialogue"
	"parley/internal/voice"
)

// journalRetry is the wait before notes are written again that the database
// did not take.
const journalRetry = 500 * time.Millisecond

// closeTries is how often the last notes are tried.
const closeTries = 20

// journal keeps a conversation's notes. The conversation never waits for the
// database: notes gather while a transaction is under way and go with the
// next one. Their times are the database's.
type journal struct {
	s      *session
	record func(context.Context, call.Lease, call.Notes) error

	mu      sync.Mutex
	pending call.Notes
	any     bool
	kept    []chan struct{} // to be closed when pending is written
	heard   time.Time       // when the agent's last words began to sound

	// Only run touches these. Notes that were once tried are tried again as
	// they are, under the same number: the database may have taken them.
	writing []call.Notes
	written int64           // the number of the last notes that were taken
	keeping []chan struct{} // to be closed when all of writing is written

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

// Said keeps an entry of the transcript.
func (j *journal) Said(e voice.Entry) {
	entry := call.TranscriptEntry{Role: string(e.Role), Content: e.Text, CreatedAt: j.s.clock.database(e.At)}
	if e.Agent != "" {
		entry.AgentName = &e.Agent
	}
	if e.Tool != nil {
		entry.ToolCall = toolCall(e)
	}
	j.note(func(n *call.Notes) {
		n.Entries = append(n.Entries, entry)
		if e.Role == dialogue.RoleAssistant {
			j.heard = e.At
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
	}{e.Tool.Name, arguments, call.Measured(e.Took)})
	if err != nil {
		return nil
	}
	return encoded
}

// keep keeps what the conversation has come to know, for a worker that may
// have to take it over. The result is closed when the database has it.
func (j *journal) keep(context json.RawMessage) <-chan struct{} {
	kept := make(chan struct{})
	j.note(func(n *call.Notes) { n.Context, j.kept = context, append(j.kept, kept) })
	return kept
}

// AgentChanged keeps which agent speaks from now on; there is no previous one
// when the conversation begins.
func (j *journal) AgentChanged(agent, previous string) {
	j.s.tape.follow(agent)
	j.s.line.announce(agent)
	j.note(func(n *call.Notes) { n.Handoffs = append(n.Handoffs, call.Handoff{Agent: agent, Previous: previous}) })
}

// TurnTaken keeps a turn's measurements.
func (j *journal) TurnTaken(t voice.Turn) {
	j.s.log.InfoContext(j.s.trace, "turn", "agent", t.Agent, "voice_to_voice_ms", t.VoiceToVoice.Milliseconds(), "endpointing_ms", t.Endpointing.Milliseconds(),
		"stt_ms", t.STT.Milliseconds(), "llm_ms", t.LLM.Milliseconds(), "tts_ms", t.TTS.Milliseconds(), "interrupted", t.Interrupted)
	turn := call.Turn{
		AgentName: t.Agent, EndpointingMS: call.Measured(t.Endpointing), STTMS: call.Measured(t.STT), LLMMS: call.Measured(t.LLM),
		TTSMS: call.Measured(t.TTS), VoiceToVoiceMS: call.Measured(t.VoiceToVoice), Interrupted: t.Interrupted,
		InputTokens: counted(t.Usage.InputTokens), OutputTokens: counted(t.Usage.OutputTokens), CreatedAt: j.s.clock.database(time.Now()),
	}
	turn.STTProvider, turn.LLMProvider, turn.TTSProvider = named(t.Providers.STT), named(t.Providers.LLM), named(t.Providers.TTS)
	var heard time.Time
	j.note(func(n *call.Notes) {
		n.Turns = append(n.Turns, turn)
		heard, j.heard = j.heard, time.Time{}
	})
	j.s.traceTurn(t, heard)
}

// TokensSpent keeps tokens that count for the call and its agent, for no turn.
func (j *journal) TokensSpent(agent string, u dialogue.Usage) {
	j.note(func(n *call.Notes) {
		n.Spent = append(n.Spent, call.Spent{Agent: agent, Tokens: int64(u.InputTokens) + int64(u.OutputTokens)})
	})
}

// named is a provider's name, nil for none.
func named(provider string) *string {
	if provider == "" {
		return nil
	}
	return &provider
}

// counted is a number of tokens, nil for zero: the provider told none.
func counted(tokens int) *int64 {
	if tokens <= 0 {
		return nil
	}
	n := int64(tokens)
	return &n
}

// Problem keeps an item of the error log.
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
	j.note(func(n *call.Notes) { n.Errors = append(n.Errors, item) })
}

// Rejoined keeps that agent or caller are back in the room, which may have been lost.
func (j *journal) Rejoined(who call.IncidentType, roomLost bool) {
	i := call.Incident{Type: who, Cause: call.SignallingLost, CreatedAt: j.s.clock.database(time.Now())}
	if roomLost {
		i.Cause = call.RoomLost
	}
	j.note(func(n *call.Notes) { n.Incidents = append(n.Incidents, i) })
}

func (j *journal) note(add func(*call.Notes)) {
	j.mu.Lock()
	add(&j.pending)
	j.any = true
	j.mu.Unlock()
	j.look()
}

// look has run write what there is.
func (j *journal) look() {
	select {
	case j.wake <- struct{}{}:
	default:
	}
}

// close writes what is left and ends the journal.
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
					j.look()
				case <-j.closed:
				}
			}
		case <-j.closed:
			for range closeTries {
				if j.write() {
					return
				}
				time.Sleep(journalRetry)
			}
			return
		}
	}
}

// write writes the notes at hand. It reports false when they have to be
// written again.
func (j *journal) write() bool {
	for j.gather() {
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
		case refusal != "": // the error itself may tell what was said
			parts := notes.Apart()
			if len(parts) == 1 {
				j.s.log.ErrorContext(j.s.trace, "a note of the conversation is lost: the database does not take it", "note", kind(notes), "code", refusal)
				parts = nil
			}
			j.writing = append(parts, j.writing[1:]...)
		default:
			j.s.log.ErrorContext(j.s.trace, "record conversation", "error", err)
			return false
		}
		if len(j.writing) == 0 {
			for _, kept := range j.keeping {
				close(kept)
			}
			j.keeping = nil
		}
	}
	return true
}

// gather takes the notes that have come, once those before are written. It
// reports false when there are none to write.
func (j *journal) gather() bool {
	if len(j.writing) > 0 {
		return true
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if !j.any {
		return false
	}
	j.writing = append(j.writing, j.pending)
	j.pending, j.any = call.Notes{}, false
	j.keeping, j.kept = j.kept, nil
	return true
}

// kind names what a single note is of.
func kind(n call.Notes) string {
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
	case n.Spent != nil:
		return "tokens"
	}
	return "context"
}
