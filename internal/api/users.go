package api

import (
	"context"
	"net/http"

	"parley/internal/api/wire"
	"parley/internal/auth"
	"parley/internal/fault"
)

// userBody is a user as clients see it.
type userBody struct {
	ID        string    `json:"id" format:"uuid"`
	Email     string    `json:"email"`
	Scopes    []string  `json:"scopes" nullable:"false" doc:"Scopes of the user's sessions: resource:action, resource:* or *."`
	CreatedAt wire.Time `json:"created_at"`
}

func wireUser(u *auth.User) userBody {
	return userBody{u.ID, u.Email, u.Scopes, wire.Time(u.CreatedAt)}
}

type userPage struct {
	Items  []userBody `json:"items" nullable:"false"`
	Total  int64      `json:"total"`
	Limit  int64      `json:"limit"`
	Offset int64      `json:"offset"`
}

type createUserIn struct {
	Body struct {
		Email    string   `json:"email" minLength:"1" maxLength:"254" doc:"E-mail address, with which the user signs in. No other user of the server has it." example:"ada@example.com"`
		Password string   `json:"password" minLength:"12" maxLength:"1024" example:"correct horse battery staple"`
		Scopes   []string `json:"scopes" nullable:"false" maxItems:"100" doc:"Scopes of the user: resource:action, resource:* or *. Only scopes that you have yourself can be granted." example:"[\"calls:read\"]"`
	}
}

type updateUserIn struct {
	ID   wire.ID `path:"id" doc:"Unique identifier of the user."`
	Body struct {
		Password string   `json:"password,omitempty" minLength:"12" maxLength:"1024" doc:"New password. Ends the user's sessions." example:"correct horse battery staple"`
		Scopes   []string `json:"scopes,omitempty" nullable:"false" maxItems:"100" doc:"New scopes, which replace all. Apply to the user's sessions at once. Only scopes that you have yourself can be granted." example:"[\"calls:read\",\"calls:write\"]"`
	}
}

type userIn struct {
	ID wire.ID `path:"id" doc:"Unique identifier of the user."`
}

type changePasswordIn struct {
	Body struct {
		CurrentPassword string `json:"current_password" minLength:"1" maxLength:"1024" doc:"Current password." example:"correct horse battery staple"`
		Password        string `json:"password" minLength:"12" maxLength:"1024" doc:"New password." example:"correct horse battery staple"`
	}
}

func (s *Server) registerUsers() {
	const tag, path = "Users", "/api/v1/users"
	wire.Register(s.router, wire.Operation{
		ID: "list-users", Method: http.MethodGet, Path: path, Tag: tag, Scope: "users:read",
		Summary: "List users", Description: "Newest first. Requires a user's session.", SessionOnly: true,
	}, s.listUsers)
	wire.Register(s.router, wire.Operation{
		ID: "create-user", Method: http.MethodPost, Path: path, Tag: tag, Scope: "users:write", Status: http.StatusCreated,
		Summary: "Create a user", Description: "The user signs in to this tenant. Requires a user's session.", SessionOnly: true, MaxBody: maxSessionBody,
		Errors: []fault.Code{fault.Authorization, fault.Conflict, fault.ServiceUnavailable},
	}, s.createUser)
	wire.Register(s.router, wire.Operation{
		ID: "update-user", Method: http.MethodPatch, Path: path + "/{id}", Tag: tag, Scope: "users:write",
		Summary: "Update a user", Description: "Changes the scopes of another user, or sets a new password. A user with scopes that you lack cannot be changed. Requires a user's session.",
		SessionOnly: true, MaxBody: maxSessionBody, Errors: []fault.Code{fault.Authorization, fault.NotFound, fault.ServiceUnavailable},
	}, s.updateUser)
	wire.Register(s.router, wire.Operation{
		ID: "delete-user", Method: http.MethodDelete, Path: path + "/{id}", Tag: tag, Scope: "users:write",
		Summary: "Delete a user", Description: "Deletes another user and ends their sessions. A user with scopes that you lack cannot be deleted. Requires a user's session.",
		SessionOnly: true, Errors: []fault.Code{fault.Authorization, fault.NotFound},
	}, s.deleteUser)
	wire.Register(s.router, wire.Operation{
		ID: "change-password", Method: http.MethodPost, Path: "/api/v1/auth/password", Tag: "Authentication", Status: http.StatusNoContent,
		Summary: "Change your password", Description: "Ends all sessions of the user, also the one of this request. Wrong passwords count as failed sign-ins. Requires a user's session.",
		SessionOnly: true, MaxBody: maxSessionBody, Errors: []fault.Code{fault.Authorization, fault.ServiceUnavailable}, Action: "user.change_password",
	}, s.changePassword)
}

func (s *Server) listUsers(ctx context.Context, who auth.Principal, in *wire.PageIn) (*wire.Answer[userPage], error) {
	users, total, err := s.deps.Auth.Users(ctx, who, in.Limit, in.Offset)
	if err != nil {
		return nil, err
	}
	page := userPage{Items: make([]userBody, len(users)), Total: total, Limit: in.Limit, Offset: in.Offset}
	for i := range users {
		page.Items[i] = wireUser(&users[i])
	}
	return wire.NewAnswer(page), nil
}

func (s *Server) createUser(ctx context.Context, who auth.Principal, in *createUserIn) (*wire.Answer[userBody], error) {
	u, err := s.deps.Auth.AddUser(ctx, who, in.Body.Email, in.Body.Password, in.Body.Scopes)
	if err != nil {
		return nil, err
	}
	return wire.NewAnswer(wireUser(u)), nil
}

func (s *Server) updateUser(ctx context.Context, who auth.Principal, in *updateUserIn) (*wire.Answer[userBody], error) {
	var change auth.UserChange
	if in.Body.Password != "" {
		change.Password = &in.Body.Password
	}
	if in.Body.Scopes != nil {
		change.Scopes = &in.Body.Scopes
	}
	u, err := s.deps.Auth.ChangeUser(ctx, who, in.ID.String(), change)
	if err != nil {
		return nil, err
	}
	return wire.NewAnswer(wireUser(u)), nil
}

func (s *Server) deleteUser(ctx context.Context, who auth.Principal, in *userIn) (*wire.Empty, error) {
	return nil, s.deps.Auth.RemoveUser(ctx, who, in.ID.String())
}

func (s *Server) changePassword(ctx context.Context, who auth.Principal, in *changePasswordIn) (*wire.Empty, error) {
	auditUser(ctx, who)
	return nil, s.deps.Auth.ChangePassword(ctx, who, in.Body.CurrentPassword, in.Body.Password, wire.ExchangeOf(ctx).Client)
}
