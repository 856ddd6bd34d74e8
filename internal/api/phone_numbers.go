package api

import (
	"context"
	"net/http"

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
	ID           string  `json:"id" format:"uuid"`
	Number       string  `json:"number" example:"+4930123456"`
	WorkflowSlug *string `json:"workflow_slug" nullable:"true"`
	AgentName    *string `json:"agent_name" nullable:"true"`
	TrunkID      *string `json:"trunk_id" nullable:"true" format:"uuid"`
	CreatedAt    Time    `json:"created_at"`
}

func wirePhoneNumber(n *sip.PhoneNumber) phoneNumberBody {
	return phoneNumberBody{n.ID, n.Number, n.WorkflowSlug, n.AgentName, n.TrunkID, Time(n.CreatedAt)}
}

type phoneNumberIn struct {
	ID ID `path:"id" doc:"Unique identifier of the phone number."`
}

func (s *Server) registerPhoneNumbers() {
	const tag, path = "Phone numbers", "/api/v1/phone-numbers"
	register(s.router, operation{
		ID: "list-phone-numbers", Method: http.MethodGet, Path: path, Tag: tag, Scope: "sip:read",
		Summary: "List phone numbers", Description: "Newest first.",
	}, s.listPhoneNumbers)
	register(s.router, operation{
		ID: "create-phone-number", Method: http.MethodPost, Path: path, Tag: tag, LiveOnly: true, Scope: "sip:write",
		Summary: "Create a phone number", Description: "Inbound calls to the number are answered by an existing workflow or agent. Only calls of its trunk are answered: from the trunk's `allowed_addresses`, or authenticated with its `username` and `password`. Where calls cannot be distinguished (trunks with overlapping `allowed_addresses`, or one without any that uses a digest), a number belongs to one tenant, which the operator assigns.",
		Status: http.StatusCreated, OwnRules: true, Errors: []fault.Code{fault.Conflict},
	}, s.createPhoneNumber)
	register(s.router, operation{
		ID: "delete-phone-number", Method: http.MethodDelete, Path: path + "/{id}", Tag: tag, LiveOnly: true, Scope: "sip:write",
		Summary: "Delete a phone number", Errors: []fault.Code{fault.NotFound},
	}, s.deletePhoneNumber)
}

func (s *Server) listPhoneNumbers(ctx context.Context, who auth.Principal, in *pageIn) (*answer[page[phoneNumberBody]], error) {
	found, total, err := s.sip(who).PhoneNumbers(ctx, in.Limit, in.Offset)
	if err != nil {
		return nil, err
	}
	items := make([]phoneNumberBody, len(found))
	for i := range found {
		items[i] = wirePhoneNumber(&found[i])
	}
	return &answer[page[phoneNumberBody]]{page[phoneNumberBody]{items, total, in.Limit, in.Offset}}, nil
}

func (s *Server) createPhoneNumber(ctx context.Context, who auth.Principal, in *createPhoneNumberIn) (*answer[phoneNumberBody], error) {
	n, err := s.sip(who).CreatePhoneNumber(ctx, sip.NumberDraft(in.Body))
	if err != nil {
		return nil, err
	}
	return &answer[phoneNumberBody]{wirePhoneNumber(n)}, nil
}

func (s *Server) deletePhoneNumber(ctx context.Context, who auth.Principal, in *phoneNumberIn) (*empty, error) {
	return nil, s.sip(who).DeletePhoneNumber(ctx, in.ID.String())
}
