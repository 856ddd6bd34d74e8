package api

import (
	"context"
	"net/http"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"parley/internal/api/wire"
	"parley/internal/auth"
	"parley/internal/fault"
	"parley/internal/tool"
)

// toolConfig is a tool's configuration, under a name of its own in the
// description.
type toolConfig tool.Config

type createToolBody struct {
	Name        string      `json:"name" pattern:"^[a-zA-Z][a-zA-Z0-9_]{0,63}$" doc:"Unique name of the tool within the tenant, as the language model sees it. Cannot be changed." example:"look_up_order"`
	Description *string     `json:"description,omitempty" nullable:"true" maxLength:"2000" doc:"Purpose of the tool, for the language model." example:"Finds an order by its number."`
	Config      *toolConfig `json:"config"`
}

// updateToolBody is read from the raw body: it is a JSON Merge Patch.
type updateToolBody struct{}

// Schema describes the patch.
func (updateToolBody) Schema(r huma.Registry) *huma.Schema {
	return wire.Partial(r, reflect.TypeFor[createToolBody](), "name")
}

type toolBody struct {
	ID          string     `json:"id" format:"uuid"`
	Name        string     `json:"name" example:"look_up_order"`
	Description *string    `json:"description" nullable:"true" example:"Finds an order by its number."`
	Config      toolConfig `json:"config"`
	CreatedAt   wire.Time  `json:"created_at"`
	UpdatedAt   wire.Time  `json:"updated_at"`
	Warnings    []string   `json:"warnings,omitempty" doc:"Possible mistakes in the accepted configuration, such as paths without a value and agents that do not exist."`
}

func showTool(t *tool.Tool, warnings []string) toolBody {
	return toolBody{t.ID, t.Name, t.Description, toolConfig(t.Config), wire.Time(t.CreatedAt), wire.Time(t.UpdatedAt), warnings}
}

var (
	answerTool       = wire.Show(func(t *tool.Tool) toolBody { return showTool(t, nil) })
	answerWarnedTool = wire.ShowWarned(showTool)
)

type toolItem struct {
	ID          string    `json:"id" format:"uuid"`
	Name        string    `json:"name" example:"look_up_order"`
	Description *string   `json:"description" nullable:"true"`
	CreatedAt   wire.Time `json:"created_at"`
	UpdatedAt   wire.Time `json:"updated_at"`
}

type toolIn struct {
	Name string `path:"name" example:"look_up_order" doc:"Name of the tool."`
}

type createToolIn struct {
	Body createToolBody
}

type updateToolIn struct {
	Name    string `path:"name" example:"look_up_order" doc:"Name of the tool."`
	Body    updateToolBody
	RawBody []byte
}

func (s *Server) registerTools() {
	const tag, path = "Tools", "/api/v1/tools"
	wire.Register(s.router, wire.Operation{
		ID: "list-tools", Method: http.MethodGet, Path: path, Tag: tag, Scope: "tools:read",
		Summary: "List tools", Description: "Newest first.",
	}, s.listTools)
	wire.Register(s.router, wire.Operation{
		ID: "create-tool", Method: http.MethodPost, Path: path, Tag: tag, Scope: "tools:write",
		Summary: "Create a tool", Description: "Agents that list it in `config.tools` can call it.",
		Status: http.StatusCreated, OwnRules: true, Errors: []fault.Code{fault.Conflict},
	}, s.createTool)
	wire.Register(s.router, wire.Operation{
		ID: "get-tool", Method: http.MethodGet, Path: path + "/{name}", Tag: tag, Scope: "tools:read",
		Summary: "Get a tool", Errors: []fault.Code{fault.NotFound},
	}, s.getTool)
	wire.Register(s.router, wire.Operation{
		ID: "update-tool", Method: http.MethodPut, Path: path + "/{name}", Tag: tag, Scope: "tools:write",
		Summary:     "Update a tool",
		Description: "The body is a JSON Merge Patch (RFC 7396): objects merge, arrays and values replace, null removes an optional field. The result is validated as on creation.",
		OwnRules:    true, MergePatch: true, Errors: []fault.Code{fault.NotFound},
	}, s.updateTool)
	wire.Register(s.router, wire.Operation{
		ID: "delete-tool", Method: http.MethodDelete, Path: path + "/{name}", Tag: tag, Scope: "tools:write", OrScope: "tools:delete",
		Summary: "Delete a tool", Description: "Agents may continue to list it; it is no longer offered to them.",
		Errors: []fault.Code{fault.NotFound},
	}, s.deleteTool)
	s.registerToolTrials()
}

func (s *Server) tools(who auth.Principal) tool.Store {
	return s.deps.Tools.In(s.deps.DB.Tenant(who.TenantID))
}

func (s *Server) listTools(ctx context.Context, who auth.Principal, in *wire.PageIn) (*wire.Answer[wire.Page[toolItem]], error) {
	found, total, err := s.tools(who).List(ctx, in.Limit, in.Offset)
	if err != nil {
		return nil, err
	}
	return wire.ListOf(found, total, *in, func(t *tool.Tool) toolItem {
		return toolItem{t.ID, t.Name, t.Description, wire.Time(t.CreatedAt), wire.Time(t.UpdatedAt)}
	}), nil
}

func (s *Server) createTool(ctx context.Context, who auth.Principal, in *createToolIn) (*wire.Answer[toolBody], error) {
	return answerWarnedTool(s.tools(who).Create(ctx, tool.Draft{Name: in.Body.Name, Description: in.Body.Description, Config: (*tool.Config)(in.Body.Config)}))
}

func (s *Server) getTool(ctx context.Context, who auth.Principal, in *toolIn) (*wire.Answer[toolBody], error) {
	return answerTool(s.tools(who).Get(ctx, in.Name))
}

func (s *Server) updateTool(ctx context.Context, who auth.Principal, in *updateToolIn) (*wire.Answer[toolBody], error) {
	return answerWarnedTool(s.tools(who).Update(ctx, in.Name, in.RawBody))
}

func (s *Server) deleteTool(ctx context.Context, who auth.Principal, in *toolIn) (*wire.Empty, error) {
	return nil, s.tools(who).Delete(ctx, in.Name)
}
