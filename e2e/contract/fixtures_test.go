package contract

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"parley/internal/audio"
)

// fixture says of an operation what it needs to succeed, and who may call it.
type fixture struct {
	scope   string // lets in
	also    string // lets in as well
	with    string // needed besides scope
	session bool   // a user's session alone may
	open    bool   // needs no credential
	stream  bool   // reports what is not found in a message
	// answers is the status of what is allowed, where only a spoken call would have it succeed.
	answers int
	make    func(t *testing.T, of *tenant) input
	// refers are for a body that names something of the tenant.
	refers []reference
}

// input is what a request needs that succeeds.
type input struct {
	id    string // of the path
	query string
	body  any
	// header is sent besides the credential.
	header http.Header
}

// reference is a name in a body: one of another tenant is answered as one that nobody has.
type reference struct {
	make func(t *testing.T, of *tenant) string
	body func(t *testing.T, of *tenant, name string) any
}

// Fixtures by operation id. The matrix fails for an operation without one, and for one without an operation.
var fixtures = map[string]fixture{
	"health":       {open: true},
	"health-live":  {open: true},
	"health-ready": {open: true},
	"metrics":      {open: true}, // to the machine itself; pages has the others

	"login": {open: true, make: func(t *testing.T, of *tenant) input {
		return input{body: object{"email": of.user.email, "password": password}}
	}},
	"refresh":             {open: true, make: refreshToken},
	"logout":              {open: true, make: refreshToken},
	"get-sign-in-methods": {open: true},
	"create-session": {open: true, make: func(t *testing.T, of *tenant) input {
		return input{body: object{"email": of.user.email, "password": password}, header: http.Header{"X-Requested-By": {"test"}}}
	}},
	"refresh-session": {open: true, make: refreshCookie},
	"delete-session":  {open: true, make: refreshCookie},
	"me":              {},
	"create-api-key":  {session: true, make: body(object{"name": "n", "environment": "test", "scopes": []string{"agents:read"}, "rate_limit": 1})},
	"list-api-keys":   {session: true},
	"revoke-api-key": {session: true, make: func(t *testing.T, of *tenant) input {
		id, _ := of.newKey(t, "agents:read")
		return input{id: id}
	}},

	"list-users": {scope: "users:read", session: true},
	"create-user": {scope: "users:write", session: true, make: func(t *testing.T, of *tenant) input {
		return input{body: object{"email": of.fresh("user") + "@example.com", "password": password, "scopes": []string{"agents:read"}}}
	}},
	"update-user":     {scope: "users:write", session: true, make: named(newUser, object{"scopes": []string{"calls:read"}})},
	"delete-user":     {scope: "users:write", session: true, make: named(newUser, nil)},
	"change-password": {session: true, make: body(object{"current_password": password, "password": password})},

	"list-agents": {scope: "agents:read"},
	"create-agent": {scope: "agents:write", make: func(t *testing.T, of *tenant) input { return input{body: agentBody(of, of.fresh("agent"))} },
		refers: []reference{{newSound, func(_ *testing.T, of *tenant, name string) any {
			body := agentBody(of, of.fresh("agent"))
			body["config"].(object)["hold_sound"] = name
			return body
		}}, {newSound, func(_ *testing.T, of *tenant, name string) any {
			body := agentBody(of, of.fresh("agent"))
			body["config"].(object)["ambience"] = object{"sound": name}
			return body
		}}}},
	"get-agent":        {scope: "agents:read", make: named(newAgent, nil)},
	"update-agent":     {scope: "agents:write", make: named(newAgent, object{"display_name": "changed", "config": object{"languages": []string{"de"}}})},
	"delete-agent":     {scope: "agents:delete", make: named(newAgent, nil)},
	"activate-agent":   {scope: "agents:write", make: named(newAgent, nil)},
	"deactivate-agent": {scope: "agents:write", make: named(newAgent, nil)},

	"list-workflows": {scope: "workflows:read"},
	"create-workflow": {scope: "workflows:write", make: func(t *testing.T, of *tenant) input {
		return input{body: workflowBody(of, of.fresh("workflow"), newAgent(t, of))}
	}, refers: []reference{{newAgent, func(t *testing.T, of *tenant, name string) any { return workflowBody(of, of.fresh("workflow"), name) }}}},
	"evaluate-condition":  {scope: "workflows:read", make: body(object{"condition": "user.age >= 18", "context": object{"user": object{"age": 30}}})},
	"get-workflow":        {scope: "workflows:read", make: named(newWorkflow, nil)},
	"update-workflow":     {scope: "workflows:write", make: named(newWorkflow, object{"description": nil, "config": object{"shared_context": []string{"order"}}})},
	"delete-workflow":     {scope: "workflows:delete", make: named(newWorkflow, nil)},
	"activate-workflow":   {scope: "workflows:write", make: named(newWorkflow, nil)},
	"deactivate-workflow": {scope: "workflows:write", make: named(newWorkflow, nil)},

	"list-tools":  {scope: "tools:read"},
	"create-tool": {scope: "tools:write", make: func(t *testing.T, of *tenant) input { return input{body: toolBody(of, of.fresh("t"))} }},
	"get-tool":    {scope: "tools:read", make: named(newTool, nil)},
	"update-tool": {scope: "tools:write", make: named(newTool, object{"description": "changed"})},
	"try-tool":    {scope: "tools:write", make: named(newTool, object{"arguments": object{"order": "4711"}, "context": object{"user": object{"name": "Ann"}}})},
	"delete-tool": {scope: "tools:write", also: "tools:delete", make: named(newTool, nil)},

	"list-sounds": {scope: "sounds:read"},
	"create-sound": {scope: "sounds:write", make: func(_ *testing.T, of *tenant) input {
		return input{query: "name=" + of.fresh("sound"), body: soundFile}
	}},
	"get-sound":       {scope: "sounds:read", make: named(newSound, nil)},
	"get-sound-audio": {scope: "sounds:read", make: named(newSound, nil)},
	"delete-sound":    {scope: "sounds:write", make: named(newSound, nil)},

	"list-analyses":          {scope: "analyses:read"},
	"create-analysis":        {scope: "analyses:write", make: func(t *testing.T, of *tenant) input { return input{body: analysisBody(of, of.fresh("analysis"))} }},
	"get-analysis":           {scope: "analyses:read", make: named(newAnalysis, nil)},
	"update-analysis":        {scope: "analyses:write", make: named(newAnalysis, object{"conditions": object{"min_turns": 2}})},
	"delete-analysis":        {scope: "analyses:write", make: named(newAnalysis, nil)},
	"rollback-analysis":      {scope: "analyses:write", make: named(newAnalysis, object{"version": 1})},
	"list-analysis-versions": {scope: "analyses:read", make: named(newAnalysis, nil)},
	"get-analysis-version":   {scope: "analyses:read", make: named(newAnalysis, nil)},
	"estimate-analysis-run":  {scope: "analyses:read", make: named(newAnalysis, object{"sample": 10})},
	"start-analysis-run":     {scope: "analyses:write", make: named(newAnalysis, object{"sample": 10, "max_cost": "5.00"})},
	"list-analysis-runs":     {scope: "analyses:read"},
	"get-analysis-run":       {scope: "analyses:read", make: named(newRun, nil)},
	"cancel-analysis-run":    {scope: "analyses:write", answers: http.StatusConflict, make: named(newRun, nil)},

	"start-call": {scope: "calls:write", make: func(t *testing.T, of *tenant) input { return input{body: callBody(t, of)} },
		refers: []reference{{newWorkflow, func(_ *testing.T, _ *tenant, slug string) any { return object{"workflow_slug": slug} }}}},
	"test-agent": {scope: "calls:write", make: func(t *testing.T, of *tenant) input { return input{body: object{"agent_name": newAgent(t, of)}} },
		refers: []reference{{newAgent, func(_ *testing.T, _ *tenant, name string) any { return object{"agent_name": name} }}}},
	"ingest": {scope: "calls:write", make: func(t *testing.T, of *tenant) input {
		return input{body: object{"agent_slug": newAgent(t, of), "phone_number": "+4930123456", "user_id": "u"}}
	}, refers: []reference{{newWorkflow, func(_ *testing.T, _ *tenant, slug string) any {
		return object{"workflow_slug": slug, "phone_number": "+4930123456", "user_id": "u", "user_context": object{}, "metadata": object{}}
	}}}},
	"get-media-server":    {scope: "calls:write"},
	"list-calls":          {scope: "calls:read"},
	"list-active-calls":   {scope: "calls:read"},
	"get-call":            {scope: "calls:read", make: named(newCall, nil)},
	"get-call-transcript": {scope: "calls:read", make: named(newCall, nil)},
	"get-call-analyses":   {scope: "calls:read", make: named(newCall, nil)},
	"get-call-metrics":    {scope: "calls:read", make: named(newCall, nil)},
	"get-call-recording":  {scope: "calls:read", answers: http.StatusNotFound, make: named(newCall, nil)},
	"say-call":            {scope: "calls:control", answers: http.StatusConflict, make: named(newCall, object{"text": "One moment."})},
	"message-call":        {scope: "calls:control", answers: http.StatusConflict, make: named(newCall, object{"text": "The invoice is paid.", "respond": true})},
	"context-call":        {scope: "calls:control", answers: http.StatusConflict, make: named(newCall, object{"user_context": object{"plan": "gold"}})},
	"mute-call":           {scope: "calls:control", answers: http.StatusConflict, make: named(newCall, object{"muted": true})},
	"listen-call":         {scope: "calls:control", answers: http.StatusConflict, make: named(newCall, nil)},
	"take-over-call":      {scope: "calls:control", answers: http.StatusConflict, make: named(newCall, nil)},
	"transfer-call":       {scope: "calls:control", answers: http.StatusConflict, make: named(newCall, object{"mode": "bridge", "to": []string{"+4930123456"}})},
	"end-call":            {scope: "calls:write", make: named(newCall, nil)},

	"get-call-timeline": {scope: "calls:read", make: named(newCall, nil)},
	"get-call-prompts":  {scope: "agents:read", with: "prompts:read", make: named(newCall, nil)},

	"get-call-sip-messages":         {scope: "calls:read", with: "sip:read", make: named(newCall, nil)},
	"get-phone-number-sip-messages": {scope: "calls:read", with: "sip:read", make: named(newPhoneNumber, nil)},

	"stream-calls": {scope: "calls:read"},
	"stream-call":  {scope: "calls:read", stream: true, make: named(newCall, nil)},

	"get-active-calls":     {scope: "analytics:read", also: "calls:read"},
	"get-call-volume":      {scope: "analytics:read", also: "calls:read"},
	"get-costs":            {scope: "analytics:read", also: "calls:read"},
	"get-error-groups":     {scope: "analytics:read", also: "calls:read"},
	"get-errors":           {scope: "analytics:read", also: "calls:read"},
	"get-provider-latency": {scope: "analytics:read", also: "calls:read"},
	"get-answered-by":      {scope: "analytics:read", also: "calls:read"},
	"get-results":          {scope: "analytics:read", also: "calls:read", make: func(*testing.T, *tenant) input { return input{query: "analysis=outcome"} }},
	"get-summary":          {scope: "analytics:read", also: "calls:read"},
	"get-workflow-stats":   {scope: "analytics:read", also: "calls:read"},

	"list-providers":      {},
	"list-provider-keys":  {scope: "provider-keys:read"},
	"create-provider-key": {scope: "provider-keys:write", make: body(object{"provider_type": "stt", "provider_name": "deepgram", "api_key": "dg-0123456789", "base_url": "http://127.0.0.1:9", "is_default": true})},
	"check-provider-key":  {scope: "provider-keys:write", make: named(newProviderKey, nil)},
	"delete-provider-key": {scope: "provider-keys:write", make: named(newProviderKey, nil)},

	"list-variables": {scope: "variables:read"},
	"create-variable": {scope: "variables:write", make: func(_ *testing.T, of *tenant) input {
		return input{body: object{"name": underscored(of.fresh("variable")), "value": of.marker}}
	}},
	"get-variable":          {scope: "variables:read", make: named(newVariable, nil)},
	"update-variable":       {scope: "variables:write", make: named(newVariable, object{"value": "other"})},
	"delete-variable":       {scope: "variables:write", make: named(newVariable, nil)},
	"list-signing-secrets":  {scope: "secrets:read"},
	"rotate-signing-secret": {scope: "secrets:write", make: named(func(*testing.T, *tenant) string { return "tools" }, object{"overlap_seconds": 60})},
	"delete-signing-secret": {scope: "secrets:write", make: named(newSigningSecret, nil)},
	"list-public-tokens":    {scope: "public-tokens:read"},
	"create-public-token": {scope: "public-tokens:write", with: "calls:write", make: func(t *testing.T, of *tenant) input {
		return input{body: publicToken(newWorkflow(t, of))}
	}, refers: []reference{{newWorkflow, func(_ *testing.T, _ *tenant, name string) any { return publicToken(name) }}}},
	"get-public-token":    {scope: "public-tokens:read", make: named(newPublicToken, nil)},
	"delete-public-token": {scope: "public-tokens:write", make: named(newPublicToken, nil)},
	"start-public-call": {open: true, make: func(t *testing.T, of *tenant) input {
		return input{body: object{}, header: http.Header{"Authorization": {"Bearer " + of.create(t, "/api/v1/public-tokens", publicToken(newWorkflow(t, of)), "token")}, "Origin": {"https://www.example.com"}}}
	}},
	"list-secrets": {scope: "secrets:read"},
	"create-secret": {scope: "secrets:write", make: func(_ *testing.T, of *tenant) input {
		return input{body: object{"name": underscored(of.fresh("secret")), "value": "0123456789"}}
	}},
	"get-secret":    {scope: "secrets:read", make: named(newSecret, nil)},
	"update-secret": {scope: "secrets:write", make: named(newSecret, object{"value": "9876543210"})},
	"delete-secret": {scope: "secrets:write", make: named(newSecret, nil)},

	"list-prompts":   {scope: "prompts:read"},
	"create-prompt":  {scope: "prompts:write", make: func(t *testing.T, of *tenant) input { return input{body: promptBody(of, of.fresh("prompt"))} }},
	"export-prompts": {scope: "prompts:read"},
	"import-prompts": {scope: "prompts:write", make: func(t *testing.T, of *tenant) input {
		return input{query: "partial=false", body: object{"templates": []any{promptBody(of, of.fresh("prompt"))}}}
	}},
	"get-prompt":           {scope: "prompts:read", make: named(newPrompt, nil)},
	"update-prompt":        {scope: "prompts:write", make: named(newPrompt, object{"content": object{"de": "Hallo"}})},
	"delete-prompt":        {scope: "prompts:write", make: named(newPrompt, nil)},
	"preview-prompt":       {scope: "prompts:read", make: named(newPrompt, object{"context": object{"name": "Ada"}})},
	"rollback-prompt":      {scope: "prompts:write", make: named(newPrompt, object{"version": 1})},
	"list-prompt-versions": {scope: "prompts:read", make: named(newPrompt, nil)},

	"list-sip-trunks":     {scope: "sip:read"},
	"create-sip-trunk":    {scope: "sip:write", make: func(_ *testing.T, of *tenant) input { return input{body: trunkBody(of)} }},
	"get-sip-trunk":       {scope: "sip:read", make: named(newTrunk, nil)},
	"update-sip-trunk":    {scope: "sip:write", make: named(newTrunk, object{"username": nil, "password": nil, "headers": object{"X-Account": "2"}})},
	"check-sip-trunk":     {scope: "sip:write", make: named(newTrunk, nil)},
	"delete-sip-trunk":    {scope: "sip:write", make: named(newTrunk, nil)},
	"list-phone-numbers":  {scope: "sip:read"},
	"update-phone-number": {scope: "sip:write", make: named(newPhoneNumber, object{"call_hook": object{"url": "https://example.com/call"}})},
	"delete-phone-number": {scope: "sip:write", make: named(newPhoneNumber, nil)},
	"create-phone-number": {scope: "sip:write", make: func(t *testing.T, of *tenant) input {
		return input{body: object{"number": of.phone(), "workflow_slug": newWorkflow(t, of), "trunk_id": newTrunk(t, of)}}
	}, refers: []reference{
		{newWorkflow, func(_ *testing.T, of *tenant, slug string) any {
			return object{"number": of.phone(), "workflow_slug": slug}
		}},
		{newAgent, func(_ *testing.T, of *tenant, name string) any {
			return object{"number": of.phone(), "agent_name": name}
		}},
		{newTrunk, func(t *testing.T, of *tenant, id string) any {
			return object{"number": of.phone(), "agent_name": newAgent(t, of), "trunk_id": id}
		}},
	}},

	"list-prices": {scope: "prices:read"},
	"replace-prices": {scope: "prices:write", make: body(object{"prices": []object{{"provider": "deepgram", "model": "nova-3", "unit": "seconds", "price": "0.0048", "per": 60,
		"valid_from": "2026-11-01"}}})},

	"list-audit-log": {scope: "audit:read"},

	"list-limits":  {scope: "limits:read"},
	"list-budgets": {scope: "limits:read"},

	"get-webhook": {scope: "webhooks:read", make: withWebhook(nil)},
	"put-webhook": {scope: "webhooks:write", make: func(_ *testing.T, of *tenant) input {
		return input{body: object{"url": of.received.URL + "/" + of.name, "headers": object{"X-Custom": of.marker}}}
	}},
	"patch-webhook": {scope: "webhooks:write", make: func(t *testing.T, of *tenant) input {
		// Without headers, which a patch that leads to another host would have to give again.
		of.must(t, apiKey(of.key), http.MethodPost, "/api/v1/webhooks", object{"url": of.received.URL + "/" + of.name}, nil)
		return input{body: object{"timeout": 3, "headers": object{"X-Custom": "a"}}}
	}},
	"delete-webhook":         {scope: "webhooks:write", make: withWebhook(nil)},
	"enable-webhook":         {scope: "webhooks:write", make: withWebhook(nil)},
	"disable-webhook":        {scope: "webhooks:write", make: withWebhook(nil)},
	"rotate-webhook-secret":  {scope: "webhooks:write", make: withWebhook(object{"overlap_seconds": 60})},
	"test-webhook":           {scope: "webhooks:write", make: withWebhook(nil)},
	"list-webhook-endpoints": {scope: "webhooks:read", make: withWebhook(nil)},
	"create-webhook-endpoint": {scope: "webhooks:write", make: func(t *testing.T, of *tenant) input {
		return input{body: endpointBody(t, of)}
	}},
	"get-webhook-endpoint":           {scope: "webhooks:read", make: named(newEndpoint, nil)},
	"update-webhook-endpoint":        {scope: "webhooks:write", make: named(newEndpoint, object{"filter": object{"workflows": []any{"appointment"}}})},
	"delete-webhook-endpoint":        {scope: "webhooks:write", make: named(newEndpoint, nil)},
	"enable-webhook-endpoint":        {scope: "webhooks:write", make: named(newEndpoint, nil)},
	"disable-webhook-endpoint":       {scope: "webhooks:write", make: named(newEndpoint, nil)},
	"rotate-webhook-endpoint-secret": {scope: "webhooks:write", make: named(newEndpoint, object{"overlap_seconds": 60})},
	"test-webhook-endpoint":          {scope: "webhooks:write", make: named(newEndpoint, nil)},
	"list-webhook-deliveries":        {scope: "webhooks:read"},
	"get-webhook-delivery":           {scope: "webhooks:read", make: named(newDelivery, nil)},
	"replay-webhook-deliveries":      {scope: "webhooks:write", make: withWebhook(object{"created_after": "2026-01-01T00:00:00Z"})},
	"replay-webhook-delivery":        {scope: "webhooks:write", make: named(newDelivery, nil)},
}

// body is a fixture that needs nothing to be there.
func body(body any) func(*testing.T, *tenant) input {
	return func(*testing.T, *tenant) input { return input{body: body} }
}

// named is a fixture with something new in its path.
func named(make func(*testing.T, *tenant) string, body any) func(*testing.T, *tenant) input {
	return func(t *testing.T, of *tenant) input { return input{id: make(t, of), body: body} }
}

func refreshCookie(t *testing.T, of *tenant) input {
	_, refresh := of.login(t)
	return input{header: http.Header{"X-Requested-By": {"test"}, "Cookie": {"parley_refresh=" + refresh}}}
}

func refreshToken(t *testing.T, of *tenant) input {
	_, refresh := of.login(t)
	return input{body: object{"refresh_token": refresh}}
}

func agentBody(of *tenant, name string) object {
	return object{"name": name, "display_name": of.marker, "config": object{
		"prompt": object{"system": of.marker, "greeting": of.marker},
		"stt":    object{"provider": "offline", "model": "pocketsphinx"},
		"tts":    object{"provider": "offline", "voice_id": "slt"},
		"llm":    object{"provider": "offline", "model": "scripted"},
	}}
}

func newAgent(t *testing.T, of *tenant) string {
	return of.create(t, "/api/v1/agents", agentBody(of, of.fresh("agent")), "name")
}

func workflowBody(of *tenant, slug, agent string) object {
	return object{"slug": slug, "name": of.marker, "description": of.marker, "config": object{
		"nodes":       []any{object{"id": "only", "agent_name": agent, "is_entry": true, "is_exit": true}},
		"connections": []any{},
	}}
}

func newWorkflow(t *testing.T, of *tenant) string {
	return of.create(t, "/api/v1/workflows", workflowBody(of, of.fresh("workflow"), newAgent(t, of)), "slug")
}

func toolBody(of *tenant, name string) object {
	return object{"name": strings.ReplaceAll(name, "-", "_"), "description": of.marker, "config": object{
		"parameters": []any{object{"name": "order", "type": "string", "required": true}},
		"actions":    []any{object{"type": "api_call", "url": "https://127.0.0.1:9/{{params.order}}", "method": "GET"}},
	}}
}

func analysisBody(of *tenant, name string) object {
	return object{"name": name, "description": of.marker, "criteria": []object{{"name": "booked", "question": "Was an appointment made?"}}}
}

func newAnalysis(t *testing.T, of *tenant) string {
	return of.create(t, "/api/v1/analyses", analysisBody(of, of.fresh("analysis")), "name")
}

// soundFile is a WAV file.
var soundFile = func() []byte {
	var file bytes.Buffer
	if err := audio.WriteWAV(&file, audio.Tone(1000, 8000, time.Second), 8000); err != nil {
		panic(err)
	}
	return file.Bytes()
}()

func newSound(t *testing.T, of *tenant) string {
	return of.create(t, "/api/v1/sounds?name="+of.fresh("sound"), soundFile, "name")
}

// newRun is a run without calls, which is done.
func newRun(t *testing.T, of *tenant) string {
	return of.create(t, "/api/v1/analyses/"+newAnalysis(t, of)+"/runs", object{}, "id")
}

func newUser(t *testing.T, of *tenant) string {
	var made struct{ ID string }
	of.must(t, bearer(of.session("*")), http.MethodPost, "/api/v1/users",
		object{"email": of.fresh("user") + "@example.com", "password": password, "scopes": []string{"agents:read"}}, &made)
	return made.ID
}

func newTool(t *testing.T, of *tenant) string {
	return of.create(t, "/api/v1/tools", toolBody(of, of.fresh("tool")), "name")
}

func callBody(t *testing.T, of *tenant) object {
	return object{"workflow_slug": newWorkflow(t, of), "user_id": of.marker, "user_context": object{"k": of.marker}, "metadata": object{"k": of.marker}}
}

func newCall(t *testing.T, of *tenant) string {
	return of.create(t, "/api/v1/calls", callBody(t, of), "call_id")
}

func promptBody(of *tenant, slug string) object {
	return object{"slug": slug, "name": of.marker, "content": object{"en": of.marker}, "variables": []any{object{"name": "name", "type": "string"}}}
}

func newPrompt(t *testing.T, of *tenant) string {
	return of.create(t, "/api/v1/prompts", promptBody(of, of.fresh("prompt")), "slug")
}

func newProviderKey(t *testing.T, of *tenant) string {
	return of.create(t, "/api/v1/provider-keys", object{"provider_type": "tts", "provider_name": "cartesia", "api_key": strings.ReplaceAll(of.marker, " ", "-"), "base_url": "http://127.0.0.1:9"}, "id")
}

func newVariable(t *testing.T, of *tenant) string {
	return of.create(t, "/api/v1/variables", object{"name": underscored(of.fresh("variable")), "value": of.marker}, "name")
}

func newSecret(t *testing.T, of *tenant) string {
	return of.create(t, "/api/v1/secrets", object{"name": underscored(of.fresh("secret")), "value": "0123456789"}, "name")
}

// publicToken is the body of one for calls of a workflow.
func publicToken(workflow string) object {
	return object{"workflow_slug": workflow, "origins": []string{"https://www.example.com"}, "per_minute": 600, "user_context_keys": []string{"page"}}
}

func newPublicToken(t *testing.T, of *tenant) string {
	return of.create(t, "/api/v1/public-tokens", publicToken(newWorkflow(t, of)), "id")
}

func newSigningSecret(t *testing.T, of *tenant) string {
	of.must(t, apiKey(of.key), http.MethodPost, "/api/v1/signing-secrets/tools/rotate", nil, nil)
	return "tools"
}

// underscored is a name of a variable.
func underscored(name string) string { return strings.ReplaceAll(name, "-", "_") }

func trunkBody(of *tenant) object {
	return object{"name": of.marker, "address": "127.0.0.1:9", "transport": "tcp", "username": "u", "password": "p", "headers": object{"X-Account": of.marker}}
}

func newTrunk(t *testing.T, of *tenant) string {
	return of.create(t, "/api/v1/sip-trunks", trunkBody(of), "id")
}

// phone is a number that nobody on the platform has.
func (of *tenant) phone() string {
	of.made++
	return fmt.Sprintf("+49%d%06d", len(of.name), of.made) // the tenants' names differ in length
}

func newPhoneNumber(t *testing.T, of *tenant) string {
	return of.create(t, "/api/v1/phone-numbers", object{"number": of.phone(), "agent_name": newAgent(t, of), "trunk_id": newTrunk(t, of)}, "id")
}

func webhookBody(of *tenant) object {
	return object{"url": of.received.URL + "/" + of.name, "headers": object{"X-Custom": of.marker}, "filter": object{"include_context": true}}
}

func newWebhook(t *testing.T, of *tenant) {
	of.must(t, apiKey(of.key), http.MethodPost, "/api/v1/webhooks", webhookBody(of), nil)
}

// endpointBody is a further webhook. The oldest ones make room for it, of which a tenant has at most 20.
func endpointBody(t *testing.T, of *tenant) object {
	var page struct {
		Items []struct {
			ID      string
			Primary bool
		}
	}
	of.must(t, apiKey(of.key), http.MethodGet, "/api/v1/webhook-endpoints", nil, &page)
	for n, w := range page.Items {
		if !w.Primary && n < len(page.Items)-10 {
			of.must(t, apiKey(of.key), http.MethodDelete, "/api/v1/webhook-endpoints/"+w.ID, nil, nil)
		}
	}
	return object{"url": of.received.URL + "/" + of.name}
}

func newEndpoint(t *testing.T, of *tenant) string {
	return of.create(t, "/api/v1/webhook-endpoints", endpointBody(t, of), "id")
}

// withWebhook is a fixture of a tenant that has a webhook.
func withWebhook(body any) func(*testing.T, *tenant) input {
	return func(t *testing.T, of *tenant) input {
		newWebhook(t, of)
		return input{body: body}
	}
}

// newDelivery is one that has arrived.
func newDelivery(t *testing.T, of *tenant) string {
	newWebhook(t, of)
	id := of.create(t, "/api/v1/webhooks/test", nil, "delivery_id")
	for deadline := time.Now().Add(patience); ; time.Sleep(5 * time.Millisecond) {
		var delivery struct{ Status string }
		of.must(t, apiKey(of.key), http.MethodGet, "/api/v1/webhooks/deliveries/"+id, nil, &delivery)
		if delivery.Status == "delivered" {
			return id
		}
		if time.Now().After(deadline) {
			t.Fatalf("the delivery %s is %s", id, delivery.Status)
		}
	}
}
