package api

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"parley/internal/api/wire"
	"parley/internal/auth"
	"parley/internal/fault"
	"parley/internal/prompt"
	"parley/internal/template"
)

// promptFields is what a template consists of, in creation, import and export.
type promptFields struct {
	Slug        string                     `json:"slug" pattern:"^[a-z0-9][a-z0-9_-]{0,99}$" doc:"Unique identifier of the template within the tenant, used in paths and references. Cannot be changed; import and export are reserved." example:"welcome"`
	Name        string                     `json:"name" minLength:"1" maxLength:"255" example:"Welcome"`
	Description *string                    `json:"description,omitempty" nullable:"true" maxLength:"2000" example:"How a call begins."`
	Category    *string                    `json:"category,omitempty" enum:"greeting,closing,instruction,error" default:"instruction"`
	Content     map[string]string          `json:"content" doc:"Texts by language code, at least one. Texts may contain {{path}} references." example:"{\"en\":\"Hello {{customer_name}}!\"}"`
	Variables   []prompt.Variable          `json:"variables,omitempty" maxItems:"100" doc:"Variables that the texts refer to."`
	Metadata    map[string]json.RawMessage `json:"metadata,omitempty" doc:"Your own data, such as interruptible and voice_speed. At most 64 KiB." example:"{\"interruptible\":true,\"voice_speed\":1.1}"`
}

func (f promptFields) draft() prompt.Draft {
	category := prompt.DefaultCategory
	if f.Category != nil {
		category = *f.Category
	}
	return prompt.Draft{Slug: f.Slug, Body: prompt.Body{Name: f.Name, Description: f.Description, Category: category, Content: f.Content, Variables: f.Variables, Metadata: f.Metadata}}
}

// updatePromptBody is read from the raw body: it is a JSON Merge Patch.
type updatePromptBody struct{}

// updatePromptFields describes the patch.
type updatePromptFields struct {
	Name        string                     `json:"name,omitempty" maxLength:"255"`
	Description string                     `json:"description,omitempty" nullable:"true" maxLength:"2000" doc:"Set to null to remove." example:"How a call begins."`
	Category    string                     `json:"category,omitempty" nullable:"true" enum:"greeting,closing,instruction,error" doc:"Purpose of the template; null sets instruction."`
	Content     map[string]*string         `json:"content,omitempty" doc:"Texts by language code, merged with the stored ones; null removes a language."`
	Variables   []prompt.Variable          `json:"variables,omitempty" maxItems:"100" doc:"Replaces all variables."`
	Metadata    map[string]json.RawMessage `json:"metadata,omitempty" doc:"Merged with the stored metadata; null removes a key."`
}

// Schema describes the patch.
func (updatePromptBody) Schema(r huma.Registry) *huma.Schema {
	return r.Schema(reflect.TypeFor[updatePromptFields](), true, "")
}

type promptBody struct {
	ID          string                     `json:"id" format:"uuid"`
	TenantID    *string                    `json:"tenant_id" nullable:"true" format:"uuid" doc:"Unique identifier of the template; null for a default of the platform."`
	Slug        string                     `json:"slug" example:"welcome"`
	Name        string                     `json:"name" example:"Welcome"`
	Description *string                    `json:"description" nullable:"true"`
	Category    string                     `json:"category" enum:"greeting,closing,instruction,error"`
	Content     map[string]string          `json:"content" example:"{\"en\":\"Hello {{customer_name}}!\"}"`
	Variables   []prompt.Variable          `json:"variables"`
	Metadata    map[string]json.RawMessage `json:"metadata"`
	IsSystem    bool                       `json:"is_system" doc:"Whether the template is a default of the platform."`
	Version     int64                      `json:"version"`
	CreatedAt   wire.Time                  `json:"created_at"`
	UpdatedAt   wire.Time                  `json:"updated_at"`
}

func showPrompt(t *prompt.Template, _ []string) promptBody {
	return promptBody{t.ID, t.TenantID, t.Slug, t.Name, t.Description, t.Category, t.Content, t.Variables, t.Metadata,
		t.IsSystem(), t.Version, wire.Time(t.CreatedAt), wire.Time(t.UpdatedAt)}
}

type promptItem struct {
	ID          string    `json:"id" format:"uuid"`
	TenantID    *string   `json:"tenant_id" nullable:"true" format:"uuid"`
	Slug        string    `json:"slug" example:"welcome"`
	Name        string    `json:"name" example:"Welcome"`
	Description *string   `json:"description" nullable:"true"`
	Category    string    `json:"category" enum:"greeting,closing,instruction,error"`
	IsSystem    bool      `json:"is_system"`
	Version     int64     `json:"version"`
	CreatedAt   wire.Time `json:"created_at"`
	UpdatedAt   wire.Time `json:"updated_at"`
}

type promptVersionBody struct {
	Version     int64                      `json:"version"`
	Name        string                     `json:"name"`
	Description *string                    `json:"description" nullable:"true"`
	Category    string                     `json:"category" enum:"greeting,closing,instruction,error"`
	Content     map[string]string          `json:"content"`
	Variables   []prompt.Variable          `json:"variables"`
	Metadata    map[string]json.RawMessage `json:"metadata"`
	CreatedAt   wire.Time                  `json:"created_at" doc:"Time the version was created (UTC)."`
}

type listPromptsIn struct {
	wire.PageIn
	Category string `query:"category" enum:"greeting,closing,instruction,error" doc:"Filter by category."`
}

type promptIn struct {
	Slug string `path:"slug" example:"welcome" doc:"Slug of the template."`
}

type createPromptIn struct {
	Body promptFields
}

type updatePromptIn struct {
	Slug    string `path:"slug" example:"welcome" doc:"Slug of the template."`
	Body    updatePromptBody
	RawBody []byte
}

type promptVersionsIn struct {
	Slug string `path:"slug" example:"welcome" doc:"Slug of the template."`
	wire.PageIn
}

type rollbackPromptIn struct {
	Slug string `path:"slug" example:"welcome" doc:"Slug of the template."`
	Body struct {
		Version int64 `json:"version" minimum:"1"`
	}
}

type promptsBody struct {
	Templates []promptFields `json:"templates" maxItems:"1000"`
}

type importPromptsIn struct {
	Partial bool `query:"partial" doc:"Whether to skip invalid templates instead of rejecting the whole import. Default: false."`
	Body    promptsBody
}

type importedBody struct {
	Created int            `json:"created" doc:"Number of templates created."`
	Updated int            `json:"updated" doc:"Number of templates replaced."`
	Errors  []fault.Detail `json:"errors" doc:"Errors of the skipped templates."`
}

type previewPromptIn struct {
	Slug string `path:"slug" example:"welcome" doc:"Slug of the template."`
	Body struct {
		Language string `json:"language,omitempty" pattern:"^[a-zA-Z]{2,8}(-[a-zA-Z0-9]{1,8}){0,4}$" doc:"Language code. Default: user.language of the context, or else en." example:"de"`
		Context  object `json:"context,omitempty" doc:"Sample context: user, call, workflow, flags, or the variables themselves. At most 64 KiB." example:"{\"customer_name\":\"Ann\"}"`
	}
}

type previewBody struct {
	Language string   `json:"language" doc:"Language code of the text: the requested language or its fallback."`
	Text     string   `json:"text"`
	Missing  []string `json:"missing" doc:"Paths without a value, and required variables without a value."`
}

func (s *Server) registerPrompts() {
	const tag, path = "Prompts", "/api/v1/prompts"
	notFound, ownOnly := []fault.Code{fault.NotFound}, []fault.Code{fault.NotFound, fault.Conflict}
	prompts := wire.Resource[prompt.Store, prompt.Template, promptBody]{
		Router: s.router, Tag: tag, Path: path, Key: "slug", Title: "a prompt template", Scope: "prompts", Answer: wire.MaxBody, Store: s.prompts, Show: showPrompt,
	}
	wire.List(prompts, wire.Operation{Description: "Your own templates and the platform's defaults that they do not replace, newest first."},
		func(ctx context.Context, store prompt.Store, in *listPromptsIn) ([]prompt.Template, int64, error) {
			return store.List(ctx, in.Limit, in.Offset, in.Category)
		},
		func(t *prompt.Template) promptItem {
			return promptItem{t.ID, t.TenantID, t.Slug, t.Name, t.Description, t.Category, t.IsSystem(), t.Version, wire.Time(t.CreatedAt), wire.Time(t.UpdatedAt)}
		})
	wire.Create(prompts, wire.Operation{Description: "A template with the slug of a platform default replaces it for your tenant."},
		func(ctx context.Context, store prompt.Store, in *createPromptIn) (*prompt.Template, []string, error) {
			t, err := store.Create(ctx, in.Body.draft())
			return t, nil, err
		})
	wire.Register(s.router, wire.Operation{
		ID: "import-prompts", Method: http.MethodPost, Action: "prompt.import", Path: path + "/import", Tag: tag, Scope: "prompts:write",
		Summary: "Import prompt templates", Description: "Creates templates, or replaces those with the same slug. The import is atomic unless `partial` is true.",
		OwnRules: true, Errors: []fault.Code{fault.Conflict},
	}, s.importPrompts)
	s.registerPromptExport(wire.Operation{
		ID: "export-prompts", Method: http.MethodGet, Path: path + "/export", Tag: tag, Scope: "prompts:read",
		Summary: "Export prompt templates", Description: "Returns all your templates in the format of the import, without the platform's defaults.",
	})
	wire.Get[promptIn](prompts, wire.Operation{Description: "Returns your template, or else the platform's default."}, prompt.Store.Get)
	wire.Update[updatePromptIn](prompts, wire.Operation{
		Method: http.MethodPatch, MergePatch: true, Errors: ownOnly,
		Description: "The body is a JSON Merge Patch (RFC 7396) and creates a new version. A default of the platform cannot be changed (409 `conflict`): create a template with the same slug to replace it for your tenant.",
	}, wire.WithoutWarnings(prompt.Store.Update))
	wire.Delete[promptIn](prompts, wire.Operation{
		Description: "Deletes the template with its versions. A platform default of the same slug applies again; the default itself cannot be deleted (409 `conflict`). A template without a default that active agents or tools refer to is a conflict, which names them.", Errors: ownOnly,
	}, prompt.Store.Delete)
	wire.Register(s.router, wire.Operation{
		ID: "preview-prompt", Method: http.MethodPost, Unaudited: true, Answer: template.MaxRendered, Path: path + "/{slug}/preview", Tag: tag, Scope: "prompts:read",
		Summary: "Preview a prompt template", Errors: notFound,
	}, s.previewPrompt)
	wire.Register(s.router, wire.Operation{
		ID: "list-prompt-versions", Method: http.MethodGet, Path: path + "/{slug}/versions", Tag: tag, Scope: "prompts:read",
		Summary: "List a prompt template's versions", Description: "Newest first. The 100 most recent earlier versions are kept.", Errors: notFound,
	}, s.listPromptVersions)
	wire.Register(s.router, wire.Operation{
		ID: "rollback-prompt", Method: http.MethodPost, Answer: wire.MaxBody, Path: path + "/{slug}/rollback", Tag: tag, Scope: "prompts:write",
		Summary: "Roll back a prompt template", Description: "Restores an earlier version as a new version. A platform default cannot be rolled back (409 `conflict`).", Errors: ownOnly,
	}, s.rollbackPrompt)
}

func (s *Server) prompts(who auth.Principal) prompt.Store {
	return s.deps.Prompts.In(s.deps.DB.Tenant(who.TenantID))
}

func (s *Server) importPrompts(ctx context.Context, who auth.Principal, in *importPromptsIn) (*wire.Answer[importedBody], error) {
	if in.Body.Templates == nil {
		return nil, fault.FoundIn(ctx).With([]fault.Detail{{Field: "templates", Message: "is required"}})
	}
	drafts := make([]prompt.Draft, len(in.Body.Templates))
	for i, f := range in.Body.Templates {
		drafts[i] = f.draft()
	}
	done, err := s.prompts(who).Import(ctx, drafts, in.Partial)
	if err != nil {
		return nil, err
	}
	return wire.NewAnswer(importedBody{done.Created, done.Updated, append([]fault.Detail{}, done.Errors...)}), nil
}

func (s *Server) previewPrompt(ctx context.Context, who auth.Principal, in *previewPromptIn) (*wire.Answer[previewBody], error) {
	t, err := s.prompts(who).Get(ctx, in.Slug)
	if err != nil {
		return nil, err
	}
	scope := template.Scope{}
	if size := len(in.Body.Context); size > maxContext {
		return nil, fault.Invalid([]fault.Detail{{Field: "context", Message: fmt.Sprintf("has %d bytes, at most %d are allowed", size, maxContext)}})
	}
	if in.Body.Context != nil {
		if scope, err = template.DecodeObject(in.Body.Context); err != nil {
			return nil, fault.Invalid([]fault.Detail{{Field: "context", Message: "must be an object"}})
		}
	}
	if err := s.addSettings(ctx, who, scope); err != nil {
		return nil, err
	}
	language := in.Body.Language
	if language == "" {
		language = prompt.Language(scope)
	}
	used, text, missing := t.Render(language, scope)
	return wire.NewAnswer(previewBody{used, text, append([]string{}, missing...)}), nil
}

func (s *Server) listPromptVersions(ctx context.Context, who auth.Principal, in *promptVersionsIn) (*wire.Answer[wire.Page[promptVersionBody]], error) {
	found, total, err := s.prompts(who).Versions(ctx, in.Slug, in.Limit, in.Offset)
	if err != nil {
		return nil, err
	}
	return wire.ListOf(found, total, in.PageIn, func(v *prompt.Version) promptVersionBody {
		return promptVersionBody{v.Version, v.Name, v.Description, v.Category, v.Content, v.Variables, v.Metadata, wire.Time(v.CreatedAt)}
	}), nil
}

func (s *Server) rollbackPrompt(ctx context.Context, who auth.Principal, in *rollbackPromptIn) (*wire.Answer[promptBody], error) {
	t, err := s.prompts(who).Rollback(ctx, in.Slug, in.Body.Version)
	if err != nil {
		return nil, err
	}
	return wire.NewAnswer(showPrompt(t, nil)), nil
}
