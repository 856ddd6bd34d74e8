package api

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"parley/internal/api/wire"
	"parley/internal/auth"
	"parley/internal/database"
	"parley/internal/fault"
	"parley/internal/template"
	"parley/internal/tenant"
	"parley/internal/variable"
)

type createVariableBody struct {
	Name  string  `json:"name" pattern:"^[a-zA-Z_][a-zA-Z0-9_]{0,63}$" doc:"Unique name of the variable within the tenant: {{vars.<name>}}. Cannot be changed." example:"opening_hours"`
	Value *string `json:"value" nullable:"false" maxLength:"4096" doc:"Text that templates are filled with." example:"Monday to Friday, 9 to 17"`
}

type createVariableIn struct {
	Body createVariableBody
}

type updateVariableBody struct {
	Value string `json:"value" maxLength:"4096" doc:"Text that templates are filled with." example:"Monday to Friday, 8 to 18"`
}

type updateVariableIn struct {
	Name string `path:"name" example:"opening_hours" doc:"Name of the variable."`
	Body updateVariableBody
}

type variableIn struct {
	Name string `path:"name" example:"opening_hours" doc:"Name of the variable."`
}

type variableBody struct {
	ID        string    `json:"id" format:"uuid"`
	Name      string    `json:"name" example:"opening_hours"`
	Value     string    `json:"value" doc:"Text that templates are filled with." example:"Monday to Friday, 9 to 17"`
	CreatedAt wire.Time `json:"created_at"`
	UpdatedAt wire.Time `json:"updated_at"`
}

func showVariable(v *variable.Variable, _ []string) variableBody {
	return variableBody{v.ID, v.Name, v.Value, wire.Time(v.CreatedAt), wire.Time(v.UpdatedAt)}
}

type createSecretBody struct {
	Name  string  `json:"name" pattern:"^[a-zA-Z_][a-zA-Z0-9_]{0,63}$" doc:"Unique name of the secret within the tenant: {{secrets.<name>}}. Cannot be changed." example:"clinic_api_key"`
	Value *string `json:"value" nullable:"false" minLength:"8" maxLength:"4096" doc:"The secret. Never returned." example:"the-key-of-the-clinic"`
}

type createSecretIn struct {
	Body createSecretBody
}

type updateSecretBody struct {
	Value string `json:"value" minLength:"8" maxLength:"4096" doc:"The new secret. Never returned." example:"the-new-key-of-the-clinic"`
}

type updateSecretIn struct {
	Name string `path:"name" example:"clinic_api_key" doc:"Name of the secret."`
	Body updateSecretBody
}

type secretIn struct {
	Name string `path:"name" example:"clinic_api_key" doc:"Name of the secret."`
}

type secretBody struct {
	ID        string    `json:"id" format:"uuid"`
	Name      string    `json:"name" example:"clinic_api_key"`
	CreatedAt wire.Time `json:"created_at"`
	UpdatedAt wire.Time `json:"updated_at"`
}

func showSecret(v *variable.Variable, _ []string) secretBody {
	return secretBody{v.ID, v.Name, wire.Time(v.CreatedAt), wire.Time(v.UpdatedAt)}
}

func (s *Server) registerVariables() {
	variables := wire.Resource[variable.Store, variable.Variable, variableBody]{
		Router: s.router, Tag: "Variables", Path: "/api/v1/variables", Key: "name", Title: "a variable", Scope: "variables", Store: s.variables, Show: showVariable,
	}
	wire.List(variables, wire.Operation{Description: "By name."}, listVariables, variables.Body)
	wire.Create(variables, wire.Operation{Description: "Templates refer to it as {{vars.<name>}}. A call has the values of its dispatch."},
		func(ctx context.Context, store variable.Store, in *createVariableIn) (*variable.Variable, []string, error) {
			v, err := store.Create(ctx, in.Body.Name, in.Body.Value)
			return v, nil, err
		})
	wire.Get[variableIn](variables, wire.Operation{}, variable.Store.Get)
	registerValue(s, variables, "update-variable", "Update a variable", func(in *updateVariableIn) (name, value string) { return in.Name, in.Body.Value })
	wire.Delete[variableIn](variables, wire.Operation{Description: "Templates that refer to it have no value for it in calls that are dispatched afterwards."}, variable.Store.Delete)

	secrets := wire.Resource[variable.Store, variable.Variable, secretBody]{
		Router: s.router, Tag: "Secrets", Path: "/api/v1/secrets", Key: "name", Title: "a secret", Scope: "secrets", LiveOnly: true, Store: s.secrets, Show: showSecret,
	}
	wire.List(secrets, wire.Operation{Description: "By name, without the secrets themselves."}, listVariables, secrets.Body)
	wire.Create(secrets, wire.Operation{Description: "The URL, the headers and the body of a tool's request refer to it as {{secrets.<name>}}. It is encrypted and never returned."},
		func(ctx context.Context, store variable.Store, in *createSecretIn) (*variable.Variable, []string, error) {
			v, err := store.Create(ctx, in.Body.Name, in.Body.Value)
			return v, nil, err
		})
	wire.Get[secretIn](secrets, wire.Operation{Description: "Without the secret itself."}, variable.Store.Get)
	registerValue(s, secrets, "update-secret", "Update a secret", func(in *updateSecretIn) (name, value string) { return in.Name, in.Body.Value })
	wire.Delete[secretIn](secrets, wire.Operation{Description: "A secret that tools or the MCP servers of active agents refer to cannot be deleted. Requests of calls under way that refer to it are no longer sent.",
		Errors: []fault.Code{fault.NotFound, fault.Conflict}}, variable.Store.Delete)
}

func listVariables(ctx context.Context, store variable.Store, in *wire.PageIn) ([]variable.Variable, int64, error) {
	return store.List(ctx, in.Limit, in.Offset)
}

// registerValue registers the operation that replaces a value.
func registerValue[In, T any](s *Server, r wire.Resource[variable.Store, variable.Variable, T], id, summary string, of func(*In) (name, value string)) {
	wire.Register(s.router, wire.Operation{
		ID: id, Method: http.MethodPut, Path: r.Path + "/{name}", Tag: r.Tag, Scope: r.Scope + ":write", LiveOnly: r.LiveOnly,
		Summary: summary, Description: "Replaces the value.", Errors: []fault.Code{fault.NotFound},
	}, func(ctx context.Context, who auth.Principal, in *In) (*wire.Answer[T], error) {
		name, value := of(in)
		v, err := r.Store(who).Update(ctx, name, value)
		if err != nil {
			return nil, err
		}
		return wire.NewAnswer(r.Body(v)), nil
	})
}

func (s *Server) variables(who auth.Principal) variable.Store {
	return variable.Variables(s.deps.DB.Tenant(who.TenantID))
}

func (s *Server) secrets(who auth.Principal) variable.Store {
	return s.deps.Secrets.In(s.deps.DB.Tenant(who.TenantID))
}

// addSettings adds the tenant's variables, unless the client gave some, and the time in the tenant's time zone, or the client's, to the
// values for templates.
func (s *Server) addSettings(ctx context.Context, who auth.Principal, scope template.Scope) error {
	now := time.Now()
	if given, is := scope["now"]; is {
		text, _ := given.(string)
		var err error
		if now, err = time.Parse(time.RFC3339, text); err != nil {
			return fault.Invalid([]fault.Detail{{Field: "context.now", Message: "must be a time such as 2026-12-24T18:30:00Z"}})
		}
	}
	return s.deps.DB.Tenant(who.TenantID).Read(ctx, func(ctx context.Context, tx database.Tx) error {
		timezone, err := tenant.Timezone(ctx, tx)
		if err != nil {
			return err
		}
		scope.SetTime(now, timezone)
		if _, given := scope["vars"]; given {
			return nil
		}
		values, err := variable.Values(ctx, tx)
		if err != nil {
			return fmt.Errorf("fill templates: %w", err)
		}
		scope["vars"] = values
		return nil
	})
}
