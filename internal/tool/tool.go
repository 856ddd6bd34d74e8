// Package tool stores a tenant's tools, functions that the language model may call, and runs their actions.
package tool

import (
	"encoding/json"
	"time"

	"github.com/uptrace/bun"
)

// Tool is a function of a tenant.
type Tool struct {
	bun.BaseModel `bun:"table:tools,alias:t"`

	TenantID    string    `bun:"tenant_id,pk"`
	ID          string    `bun:"id,pk"`
	Name        string    `bun:"name"` // unique within the tenant; never changes
	Description *string   `bun:"description"`
	Config      Config    `bun:"config,type:json"`
	CreatedAt   time.Time `bun:"created_at"`
	UpdatedAt   time.Time `bun:"updated_at"`
}

// Config is a tool's configuration, in requests and as stored. The tags beside json describe the fields in the
// API's description; rules.go validates.
type Config struct {
	Parameters []Parameter `json:"parameters" required:"false" maxItems:"100" doc:"What the language model gives with a call, as {{params.<name>}} in the actions."`
	// Filler is what the agent says when a call takes long; nil for the default, "" for none.
	Filler  *string  `json:"filler,omitempty" maxLength:"500" doc:"What the agent says when the tool takes long. By default \"One moment, please.\"; an empty text for nothing." example:"Let me look that up."`
	Actions []Action `json:"actions" required:"false" maxItems:"20" doc:"What a call does, in order."`
}

// Parameter is one argument of a tool.
type Parameter struct {
	Name        string            `json:"name" pattern:"^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$" doc:"Unique within the tool." example:"order_id"`
	Type        string            `json:"type" enum:"string,number,integer,boolean,object,array" example:"string"`
	Required    bool              `json:"required" required:"false" doc:"Whether the language model must give it. false by default."`
	Description string            `json:"description,omitempty" maxLength:"2000" doc:"For the language model." example:"The order's number, as on the invoice."`
	Enum        []json.RawMessage `json:"enum,omitzero" minItems:"1" maxItems:"100" doc:"The values that it may have."`
	Default     json.RawMessage   `json:"default,omitempty" doc:"The value when the language model gives none."`
}

// The types of actions.
const (
	APICall      = "api_call"
	SetFlag      = "set_flag"
	SetContext   = "set_context"
	Handoff      = "handoff"
	EndCall      = "end_call"
	TransferCall = "transfer_call"
	SendDTMF     = "send_dtmf"
	Respond      = "respond"
)

// Action is one step of a tool. actionFields lists the fields of each type; the others are zero. Texts may contain
// {{path}} templates.
type Action struct {
	Type string `json:"type" enum:"api_call,set_flag,set_context,handoff,end_call,transfer_call,send_dtmf,respond"`

	URL        string            `json:"url,omitempty" maxLength:"4096" doc:"Of an api_call: http or https. Templates may stand behind the host." example:"https://api.example.com/orders/{{params.order_id}}"`
	Method     string            `json:"method,omitempty" enum:"GET,POST,PUT,PATCH,DELETE" doc:"Of an api_call. By default POST with a body, GET without one."`
	Headers    map[string]string `json:"headers,omitzero" doc:"Of an api_call." example:"{\"Authorization\":\"Bearer {{user.auth_token}}\"}"`
	Body       json.RawMessage   `json:"body,omitempty" doc:"Of an api_call: an object, sent as JSON."`
	Timeout    *int              `json:"timeout,omitempty" minimum:"1" maximum:"60" doc:"Of an api_call: seconds, 15 by default."`
	RetryCount *int              `json:"retry_count,omitempty" minimum:"0" maximum:"5" doc:"Of an api_call: repetitions after a connection error, 5xx or 429. 0 by default."`
	OnSuccess  []Action          `json:"on_success,omitzero" maxItems:"20" doc:"Of an api_call: done after a 2xx answer, which is {{result.*}} in them."`
	OnFailure  []Action          `json:"on_failure,omitzero" maxItems:"20" doc:"Of an api_call: done after any other end."`

	Name  string          `json:"name,omitempty" doc:"Of a set_flag: the flag, {{flags.<name>}}." example:"verified"`
	Key   string          `json:"key,omitempty" doc:"Of a set_context: the key of the workflow's state, {{workflow.<key>}}." example:"order"`
	Value json.RawMessage `json:"value,omitempty" doc:"Of a set_flag (true by default) or set_context: any value."`

	TargetAgent    string   `json:"target_agent,omitempty" doc:"Of a handoff: the agent that takes over." example:"billing"`
	PhoneNumber    string   `json:"phone_number,omitempty" doc:"Of a transfer_call: E.164." example:"+4930123456"`
	AllowedNumbers []string `json:"allowed_numbers,omitzero" maxItems:"100" doc:"Of a transfer_call: the numbers, E.164, that phone_number may lead to, or what they begin with, as +4930*. Required for a number that the language model has a part in; one that is literal, or holds {{user.*}} alone, needs none." example:"[\"+4930123456\",\"+4989*\"]"`
	Digits         string   `json:"digits,omitempty" doc:"Of a send_dtmf: 0-9, A-D, * and #; w waits half a second." example:"1w22#"`
	Message        string   `json:"message,omitempty" maxLength:"4000" doc:"Of a respond: what the language model gets as the tool's answer. Of an end_call or transfer_call: what the agent says first."`
}
