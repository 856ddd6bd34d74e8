package analytics

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/uuid"

	"parley/internal/call"
	"parley/internal/database"
	"parley/internal/event"
)

const (
	acme  = "0193a6f0-0000-7000-8000-000000000001"
	other = "0193a6f0-0000-7000-8000-000000000002"
)

// past is a call as a test wants it to have been.
type past struct {
	id, tenant string
	workflow   int // from 1; 0 for a call of one agent
	status     string
	livemode   bool
	created    time.Time
	started    time.Time // zero: never answered
	duration   int64
	turns      []call.Turn
	answeredBy string // class; "" for a call whose answer was not classified
	spent      int64  // tokens of an agent's in no turn; one more is another's
}

func (p *past) over() bool {
	return p.status != "pending" && p.status != "connecting" && p.status != "active"
}

func (p *past) moment() time.Time {
	if p.started.IsZero() {
		return p.created
	}
	return p.started
}

func workflowID(n int) string   { return fmt.Sprintf("0193a6f0-0000-7000-9000-%012d", n) }
func workflowSlug(n int) string { return fmt.Sprintf("flow-%02d", n) }

// ends is the event of the end.
var ends = map[string]string{"completed": event.CallCompleted, "failed": event.CallFailed, "disconnected": event.CallDisconnected, "timeout": event.CallTimeout}

// write puts a call into the database, with its turns, without any rollup.
func (p *past) write(ctx context.Context, tx database.Tx) error {
	var id, slug, startedAt, endedAt any
	if p.workflow > 0 {
		id, slug = workflowID(p.workflow), workflowSlug(p.workflow)
	}
	if !p.started.IsZero() {
		startedAt = p.started
	}
	if p.over() {
		endedAt = p.moment().Add(time.Duration(p.duration) * time.Second)
	}
	var answeredBy any
	if p.answeredBy != "" {
		answeredBy = fmt.Sprintf(`{"class": %q}`, p.answeredBy)
	}
	metrics := "{}"
	if p.spent > 0 {
		metrics = fmt.Sprintf(`{"total_tokens": %d, "other_tokens": {"desk": %d, "hall": 1}}`, p.spent+1, p.spent)
	}
	_, err := tx.ExecContext(ctx, `INSERT INTO calls (id, tenant_id, workflow_id, workflow_slug, status, direction, call_type, livemode, room_name, agent_history, metrics,
		created_at, started_at, ended_at, duration_seconds, join_by, fence, end_asked, answered_by) VALUES (?, ?, ?, ?, ?, 'inbound', 'voip', ?, ?, '["desk","hall"]', ?, ?, ?, ?, ?, ?, 0, false, ?)`,
		p.id, p.tenant, id, slug, p.status, p.livemode, "call-"+p.id, metrics, p.created, startedAt, endedAt, p.duration, p.created, answeredBy)
	if err != nil {
		return err
	}
	for _, t := range p.turns {
		if _, err := tx.ExecContext(ctx, `INSERT INTO call_turns (tenant_id, call_id, agent_name, stt_provider, llm_provider, tts_provider, stt_ms, llm_ms, tts_ms,
			interrupted, input_tokens, output_tokens, created_at) VALUES (?, ?, 'desk', ?, ?, ?, ?, ?, ?, false, ?, ?, ?)`,
			p.tenant, p.id, t.STTProvider, t.LLMProvider, t.TTSProvider, t.STTMS, t.LLMMS, t.TTSMS, t.InputTokens, t.OutputTokens, p.created); err != nil {
			return err
		}
	}
	return nil
}

// finish adds the call's end to the rollups.
func (p *past) finish(ctx context.Context, tx database.Tx, r *Rollups) error {
	return r.HandleEvent(ctx, tx, event.Event{TenantID: p.tenant, CallID: p.id, Type: ends[p.status], Livemode: p.livemode})
}

// record writes calls one by one, the way that they come.
func record(t testing.TB, db *database.DB, calls ...*past) {
	t.Helper()
	rollups := NewRollups(nil)
	for _, p := range calls {
		err := db.Tenant(p.tenant).Write(t.Context(), func(ctx context.Context, tx database.Tx) error {
			if err := p.write(ctx, tx); err != nil || !p.over() {
				return err
			}
			return p.finish(ctx, tx, rollups)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// random makes a call whose moment lies within a stretch before now.
func random(r *rand.Rand, now time.Time, within time.Duration) *past {
	statuses := []string{"completed", "completed", "completed", "failed", "disconnected", "timeout", "pending", "connecting", "active"}
	p := &past{id: uuid.NewString(), tenant: acme, workflow: r.IntN(4), status: statuses[r.IntN(len(statuses))], livemode: r.IntN(3) > 0}
	if r.IntN(8) == 0 {
		p.tenant = other
	}
	p.created = now.Add(-time.Duration(r.Int64N(int64(within)))).Truncate(time.Microsecond)
	switch r.IntN(4) { // borders of buckets are where mistakes show
	case 0:
		p.created = p.created.Truncate(time.Minute)
	case 1:
		p.created = p.created.Truncate(time.Hour)
	}
	answered := p.status == "completed" || p.status == "disconnected" || p.status == "active" || p.status == "timeout" && r.IntN(2) == 0
	if answered {
		p.started = p.created.Add(time.Duration(r.Int64N(int64(2 * time.Minute))).Truncate(time.Microsecond))
		if r.IntN(3) == 0 {
			p.started = p.started.Truncate(time.Minute).Add(time.Minute)
		}
	}
	if answered && p.over() {
		p.duration = r.Int64N(600)
	}
	if answered {
		p.answeredBy = []string{"", "human", "human", "voicemail", "screening"}[r.IntN(5)]
	}
	p.spent = r.Int64N(3) * r.Int64N(400)
	for range r.IntN(5) {
		p.turns = append(p.turns, randomTurn(r))
	}
	return p
}

func randomTurn(r *rand.Rand) (t call.Turn) {
	maybe := func() *float64 {
		if r.IntN(5) == 0 {
			return nil
		}
		ms := 20 + r.ExpFloat64()*400
		return &ms
	}
	provider := func(names ...string) *string {
		if r.IntN(10) == 0 {
			return nil
		}
		return &names[r.IntN(len(names))]
	}
	tokens := func() *int64 {
		if r.IntN(4) == 0 {
			return nil
		}
		n := r.Int64N(900)
		return &n
	}
	return call.Turn{STTMS: maybe(), LLMMS: maybe(), TTSMS: maybe(), STTProvider: provider("deepgram", "assemblyai"), LLMProvider: provider("openai", "anthropic"),
		TTSProvider: provider("cartesia"), InputTokens: tokens(), OutputTokens: tokens()}
}
