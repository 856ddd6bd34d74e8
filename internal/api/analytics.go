package api

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"parley/internal/analytics"
	"parley/internal/api/wire"
	"parley/internal/auth"
	"parley/internal/call"
)

// Analytics answers what happened over a stretch of time.
type Analytics interface {
	Summary(ctx context.Context, q analytics.Query) (analytics.Summary, error)
	Volume(ctx context.Context, q analytics.Query, interval analytics.Interval) ([]analytics.Point, error)
	Workflows(ctx context.Context, q analytics.Query, limit int) ([]analytics.WorkflowStats, error)
	Providers(ctx context.Context, q analytics.Query) ([]analytics.ProviderLatency, error)
	Errors(ctx context.Context, q analytics.ErrorQuery) (page []call.ErrorItem, total int64, err error)
	ErrorGroups(ctx context.Context, q analytics.ErrorQuery) ([]call.ErrorGroup, error)
	ActiveCalls(ctx context.Context, q analytics.Query) (int, error)
	Costs(ctx context.Context, q analytics.Query, by analytics.CostGroup) ([]analytics.CostSum, error)
	AnsweredBy(ctx context.Context, q analytics.Query, by analytics.Group) ([]analytics.Answered, error)
	Results(ctx context.Context, q analytics.Query, analysis string, by analytics.Group) ([]analytics.Result, error)
}

// periods are the values of period.
var periods = map[string]time.Duration{"1h": time.Hour, "24h": 24 * time.Hour, "7d": 7 * 24 * time.Hour, "30d": 30 * 24 * time.Hour}

// RangeIn says which calls a question is about. It is embedded, and huma fills
// the fields of exported types only.
type RangeIn struct {
	Period        string                          `query:"period" enum:"1h,24h,7d,30d" default:"24h" doc:"Period up to now. Ignored when started_after or started_before is given."`
	StartedAfter  wire.OptionalParam[wire.Moment] `query:"started_after" doc:"Start of the range (inclusive). Calls count by the time they became active, or else by their creation."`
	StartedBefore wire.OptionalParam[wire.Moment] `query:"started_before" doc:"End of the range (exclusive)."`
	Livemode      wire.OptionalParam[bool]        `query:"livemode" doc:"Filter by mode: true for calls made with a live key or a session, false for those made with a test key. Default: both."`
}

// Resolve refuses a range that ends before it begins. An empty one is answered.
func (in *RangeIn) Resolve(huma.Context) []error {
	return wire.RangeFaults(in.StartedAfter, in.StartedBefore)
}

// nobody is a tenant that there is not, which has no calls.
const nobody = "00000000-0000-0000-0000-000000000000"

// query returns the question of a tenant. There are no figures of live calls for a
// test key.
func (in *RangeIn) query(who auth.Principal) analytics.Query {
	mode, none := livemode(who, in.Livemode.Pointer())
	q := analytics.Query{TenantID: who.TenantID, Livemode: mode}
	if none {
		q.TenantID = nobody
	}
	if in.StartedAfter.Given || in.StartedBefore.Given {
		q.Range = analytics.Range{From: in.StartedAfter.Value.Time, To: in.StartedBefore.Value.Time}
		return q
	}
	q.Past = periods[in.Period]
	return q
}

type callVolumeIn struct {
	RangeIn
	Interval string `query:"interval" enum:"hour,day,week" default:"hour" doc:"Length of an interval, in UTC; weeks start on Monday."`
}

type workflowStatsIn struct {
	RangeIn
	Limit int `query:"limit" default:"10" minimum:"1" maximum:"50" doc:"Maximum number of items to return."`
}

// ErrorsIn selects entries of the error log. It is embedded, see RangeIn.
type ErrorsIn struct {
	RangeIn
	Service string `query:"service" enum:"stt,llm,tts,workflow,tool,webhook,call_hook" doc:"Filter by services."`
	Level   string `query:"level" enum:"error,warning" doc:"Severity. error: the call was affected; warning: it was not."`
}

func (in *ErrorsIn) errors(who auth.Principal, limit, offset int64) analytics.ErrorQuery {
	return analytics.ErrorQuery{Query: in.query(who), Service: in.Service, Level: in.Level, Limit: limit, Offset: offset}
}

type errorLogIn struct {
	ErrorsIn
	Limit  int64 `query:"limit" default:"50" minimum:"1" maximum:"200" doc:"Maximum number of items to return."`
	Offset int64 `query:"offset" default:"0" minimum:"0" doc:"Number of items to skip."`
}

type errorGroupsIn struct {
	ErrorsIn
	Limit int64 `query:"limit" default:"50" minimum:"1" maximum:"200" doc:"Maximum number of items to return."`
}

type summaryBody struct {
	TotalCalls         int64   `json:"total_calls"`
	CompletedCalls     int64   `json:"completed_calls"`
	FailedCalls        int64   `json:"failed_calls"`
	ActiveCalls        int64   `json:"active_calls" doc:"Number of open calls: with a period all of them, otherwise those in the range."`
	AvgDurationSeconds float64 `json:"avg_duration_seconds" doc:"Average duration of answered calls that have ended, in seconds."`
	SuccessRate        float64 `json:"success_rate" doc:"Percentage of completed_calls in total_calls, with one decimal." example:"97.5"`
	TotalTokens        int64   `json:"total_tokens"`
	AvgSTTLatencyMS    float64 `json:"avg_stt_latency_ms"`
	AvgLLMLatencyMS    float64 `json:"avg_llm_latency_ms"`
	AvgTTSLatencyMS    float64 `json:"avg_tts_latency_ms"`
}

type volumeBody struct {
	Interval string       `json:"interval" enum:"hour,day,week"`
	Data     []volumeItem `json:"data" doc:"The intervals of the range, in order."`
}

type volumeItem struct {
	Timestamp wire.Time `json:"timestamp" doc:"Start of the interval (UTC)."`
	Total     int64     `json:"total"`
	Completed int64     `json:"completed"`
	Failed    int64     `json:"failed"`
}

type workflowStatsItem struct {
	WorkflowID         string  `json:"workflow_id" format:"uuid"`
	WorkflowName       string  `json:"workflow_name" doc:"Name of the workflow, also if it was deleted."`
	WorkflowSlug       string  `json:"workflow_slug"`
	TotalCalls         int64   `json:"total_calls"`
	CompletedCalls     int64   `json:"completed_calls"`
	FailedCalls        int64   `json:"failed_calls"`
	SuccessRate        float64 `json:"success_rate"`
	AvgDurationSeconds float64 `json:"avg_duration_seconds"`
}

type providerLatencyItem struct {
	ProviderType string  `json:"provider_type" enum:"stt,llm,tts"`
	ProviderName string  `json:"provider_name"`
	AvgLatencyMS float64 `json:"avg_latency_ms"`
	P50LatencyMS float64 `json:"p50_latency_ms" doc:"Latencies by component, in milliseconds. Percentiles are accurate to 1 %."`
	P95LatencyMS float64 `json:"p95_latency_ms"`
	P99LatencyMS float64 `json:"p99_latency_ms"`
	CallCount    int64   `json:"call_count" doc:"Number of calls with this measurement."`
}

type errorLogPage struct {
	Items  []errorLogItem `json:"items"`
	Total  int64          `json:"total"`
	Limit  int64          `json:"limit"`
	Offset int64          `json:"offset"`
}

type errorLogItem struct {
	ID        string    `json:"id" format:"uuid"`
	CallID    string    `json:"call_id" format:"uuid"`
	Timestamp wire.Time `json:"timestamp"`
	Service   string    `json:"service" enum:"stt,llm,tts,workflow,tool,webhook,call_hook"`
	Level     string    `json:"level" enum:"error,warning" doc:"Severity. error: the call was affected; warning: it was not."`
	Message   string    `json:"message"`
	Details   object    `json:"details"`
	Agent     *string   `json:"agent" nullable:"true"`
}

type errorGroupItem struct {
	Service string    `json:"service" enum:"stt,llm,tts,workflow,tool,webhook,call_hook"`
	Level   string    `json:"level" enum:"error,warning" doc:"Severity. error: the call was affected; warning: it was not."`
	Message string    `json:"message"`
	Agent   *string   `json:"agent" nullable:"true"`
	Count   int64     `json:"count" doc:"Number of entries with this service, level, agent and message." example:"12"`
	FirstAt wire.Time `json:"first_at" doc:"Time of the oldest entry."`
	LastAt  wire.Time `json:"last_at" doc:"Time of the newest entry."`
	CallID  string    `json:"call_id" format:"uuid" doc:"Call of the newest entry."`
}

type activeCountBody struct {
	Count int `json:"count"`
}

func (s *Server) registerAnalytics() {
	ask := func(name, summary, description string) wire.Operation {
		return wire.Operation{ID: "get-" + name, Method: http.MethodGet, Path: "/api/v1/analytics/" + name, Tag: "Analytics",
			Scope: "analytics:read", OrScope: "calls:read", Summary: summary, Description: description}
	}
	wire.Register(s.router, ask("summary", "Get call statistics", "Open calls count in `total_calls` and `active_calls` only."), s.summary)
	wire.Register(s.router, ask("call-volume", "Get call volume", "Without `started_after` the range starts with the first call, without `started_before` it ends now. At most 10,000 intervals."), s.callVolume)
	wire.Register(s.router, ask("workflow-stats", "Get statistics by workflow", "The workflows with the most calls, in descending order."), s.workflowStats)
	wire.Register(s.router, ask("provider-latency", "Get provider latencies", "Latencies of the turns of calls that have ended."), s.providerLatency)
	wire.Register(s.router, ask("costs", "Get costs", "Sums of the costs of calls that have ended, the greatest first; days in order."), s.costs)
	wire.Register(s.router, ask("results", "Get results of an analysis", "How often each criterion of an analysis was answered with what, and the most frequent values of its data, by agent, workflow or day. Calls whose content has been deleted do not count."), s.results)
	wire.Register(s.router, ask("answered-by", "Get who answered", "How many of the calls whose answer was classified were answered by a person, a mailbox, or another class, by agent, workflow or day."), s.answeredBy)
	wire.Register(s.router, ask("errors", "List errors", "The error log, newest first. The range applies to the times of the errors."), s.errorLog)
	wire.Register(s.router, ask("error-groups", "List errors by cause", "Groups of the newest 20,000 entries of the error log with the same service, level, agent and message; those with the newest entries first. The range applies to the times of the errors."), s.errorGroups)
	wire.Register(s.router, ask("active-calls", "Count open calls", "Counts all open calls, or with `started_after` or `started_before` those in the range."), s.activeCount)
}

func (s *Server) summary(ctx context.Context, who auth.Principal, in *RangeIn) (*wire.Answer[summaryBody], error) {
	sum, err := s.deps.Analytics.Summary(ctx, in.query(who))
	if err != nil {
		return nil, err
	}
	return wire.NewAnswer(summaryBody{
		TotalCalls: sum.Total, CompletedCalls: sum.Completed, FailedCalls: sum.Failed, ActiveCalls: sum.Active,
		AvgDurationSeconds: sum.AvgDurationSeconds, SuccessRate: sum.SuccessRate, TotalTokens: sum.Tokens,
		AvgSTTLatencyMS: sum.AvgSTTLatencyMS, AvgLLMLatencyMS: sum.AvgLLMLatencyMS, AvgTTSLatencyMS: sum.AvgTTSLatencyMS,
	}), nil
}

func (s *Server) callVolume(ctx context.Context, who auth.Principal, in *callVolumeIn) (*wire.Answer[volumeBody], error) {
	points, err := s.deps.Analytics.Volume(ctx, in.query(who), analytics.Interval(in.Interval))
	if err != nil {
		return nil, err
	}
	body := volumeBody{Interval: in.Interval, Data: make([]volumeItem, len(points))}
	for i, p := range points {
		body.Data[i] = volumeItem{wire.Time(p.Time), p.Total, p.Completed, p.Failed}
	}
	return wire.NewAnswer(body), nil
}

func (s *Server) workflowStats(ctx context.Context, who auth.Principal, in *workflowStatsIn) (*wire.Answer[[]workflowStatsItem], error) {
	stats, err := s.deps.Analytics.Workflows(ctx, in.query(who), in.Limit)
	if err != nil {
		return nil, err
	}
	items := make([]workflowStatsItem, len(stats))
	for i, w := range stats {
		items[i] = workflowStatsItem{w.ID, w.Name, w.Slug, w.Total, w.Completed, w.Failed, w.SuccessRate, w.AvgDurationSeconds}
	}
	return wire.NewAnswer(items), nil
}

func (s *Server) providerLatency(ctx context.Context, who auth.Principal, in *RangeIn) (*wire.Answer[[]providerLatencyItem], error) {
	providers, err := s.deps.Analytics.Providers(ctx, in.query(who))
	if err != nil {
		return nil, err
	}
	items := make([]providerLatencyItem, len(providers))
	for i, p := range providers {
		items[i] = providerLatencyItem{p.Type, p.Name, p.Avg, p.P50, p.P95, p.P99, p.Calls}
	}
	return wire.NewAnswer(items), nil
}

func (s *Server) errorLog(ctx context.Context, who auth.Principal, in *errorLogIn) (*wire.Answer[errorLogPage], error) {
	found, total, err := s.deps.Analytics.Errors(ctx, in.errors(who, in.Limit, in.Offset))
	if err != nil {
		return nil, err
	}
	page := errorLogPage{Items: make([]errorLogItem, len(found)), Total: total, Limit: in.Limit, Offset: in.Offset}
	for i, e := range found {
		page.Items[i] = errorLogItem{e.ID, e.CallID, wire.Time(e.CreatedAt), e.Service, e.Level, e.Message, object(e.Details), e.Agent}
	}
	return wire.NewAnswer(page), nil
}

func (s *Server) errorGroups(ctx context.Context, who auth.Principal, in *errorGroupsIn) (*wire.Answer[[]errorGroupItem], error) {
	groups, err := s.deps.Analytics.ErrorGroups(ctx, in.errors(who, in.Limit, 0))
	if err != nil {
		return nil, err
	}
	items := make([]errorGroupItem, len(groups))
	for i, g := range groups {
		items[i] = errorGroupItem{g.Service, g.Level, g.Message, g.Agent, g.Count, wire.Time(g.First), wire.Time(g.CreatedAt), g.CallID}
	}
	return wire.NewAnswer(items), nil
}

func (s *Server) activeCount(ctx context.Context, who auth.Principal, in *RangeIn) (*wire.Answer[activeCountBody], error) {
	count, err := s.deps.Analytics.ActiveCalls(ctx, in.query(who))
	if err != nil {
		return nil, err
	}
	return wire.NewAnswer(activeCountBody{count}), nil
}
