package api

import (
	"context"
	"net/http"

	"parley/internal/api/wire"
	"parley/internal/auth"
	"parley/internal/fault"
	"parley/internal/sip"
)

type createPhoneNumberBody struct {
	Number       string  `json:"number" pattern:"^\\+[1-9][0-9]{6,14}$" doc:"Phone number in E.164 format, unique within its trunk." example:"+4930123456"`
	WorkflowSlug *string `json:"workflow_slug,omitempty" nullable:"true" doc:"Slug of the workflow that answers. Give either this or agent_name." example:"support"`
	AgentName    *string `json:"agent_name,omitempty" nullable:"true" doc:"Name of the agent that answers. Give either this or workflow_slug."`
	TrunkID      *string `json:"trunk_id,omitempty" nullable:"true" format:"uuid" doc:"Unique identifier of the trunk that delivers the number's calls. Default: the platform's trunk, for numbers that the operator has assigned to your tenant."`
}

type createPhoneNumberIn struct {
	Body createPhoneNumberBody
}

type phoneNumberBody struct {
	ID           string    `json:"id" format:"uuid"`
	Number       string    `json:"number" example:"+4930123456"`
	WorkflowSlug *string   `json:"workflow_slug" nullable:"true"`
	AgentName    *string   `json:"agent_name" nullable:"true"`
	TrunkID      *string   `json:"trunk_id" nullable:"true" format:"uuid"`
	CreatedAt    wire.Time `json:"created_at"`
}

func wirePhoneNumber(n *sip.PhoneNumber) phoneNumberBody {
	return phoneNumberBody{n.ID, n.Number, n.WorkflowSlug, n.AgentName, n.TrunkID, wire.Time(n.CreatedAt)}
}

type phoneNumberIn struct {
	ID wire.ID `path:"id" doc:"Unique identifier of the phone number."`
}

func (s *Server) registerPhoneNumbers() {
	const tag, path = "Phone numbers", "/api/v1/phone-numbers"
	wire.Register(s.router, wire.Operation{
		ID: "list-phone-numbers", Method: http.MethodGet, Path: path, Tag: tag, Scope: "sip:read",
		Summary: "List phone numbers", Description: "Newest first.",
	}, s.listPhoneNumbers)
	wire.Register(s.router, wire.Operation{
		ID: "create-phone-number", Method: http.MethodPost, Path: path, Tag: tag, LiveOnly: true, Scope: "sip:write",
		Summary: "Create a phone number", Description: "Inbound calls to the number are answered by an existing workflow or agent. Only calls of its trunk are answered: from the trunk's `allowed_addresses`, or authenticated with its `username` and `password`. Where calls cannot be distinguished (trunks with overlapping `allowed_addresses`, or one without any that uses a digest), a number belongs to one tenant, which the operator assigns.",
		Status: http.StatusCreated, OwnRules: true, Errors: []fault.Code{fault.Conflict},
	}, s.createPhoneNumber)
	wire.Register(s.router, wire.Operation{
		ID: "delete-phone-number", Method: http.MethodDelete, Path: path + "/{id}", Tag: tag, LiveOnly: true, Scope: "sip:write",
		Summary: "Delete a phone number", Errors: []fault.Code{fault.NotFound},
	}, s.deletePhoneNumber)
}

func (s *Server) listPhoneNumbers(ctx context.Context, who auth.Principal, in *wire.PageIn) (*wire.Answer[wire.Page[phoneNumberBody]], error) {
	found, total, err := s.sip(who).PhoneNumbers(ctx, in.Limit, in.Offset)
	if err != nil {
		return nil, err
	}
	return wire.ListOf(found, total, *in, wirePhoneNumber), nil
}

func (s *Server) createPhoneNumber(ctx context.Context, who auth.Principal, in *createPhoneNumberIn) (*wire.Answer[phoneNumberBody], error) {
	return wire.Show(wirePhoneNumber)(s.sip(who).CreatePhoneNumber(ctx, sip.NumberDraft(in.Body)))
}

func (s *Server) deletePhoneNumber(ctx context.Context, who auth.Principal, in *phoneNumberIn) (*wire.Empty, error) {
	return nil, s.sip(who).DeletePhoneNumber(ctx, in.ID.String())
}
