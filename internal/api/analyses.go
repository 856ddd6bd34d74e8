package api

import (
	"context"
	"encoding/json"
	"net/http"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"parley/internal/analysis"
	"parley/internal/api/wire"
	"parley/internal/auth"
	"parley/internal/fault"
)

// analysisLLM is a language model under a name of its own in the description.
type analysisLLM analysis.LLM

// AnalysisFields are the fields of an analysis that a client sets; those of analysis.Config, with the schema as an object.
type AnalysisFields struct {
	Description  *string              `json:"description,omitempty" nullable:"true" maxLength:"2000" doc:"Purpose of the analysis." example:"Whether an appointment was made."`
	Instructions string               `json:"instructions,omitempty" maxLength:"20000" doc:"What the language model has to know beside the schema and the criteria, such as the meaning of your terms." example:"A rescheduled appointment counts as booked."`
	Schema       object               `json:"schema,omitempty" doc:"JSON Schema of the data to fill, of type object: a subset of draft 2020-12, see docs/analyses.md. At most 64 KiB, 100 properties and 8 levels. Required without criteria." example:"{\"type\":\"object\",\"properties\":{\"service\":{\"type\":\"string\",\"description\":\"What the appointment is for.\"}}}"`
	Criteria     []analysis.Criterion `json:"criteria,omitempty" maxItems:"20" nullable:"false" doc:"Questions about the call. Required without a schema."`
	Conditions   *analysis.Conditions `json:"conditions,omitempty" doc:"Conditions of the calls to analyse. Other calls have the status skipped, with the reason. Default: all calls with a transcript."`
	LLM          *analysisLLM         `json:"llm,omitempty" doc:"Language model of the analysis. Default: that of the last agent of the call that has one."`
}

func (f AnalysisFields) config() analysis.Config {
	c := analysis.Config{Description: f.Description, Instructions: f.Instructions, Schema: json.RawMessage(f.Schema), Criteria: f.Criteria, LLM: (*analysis.LLM)(f.LLM)}
	if f.Conditions != nil {
		c.Conditions = *f.Conditions
	}
	return c
}

type createAnalysisBody struct {
	Name string `json:"name" pattern:"^[a-z0-9][a-z0-9_-]{0,99}$" doc:"Unique name of the analysis within the tenant, used in paths and in agents and workflows. Cannot be changed." example:"outcome"`
	AnalysisFields
}

// updateAnalysisBody is read from the raw body: it is a JSON Merge Patch.
type updateAnalysisBody struct{}

// Schema describes the patch.
func (updateAnalysisBody) Schema(r huma.Registry) *huma.Schema {
	return wire.Partial(r, reflect.TypeFor[createAnalysisBody](), "name")
}

type analysisBody struct {
	ID           string               `json:"id" format:"uuid"`
	Name         string               `json:"name" example:"outcome"`
	Description  *string              `json:"description" nullable:"true"`
	Instructions string               `json:"instructions" doc:"What the language model has to know beside the schema and the criteria; empty for nothing." example:"A rescheduled appointment counts as booked."`
	Schema       object               `json:"schema" doc:"JSON Schema of the data to fill; null for none." example:"{\"type\":\"object\",\"properties\":{\"service\":{\"type\":\"string\"}}}"`
	Criteria     []analysis.Criterion `json:"criteria" nullable:"false" doc:"Questions about the call."`
	Conditions   analysis.Conditions  `json:"conditions" doc:"Conditions of the calls to analyse."`
	LLM          *analysisLLM         `json:"llm,omitempty"`
	Version      int64                `json:"version"`
	CreatedAt    wire.Time            `json:"created_at"`
	UpdatedAt    wire.Time            `json:"updated_at"`
	Warnings     []string             `json:"warnings,omitempty" doc:"Possible mistakes in the accepted analysis, such as an unknown model."`
}

func showAnalysis(a *analysis.Analysis, warnings []string) analysisBody {
	c := a.Config
	return analysisBody{a.ID, a.Name, c.Description, c.Instructions, object(c.Schema), append([]analysis.Criterion{}, c.Criteria...), c.Conditions, (*analysisLLM)(c.LLM),
		a.Version, wire.Time(a.CreatedAt), wire.Time(a.UpdatedAt), warnings}
}

type analysisItem struct {
	ID        string    `json:"id" format:"uuid"`
	Name      string    `json:"name" example:"outcome"`
	Version   int64     `json:"version"`
	CreatedAt wire.Time `json:"created_at"`
	UpdatedAt wire.Time `json:"updated_at"`
}

type analysisIn struct {
	Name string `path:"name" example:"outcome" doc:"Name of the analysis."`
}

type createAnalysisIn struct {
	Body createAnalysisBody
}

type updateAnalysisIn struct {
	Name    string `path:"name" example:"outcome" doc:"Name of the analysis."`
	Body    updateAnalysisBody
	RawBody []byte
}

type analysisVersionBody struct {
	Version      int64                `json:"version"`
	Description  *string              `json:"description" nullable:"true"`
	Instructions string               `json:"instructions" doc:"What the language model has to know beside the schema and the criteria; empty for nothing." example:"A rescheduled appointment counts as booked."`
	Schema       object               `json:"schema" doc:"JSON Schema of the data to fill; null for none." example:"{\"type\":\"object\",\"properties\":{\"service\":{\"type\":\"string\"}}}"`
	Criteria     []analysis.Criterion `json:"criteria" nullable:"false" doc:"Questions about the call."`
	Conditions   analysis.Conditions  `json:"conditions" doc:"Conditions of the calls to analyse."`
	LLM          *analysisLLM         `json:"llm,omitempty"`
	CreatedAt    wire.Time            `json:"created_at" doc:"Time the version was created (UTC)."`
}

func showAnalysisVersion(v *analysis.Version) analysisVersionBody {
	c := v.Config
	return analysisVersionBody{v.Version, c.Description, c.Instructions, object(c.Schema), append([]analysis.Criterion{}, c.Criteria...), c.Conditions, (*analysisLLM)(c.LLM), wire.Time(v.CreatedAt)}
}

type analysisVersionsIn struct {
	Name string `path:"name" example:"outcome" doc:"Name of the analysis."`
	wire.PageIn
}

type analysisVersionIn struct {
	Name    string `path:"name" example:"outcome" doc:"Name of the analysis."`
	Version int64  `path:"version" minimum:"1" example:"1" doc:"Number of the version."`
}

type rollbackAnalysisIn struct {
	Name string `path:"name" example:"outcome" doc:"Name of the analysis."`
	Body struct {
		Version int64 `json:"version" minimum:"1"`
	}
}

func (s *Server) registerAnalyses() {
	analyses := wire.Resource[analysis.Store, analysis.Analysis, analysisBody]{
		Router: s.router, Tag: "Analyses", Path: "/api/v1/analyses", Key: "name", Singular: "analysis", Title: "an analysis", Scope: "analyses", Store: s.analyses, Show: showAnalysis,
	}
	wire.List(analyses, wire.Operation{Description: "Newest first."},
		func(ctx context.Context, store analysis.Store, in *wire.PageIn) ([]analysis.Analysis, int64, error) {
			return store.List(ctx, in.Limit, in.Offset)
		},
		func(a *analysis.Analysis) analysisItem {
			return analysisItem{a.ID, a.Name, a.Version, wire.Time(a.CreatedAt), wire.Time(a.UpdatedAt)}
		})
	wire.Create(analyses, wire.Operation{Description: "Calls of the agents and workflows that list it under `config.analyses` are analysed after their end."},
		func(ctx context.Context, store analysis.Store, in *createAnalysisIn) (*analysis.Analysis, []string, error) {
			return store.Create(ctx, analysis.Draft{Name: in.Body.Name, Config: in.Body.config()})
		})
	wire.Get[analysisIn](analyses, wire.Operation{}, analysis.Store.Get)
	wire.Update[updateAnalysisIn](analyses, wire.Operation{
		Description: "The body is a JSON Merge Patch (RFC 7396), but a schema replaces the whole schema. The result is validated as on creation and is a new version unless nothing changes. Calls that have been analysed keep their results.",
		MergePatch:  true,
	}, analysis.Store.Update)
	wire.Delete[analysisIn](analyses, wire.Operation{
		Description: "An analysis that active agents or workflows list is a conflict, which names them. Results of calls stay.",
		Errors:      []fault.Code{fault.NotFound, fault.Conflict},
	}, analysis.Store.Delete)
	wire.Register(s.router, wire.Operation{
		ID: "list-analysis-versions", Method: http.MethodGet, Path: analyses.Path + "/{name}/versions", Tag: analyses.Tag, Scope: "analyses:read",
		Summary: "List an analysis's versions", Description: "Newest first. The 100 most recent earlier versions are kept.", Errors: []fault.Code{fault.NotFound},
	}, func(ctx context.Context, who auth.Principal, in *analysisVersionsIn) (*wire.Answer[wire.Page[analysisVersionBody]], error) {
		found, total, err := s.analyses(who).Versions(ctx, in.Name, in.Limit, in.Offset)
		if err != nil {
			return nil, err
		}
		return wire.ListOf(found, total, in.PageIn, showAnalysisVersion), nil
	})
	wire.Register(s.router, wire.Operation{
		ID: "get-analysis-version", Method: http.MethodGet, Path: analyses.Path + "/{name}/versions/{version}", Tag: analyses.Tag, Scope: "analyses:read",
		Summary: "Get an analysis's version", Description: "The analysis as it was with this `version`, which results of calls name.", Errors: []fault.Code{fault.NotFound},
	}, func(ctx context.Context, who auth.Principal, in *analysisVersionIn) (*wire.Answer[analysisVersionBody], error) {
		v, err := s.analyses(who).Version(ctx, in.Name, in.Version)
		if err != nil {
			return nil, err
		}
		return wire.NewAnswer(showAnalysisVersion(v)), nil
	})
	wire.Register(s.router, wire.Operation{
		ID: "rollback-analysis", Method: http.MethodPost, Path: analyses.Path + "/{name}/rollback", Tag: analyses.Tag, Scope: "analyses:write",
		Summary: "Roll back an analysis", Description: "Restores an earlier version as a new version.", Errors: []fault.Code{fault.NotFound},
	}, func(ctx context.Context, who auth.Principal, in *rollbackAnalysisIn) (*wire.Answer[analysisBody], error) {
		a, warnings, err := s.analyses(who).Rollback(ctx, in.Name, in.Body.Version)
		if err != nil {
			return nil, err
		}
		return wire.NewAnswer(showAnalysis(a, warnings)), nil
	})
}

func (s *Server) analyses(who auth.Principal) analysis.Store {
	return s.deps.Analyses.In(s.deps.DB.Tenant(who.TenantID))
}

type callAnalysisBody struct {
	Name       string                     `json:"name" doc:"Name of the analysis." example:"outcome"`
	Version    int64                      `json:"version" doc:"Version of the analysis that ran; 0 before." example:"1"`
	Status     string                     `json:"status" enum:"pending,done,skipped,failed" doc:"pending: waits, runs, or is tried again later. skipped: the call does not meet the conditions." example:"done"`
	Reason     *string                    `json:"reason" nullable:"true" enum:"min_duration,min_turns,status_reason,answered_by,no_transcript,analysis_deleted,no_language_model,invalid_answer,provider_error,worker_lost" doc:"Why it was skipped or failed, why a pending one is tried again, or why a run did not replace a done one; null for none."`
	Data       object                     `json:"data" doc:"The data, which fits the schema; null without a schema and before the analysis is done." example:"{\"service\":\"cleaning\"}"`
	Criteria   []analysis.CriterionAnswer `json:"criteria" nullable:"false" doc:"Answers to the criteria; empty before the analysis is done."`
	LLM        *callAnalysisLLM           `json:"llm,omitempty" doc:"Language model that is asked; absent for none."`
	Attempts   int                        `json:"attempts" doc:"Number of attempts so far."`
	CreatedAt  wire.Time                  `json:"created_at"`
	FinishedAt *wire.Time                 `json:"finished_at" nullable:"true" doc:"Time at which it was done, skipped or failed (UTC); null while it is pending."`
}

type callAnalysisLLM struct {
	Provider string `json:"provider" doc:"Name of the provider." example:"openai"`
	Model    string `json:"model" example:"gpt-6-luna"`
}

func (s *Server) registerCallAnalyses() {
	wire.Register(s.router, wire.Operation{
		ID: "get-call-analyses", Method: http.MethodGet, Path: "/api/v1/calls/{id}/analyses", Tag: "Calls", Scope: "calls:read",
		Summary: "Get a call's analyses", Errors: []fault.Code{fault.NotFound},
		Description: "The analyses of the call and their results, by name. Empty before the end of the call, and after its content was deleted.",
	}, func(ctx context.Context, who auth.Principal, in *callInput) (*wire.Answer[[]callAnalysisBody], error) {
		if err := s.maySee(ctx, who, in.ID); err != nil {
			return nil, err
		}
		results, err := s.deps.Calls.Analyses(ctx, who.TenantID, in.ID.String())
		if err != nil {
			return nil, err
		}
		bodies := make([]callAnalysisBody, len(results))
		for n, r := range results {
			bodies[n] = callAnalysisBody{Name: r.Name, Version: r.Version, Status: string(r.Status), Reason: r.Reason, Data: object(r.Data),
				Criteria: append([]analysis.CriterionAnswer{}, r.Criteria...), Attempts: r.Attempts, CreatedAt: wire.Time(r.CreatedAt), FinishedAt: wire.NullableTime(r.FinishedAt)}
			if r.LLM != nil {
				bodies[n].LLM = &callAnalysisLLM{r.LLM.Provider, r.LLM.Model}
			}
		}
		return wire.NewAnswer(bodies), nil
	})
}
