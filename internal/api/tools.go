package api

import (
	"context"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"parley/internal/api/wire"
	"parley/internal/auth"
	"parley/internal/fault"
	"parley/internal/tool"
)

// toolConfig is a tool's configuration, under its own name in the
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
	return toolBody{t.ID, t.Name, t.Description, toolConfig(t.Config.Masked()), wire.Time(t.CreatedAt), wire.Time(t.UpdatedAt), warnings}
}

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
	tools := wire.Resource[tool.Store, tool.Tool, toolBody]{
		Router: s.router, Tag: "Tools", Path: "/api/v1/tools", Key: "name", Title: "a tool", Scope: "tools", Store: s.tools, Show: showTool,
	}
	wire.List(tools, wire.Operation{Description: "Newest first."},
		func(ctx context.Context, store tool.Store, in *wire.PageIn) ([]tool.Tool, int64, error) {
			return store.List(ctx, in.Limit, in.Offset)
		},
		func(t *tool.Tool) toolItem {
			return toolItem{t.ID, t.Name, t.Description, wire.Time(t.CreatedAt), wire.Time(t.UpdatedAt)}
		})
	wire.Create(tools, wire.Operation{Description: "Agents that list it in `config.tools` can call it."},
		func(ctx context.Context, store tool.Store, in *createToolIn) (*tool.Tool, []string, error) {
			return store.Create(ctx, tool.Draft{Name: in.Body.Name, Description: in.Body.Description, Config: (*tool.Config)(in.Body.Config)})
		})
	wire.Get[toolIn](tools, wire.Operation{}, tool.Store.Get)
	wire.Update[updateToolIn](tools, wire.Operation{
		Description: "The body is a JSON Merge Patch (RFC 7396): objects merge, arrays and values replace, null removes an optional field. The result is validated as on creation.",
		MergePatch:  true,
	}, tool.Store.Update)
	wire.Delete[toolIn](tools, wire.Operation{
		OrScope: "tools:delete", Description: "A tool that active agents list is a conflict, which names them.",
		Errors: []fault.Code{fault.NotFound, fault.Conflict},
	}, tool.Store.Delete)
	s.registerToolTrials()
}

func (s *Server) tools(who auth.Principal) tool.Store {
	return s.deps.Tools.In(s.deps.DB.Tenant(who.TenantID))
}
