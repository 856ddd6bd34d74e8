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

	TenantID    string  `bun:"tenant_id,pk"`
	ID          string  `bun:"id,pk"`
	Name        string  `bun:"name"` // unique within the tenant; never changes
	Description *string `bun:"description"`
	Config      Config  `bun:"config,type:json"`
	// HeadersSealed reports whether the static header values are sealed. Those that a version before has stored are sealed at a start.
	HeadersSealed bool      `bun:"headers_sealed"`
	CreatedAt     time.Time `bun:"created_at"`
	UpdatedAt     time.Time `bun:"updated_at"`
}

// Config is a tool's configuration, in requests and as stored. The tags beside json describe the fields in the
// API's description; rules.go validates.
type Config struct {
	Parameters []Parameter `json:"parameters" required:"false" maxItems:"100" doc:"Parameters of the tool, available to actions as {{params.<name>}}."`
	// Filler is what the agent says during a long call; nil for the default, "" for none.
	Filler *string `json:"filler,omitempty" maxLength:"500" doc:"Text that the agent speaks during a long call of the tool. Default: \"One moment, please.\"; empty for none." example:"Let me look that up."`
	// OnWait is what the agent says during a long call, in place of Filler.
	OnWait  *OnWait  `json:"on_wait,omitempty" doc:"Texts that the agent speaks one after the other during a long call of the tool, in place of filler."`
	Async   bool     `json:"async,omitempty" doc:"Whether the tool runs in the background: the agent continues the conversation, and speaks of the result when neither side speaks. Default: false." example:"false"`
	Actions []Action `json:"actions" required:"false" maxItems:"20" doc:"Actions of the tool, in order."`
}

// OnWait is what the agent says while it waits for a tool: the first text after AfterMS of silence, each further one after the next
// silence.
type OnWait struct {
	Text    []string `json:"text" minItems:"1" maxItems:"10" doc:"Texts, in order, each spoken once a call of the tool. May contain templates, such as {{params.order_id}}." example:"[\"Let me look that up.\",\"It takes a little longer today.\"]"`
	AfterMS *int     `json:"after_ms,omitempty" minimum:"200" maximum:"30000" doc:"Silence before the first text, in milliseconds. Default: filler_after_ms of the agent." example:"1500"`
}

// Parameter is one argument of a tool.
type Parameter struct {
	Name        string            `json:"name" pattern:"^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$" doc:"Name of the parameter, unique within the tool." example:"order_id"`
	Type        string            `json:"type" enum:"string,number,integer,boolean,object,array" example:"string"`
	Required    bool              `json:"required" required:"false" doc:"Whether the parameter is required. Default: false."`
	Description string            `json:"description,omitempty" maxLength:"2000" doc:"Description of the parameter, for the language model." example:"The order's number, as on the invoice."`
	Enum        []json.RawMessage `json:"enum,omitzero" minItems:"1" maxItems:"100" doc:"Permitted values."`
	Default     json.RawMessage   `json:"default,omitempty" doc:"Default value."`
	Nested
	// RequiredProperties are in a list of their own, because Required is of the parameter.
	RequiredProperties []string `json:"required_properties,omitzero" maxItems:"50" doc:"For an object: names of the properties that are required." example:"[\"sku\"]"`
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

	URL        string            `json:"url,omitempty" maxLength:"4096" doc:"For api_call: URL, http or https. Templates are allowed after the host." example:"https://api.example.com/orders/{{params.order_id}}"`
	Method     string            `json:"method,omitempty" enum:"GET,POST,PUT,PATCH,DELETE" doc:"For api_call: HTTP method. Default: POST with a body, GET without one."`
	Headers    map[string]string `json:"headers,omitzero" doc:"For api_call: HTTP headers. For transfer_call in another mode than refer: SIP headers of the INVITE, X-… or User-to-User. Values may contain templates. Values that are more than references and a scheme such as Bearer are returned as ********, which, sent back, keeps the stored value." example:"{\"Authorization\":\"Bearer {{user.auth_token}}\"}"`
	Body       json.RawMessage   `json:"body,omitempty" doc:"For api_call: request body, an object that is sent as JSON."`
	Required   []string          `json:"required,omitzero" maxItems:"20" doc:"For api_call: paths that must have a value. If one is missing, null or empty, the request is not sent, and the action has failed. Paths in the path of the URL always must." example:"[\"workflow.customer_id\"]"`
	Timeout    *int              `json:"timeout,omitempty" minimum:"1" maximum:"60" doc:"For api_call: timeout of an attempt, in seconds. Default: 15."`
	RetryCount *int              `json:"retry_count,omitempty" minimum:"0" maximum:"5" doc:"For api_call: number of retries after a connection error, 5xx or 429. Default: 0."`
	OnSuccess  []Action          `json:"on_success,omitzero" maxItems:"20" doc:"For api_call: actions after a 2xx response, which is available to them as {{result.*}}."`
	OnFailure  []Action          `json:"on_failure,omitzero" maxItems:"20" doc:"For api_call: actions after any other outcome."`

	Name  string          `json:"name,omitempty" doc:"For set_flag: name of the flag, {{flags.<name>}}." example:"verified"`
	Key   string          `json:"key,omitempty" doc:"For set_context: key in the workflow's state, {{workflow.<key>}}." example:"order"`
	Value json.RawMessage `json:"value,omitempty" doc:"For set_flag (default: true) and set_context: the value."`

	TargetAgent    string   `json:"target_agent,omitempty" doc:"For handoff: name of the agent." example:"billing"`
	PhoneNumber    string   `json:"phone_number,omitempty" doc:"For transfer_call: phone number in E.164 format; in another mode than refer also a SIP URI of a trunk with allow_uris." example:"+4930123456"`
	AllowedNumbers []string `json:"allowed_numbers,omitzero" maxItems:"100" doc:"For transfer_call: permitted numbers in E.164 format, or prefixes such as +4930*. Required if phone_number, or an item of to, contains templates other than {{user.*}}." example:"[\"+4930123456\",\"+4989*\"]"`
	Connection
	Digits  string `json:"digits,omitempty" doc:"For send_dtmf: tones to send: 0-9, A-D, * and #; w is a pause of half a second." example:"1w22#"`
	Message string `json:"message,omitempty" maxLength:"4000" doc:"For respond: result of the tool, for the language model. For end_call and transfer_call: text that the agent speaks first."`
}
