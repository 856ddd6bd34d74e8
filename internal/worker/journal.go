package worker

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"time"

	"parley/internal/answering"
	"parley/internal/audio"
	"parley/internal/call"
	"parley/internal/cost"
	"parley/internal/database"
	"parley/internal/dialogue"
	"parley/internal/voice"
	"parley/internal/workflow"
)

// journalRetry is the wait before a failed write is retried.
const journalRetry = 500 * time.Millisecond

// qualityInterval is the least time between two writes of the quality of a phone's audio, but for the last one.
const qualityInterval = 30 * time.Second

// closeLimit is how long the last write is retried while the database is unavailable: as long as that of the call's end.
const closeLimit = finishTries * time.Second

// journal writes a conversation's records to the database in the background, so that the conversation never waits: records
// that are added while a transaction runs are written by the next one. Their times are database times.
type journal struct {
	s      *session
	record func(context.Context, call.Lease, call.Records) error

	mu             sync.Mutex
	pending        call.Records
	hasPending     bool
	waiters        []chan struct{} // closed when pending is written
	answerPlayedAt time.Time       // when the agent's last answer became audible
	agent          string          // whose turn it is; "" before the first
	quality        *audio.Quality  // that is not added to pending yet
	qualityAt      time.Time       // when one was

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
	j := &journal{s: s, record: s.w.options.Calls.Record, written: s.call.Journalled,
		wake: make(chan struct{}, 1), closed: make(chan struct{}), done: make(chan struct{})}
	go j.run()
	return j
}

// EntryAdded adds a transcript entry.
func (j *journal) EntryAdded(e voice.Entry) {
	entry := call.TranscriptEntry{Role: string(e.Role), Content: e.Text, DTMF: e.Keys, Ignored: e.Ignored, CreatedAt: j.s.clock.databaseTime(e.At)}
	if e.Agent != "" {
		entry.AgentName = &e.Agent
	}
	if e.Tool != nil {
		entry.ToolCall = toolCall(e)
	}
	j.add(func(r *call.Records) {
		r.Entries = append(r.Entries, entry)
		if e.Role == dialogue.RoleAssistant {
			j.answerPlayedAt = e.At
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
		Phase     voice.ToolPhase `json:"phase,omitempty"`
	}{e.Tool.Name, arguments, call.Milliseconds(e.Duration), cutAnswer(e.Answer), e.Phase})
	if err != nil {
		return nil
	}
	return encoded
}

// maxToolAnswer is the most bytes of a tool's answer that are stored.
const maxToolAnswer = 4 << 10

// cutAnswer returns the first maxToolAnswer bytes of a text, without a part of a character.
func cutAnswer(text string) string {
	if len(text) <= maxToolAnswer {
		return text
	}
	return strings.ToValidUTF8(text[:maxToolAnswer], "") + "…"
}

// saveSnapshot adds the snapshot of the conversation for a worker that takes over the call. The channel is closed when it
// is committed.
func (j *journal) saveSnapshot(snapshot json.RawMessage) <-chan struct{} {
	saved := make(chan struct{})
	j.add(func(r *call.Records) { r.Snapshot, j.waiters = snapshot, append(j.waiters, saved) })
	return saved
}

// AgentChanged adds a change of the speaking agent; previous is empty at the start.
func (j *journal) AgentChanged(agent, previous string) {
	j.s.recorder.setAgent(agent)
	j.s.line.publishAgent(agent)
	j.add(func(r *call.Records) {
		r.Usage = cost.Add(r.Usage, j.s.meter.take(cmp.Or(previous, agent))...)
		r.Handoffs, j.agent = append(r.Handoffs, call.Handoff{Agent: agent, Previous: previous}), agent
	})
}

// Routed adds a decision on where the current agent can lead the call.
func (j *journal) Routed(d workflow.Decision) {
	decision := call.RoutingDecision{Decision: d, CreatedAt: j.s.clock.databaseTime(time.Now())}
	j.add(func(r *call.Records) { r.Routing = append(r.Routing, decision) })
}

// currentAgent returns who has the conversation.
func (j *journal) currentAgent() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.agentOfCall()
}

// agentOfCall is currentAgent with j.mu held.
func (j *journal) agentOfCall() string {
	if j.agent == "" && j.s.call.CurrentAgent != nil { // another worker has recorded it
		return *j.s.call.CurrentAgent
	}
	return j.agent
}

// LanguageChanged adds a change of the language that the agent speaks.
func (j *journal) LanguageChanged(language, previous string) {
	j.add(func(r *call.Records) {
		r.Languages = append(r.Languages, call.LanguageChange{Language: language, Previous: previous})
	})
}

// AnswerJudged adds a decision on who has answered.
func (j *journal) AnswerJudged(v answering.Verdict) {
	j.s.log.InfoContext(j.s.trace, "answered", "class", v.Class, "cause", v.Cause, "after_ms", v.After.Milliseconds())
	j.add(func(r *call.Records) { r.Answers = append(r.Answers, call.NewAnswer(v)) })
}

// TransferChanged adds a step of a transfer to a person.
func (j *journal) TransferChanged(t voice.Transfer) {
	j.s.log.InfoContext(j.s.trace, "transfer", "phase", t.Phase, "mode", t.Mode, "attempt", t.Attempt, "reason", t.Failure.Reason)
	step := call.TransferStep{Phase: call.TransferPhase(t.Phase), Mode: t.Mode, To: t.To, Attempt: t.Attempt, Attempts: t.Attempts,
		Reason: t.Failure.Reason, Summary: t.Summary, Page: t.Page}
	if t.Failure.SIPStatus != 0 {
		step.SIPStatus = &t.Failure.SIPStatus
	}
	j.add(func(r *call.Records) { r.Transfers = append(r.Transfers, step) })
}

// OperatorChanged adds an incident: a person has taken the call over, or has left it.
func (j *journal) OperatorChanged(joined bool, at time.Time) {
	i := call.Incident{Type: call.OperatorLeft, CreatedAt: j.s.clock.databaseTime(at)}
	if joined {
		i.Type = call.OperatorJoined
	}
	j.add(func(r *call.Records) { r.Incidents = append(r.Incidents, i) })
}

// ControlEnded adds the outcome of a request of the tenant.
func (j *journal) ControlEnded(id, refusal string) {
	j.add(func(r *call.Records) { r.Controls = append(r.Controls, call.ControlOutcome{ID: id, Detail: refusal}) })
}

// TurnAnswered adds the latencies and tokens of a turn.
func (j *journal) TurnAnswered(t voice.Turn) {
	j.s.log.InfoContext(j.s.trace, "turn", "agent", t.Agent, "voice_to_voice_ms", t.VoiceToVoice.Milliseconds(), "endpointing_ms", t.Endpointing.Milliseconds(),
		"stt_ms", t.STT.Milliseconds(), "llm_ms", t.LLM.Milliseconds(), "tts_ms", t.TTS.Milliseconds(), "interrupted", t.Interrupted)
	turn := call.Turn{
		AgentName: t.Agent, EndpointingMS: call.Milliseconds(t.Endpointing), STTMS: call.Milliseconds(t.STT), LLMMS: call.Milliseconds(t.LLM),
		TTSMS: call.Milliseconds(t.TTS), VoiceToVoiceMS: call.Milliseconds(t.VoiceToVoice), Interrupted: t.Interrupted,
		InputTokens: tokenCount(t.Usage.InputTokens), OutputTokens: tokenCount(t.Usage.OutputTokens), Usage: j.s.meter.take(t.Agent), CreatedAt: j.s.clock.databaseTime(time.Now()),
	}
	turn.STTProvider, turn.LLMProvider, turn.TTSProvider = providerName(t.Providers.STT), providerName(t.Providers.LLM), providerName(t.Providers.TTS)
	var audible time.Time
	j.add(func(r *call.Records) {
		r.Turns = append(r.Turns, turn)
		audible, j.answerPlayedAt = j.answerPlayedAt, time.Time{}
	})
	j.s.traceTurn(t, audible)
}

// TokensUsed adds tokens of an agent that belong to no turn.
func (j *journal) TokensUsed(agent string, u dialogue.Usage) {
	j.add(func(r *call.Records) {
		r.ExtraTokens = append(r.ExtraTokens, call.ExtraTokens{Agent: agent, Tokens: int64(u.InputTokens) + int64(u.OutputTokens)})
	})
}

// providerName returns a provider's name; nil for none.
func providerName(provider string) *string {
	if provider == "" {
		return nil
	}
	return &provider
}

// tokenCount returns a number of tokens; nil for 0, which was not reported.
func tokenCount(tokens int) *int64 {
	if tokens <= 0 {
		return nil
	}
	n := int64(tokens)
	return &n
}

// TalkMeasured adds how caller and agent have spoken.
func (j *journal) TalkMeasured(t dialogue.Talk) {
	j.add(func(r *call.Records) {
		if r.Talk != nil {
			t = t.Add(*r.Talk)
		}
		r.Talk = &t
	})
}

// Problem adds an item of the error log.
func (j *journal) Problem(p voice.Problem) {
	j.s.traceProblem(p)
	j.s.log.WarnContext(j.s.trace, "problem", "service", p.Service, "provider", p.Provider, "critical", p.Critical, "message", p.Message)
	item := call.ErrorItem{Service: string(p.Service), Level: call.LevelWarning, Message: p.Message, CreatedAt: j.s.clock.databaseTime(p.At)}
	if p.Critical {
		item.Level = call.LevelError
	}
	if p.Agent != "" {
		item.Agent = &p.Agent
	}
	if p.Provider != "" || p.Tool != "" {
		if details, err := json.Marshal(struct {
			Provider string             `json:"provider,omitempty"`
			Cause    voice.FailureCause `json:"cause,omitempty"`
			Attempts int                `json:"attempts,omitempty"`
			Tool     string             `json:"tool,omitempty"`
		}{p.Provider, p.Cause, p.Attempts, p.Tool}); err == nil {
			item.Details = details
		}
	}
	j.add(func(r *call.Records) { r.Errors = append(r.Errors, item) })
}

// Rejoined adds an incident: the agent or the caller has rejoined the room.
func (j *journal) Rejoined(who call.IncidentType, roomLost bool) {
	i := call.Incident{Type: who, Cause: call.SignallingLost, CreatedAt: j.s.clock.databaseTime(time.Now())}
	if roomLost {
		i.Cause = call.RoomLost
	}
	j.add(func(r *call.Records) { r.Incidents = append(r.Incidents, i) })
}

// RecordingStarted adds an incident: a part of the recording begins.
func (j *journal) RecordingStarted() {
	i := call.Incident{Type: call.RecordingStarted, CreatedAt: j.s.clock.databaseTime(time.Now())}
	j.add(func(r *call.Records) { r.Incidents = append(r.Incidents, i) })
}

// Overlapped adds an incident: the caller made a sound while the agent spoke.
func (j *journal) Overlapped(o voice.Overlap) {
	i := call.Incident{Type: call.IncidentType(o.Outcome), Cause: call.IncidentCause(o.Cause), CreatedAt: j.s.clock.databaseTime(o.At)}
	j.add(func(r *call.Records) { r.Incidents = append(r.Incidents, i) })
}

// HoldChanged adds an incident: the caller has put the call on hold, or resumed it. On hold the recording is silent.
func (j *journal) HoldChanged(held bool, at time.Time) {
	j.s.recorder.setHeld(held)
	i := call.Incident{Type: call.CallResumed, CreatedAt: j.s.clock.databaseTime(at)}
	if held {
		i.Type = call.CallHeld
	}
	j.add(func(r *call.Records) { r.Incidents = append(r.Incidents, i) })
}

// QualityMeasured adds a measurement of the phone's audio. It is written at once if the last one was written qualityInterval ago, else
// by flushQuality unless a later one is.
func (j *journal) QualityMeasured(q audio.Quality) {
	now := time.Now()
	q.MeasuredAt = j.s.clock.databaseTime(now)
	j.mu.Lock()
	j.quality = &q
	due := now.Sub(j.qualityAt) >= qualityInterval
	j.mu.Unlock()
	if due {
		j.flushQuality()
	}
}

// flushQuality adds the last measurement, if it is not added yet.
func (j *journal) flushQuality() {
	j.mu.Lock()
	q := j.quality
	j.quality, j.qualityAt = nil, time.Now()
	j.mu.Unlock()
	if q != nil {
		j.add(func(r *call.Records) { r.Quality = q })
	}
}

// flushUsage adds what was used since the last turn.
func (j *journal) flushUsage() {
	j.mu.Lock()
	defer j.mu.Unlock()
	if used := j.s.meter.take(j.agentOfCall()); len(used) > 0 {
		j.pending.Usage, j.hasPending = cost.Add(j.pending.Usage, used...), true
	}
}

// writeUsage has what was used since the last turn written.
func (j *journal) writeUsage() {
	j.flushUsage()
	j.notify()
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
	j.flushQuality()
	j.flushUsage()
	close(j.closed)
	<-j.done
}

func (j *journal) run() {
	defer close(j.done)
	for {
		select {
		case <-j.wake:
			if !j.writePending() {
				select {
				case <-time.After(journalRetry):
					j.notify()
				case <-j.closed:
				}
			}
		case <-j.closed:
			for end := time.Now().Add(closeLimit); !j.writePending() && time.Now().Before(end); {
				time.Sleep(journalRetry)
			}
			return
		}
	}
}

// writePending writes the pending records. It returns false when a write has to be retried.
func (j *journal) writePending() bool {
	for j.nextRecords() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		records := j.writing[0]
		records.Number = j.written + 1
		err := j.record(ctx, j.s.lease, records)
		cancel()
		code := database.PermanentCode(err)
		switch {
		case err == nil:
			j.writing, j.written = j.writing[1:], records.Number
		case errors.Is(err, call.ErrFenced):
			j.writing = nil
			j.s.cancel(errLost)
			return true
		case code != "": // the error may contain what was said
			parts := records.Split()
			if len(parts) == 1 {
				j.s.log.ErrorContext(j.s.trace, "conversation record rejected by the database", "record", recordKind(records), "code", code)
				parts = nil
			}
			j.writing = append(parts, j.writing[1:]...)
		default:
			j.s.log.ErrorContext(j.s.trace, "failed to store conversation records", "error", err)
			return false
		}
		if len(j.writing) == 0 {
			for _, saved := range j.writingWaiters {
				close(saved)
			}
			j.writingWaiters = nil
		}
	}
	return true
}

// nextRecords moves the pending records to writing, once that is empty. It returns false when there is nothing to write.
func (j *journal) nextRecords() bool {
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

// recordKind names the kind of a single record.
func recordKind(r call.Records) string {
	switch {
	case r.Entries != nil:
		return "transcript"
	case r.Errors != nil:
		return "error"
	case r.Handoffs != nil:
		return "handoff"
	case r.Answers != nil:
		return "answer"
	case r.Transfers != nil:
		return "transfer"
	case r.Controls != nil:
		return "control"
	case r.Incidents != nil:
		return "incident"
	case r.Turns != nil:
		return "turn"
	case r.ExtraTokens != nil:
		return "tokens"
	case r.Usage != nil:
		return "usage"
	case r.Talk != nil:
		return "talk"
	case r.Quality != nil:
		return "quality"
	}
	return "snapshot"
}
