package contract

import (
	"regexp"

	"pgregory.net/rapid"
)

// rule names an operation, a field and a message, each by an expression.
type rule struct{ operation, field, message *regexp.Regexp }

var re = regexp.MustCompile

// rules are those that no schema can say: a request that breaks one is faulty although the description allows it.
var rules = []rule{
	// no database stores it as text
	{re(""), re(""), re("NUL")},
	// limits of all bodies
	{re(""), re("^body$"), re("nested deeper")},
	// a text of spaces is none
	{re(""), re(`(^|\.)(name|system|voice_id)$`), re("is required")},
	{re("(say|message)-call"), re("^text$"), re("blank")},
	// null removes required fields of a merged configuration; a fallback that is merged in needs all of its fields
	{re("update-(agent|tool|workflow)"), re(`^config\b`), re("is required")},
	// the six rules of a graph
	{re("(create|update)-workflow"), re(`config\.`), re("entry|exit|is the id|there is no node|cycle|there is no agent|does not exist")},
	// the grammar of expressions
	{re("(create|update|test)-(workflow|agent)|evaluate-condition"), re("condition"), re("")},
	// the grammar of paths
	{re("(create|update)-workflow"), re("context_mapping"), re("context path")},
	// fields of actions by their type, parameters by theirs, templates, headers, URLs
	{re("(create|update)-tool"), re(`^config\.`), re("")},
	// the catalogue, and the settings of turn-taking
	{re("(create|update|test)-agent"), re(`^config\.(stt|tts|llm)\.(fallback\.)?provider$|^config\.turn`), re("")},
	// the forms of items
	{re("(create|update|test)-agent"), re(`^config\.(tools|languages|handoffs\[\d+\]\.context_pass)\[`), re("")},
	{re("(create|update|test)-agent"), re(`^config\.tts\.pronunciations\b`), re("")},
	// names and answers of criteria
	{re("list-calls"), re(`^result\.`), re("must be")},
	// names of sounds
	{re("(create|update|test)-agent"), re(`^config\.(hold_sound|(ambience|thinking_sound)\.sound)$`), re("there is no sound")},
	// names of analyses, and what one consists of
	{re("(create|update|test)-(agent|workflow)"), re(`^config\.analyses\[`), re("")},
	{re("(create|update)-analysis"), re(`^(schema|criteria|conditions|llm)\b`), re("")},
	// a period in its order
	{re("(estimate|start)-analysis-run"), re(`^to$`), re("must not be before")},
	// time zones that exist
	{re("(create|update|test)-agent"), re(`^config\.timezone$`), re("IANA")},
	// classes, and what each action needs
	{re("(create|update|test)-agent"), re(`^config\.answer_detection\.(phrases|actions)\b`), re("")},
	// URLs
	{re("(create|update|test)-agent|(create|update)-workflow"), re(`^config\.call_hook\.url$`), re("")},
	{re("(create|update)-phone-number"), re(`^call_hook\.url$`), re("")},
	// the languages of an agent, and what replaces its settings in each
	{re("(create|update|test)-agent"), re(`^config\.(languages_auto|by_language|stt\.language)\b`), re("")},
	// addresses of MCP servers, whose headers refer to secrets
	{re("(create|update|test)-agent"), re(`^config\.mcp_servers\[`), re("")},
	{re("(create|update)-workflow"), re(`^config\.shared_context\[`), re("")},
	{re("(create|update|import)-prompt"), re(`(^|\.)(content|variables|metadata|slug)\b`), re("")},
	{re("rollback-(prompt|analysis)"), re("^version$"), re("there is no version")},
	{re("(create|update)-sip-trunk"), re(`^(name|address|username|password|caller_id|headers|headers_in|headers_out|allowed_addresses|from_domain|default_country|identity|privacy)\b`), re("")},
	{re("(create|update)-phone-number"), re("^(workflow_slug|agent_name|trunk_id)$"), re("")},
	// numbers of a trunk's country, or its extensions and URIs; headers that a trunk allows, of phone calls
	{re("create-phone-number|start-call|test-agent|ingest"), re("^(phone_)?number$"), re("E.164|country|is required")},
	{re("start-call|test-agent|ingest"), re(`^sip_headers\b`), re("")},
	// leap seconds, which RFC 3339 has and Go has not
	{re(""), re(""), re("^want an RFC 3339 time$")},
	// two parameters together
	{re(""), re("^started_after$"), re("after started_before")},
	{re("list-audit-log"), re("^from$"), re("after to")},
	{re("get-call-volume"), re("^interval$"), re("at most")},
	// the catalogue
	{re("create-provider-key"), re("provider_name"), re("")},
	// days that a month does not have, and two prices for one use and day
	{re("replace-prices"), re(`^prices\[\d+\]\.valid_from$`), re("must be a date|for the same use")},
	// depends on call_type, on the tenant's trunks and numbers, and on the server's limit
	{re("start-call|test-agent|ingest"), re("^(trunk_id|caller_id|ring_timeout_seconds|microphone)$"), re("only for calls|no SIP trunk|not assigned|UUID")},
	{re("start-call|test-agent|ingest"), re("^max_duration_seconds$"), re("on this server")},
	{re("start-call|test-agent"), re("phone_number"), re("required when")},
	// an origin as browsers send it, names of context, a time to come, exactly one of two that exist
	{re("create-public-token"), re(`^(workflow_slug|agent_name|origins|user_context_keys|expires_at)\b`), re("")},
	// exactly one of two
	{re("ingest"), re("workflow_slug|agent_slug"), re("")},
	// the same key for another request
	{re("start-call|test-agent|ingest|(say|message|context|mute|transfer)-call"), re("Idempotency-Key"), re("")},
	// targets and headers by the mode of a transfer, and no templates
	{re("transfer-call"), re(`^(to|headers|summary|message|accept_seconds|ring_seconds|caller_id|after|page)\b`), re("")},
	// the form of scopes, a name without control characters
	{re("create-api-key"), re("^(name|scopes)\\b"), re("")},
	// an e-mail address, the form of scopes, the password of the account
	{re("(create|update)-user"), re("^(email|scopes|password)\\b"), re("")},
	{re("change-password"), re("^(current_password|password)$"), re("")},
	// a key is needed where the vendor needs one, an address where the provider has none; addresses that may be reached
	{re("provider-key"), re("^(api_key|base_url)$"), re("")},
	// speech to speech, or the other three; the parameters of its models
	{re("agent"), re(`^config\.(stt|tts|llm|realtime)`), re("")},
	// addresses that may be reached, header names that are free
	{re("(put|patch)-webhook|(create|update)-webhook-endpoint"), re(`^url$|^headers\.|^filter\.(workflows|agents)`), re("")},
}

// excused reports whether every fault of an answer is one of the rules'.
func excused(op *operation, a *answer) bool {
	details := a.problem().Details
	for _, detail := range details {
		found := false
		for _, rule := range rules {
			found = found || rule.operation.MatchString(op.OperationID) && rule.field.MatchString(detail.Field) && rule.message.MatchString(detail.Message)
		}
		if !found {
			return false
		}
	}
	return len(details) > 0
}

// sensible corrects a drawn body so that it satisfies the rules more often: a rejected body stores nothing.
func (f *fuzzer) sensible(g *generator, op *operation, body any) any {
	fields, ok := body.(object)
	if !ok {
		return body
	}
	config, _ := fields["config"].(object)
	switch op.OperationID {
	case "create-agent", "update-agent", "test-agent":
		for _, kind := range []string{"stt", "tts", "llm"} {
			if part, ok := config[kind].(object); ok {
				part["provider"] = "offline"
				if fallback, ok := part["fallback"].(object); ok {
					fallback["provider"] = "offline"
				}
			}
		}
		delete(config, "turn")
		delete(config, "handoffs")
	case "create-workflow", "update-workflow":
		if config == nil {
			break
		}
		agents := f.known["/api/v1/agents"]
		config["nodes"] = []any{
			object{"id": "first", "agent_name": pick(g.T, agents, "agent"), "is_entry": true},
			object{"id": "last", "agent_name": pick(g.T, agents, "agent"), "is_exit": true, "position": object{"x": 1, "y": 2.5}},
		}
		config["connections"] = []any{object{"source_id": "first", "target_id": "last", "condition": "flags.a"}}
	case "create-tool", "update-tool":
		delete(fields, "config")
		fields["config"] = object{
			"parameters": []any{object{"name": "order", "type": "string", "enum": []any{"a", "b"}, "default": "a"}},
			"actions": []any{
				object{"type": "api_call", "url": f.received.URL + "/{{params.order}}", "body": object{"a": g.any(2)}, "on_success": []any{object{"type": "set_context", "key": "k", "value": 1}}},
				object{"type": "respond", "message": rapid.StringMatching("[a-z ]{1,30}").Draw(g.T, "message")},
			},
		}
	case "put-webhook", "create-webhook-endpoint":
		fields["url"] = f.received.URL
		delete(fields, "headers")
	case "start-call":
		if fields["call_type"] == "sip" {
			fields["phone_number"] = "+4930123456"
		}
	case "ingest":
		delete(fields, pick(g.T, []string{"workflow_slug", "agent_slug"}, "left out"))
	}
	return fields
}
