package api

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/internal/agent"
	"parley/internal/auth"
	"parley/internal/call"
	"parley/internal/database"
	"parley/internal/event"
	"parley/internal/fault"
	"parley/internal/live"
	"parley/internal/provider/catalogtest"
	"parley/internal/seal"
	"parley/internal/workflow"
)

// rooms is a media server that signs each token differently.
type rooms struct {
	mu     sync.Mutex
	opened []string
	signed int
}

func (m *rooms) Open(_ context.Context, room string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.opened = append(m.opened, room)
	return nil
}

func (m *rooms) Delete(context.Context, string) error { return nil }
func (m *rooms) URL() string                          { return "ws://media.example" }

func (m *rooms) ListenerToken(room, identity string, _ time.Time, _ time.Duration) (string, error) {
	return "listener " + room + " " + identity, nil
}

func (m *rooms) CallerToken(room, identity string, now time.Time, life time.Duration) (string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.signed++
	return fmt.Sprintf("token-%d-%s-%s-%s-from-%d", m.signed, room, identity, life, now.UnixMicro()), nil
}

// newCalls is the service with calls; acme has the agent desk and the workflow
// support. lacks, if not nil, returns what a provider lacks.
func newCalls(t *testing.T, lacks Readiness) (*service, *rooms) {
	media := new(rooms)
	if lacks == nil {
		lacks = func(string, string, bool) string { return "" }
	}
	s := newService(t, func(d *Deps) {
		sealer, err := seal.New(make([]byte, seal.KeySize))
		if err != nil {
			t.Fatal(err)
		}
		bus := event.NewBus()
		d.Agents = agent.Registry{Usage: workflow.Usage{}, Providers: catalogtest.Catalog{"stt/ear": {"ear-1"}, "tts/mouth": {"mouth-1"}, "llm/brain": {"brain-1"}, "llm/spare": {"spare-1"}}}
		d.Workflows = workflow.Registry{Agents: agent.Directory{}}
		d.Calls = call.NewService(d.DB, event.NewLog(bus), bus, sealer, call.Options{JoinTimeout: time.Minute, MaxDuration: time.Hour})
		d.Live = live.New(d.DB, bus, live.Options{})
		d.Media, d.Lacks = media, lacks
	})
	s.agent("full", "desk")
	s.want(s.do("full", http.MethodPost, "/api/v1/workflows", `{"slug":"support","name":"Support","config":{"nodes":[{"id":"a","agent_name":"desk","is_entry":true,"is_exit":true}],"connections":[]}}`), http.StatusCreated, nil)
	_, secret, err := s.deps.Auth.CreateKey(t.Context(), acme, auth.KeyDraft{Name: "test", Environment: auth.Test, Scopes: []string{"*"}})
	if err != nil {
		t.Fatal(err)
	}
	s.credentials["test"] = secret
	return s, media
}

// seenCall is a call as a client reads it.
type seenCall struct {
	ID           string
	WorkflowID   string `json:"workflow_id"`
	WorkflowSlug string `json:"workflow_slug"`
	AgentName    string `json:"agent_name"`
	Status       string
	CallType     string    `json:"call_type"`
	RoomName     string    `json:"room_name"`
	CreatedAt    time.Time `json:"created_at"`
	EndedAt      *string   `json:"ended_at"`
	Livemode     bool
	Metadata     json.RawMessage
	Metrics      MetricsBody
}

// start dispatches a call of the workflow support and returns its id.
func (s *service) start(credential, body string) string {
	s.t.Helper()
	var started startedBody
	s.want(s.do(credential, http.MethodPost, "/api/v1/calls", body), http.StatusCreated, &started)
	return started.CallID
}

// set changes a call's row behind the service's back.
func (s *service) set(id, assignment string, args ...any) {
	s.t.Helper()
	if err := s.db.System().Write(s.t.Context(), func(ctx context.Context, tx database.Tx) error {
		_, err := tx.ExecContext(ctx, "UPDATE calls SET "+assignment+" WHERE id = ?", append(args, id)...)
		return err
	}); err != nil {
		s.t.Fatal(err)
	}
}

// listed asks for a list and returns the calls' ids and the total.
func (s *service) listed(credential, query string) (ids []string, total int64) {
	s.t.Helper()
	var page struct {
		Items []seenCall
		Total int64
	}
	s.want(s.do(credential, http.MethodGet, "/api/v1/calls"+query, ""), http.StatusOK, &page)
	for _, c := range page.Items {
		ids = append(ids, c.ID)
	}
	return ids, page.Total
}

func TestListCalls(t *testing.T) {
	s, _ := newCalls(t, nil)
	w := s.do("full", http.MethodGet, "/api/v1/calls", "")
	if s.want(w, http.StatusOK, nil); strings.TrimSpace(w.Body.String()) != `{"items":[],"total":0,"page":1,"page_size":20,"pages":0}` {
		t.Errorf("an empty list is %s", w.Body)
	}
	first := s.start("full", `{"workflow_slug":"support","user_id":"ada"}`)
	second := s.start("test", `{"workflow_slug":"support","user_id":"bob","call_type":"sip","phone_number":"+4930123456"}`)
	third := s.start("full", `{"workflow_slug":"support"}`)
	s.want(s.do("full", http.MethodPost, "/api/v1/calls/"+first+"/end", ""), http.StatusOK, nil)
	early := time.Date(2026, 1, 2, 3, 4, 5, 678000, time.UTC)
	s.set(third, "started_at = ?, status = 'active', current_agent = 'desk', agent_history = '[\"desk\"]'", early) // the newest was active first

	var detail seenCall
	s.want(s.do("full", http.MethodGet, "/api/v1/calls/"+third, ""), http.StatusOK, &detail)
	after, before := "started_after=", "started_before="
	for query, want := range map[string][]string{
		"":                            {second, first, third},
		"?status=failed":              {first},
		"?status=active":              {third},
		"?status=timeout":             nil,
		"?user_id=ada":                {first},
		"?user_id=eve":                nil,
		"?user_id=ada&status=pending": nil,
		"?livemode=true":              {first, third},
		"?livemode=false":             {second},
		"?page_size=2":                {second, first},
		"?page_size=2&page=2":         {third},
		"?page=2":                     nil,
		"?page=9223372036854775807":   nil,
		"?" + after + "2026-01-02T03:04:05.000678Z":                             {second, first, third},
		"?" + after + "2026-01-02T03:04:05.000679Z":                             {second, first},
		"?" + before + "2026-01-02T03:04:05.000678Z":                            nil,
		"?" + before + "2026-01-02T04:04:05.1%2B01:00":                          {third},
		"?" + after + "0000-01-01T00:00:00Z&" + before + "9999-12-31T23:59:59Z": {second, first, third},
		"?workflow_id=" + detail.WorkflowID:                                     {second, first, third},
		"?workflow_id=" + strings.ToUpper(detail.WorkflowID) + "&status=active": {third},
		"?workflow_id=" + acme:                                                  nil,
		"?" + after + "2026-01-02&" + before + "2026-01-02":                     nil, // empty
	} {
		ids, total := s.listed("full", query)
		if !slices.Equal(ids, want) {
			t.Errorf("%s lists %v, want %v", query, ids, want)
		}
		if !strings.Contains(query, "page") && int(total) != len(want) {
			t.Errorf("%s counts %d, want %d", query, total, len(want))
		}
	}
	if ids, total := s.listed("stranger", ""); len(ids) != 0 || total != 0 {
		t.Errorf("another tenant lists %v of %d", ids, total)
	}

	var page struct {
		Items              []map[string]any
		Total, Page, Pages int
		PageSize           int `json:"page_size"`
	}
	s.want(s.do("full", http.MethodGet, "/api/v1/calls?page_size=2&page=2", ""), http.StatusOK, &page)
	fields := slices.Sorted(maps.Keys(page.Items[0]))
	if want := []string{"agent_history", "agent_name", "call_type", "created_at", "direction", "duration_seconds", "ended_at", "held", "id", "metadata", "phone_number",
		"started_at", "status", "status_reason", "user_id", "workflow_id", "workflow_slug"}; !slices.Equal(fields, want) {
		t.Errorf("fields %v, want %v", fields, want)
	}
	if page.Total != 3 || page.Page != 2 || page.PageSize != 2 || page.Pages != 2 || page.Items[0]["started_at"] != "2026-01-02T03:04:05.000678Z" {
		t.Errorf("page %+v", page)
	}
}

func TestListCallsRefusesFaultyQueries(t *testing.T) {
	s, _ := newCalls(t, nil)
	for query, fields := range map[string][]string{
		"?page_size=101":                          {"page_size"},
		"?page_size=0&page=0":                     {"page", "page_size"},
		"?page=x":                                 {"page"},
		"?page=99999999999999999999":              {"page"},
		"?status=running":                         {"status"},
		"?workflow_id=7":                          {"workflow_id"},
		"?started_after=yesterday&livemode=maybe": {"started_after", "livemode"},
		"?started_before=2026-13-01T00:00:00Z":    {"started_before"},
		"?started_after=2026-11-02&started_before=2026-11-01T23:59:59Z&page=0": {"started_after", "page"},
	} {
		got := s.refused(s.do("full", http.MethodGet, "/api/v1/calls"+query, ""), http.StatusUnprocessableEntity, fault.Validation)
		for _, field := range fields {
			if got[field] == "" {
				t.Errorf("%s: %s is not named in %v", query, field, got)
			}
		}
	}
	for _, limit := range []string{"0", "101", "-1", "x"} {
		if got := s.refused(s.do("full", http.MethodGet, "/api/v1/calls/active?limit="+limit, ""), http.StatusUnprocessableEntity, fault.Validation); got["limit"] == "" {
			t.Errorf("limit %s: faults %v", limit, got)
		}
	}
	s.key("agents", acme, "agents:read")
	for _, path := range []string{"/api/v1/calls", "/api/v1/calls/active", "/api/v1/calls/" + acme + "/timeline"} {
		s.refused(s.do("agents", http.MethodGet, path, ""), http.StatusForbidden, fault.ScopeRequired)
	}
}

func TestActiveCalls(t *testing.T) {
	s, _ := newCalls(t, nil)
	w := s.do("full", http.MethodGet, "/api/v1/calls/active", "")
	if s.want(w, http.StatusOK, nil); strings.TrimSpace(w.Body.String()) != "[]" {
		t.Errorf("without calls: %s", w.Body)
	}
	pending := s.start("full", `{"workflow_slug":"support","user_id":"ada"}`)
	active := s.start("test", `{"workflow_slug":"support"}`)
	s.want(s.do("full", http.MethodPost, "/api/v1/calls/"+s.start("full", `{"workflow_slug":"support"}`)+"/end", ""), http.StatusOK, nil)
	s.set(active, "started_at = ?, status = 'active', current_agent = 'desk'", time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
	w = s.do("full", http.MethodGet, "/api/v1/calls/active", "")
	want := `[{"id":"` + active + `","workflow_slug":"support","user_id":null,"status":"active","call_type":"voip","held":false,"current_agent":"desk","started_at":"2026-01-02T03:04:05.000000Z"},` +
		`{"id":"` + pending + `","workflow_slug":"support","user_id":"ada","status":"pending","call_type":"voip","held":false,"current_agent":null,"started_at":null}]`
	if s.want(w, http.StatusOK, nil); strings.TrimSpace(w.Body.String()) != want {
		t.Errorf("got  %swant %s", w.Body, want)
	}
	for query, count := range map[string]int{"?limit=1": 1, "?livemode=true": 1, "?livemode=false": 1, "?limit=100": 2} {
		var calls []seenCall
		if s.want(s.do("full", http.MethodGet, "/api/v1/calls/active"+query, ""), http.StatusOK, &calls); len(calls) != count {
			t.Errorf("%s: %d calls, want %d", query, len(calls), count)
		}
	}
	var calls []seenCall
	if s.want(s.do("stranger", http.MethodGet, "/api/v1/calls/active", ""), http.StatusOK, &calls); len(calls) != 0 {
		t.Errorf("another tenant sees %v", calls)
	}
}

func TestForeignAndRandomCallsAnswerAlike(t *testing.T) {
	s, _ := newCalls(t, nil)
	id := s.start("full", `{"workflow_slug":"support"}`)
	for path, method := range map[string]string{"": "GET", "/transcript": "GET", "/metrics": "GET", "/timeline": "GET", "/prompts": "GET", "/end": "POST"} {
		foreign := s.do("stranger", method, "/api/v1/calls/"+id+path, "")
		random := s.do("full", method, "/api/v1/calls/"+other+path, "")
		s.refused(foreign, http.StatusNotFound, fault.NotFound)
		if foreign.Body.String() != random.Body.String() || random.Code != foreign.Code {
			t.Errorf("%s%s: %s and %s", method, path, foreign.Body, random.Body)
		}
	}
}

func TestCallInEveryState(t *testing.T) {
	s, _ := newCalls(t, nil)
	id := s.start("test", `{"workflow_slug":"support","metadata":{"order":7}}`)
	for _, status := range call.Statuses {
		s.set(id, "status = ?, ended_at = ?, metrics = ?", status, map[bool]any{true: time.Now().UTC(), false: nil}[status.Terminal()],
			`{"stt":{"n":2,"ms":300},"llm":{"n":4,"ms":1000},"total_tokens":99,"agent_handoffs":1}`)
		var c seenCall
		s.want(s.do("full", http.MethodGet, "/api/v1/calls/"+id, ""), http.StatusOK, &c)
		if c.Status != string(status) || c.Livemode || string(c.Metadata) != `{"order":7}` || (c.EndedAt != nil) != status.Terminal() {
			t.Errorf("%s: %+v", status, c)
		}
		var m MetricsBody
		s.want(s.do("full", http.MethodGet, "/api/v1/calls/"+id+"/metrics", ""), http.StatusOK, &m)
		if !cmp.Equal(m, c.Metrics) || m.SilenceRatio != nil || m.Interruptions != nil || m.STTLatencyMS != 150 || m.LLMLatencyMS != 250 || m.TTSLatencyMS != 0 || m.TotalTokens != 99 || m.AgentHandoffs != 1 {
			t.Errorf("%s: metrics %+v", status, m)
		}
		var byAgent struct{ Agents []agentMetricsBody }
		if s.want(s.do("full", http.MethodGet, "/api/v1/calls/"+id+"/metrics", ""), http.StatusOK, &byAgent); byAgent.Agents == nil || len(byAgent.Agents) != 0 {
			t.Errorf("%s: agents %+v of a call without turns", status, byAgent.Agents)
		}
		for _, path := range []string{"/transcript", "/timeline", "/prompts"} {
			s.want(s.do("full", http.MethodGet, "/api/v1/calls/"+id+path, ""), http.StatusOK, nil)
		}
	}
}

// What is not known of how caller and agent spoke with each other is null, and not zero.
func TestTalkOfCall(t *testing.T) {
	s, _ := newCalls(t, nil)
	id := s.start("test", `{"workflow_slug":"support"}`)
	for talk, want := range map[string]string{
		`{}`: `{"silence_ratio":null,"interruptions":0,"longest_wait_ms":null,"agent_repeated_questions":0,"caller_repeated_questions":0,"failed_tools":0,"caller_words_per_minute":null,"agent_words_per_minute":null}`,
		`{"measured":60000000000,"silent":15000000000,"caller_speech":20000000000,"agent_speech":30000000000,"caller_words":50,"agent_words":80,"interruptions":2,"waits":3,"longest_wait":1500000000,"caller_repeats":1,"agent_repeats":2,"caller_turns":3,"punctuated_turns":1,"failed_tools":4}`: `{"silence_ratio":0.25,"interruptions":2,"longest_wait_ms":1500,"agent_repeated_questions":2,"caller_repeated_questions":1,"failed_tools":4,"caller_words_per_minute":150,"agent_words_per_minute":160}`,
		`{"measured":60000000000,"caller_speech":20000000000,"agent_speech":900000000,"caller_words":3,"caller_uncounted":true,"agent_words":4,"waits":1,"caller_turns":3}`:                                                                                                                         `{"silence_ratio":0,"interruptions":0,"longest_wait_ms":0,"agent_repeated_questions":0,"caller_repeated_questions":null,"failed_tools":0,"caller_words_per_minute":null,"agent_words_per_minute":null}`,
	} {
		s.set(id, "metrics = ?", `{"talk":`+talk+`}`)
		var got, expected map[string]any
		s.want(s.do("full", http.MethodGet, "/api/v1/calls/"+id+"/metrics", ""), http.StatusOK, &got)
		if err := json.Unmarshal([]byte(want), &expected); err != nil {
			t.Fatal(err)
		}
		maps.DeleteFunc(got, func(name string, _ any) bool { _, is := expected[name]; return !is })
		if diff := cmp.Diff(expected, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", talk, diff)
		}
	}
}

func TestTimeline(t *testing.T) {
	s, _ := newCalls(t, nil)
	id := s.start("full", `{"workflow_slug":"support"}`)
	calls := s.deps.Calls.(*call.Service)
	claimed, err := calls.Claim(t.Context(), "w", 1)
	if err != nil || len(claimed) != 1 {
		t.Fatal(claimed, err)
	}
	lease, now := claimed[0].Lease(), time.Now().UTC()
	for _, step := range []func(context.Context, call.Lease) error{calls.MarkConnecting, calls.MarkActive} {
		if err := step(t.Context(), lease); err != nil {
			t.Fatal(err)
		}
	}
	desk := "desk"
	if err := calls.Record(t.Context(), lease, call.Records{
		Entries:  []call.TranscriptEntry{{Role: "assistant", AgentName: &desk, ToolCall: json.RawMessage(`{"name":"book","arguments":{"at":"noon"}}`), CreatedAt: now}},
		Turns:    []call.Turn{{AgentName: "desk", STTMS: call.Milliseconds(120 * time.Millisecond), CreatedAt: now.Add(time.Millisecond)}},
		Errors:   []call.ErrorItem{{Service: "tts", Level: call.LevelError, Message: "no voice", CreatedAt: now.Add(2 * time.Millisecond)}},
		Handoffs: []call.Handoff{{Agent: "desk"}, {Agent: "booking", Previous: "desk"}},
		Routing: []call.RoutingDecision{{CreatedAt: now, Decision: workflow.Decision{Agent: "desk", Node: "n1", Set: []workflow.SetPath{{Path: "flags.verified", Reason: workflow.SetByTool, Tool: "verify"}},
			Offered: []workflow.Offer{{Function: "handoff_to_booking", Agent: "booking", Node: "n2"}}, Skipped: []workflow.Skip{}}}},
	}); err != nil {
		t.Fatal(err)
	}
	s.set(id, "claimed_by = NULL")
	s.want(s.do("full", http.MethodPost, "/api/v1/calls/"+id+"/end", ""), http.StatusOK, nil)
	var moments []map[string]any
	s.want(s.do("full", http.MethodGet, "/api/v1/calls/"+id+"/timeline", ""), http.StatusOK, &moments)
	found := map[string]string{}
	for _, m := range moments {
		if m["timestamp"] == nil {
			t.Errorf("no timestamp in %v", m)
		}
		kind := m["type"].(string)
		delete(m, "type")
		delete(m, "timestamp")
		text, _ := json.Marshal(m)
		found[kind] += string(text)
	}
	var prompts callPromptsBody
	s.want(s.do("full", http.MethodGet, "/api/v1/calls/"+id+"/prompts", ""), http.StatusOK, &prompts)
	if len(prompts.Agents) != 1 || prompts.Agents[0].Agent != "desk" || prompts.Agents[0].System == "" {
		t.Errorf("prompts after the end: %+v", prompts)
	}
	for kind, want := range map[string]string{
		"status":    `{"status":"pending"}{"status":"active"}{"status":"completed","status_reason":"ended_by_api"}`,
		"handoff":   `{"agent":"booking","previous_agent":"desk"}`,
		"routing":   `{"agent":"desk","routing":{"agent":"desk","node_id":"n1","offered":[{"agent":"booking","function":"handoff_to_booking","node_id":"n2"}],"set":[{"path":"flags.verified","reason":"tool","tool":"verify"}],"skipped":[]}}`,
		"tool_call": `{"agent":"desk","arguments":{"at":"noon"},"name":"book"}`,
		"turn":      `{"agent":"desk","interrupted":false,"stt_latency_ms":120}`,
		"error":     `{"details":{},"level":"error","message":"no voice","service":"tts"}`,
	} {
		if found[kind] != want {
			t.Errorf("%s: %s, want %s", kind, found[kind], want)
		}
	}
}
