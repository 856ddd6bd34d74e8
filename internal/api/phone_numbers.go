package api

import (
	"context"
	"net/http"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"parley/internal/api/wire"
	"parley/internal/fault"
	"parley/internal/hook"
	"parley/internal/sip"
)

type createPhoneNumberBody struct {
	Number       string         `json:"number" maxLength:"64" doc:"Phone number in E.164 format, or as it is dialled in the trunk's default_country. Unique within its trunk." example:"+4930123456"`
	WorkflowSlug *string        `json:"workflow_slug,omitempty" nullable:"true" doc:"Slug of the workflow that answers. Give either this or agent_name." example:"support"`
	AgentName    *string        `json:"agent_name,omitempty" nullable:"true" doc:"Name of the agent that answers. Give either this or workflow_slug."`
	TrunkID      *string        `json:"trunk_id,omitempty" nullable:"true" format:"uuid" doc:"Unique identifier of the trunk that delivers the number's calls. Default: the platform's trunk, for numbers that the operator has assigned to your tenant."`
	CallHook     *hook.CallHook `json:"call_hook,omitempty" doc:"Request to your backend before each call of the number is answered. Default: none."`
}

// updatePhoneNumberBody is read from the raw body: it is a JSON Merge Patch.
type updatePhoneNumberBody struct{}

// Schema describes the patch.
func (updatePhoneNumberBody) Schema(r huma.Registry) *huma.Schema {
	return r.Schema(reflect.TypeFor[updatePhoneNumberFields](), true, "")
}

// updatePhoneNumberFields describes the patch.
type updatePhoneNumberFields struct {
	WorkflowSlug *string                      `json:"workflow_slug,omitempty" nullable:"true" doc:"Slug of the workflow that answers; it replaces an agent." example:"support"`
	AgentName    *string                      `json:"agent_name,omitempty" nullable:"true" doc:"Name of the agent that answers; it replaces a workflow."`
	CallHook     wire.Nullable[hook.CallHook] `json:"call_hook,omitempty" doc:"Request to your backend before each call of the number is answered; null removes it."`
}

type updatePhoneNumberIn struct {
	ID      wire.ID `path:"id" doc:"Unique identifier of the phone number."`
	Body    updatePhoneNumberBody
	RawBody []byte
}

type createPhoneNumberIn struct {
	Body createPhoneNumberBody
}

type phoneNumberBody struct {
	ID           string         `json:"id" format:"uuid"`
	Number       string         `json:"number" example:"+4930123456"`
	WorkflowSlug *string        `json:"workflow_slug" nullable:"true"`
	AgentName    *string        `json:"agent_name" nullable:"true"`
	TrunkID      *string        `json:"trunk_id" nullable:"true" format:"uuid"`
	CallHook     *hook.CallHook `json:"call_hook,omitempty" doc:"Request to your backend before each call of the number is answered; absent if there is none."`
	CreatedAt    wire.Time      `json:"created_at"`
}

func showPhoneNumber(n *sip.PhoneNumber, _ []string) phoneNumberBody {
	return phoneNumberBody{n.ID, n.Number, n.WorkflowSlug, n.AgentName, n.TrunkID, n.CallHook, wire.Time(n.CreatedAt)}
}

type phoneNumberIn struct {
	ID wire.ID `path:"id" doc:"Unique identifier of the phone number."`
}

func (s *Server) registerPhoneNumbers() {
	numbers := wire.Resource[sip.Store, sip.PhoneNumber, phoneNumberBody]{
		Router: s.router, Tag: "Phone numbers", Path: "/api/v1/phone-numbers", Key: "id", Title: "a phone number", Scope: "sip", LiveOnly: true, Store: s.sip, Show: showPhoneNumber,
	}
	wire.List(numbers, wire.Operation{Description: "Newest first."},
		func(ctx context.Context, store sip.Store, in *wire.PageIn) ([]sip.PhoneNumber, int64, error) {
			return store.PhoneNumbers(ctx, in.Limit, in.Offset)
		}, numbers.Body)
	wire.Create(numbers, wire.Operation{
		Description: "Inbound calls to the number are answered by an existing workflow or agent. Only calls of its trunk are answered: from the trunk's `allowed_addresses`, or authenticated with its `username` and `password`. Where calls cannot be distinguished (trunks with overlapping `allowed_addresses`, or one without any that uses a digest), a number belongs to one tenant, which the operator assigns.",
	}, func(ctx context.Context, store sip.Store, in *createPhoneNumberIn) (*sip.PhoneNumber, []string, error) {
		number, err := store.CreatePhoneNumber(ctx, sip.NumberDraft(in.Body))
		return number, nil, err
	})
	wire.Update[updatePhoneNumberIn](numbers, wire.Operation{
		Method: http.MethodPatch, MergePatch: true, Errors: []fault.Code{fault.NotFound},
		Description: "The body is a JSON Merge Patch (RFC 7396) of who answers and of the call hook. Calls that are under way are not changed.",
	}, wire.WithoutWarnings(sip.Store.UpdatePhoneNumber))
	wire.Delete[phoneNumberIn](numbers, wire.Operation{}, sip.Store.DeletePhoneNumber)
}
