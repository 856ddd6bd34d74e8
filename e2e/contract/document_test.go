package contract

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/google/uuid"
)

// document is the served description of the API.
type document struct {
	operations map[string]*operation
}

// operation is a route of the description.
type operation struct {
	*openapi3.Operation
	method, path string
	segments     []string
}

func (o *operation) public() bool { return o.Security != nil && len(*o.Security) == 0 }

// success is the one status of success that the description knows.
func (o *operation) success() int {
	for status := 200; status < 300; status++ {
		if o.Responses.Status(status) != nil {
			return status
		}
	}
	return 0
}

// at is the operation's path with a value for its parameter, which is escaped as a segment. A second parameter is the number of something
// within the first, and is 1.
func (o *operation) at(value string) string {
	steps := slices.Clone(o.segments)
	for i, step := range steps {
		if strings.HasPrefix(step, "{") {
			steps[i] = segment(value)
			value = "1"
		}
	}
	return strings.Join(steps, "/")
}

// parameter is the name of the first parameter in the operation's path, "" for none.
func (o *operation) parameter() string {
	_, after, _ := strings.Cut(o.path, "{")
	name, _, _ := strings.Cut(after, "}")
	return name
}

// choice reports whether the parameter in the path is one of a few values, the same for every tenant.
func (o *operation) choice() bool {
	p := o.Parameters.GetByInAndName("path", o.parameter())
	return p != nil && len(p.Schema.Value.Enum) > 0
}

// collection is the path before the first parameter: where the things are made and listed that it names.
func (o *operation) collection() string {
	before, _, _ := strings.Cut(o.path, "/{")
	return before
}

// schema is that of the JSON body, nil for none.
func (o *operation) schema() *openapi3.Schema {
	if o.RequestBody == nil || o.takesFile() {
		return nil
	}
	return o.RequestBody.Value.Content["application/json"].Schema.Value
}

// takesFile reports whether the body is a file.
func (o *operation) takesFile() bool {
	return o.RequestBody != nil && o.RequestBody.Value.Content["application/json"] == nil
}

// kind is the type of the bodies that the tests send.
func (o *operation) kind() string {
	if o != nil && o.takesFile() {
		return "audio/wav"
	}
	return "application/json"
}

// segment escapes all that is not plain, the dots of . and .. included.
func segment(value string) string {
	var b strings.Builder
	for _, c := range []byte(value) {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_' {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

// formats and uuids let a schema's formats count.
var (
	formats = openapi3.EnableFormatValidation()
	// brief leaves schemas out of errors: one that refers to itself has no end.
	brief = openapi3.SetSchemaErrorMessageCustomizer(func(err *openapi3.SchemaError) string {
		return "/" + strings.Join(err.JSONPointer(), "/") + ": " + err.Reason
	})
	uuids = openapi3.WithStringFormatValidator("uuid", openapi3.NewCallbackValidator(uuid.Validate))
)

func (p *platform) describe(t *testing.T) *document {
	t.Helper()
	answer, err := http.Get(p.URL + "/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	described, err := openapi3.NewLoader().LoadFromData(text)
	if err != nil {
		t.Fatal(err)
	}
	if err := described.Validate(t.Context()); err != nil {
		t.Fatal(err)
	}
	d := &document{operations: map[string]*operation{}}
	for path, item := range described.Paths.Map() {
		for method, op := range item.Operations() {
			if n := strings.Count(path, "{"); n > 2 || n == 2 && !strings.HasSuffix(path, "/{version}") {
				t.Fatalf("%s has more than one parameter in its path, and not only a version, which these tests do not know", path)
			}
			for _, answer := range op.Responses.Map() {
				for _, media := range answer.Value.Content {
					admitNull(media.Schema, map[*openapi3.Schema]bool{})
				}
			}
			if op.RequestBody != nil {
				for _, media := range op.RequestBody.Value.Content {
					admitNull(media.Schema, map[*openapi3.Schema]bool{})
				}
			}
			d.operations[op.OperationID] = &operation{Operation: op, method: method, path: path, segments: strings.Split(path, "/")}
		}
	}
	return d
}

// admitNull lets a schema without a type allow null, as OpenAPI 3.0.3 has it and kin-openapi has not.
func admitNull(ref *openapi3.SchemaRef, seen map[*openapi3.Schema]bool) {
	if ref == nil || seen[ref.Value] {
		return
	}
	s := ref.Value
	seen[s] = true
	if len(s.AllOf) == 1 && len(s.Properties) == 0 { // a reference with its own description
		admitNull(s.AllOf[0], seen)
		whole := s.AllOf[0].Value
		s.Properties, s.Required, s.AdditionalProperties = whole.Properties, whole.Required, whole.AdditionalProperties
	}
	s.Nullable = s.Nullable || s.Type.IsEmpty()
	admitNull(s.Items, seen)
	admitNull(s.AdditionalProperties.Schema, seen)
	for _, property := range s.Properties {
		admitNull(property, seen)
	}
}

// route is the operation that a request means; nil for none.
func (d *document) route(method, path string) *operation {
	path, _, _ = strings.Cut(path, "?")
	steps := strings.Split(path, "/")
	var found *operation
	for _, op := range d.operations {
		if op.method != method || len(op.segments) != len(steps) {
			continue
		}
		fits := true
		for i, step := range op.segments {
			fits = fits && (step == steps[i] || strings.HasPrefix(step, "{") && steps[i] != "")
		}
		if fits && (found == nil || op.parameter() == "") { // a literal wins
			found = op
		}
	}
	return found
}

// request is one to be sent; path holds the query and is escaped.
type request struct {
	method, path string
	header       http.Header
	body         []byte
}

func (r request) String() string {
	text := r.method + " " + r.path
	for name, values := range r.header {
		text += fmt.Sprintf("\n%s: %q", name, values)
	}
	body := strconv.QuoteToASCII(string(r.body))
	return text + "\n" + body[:min(len(body), 4000)]
}

type answer struct {
	to     string // the method
	status int
	header http.Header
	body   []byte
}

func (a *answer) String() string {
	return fmt.Sprintf("%d %s", a.status, bytes.TrimSpace(a.body[:min(len(a.body), 2000)]))
}

// code is that of the error envelope.
func (a *answer) code() string { return a.problem().Code }

type problem struct {
	Code, Message string
	Details       []struct{ Field, Message string }
}

func (a *answer) problem() problem {
	var envelope struct{ Error problem }
	_ = json.Unmarshal(a.body, &envelope) // what is no envelope has no code
	return envelope.Error
}

var httpClient = &http.Client{
	Timeout:       patience,
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	Transport:     &http.Transport{MaxIdleConnsPerHost: 8, DisableCompression: true},
}

// exchange sends a request and reads the whole answer.
func (p *platform) exchange(r request) (*answer, error) {
	q, err := http.NewRequest(r.method, p.URL, bytes.NewReader(r.body))
	if err != nil {
		return nil, err
	}
	path, query, _ := strings.Cut(r.path, "?")
	q.URL.Opaque = path // as it is
	q.URL.RawQuery = query
	q.Header = r.header.Clone()
	if q.Header == nil {
		q.Header = http.Header{}
	}
	if r.body != nil && q.Header["Content-Type"] == nil {
		q.Header.Set("Content-Type", p.document.route(r.method, path).kind())
	}
	got, err := httpClient.Do(q)
	if err != nil {
		return nil, err
	}
	defer got.Body.Close()
	var body []byte
	if got.Header.Get("Content-Type") == eventStream {
		body, err = firstMessages(got.Body)
	} else {
		body, err = io.ReadAll(got.Body)
	}
	if err != nil {
		return nil, err
	}
	return &answer{r.method, got.StatusCode, got.Header, body}, nil
}

// send sends a request and checks that its answer is as described.
func (p *platform) send(t *testing.T, r request) *answer {
	t.Helper()
	a, err := p.exchange(r)
	if err != nil {
		t.Fatalf("%v: %v", r, err)
	}
	if err := p.document.check(p.document.route(r.method, r.path), a); err != nil {
		t.Errorf("%v\nis answered\n%v\n%v", r, a, err)
	}
	return a
}

// check says in what an answer is not as the description promises; op is nil where there is no route.
func (d *document) check(op *operation, a *answer) error {
	if a.header.Get("X-Request-Id") == "" {
		return errors.New("no X-Request-Id")
	}
	if a.to == http.MethodHead {
		return nil
	}
	if a.status >= 400 {
		if err := envelope(a); err != nil {
			return err
		}
	}
	if op == nil {
		if a.status < 300 {
			return errors.New("a route that is not described")
		}
		return nil
	}
	described := op.Responses.Status(a.status)
	if described == nil {
		return fmt.Errorf("the status is not described of %s", op.OperationID)
	}
	if a.status == http.StatusUnauthorized && a.header.Get("WWW-Authenticate") == "" {
		return errors.New("no WWW-Authenticate")
	}
	kind := a.header.Get("Content-Type")
	if plain, _, _ := strings.Cut(kind, ";"); plain == "text/plain" && described.Value.Content[plain] != nil { // with a version and a charset
		return nil
	}
	media := described.Value.Content[kind]
	if media == nil {
		if len(a.body) > 0 || len(described.Value.Content) > 0 {
			return fmt.Errorf("a body of type %q that is not described", kind)
		}
		return nil
	}
	if media.Schema.Value.Format == "binary" {
		return nil
	}
	var body any
	if err := json.Unmarshal(a.body, &body); err != nil {
		return err
	}
	if (a.status == http.StatusForbidden || a.status == http.StatusNotFound) && !exemplified(media, body) {
		return fmt.Errorf("none of the described examples of %d", a.status)
	}
	if err := media.Schema.Value.VisitJSON(body, openapi3.VisitAsResponse(), formats, uuids, brief); err != nil {
		return err
	}
	if whole, ok := body.(object); ok && media.Schema.Value.Properties["warnings"] == nil {
		if err := checkWarnings(a, whole); err != nil {
			return err
		}
		delete(whole, "warnings")
	}
	return undescribed(media.Schema.Value, body, "")
}

// checkWarnings checks that an answer which does not describe warnings has them exactly where a request has unknown names.
func checkWarnings(a *answer, body object) error {
	ignored := a.header.Get("X-Ignored-Parameters") != "" || a.header.Get("X-Ignored-Fields") != ""
	warnings, given := body["warnings"].([]any)
	if given != (ignored && a.status < 300) {
		return fmt.Errorf("warnings %v of a request whose unknown names are %q and %q", body["warnings"], a.header.Get("X-Ignored-Parameters"), a.header.Get("X-Ignored-Fields"))
	}
	for _, w := range warnings {
		if _, text := w.(string); !text {
			return fmt.Errorf("a warning that is no text: %v", w)
		}
	}
	return nil
}

// noRoute is what the router answers, to which a path such as /api/v1/agents/%2F is no operation's.
var noRoute = object{"error": object{"code": "not_found", "message": "no such route"}}

// exemplified reports whether a body is one of the examples, or the router's.
func exemplified(media *openapi3.MediaType, body any) bool {
	if reflect.DeepEqual(body, noRoute) {
		return true
	}
	for _, example := range media.Examples {
		if reflect.DeepEqual(example.Value.Value, body) {
			return true
		}
	}
	return false
}

// statuses of the codes, as the specification and the decisions have them.
var statuses = map[string]int{
	"authentication_error": 401, "token_expired": 401, "invalid_token": 401, "key_revoked": 401,
	"authorization_error": 403, "scope_required": 403, "not_found": 404, "method_not_allowed": 405, "conflict": 409,
	"precondition_failed": 412, "payload_too_large": 413, "unsupported_media_type": 415, "range_not_satisfiable": 416, "validation_error": 422, "rate_limit_exceeded": 429, "budget_exhausted": 429,
	"internal_error": 500, "service_unavailable": 503,
}

// envelope checks that an error has its form and that its code fits its status.
func envelope(a *answer) error {
	p := a.problem()
	if p.Message == "" || statuses[p.Code] != a.status {
		return fmt.Errorf("no error envelope of status %d", a.status)
	}
	if a.status == http.StatusUnprocessableEntity && len(p.Details) == 0 {
		return errors.New("422 without details")
	}
	for _, detail := range p.Details {
		if detail.Field == "" || detail.Message == "" {
			return errors.New("a detail without field or message")
		}
	}
	return nil
}

// undescribed looks for a field that the schema does not name.
func undescribed(s *openapi3.Schema, value any, path string) error {
	switch value := value.(type) {
	case []any:
		if s.Items == nil {
			return nil
		}
		for i, item := range value {
			if err := undescribed(s.Items.Value, item, fmt.Sprintf("%s[%d]", path, i)); err != nil {
				return err
			}
		}
	case object:
		if len(s.Properties) == 0 { // free
			return nil
		}
		for _, name := range slices.Sorted(maps.Keys(value)) {
			property := s.Properties[name]
			if property == nil {
				return fmt.Errorf("the field %s.%s is not described", path, name)
			}
			if err := undescribed(property.Value, value[name], path+"."+name); err != nil {
				return err
			}
		}
	}
	return nil
}
