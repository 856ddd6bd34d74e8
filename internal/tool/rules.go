package tool

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/textproto"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/http/httpguts"

	"parley/internal/fault"
	"parley/internal/template"
	"parley/internal/variable"
)

// Limits, in characters where texts are meant.
const (
	MaxConfig      = 64 << 10      // bytes of a tool's configuration as JSON
	maxStored      = 2 * MaxConfig // with sealed headers
	MaxDescription = 2000
	MaxParameters  = 100
	MaxEnum        = 100
	MaxList        = 20  // actions of one list
	MaxActions     = 100 // of a tool, nested ones included
	MaxNesting     = 4   // lists of actions within each other
	MaxURL         = 4096
	MaxHeaders     = 50
	MaxHeaderValue = 4096 // bytes
	MaxMessage     = 4000
	MaxAllowed     = 100 // numbers that a transfer may lead to
	MaxFiller      = 500
	MaxWaitTexts   = 10
	MaxWait        = 30_000 // milliseconds
	MinWait        = 200
	MaxTimeout     = 60 // seconds
	MaxRetries     = 5
	MaxRequired    = 20  // paths of a request
	MaxPath        = 255 // of a required path
)

// NamePattern is the form of a tool's name: what language models accept as a
// function's.
const NamePattern = `^[a-zA-Z][a-zA-Z0-9_]{0,63}$`

var (
	nameForm      = regexp.MustCompile(NamePattern)
	parameterForm = regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$`)
	keyForm       = regexp.MustCompile(`^[\p{L}_][\p{L}\p{N}_-]{0,254}$`) // a segment of a path
	agentForm     = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,99}$`)
	numberForm    = regexp.MustCompile(`^\+[1-9][0-9]{6,14}$`)
	allowedForm   = regexp.MustCompile(`^\+[1-9]([0-9]{6,14}|[0-9]{0,14}\*)$`)
	digitsForm    = regexp.MustCompile(`^[0-9A-D*#w]{1,64}$`)
)

var methods = []string{"GET", "POST", "PUT", "PATCH", "DELETE"}

// actionFields says which fields an action of a type must and may have.
var actionFields = map[string]struct{ needs, takes []string }{
	APICall:    {needs: []string{"url"}, takes: []string{"method", "headers", "body", "required", "timeout", "retry_count", "on_success", "on_failure"}},
	SetFlag:    {needs: []string{"name"}, takes: []string{"value"}},
	SetContext: {needs: []string{"key", "value"}},
	Handoff:    {needs: []string{"target_agent"}},
	EndCall:    {takes: []string{"message"}},
	TransferCall: {takes: []string{
		"phone_number", "message", "allowed_numbers", "mode", "to", "ring_seconds", "accept_seconds", "caller_id", "after", "summary", "headers", "page",
	}},
	SendDTMF: {needs: []string{"digits"}},
	Respond:  {needs: []string{"message"}},
}

// validation collects errors and warnings about a tool.
type validation struct {
	fault.Findings
	declared map[string]bool // parameters
	schemas  int             // within parameters, seen so far
	actions  int             // seen so far
	answered bool            // an earlier api_call provides {{result}}
	targets  []target
	named    []variable.Reference
	request  bool // the text is the URL, a header or the body of an api_call
}

// target is an agent that a handoff names.
type target struct{ path, agent string }

func (i *validation) tool(name string, description *string, c *Config) {
	switch {
	case name == "":
		i.Fault("name", "is required")
	case !nameForm.MatchString(name):
		i.Fault("name", "must be 1 to 64 letters, digits and underscores, the first a letter")
	}
	if description != nil {
		i.Text("description", *description, MaxDescription)
	}
	if c == nil {
		i.Fault("config", "is required")
		return
	}
	if size := c.size(); size > MaxConfig { // not inspected, to bound the cost
		i.Fault("config", "has %d bytes, at most %d are allowed (limit tool_config)", size, MaxConfig)
		return
	}
	i.declared = map[string]bool{}
	if i.Count("config.parameters", len(c.Parameters), MaxParameters) {
		for n, p := range c.Parameters {
			i.parameter(fmt.Sprintf("config.parameters[%d]", n), p)
		}
	}
	if c.Filler != nil {
		i.Text("config.filler", *c.Filler, MaxFiller)
		if why := template.Unfilled(*c.Filler); why != "" {
			i.Warn("config.filler", "%s", why)
		}
	}
	i.onWait(c)
	i.list("config.actions", c.Actions, 1)
	if c.Async {
		i.background(*c)
	}
}

// onWait checks the texts that are spoken during a long call.
func (i *validation) onWait(c *Config) {
	const path = "config.on_wait"
	w := c.OnWait
	switch {
	case w == nil:
		return
	case c.Filler != nil:
		i.Fault(path, "takes the place of filler: give one of them")
	case c.Async:
		i.Fault(path, "does not belong to a tool with async: the agent does not wait for it")
	case len(w.Text) == 0:
		i.Fault(path+".text", "must have at least one item")
	}
	if i.Count(path+".text", len(w.Text), MaxWaitTexts) {
		for n, text := range w.Text {
			at := fmt.Sprintf("%s.text[%d]", path, n)
			if strings.TrimSpace(text) == "" {
				i.Fault(at, "must not be empty")
			}
			i.Text(at, text, MaxFiller)
			i.template(at, text)
		}
	}
	if ms := w.AfterMS; ms != nil && (*ms < MinWait || *ms > MaxWait) {
		i.Fault(path+".after_ms", "must be from %d to %d", MinWait, MaxWait)
	}
}

// background refuses what follows the answer that waits for a tool: none waits for one that runs in the background.
func (i *validation) background(c Config) {
	var refused []string
	c.each(func(a Action) {
		if slices.Contains([]string{Handoff, EndCall, TransferCall}, a.Type) && !slices.Contains(refused, a.Type) {
			refused = append(refused, a.Type)
		}
	})
	if len(refused) > 0 {
		i.Fault("config.async", "is not possible with %s: no answer waits for the tool", strings.Join(refused, ", "))
	}
}

// size returns the size of a configuration as stored, in bytes.
func (c Config) size() int {
	encoded, _ := json.Marshal(c) // every value was decoded from JSON
	return len(encoded)
}

func (i *validation) parameter(path string, p Parameter) {
	switch {
	case p.Name == "":
		i.Fault(path+".name", "is required")
	case !parameterForm.MatchString(p.Name):
		i.Fault(path+".name", "must be 1 to 64 letters, digits, underscores and hyphens, the first a letter or underscore")
	case i.declared[p.Name]:
		i.Fault(path+".name", "is given twice")
	}
	i.declared[p.Name] = true
	i.Text(path+".description", p.Description, MaxDescription)
	i.nested(path, "required_properties", p.within(), 0)
	given, checked := i.typed(path, p.Type, p.Enum)
	if !checked || p.Default == nil {
		return
	}
	switch {
	case !kinds[p.Type](p.Default):
		i.Fault(path+".default", "must be of type %s", p.Type)
	case p.Enum != nil && !given[template.Canonical(p.Default)]:
		i.Fault(path+".default", "must be one of enum")
	default:
		for _, problem := range p.within().faults("the value", p.Default) {
			i.Fault(path+".default", "%s", problem)
		}
	}
}

// kinds report whether a JSON value is of a parameter's type. Every value has
// gone through a JSON decoder.
var kinds = map[string]func(value json.RawMessage) bool{
	"string":  func(v json.RawMessage) bool { return begins(v, `"`) },
	"boolean": func(v json.RawMessage) bool { return begins(v, "tf") },
	"object":  func(v json.RawMessage) bool { return begins(v, "{") },
	"array":   func(v json.RawMessage) bool { return begins(v, "[") },
	"number":  number,
	"integer": func(v json.RawMessage) bool { return template.WholeNumber(string(bytes.TrimSpace(v))) },
}

func begins(value json.RawMessage, with string) bool {
	value = bytes.TrimSpace(value)
	return len(value) > 0 && strings.IndexByte(with, value[0]) >= 0
}

func number(value json.RawMessage) bool { return begins(value, "-0123456789") }

// among reports whether a JSON value is one of others, by what they mean.
func among(value json.RawMessage, others []json.RawMessage) bool {
	canonical := template.Canonical(value)
	return slices.ContainsFunc(others, func(other json.RawMessage) bool { return template.Canonical(other) == canonical })
}

// list checks a list of actions; depth counts the lists around it.
func (i *validation) list(path string, actions []Action, depth int) {
	switch {
	case len(actions) == 0:
		return
	case depth > MaxNesting:
		i.Fault(path, "actions are nested deeper than %d levels", MaxNesting)
		return
	case len(actions) > MaxList:
		i.Fault(path, "must have at most %d items", MaxList)
		return
	}
	if i.actions += len(actions); i.actions > MaxActions {
		i.Fault(path, "makes more than %d actions in all", MaxActions)
		return
	}
	before := i.answered
	for n, a := range actions {
		i.action(fmt.Sprintf("%s[%d]", path, n), a, depth)
	}
	i.answered = before
}

func (i *validation) action(path string, a Action, depth int) {
	fields, known := actionFields[a.Type]
	switch {
	case a.Type == "":
		i.Fault(path+".type", "is required")
		return
	case !known:
		i.Fault(path+".type", "must be one of %s", strings.Join([]string{APICall, SetFlag, SetContext, Handoff, EndCall, TransferCall, SendDTMF, Respond}, ", "))
		return
	}
	given := a.given()
	for _, field := range fields.needs {
		if !slices.Contains(given, field) {
			i.Fault(path+"."+field, "is required")
		}
	}
	for _, field := range given {
		if !slices.Contains(fields.needs, field) && !slices.Contains(fields.takes, field) {
			i.Fault(path+"."+field, "does not belong to an action of type %s", a.Type)
		}
	}
	switch a.Type {
	case APICall:
		i.apiCall(path, a)
		i.answered = true
		i.list(path+".on_success", a.OnSuccess, depth+1)
		i.list(path+".on_failure", a.OnFailure, depth+1)
	case SetFlag:
		i.form(path+".name", a.Name, keyForm, "must be a name: letters, digits, underscores and hyphens, at most 255")
	case SetContext:
		i.form(path+".key", a.Key, keyForm, "must be a name: letters, digits, underscores and hyphens, at most 255")
	case Handoff:
		i.form(path+".target_agent", a.TargetAgent, agentForm, "must be an agent's name")
		i.targets = append(i.targets, target{path + ".target_agent", a.TargetAgent})
	case TransferCall:
		i.connection(path, a)
		i.allowedNumbers(path, a)
	case SendDTMF:
		if !strings.Contains(a.Digits, "{{") {
			i.form(path+".digits", a.Digits, digitsForm, "must be 1 to 64 of 0-9, A-D, *, # and w, or a template")
		}
		i.template(path+".digits", a.Digits)
	}
	i.Text(path+".message", a.Message, MaxMessage)
	i.template(path+".message", a.Message)
	i.values(path+".value", a.Value)
}

// given lists the fields that an action has, in order.
func (a Action) given() (fields []string) {
	for _, f := range []struct {
		name string
		has  bool
	}{
		{"url", a.URL != ""}, {"method", a.Method != ""}, {"headers", a.Headers != nil}, {"body", a.Body != nil}, {"required", a.Required != nil},
		{"timeout", a.Timeout != nil}, {"retry_count", a.RetryCount != nil}, {"on_success", a.OnSuccess != nil}, {"on_failure", a.OnFailure != nil},
		{"name", a.Name != ""}, {"key", a.Key != ""}, {"value", a.Value != nil},
		{"target_agent", a.TargetAgent != ""}, {"phone_number", a.PhoneNumber != ""}, {"allowed_numbers", a.AllowedNumbers != nil},
		{"mode", a.Mode != ""}, {"to", a.To != nil}, {"ring_seconds", a.RingSeconds != nil}, {"accept_seconds", a.AcceptSeconds != nil},
		{"caller_id", a.CallerID != ""}, {"after", a.After != ""}, {"summary", a.Summary != ""}, {"page", a.Page}, {"digits", a.Digits != ""}, {"message", a.Message != ""},
	} {
		if f.has {
			fields = append(fields, f.name)
		}
	}
	return fields
}

// required checks the paths without whose values a request is not sent.
func (i *validation) required(path string, paths []string) {
	if !i.Count(path, len(paths), MaxRequired) {
		return
	}
	for n, required := range paths {
		at := fmt.Sprintf("%s[%d]", path, n)
		if named, ok := template.Path(required); !ok || named != required {
			i.Fault(at, "must be a path such as user.id")
			continue
		}
		i.Text(at, required, MaxPath)
		i.template(at, "{{"+required+"}}")
	}
}

func (i *validation) apiCall(path string, a Action) {
	i.request = true
	defer func() { i.request = false }()
	if a.URL != "" {
		i.url(path+".url", a.URL)
	}
	if a.Method != "" && !slices.Contains(methods, a.Method) {
		i.Fault(path+".method", "must be one of %s", strings.Join(methods, ", "))
	}
	i.headers(path+".headers", a.Headers)
	if a.Body != nil && !begins(a.Body, "{") {
		i.Fault(path+".body", "must be an object")
	}
	i.values(path+".body", a.Body)
	i.required(path+".required", a.Required)
	if t := a.Timeout; t != nil && (*t < 1 || *t > MaxTimeout) {
		i.Fault(path+".timeout", "must be from 1 to %d", MaxTimeout)
	}
	if n := a.RetryCount; n != nil && (*n < 0 || *n > MaxRetries) {
		i.Fault(path+".retry_count", "must be from 0 to %d", MaxRetries)
	}
}

// url requires a literal scheme, host and port, so that templates cannot choose the server.
func (i *validation) url(path, text string) {
	i.Text(path, text, MaxURL)
	i.template(path, text)
	scheme, rest, found := strings.Cut(text, "://")
	if !found || !strings.EqualFold(scheme, "http") && !strings.EqualFold(scheme, "https") {
		i.Fault(path, "must begin with http:// or https://")
		return
	}
	authority := rest
	if end := strings.IndexAny(rest, "/?#"); end >= 0 {
		authority = rest[:end]
	}
	if strings.Contains(authority, "{{") {
		i.Fault(path, "the host must be literal: templates may stand behind it only")
		return
	}
	u, err := url.Parse(braces.ReplaceAllString(text, "x"))
	switch {
	case err != nil || u.Hostname() == "":
		i.Fault(path, "is not a valid URL")
	case u.User != nil:
		i.Fault(path, "must not hold credentials: use headers")
	}
}

// reservedHeaders are those that the request itself sets.
var reservedHeaders = []string{
	"Host", "Content-Length", "Connection", "Keep-Alive", "Proxy-Connection", "Proxy-Authorization", "Te", "Trailer", "Transfer-Encoding", "Upgrade", "Expect",
}

func (i *validation) headers(path string, headers map[string]string) {
	if len(headers) > MaxHeaders {
		i.Fault(path, "must have at most %d entries", MaxHeaders)
		return
	}
	seen := map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(headers)) {
		at, value := path+"."+name, headers[name]
		canonical := textproto.CanonicalMIMEHeaderKey(name)
		switch {
		case !httpguts.ValidHeaderFieldName(name):
			i.Fault(at, "is not a header name")
		case slices.Contains(reservedHeaders, canonical):
			i.Fault(at, "is reserved")
		case seen[canonical]:
			i.Fault(at, "is given twice")
		case len(value) > MaxHeaderValue:
			i.Fault(at, "must have at most %d bytes", MaxHeaderValue)
		case !httpguts.ValidHeaderFieldValue(value):
			i.Fault(at, "must not hold control characters")
		default:
			i.template(at, value)
		}
		seen[canonical] = true
	}
}

func (i *validation) form(path, text string, form *regexp.Regexp, hint string) {
	if text != "" && !form.MatchString(text) {
		i.Fault(path, "%s", hint)
	}
}
