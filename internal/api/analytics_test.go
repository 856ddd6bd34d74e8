package api

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"parley/internal/analytics"
	"parley/internal/database"
	"parley/internal/event"
	"parley/internal/fault"
)

func newAnalytics(t *testing.T) *service {
	return newService(t, func(d *Deps) { d.Analytics = analytics.New(d.DB) })
}

// ago is a time as a query has it.
func ago(d time.Duration) string {
	return url.QueryEscape(time.Now().UTC().Add(-d).Format(time.RFC3339Nano))
}

// happened writes a call of acme that began some time ago, and its end, "" for
// a call that is not over. It has one turn, and an error of the service stt.
func (s *service) happened(ended string, before time.Duration, livemode bool) string {
	s.t.Helper()
	id, at := uuid.NewString(), time.Now().UTC().Add(-before).Truncate(time.Microsecond)
	status, over := "active", any(nil)
	if ended != "" {
		status, over = strings.TrimPrefix(ended, "call."), at.Add(30*time.Second)
	}
	rollups := analytics.NewRollups(nil)
	err := s.db.Tenant(acme).Write(s.t.Context(), func(ctx context.Context, tx database.Tx) error {
		for _, write := range []struct {
			query string
			args  []any
		}{
			{`INSERT INTO calls (id, tenant_id, workflow_id, workflow_slug, status, direction, call_type, livemode, room_name, agent_history, metrics, created_at, started_at,
				ended_at, duration_seconds, join_by, fence, end_asked) VALUES (?, ?, ?, 'support', ?, 'inbound', 'voip', ?, ?, '[]', '{}', ?, ?, ?, 30, ?, 0, false)`,
				[]any{id, acme, other, status, livemode, id, at, at, over, at}},
			{`INSERT INTO call_turns (tenant_id, call_id, agent_name, stt_provider, llm_provider, tts_provider, stt_ms, llm_ms, tts_ms, interrupted, input_tokens, output_tokens, created_at)
				VALUES (?, ?, 'desk', 'ear', 'brain', 'mouth', 100, 300, 50, false, 40, 2, ?)`, []any{acme, id, at}},
			{`INSERT INTO call_errors (id, tenant_id, call_id, service, level, message, details, agent, livemode, created_at) VALUES (?, ?, ?, 'stt', 'error', 'gone', '{"provider":"ear"}', 'desk', ?, ?)`,
				[]any{uuid.NewString(), acme, id, livemode, at}},
			{`INSERT INTO error_counts (tenant_id, hour, service, level, livemode, n) VALUES (?, ?, 'stt', 'error', ?, 1) ON CONFLICT (tenant_id, hour, service, level, livemode) DO UPDATE SET n = error_counts.n + 1`,
				[]any{acme, at.UTC().Truncate(time.Hour), livemode}},
		} {
			if _, err := tx.ExecContext(ctx, write.query, write.args...); err != nil {
				return err
			}
		}
		return rollups.HandleEvent(ctx, tx, event.Event{TenantID: acme, CallID: id, Type: ended, Livemode: livemode})
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return id
}

// moment takes a time out of an answer.
func moment(t *testing.T, answer map[string]any, key string) time.Time {
	t.Helper()
	at, err := time.Parse(time.RFC3339Nano, answer[key].(string))
	if err != nil {
		t.Error(err)
	}
	delete(answer, key)
	return at
}

const analyticsPath = "/api/v1/analytics/"

func TestAnalyticsOfNothing(t *testing.T) {
	s := newAnalytics(t)
	const nothing = "started_after=2026-11-01T00:30:00Z&started_before=2026-11-01T00:30:00Z"
	for path, want := range map[string]string{
		"summary": `{"total_calls":0,"completed_calls":0,"failed_calls":0,"active_calls":0,"avg_duration_seconds":0,"success_rate":0,"total_tokens":0,"avg_stt_latency_ms":0,"avg_llm_latency_ms":0,"avg_tts_latency_ms":0}`,
		"call-volume?started_after=2026-11-01T00:00:00Z&started_before=2026-11-01T02:00:00Z": `{"interval":"hour","data":[{"timestamp":"2026-11-01T00:00:00.000000Z","total":0,"completed":0,"failed":0},{"timestamp":"2026-11-01T01:00:00.000000Z","total":0,"completed":0,"failed":0}]}`,
		// The 1st was a Sunday.
		"call-volume?interval=week&started_after=2026-11-01T00:00:00Z&started_before=2026-11-02T00:00:00.000001Z": `{"interval":"week","data":[{"timestamp":"2026-10-26T00:00:00.000000Z","total":0,"completed":0,"failed":0},{"timestamp":"2026-11-02T00:00:00.000000Z","total":0,"completed":0,"failed":0}]}`,
		"workflow-stats":   `[]`,
		"provider-latency": `[]`,
		"errors":           `{"items":[],"total":0,"limit":50,"offset":0}`,
		"error-groups":     `[]`,
		"active-calls":     `{"count":0}`,
		// a range that ends where it begins
		"workflow-stats?" + nothing:   `[]`,
		"provider-latency?" + nothing: `[]`,
		"errors?" + nothing:           `{"items":[],"total":0,"limit":50,"offset":0}`,
		"active-calls?" + nothing:     `{"count":0}`,
		"call-volume?" + nothing:      `{"interval":"hour","data":[{"timestamp":"2026-11-01T00:00:00.000000Z","total":0,"completed":0,"failed":0}]}`,
	} {
		w := s.do("full", http.MethodGet, analyticsPath+path, "")
		s.want(w, http.StatusOK, nil)
		if got := strings.TrimSpace(w.Body.String()); got != want {
			t.Errorf("%s:\n%s, want\n%s", path, got, want)
		}
	}
}

func TestAnalytics(t *testing.T) {
	s := newAnalytics(t)
	s.happened(event.CallCompleted, 10*time.Minute, true)
	s.happened(event.CallCompleted, 20*time.Minute, false)
	newest := s.happened(event.CallTimeout, 5*time.Minute, true)
	s.happened(event.CallFailed, 50*time.Hour, true)
	s.happened("", 2*time.Minute, true)

	var sum map[string]float64
	for query, want := range map[string]map[string]float64{
		"":                         {"total_calls": 4, "completed_calls": 2, "failed_calls": 0, "active_calls": 1, "success_rate": 50, "total_tokens": 126},
		"?period=7d":               {"total_calls": 5, "completed_calls": 2, "failed_calls": 1, "active_calls": 1, "success_rate": 40, "total_tokens": 168},
		"?livemode=false":          {"total_calls": 1, "completed_calls": 1, "failed_calls": 0, "active_calls": 0, "success_rate": 100, "total_tokens": 42},
		"?livemode=true&period=1h": {"total_calls": 3, "completed_calls": 1, "failed_calls": 0, "active_calls": 1, "success_rate": 33.3, "total_tokens": 84},
		"?started_before=" + ago(6*time.Minute) + "&started_after=" + ago(12*time.Minute): {"total_calls": 1, "completed_calls": 1, "failed_calls": 0, "active_calls": 0, "success_rate": 100, "total_tokens": 42},
		"?started_before=" + ago(15*time.Minute):                                          {"total_calls": 2, "completed_calls": 1, "failed_calls": 1, "active_calls": 0, "success_rate": 50, "total_tokens": 84},
	} {
		want["avg_duration_seconds"], want["avg_stt_latency_ms"], want["avg_llm_latency_ms"], want["avg_tts_latency_ms"] = 30, 100, 300, 50
		clear(sum)
		s.want(s.do("full", http.MethodGet, analyticsPath+"summary"+query, ""), http.StatusOK, &sum)
		if diff := cmp.Diff(want, sum); diff != "" {
			t.Errorf("summary%s (-want +got):\n%s", query, diff)
		}
	}

	var volume struct {
		Interval string
		Data     []struct{ Total, Completed, Failed int }
	}
	s.want(s.do("full", http.MethodGet, analyticsPath+"call-volume?period=7d&interval=day", ""), http.StatusOK, &volume)
	total := 0
	for _, p := range volume.Data {
		total += p.Total
	}
	if total != 5 || len(volume.Data) != 8 || volume.Interval != "day" {
		t.Errorf("volume %+v", volume)
	}

	w := s.do("full", http.MethodGet, analyticsPath+"workflow-stats", "")
	s.want(w, http.StatusOK, nil)
	if got, want := strings.TrimSpace(w.Body.String()), `[{"workflow_id":"`+other+`","workflow_name":"support","workflow_slug":"support","total_calls":4,"completed_calls":2,"failed_calls":0,"success_rate":50,"avg_duration_seconds":30}]`; got != want {
		t.Errorf("workflows %s, want %s", got, want)
	}

	var latencies []map[string]any
	s.want(s.do("full", http.MethodGet, analyticsPath+"provider-latency", ""), http.StatusOK, &latencies)
	if len(latencies) != 3 || latencies[0]["provider_type"] != "stt" || latencies[1]["provider_name"] != "brain" || latencies[2]["avg_latency_ms"] != 50.0 || latencies[0]["call_count"] != 3.0 {
		t.Errorf("latencies %v", latencies)
	}
	if p95 := latencies[1]["p95_latency_ms"].(float64); p95 < 297 || p95 > 303 {
		t.Errorf("p95 of 300 is %g", p95)
	}

	var page struct {
		Items []map[string]any
		Total int
	}
	for query, want := range map[string]int{"": 4, "?service=stt&level=error": 4, "?service=llm": 0, "?level=warning": 0, "?livemode=false": 1, "?period=7d": 5, "?offset=9": 4,
		"?started_after=" + ago(12*time.Minute): 3} {
		s.want(s.do("full", http.MethodGet, analyticsPath+"errors"+query, ""), http.StatusOK, &page)
		if page.Total != want {
			t.Errorf("errors%s: %d, want %d", query, page.Total, want)
		}
	}
	s.want(s.do("full", http.MethodGet, analyticsPath+"errors?limit=1&offset=1", ""), http.StatusOK, &page)
	item := page.Items[0]
	delete(item, "id")
	delete(item, "timestamp")
	want := map[string]any{"call_id": newest, "service": "stt", "level": "error", "message": "gone", "details": map[string]any{"provider": "ear"}, "agent": "desk"}
	if diff := cmp.Diff([]map[string]any{want}, page.Items); diff != "" {
		t.Error(diff)
	}

	var groups []map[string]any
	for query, want := range map[string]float64{"": 4, "?period=7d": 5, "?livemode=false&service=stt": 1, "?service=llm": 0, "?level=warning": 0, "?started_after=" + ago(12*time.Minute): 3} {
		s.want(s.do("full", http.MethodGet, analyticsPath+"error-groups"+query, ""), http.StatusOK, &groups)
		if want > 0 != (len(groups) == 1) || want > 0 && groups[0]["count"] != want {
			t.Errorf("error-groups%s: %v, want %g entries", query, groups, want)
		}
	}
	s.want(s.do("full", http.MethodGet, analyticsPath+"error-groups", ""), http.StatusOK, &groups)
	group := groups[0]
	if first, last := moment(t, group, "first_at"), moment(t, group, "last_at"); last.Sub(first) < 10*time.Minute || time.Since(last) > 10*time.Minute {
		t.Errorf("entries from %s until %s", first, last)
	}
	s.want(s.do("full", http.MethodGet, analyticsPath+"errors?limit=1", ""), http.StatusOK, &page)
	if diff := cmp.Diff(map[string]any{"call_id": page.Items[0]["call_id"], "service": "stt", "level": "error", "message": "gone", "agent": "desk", "count": 4.0}, group); diff != "" {
		t.Error(diff)
	}

	for query, want := range map[string]int{"": 1, "?period=1h": 1, "?livemode=false": 0, "?started_before=" + ago(time.Hour): 0, "?started_after=" + ago(time.Hour): 1} {
		var active struct{ Count int }
		s.want(s.do("full", http.MethodGet, analyticsPath+"active-calls"+query, ""), http.StatusOK, &active)
		if active.Count != want {
			t.Errorf("active%s: %d, want %d", query, active.Count, want)
		}
	}
	s.want(s.do("stranger", http.MethodGet, analyticsPath+"summary?period=30d", ""), http.StatusOK, &sum)
	if sum["total_calls"] != 0 {
		t.Errorf("another tenant sees %v", sum)
	}
}

// What a deleted workflow was called stays with its calls.
func TestAnalyticsNameDeletedWorkflows(t *testing.T) {
	s, _ := newCalls(t, nil)
	s.deps.Analytics = analytics.New(s.db)
	s.start("full", `{"workflow_slug":"support"}`)
	s.want(s.do("full", http.MethodDelete, "/api/v1/workflows/support", ""), http.StatusNoContent, nil)
	var stats []struct {
		Name string `json:"workflow_name"`
		Slug string `json:"workflow_slug"`
	}
	s.want(s.do("full", http.MethodGet, analyticsPath+"workflow-stats", ""), http.StatusOK, &stats)
	if len(stats) != 1 || stats[0].Name != "Support" || stats[0].Slug != "support" {
		t.Errorf("workflows %+v", stats)
	}
}

func TestAnalyticsFaults(t *testing.T) {
	s := newAnalytics(t)
	for query, fields := range map[string][]string{
		"summary?period=2h": {"period"},
		"summary?started_after=yesterday&started_before=5&livemode=wat":                           {"started_after", "started_before", "livemode"},
		"summary?started_after=2026-11-02T00:00:00Z&started_before=2026-11-01T00:00:00Z":          {"started_after"},
		"errors?limit=201&started_after=2026-11-01T00:00:00Z&started_before=2026-10-31T23:59:59Z": {"limit", "started_after"},
		"errors?limit=0&offset=-1&service=tv&level=fatal":                                         {"limit", "offset", "service", "level"},
		"call-volume?interval=year": {"interval"},
		"call-volume?interval=hour&started_after=1970-01-01T00:00:00Z&started_before=2026-11-01T00:00:00Z": {"interval"},
		"workflow-stats?limit=51": {"limit"},
	} {
		got := s.refused(s.do("full", http.MethodGet, analyticsPath+query, ""), http.StatusUnprocessableEntity, fault.Validation)
		for _, field := range fields {
			if got[field] == "" {
				t.Errorf("%s: no fault of %s: %v", query, field, got)
			}
		}
		if len(got) != len(fields) {
			t.Errorf("%s: faults %v, want %v", query, got, fields)
		}
	}
}

func TestAnalyticsScopes(t *testing.T) {
	s := newAnalytics(t)
	s.key("analyst", acme, "analytics:read")
	s.key("caller", acme, "calls:read")
	s.key("stranger to it", acme, "calls:write", "agents:*")
	for _, name := range []string{"summary", "call-volume", "workflow-stats", "provider-latency", "errors", "active-calls"} {
		s.want(s.do("analyst", http.MethodGet, analyticsPath+name, ""), http.StatusOK, nil)
		s.want(s.do("caller", http.MethodGet, analyticsPath+name, ""), http.StatusOK, nil)
		w := s.do("stranger to it", http.MethodGet, analyticsPath+name, "")
		s.refused(w, http.StatusForbidden, fault.ScopeRequired)
		if !strings.Contains(w.Body.String(), "analytics:read") || !strings.Contains(w.Body.String(), "calls:read") {
			t.Errorf("%s names no scope: %s", name, w.Body)
		}
		s.refused(s.do("", http.MethodGet, analyticsPath+name, ""), http.StatusUnauthorized, fault.Authentication)
	}
}
