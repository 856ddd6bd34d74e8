package api

import (
	"context"
	"net/http"
	"time"

	"parley/internal/api/wire"
	"parley/internal/auth"
	"parley/internal/fault"
	"parley/internal/signing"
)

type signingSecretBody struct {
	ID            string     `json:"id" format:"uuid"`
	Purpose       string     `json:"purpose" enum:"tools,call_hooks" doc:"Requests that the secret signs." example:"tools"`
	Secret        string     `json:"secret,omitempty" doc:"The secret. Returned only in the response of its rotation." example:"tlsec_5f1c9a0d72e65b38"`
	PreviousUntil *wire.Time `json:"previous_until" nullable:"true" doc:"Time until which requests are also signed with the secret before (UTC); null if they are not."`
	CreatedAt     wire.Time  `json:"created_at"`
	UpdatedAt     wire.Time  `json:"updated_at" doc:"Time of the last rotation (UTC)."`
}

func showSigningSecret(s *signing.Secret, plain string) signingSecretBody {
	b := signingSecretBody{ID: s.ID, Purpose: string(s.Purpose), Secret: plain, CreatedAt: wire.Time(s.CreatedAt), UpdatedAt: wire.Time(s.UpdatedAt)}
	if until := s.PreviousUntil.Time; len(s.PreviousSealed) > 0 && until.After(time.Now()) {
		b.PreviousUntil = new(wire.Time(until))
	}
	return b
}

type signingSecretIn struct {
	Purpose string `path:"purpose" enum:"tools,call_hooks" example:"tools" doc:"Requests that the secret signs."`
}

type rotateSigningSecretIn struct {
	Purpose string `path:"purpose" enum:"tools,call_hooks" example:"tools" doc:"Requests that the secret signs."`
	Body    *struct {
		OverlapSeconds int `json:"overlap_seconds,omitempty" minimum:"0" maximum:"86400" doc:"Seconds for which requests are also signed with the secret before. Default: 0." example:"3600"`
	}
}

func (s *Server) registerSigning() {
	const tag, path = "Secrets", "/api/v1/signing-secrets"
	wire.Register(s.router, wire.Operation{
		ID: "list-signing-secrets", Method: http.MethodGet, Path: path, Tag: tag, Scope: "secrets:read",
		Summary: "List signing secrets", Description: "Those that there are, without the secrets themselves. The webhook has its own.",
	}, s.listSigningSecrets)
	wire.Register(s.router, wire.Operation{
		ID: "rotate-signing-secret", Method: http.MethodPost, Path: path + "/{purpose}/rotate", Tag: tag, Scope: "secrets:write", LiveOnly: true, OwnRules: true,
		Summary: "Make or rotate a signing secret", Description: "Requests of the purpose are signed with the new secret within 10 seconds. The first rotation makes the secret.",
		Errors: []fault.Code{fault.NotFound},
	}, s.rotateSigningSecret)
	wire.Register(s.router, wire.Operation{
		ID: "delete-signing-secret", Method: http.MethodDelete, Path: path + "/{purpose}", Tag: tag, Scope: "secrets:write", LiveOnly: true,
		Summary: "Delete a signing secret", Description: "Requests are no longer signed.",
		Errors: []fault.Code{fault.NotFound},
	}, s.deleteSigningSecret)
}

func (s *Server) signing(who auth.Principal) signing.Store {
	return signing.In(s.deps.DB.Tenant(who.TenantID), s.deps.Sealer)
}

func (s *Server) listSigningSecrets(ctx context.Context, who auth.Principal, _ *struct{}) (*wire.Answer[wire.ItemsBody[signingSecretBody]], error) {
	secrets, err := s.signing(who).List(ctx)
	if err != nil {
		return nil, err
	}
	items := make([]signingSecretBody, len(secrets))
	for n := range secrets {
		items[n] = showSigningSecret(&secrets[n], "")
	}
	return wire.NewAnswer(wire.ItemsBody[signingSecretBody]{Items: items}), nil
}

func (s *Server) rotateSigningSecret(ctx context.Context, who auth.Principal, in *rotateSigningSecretIn) (*wire.Answer[signingSecretBody], error) {
	var overlap time.Duration
	if in.Body != nil {
		overlap = time.Duration(in.Body.OverlapSeconds) * time.Second
	}
	secret, plain, err := s.signing(who).Rotate(ctx, signing.Purpose(in.Purpose), overlap)
	if err != nil {
		return nil, err
	}
	return wire.NewAnswer(showSigningSecret(secret, plain)), nil
}

func (s *Server) deleteSigningSecret(ctx context.Context, who auth.Principal, in *signingSecretIn) (*wire.Empty, error) {
	return nil, s.signing(who).Delete(ctx, in.Purpose)
}
