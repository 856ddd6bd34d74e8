package wire

import (
	"context"
	"errors"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"parley/internal/auth"
	"parley/internal/fault"
	"parley/internal/inflight"
)

// Operation describes a route besides its input and output.
type Operation struct {
	ID          string // in the description, and the name of generated client functions
	Method      string
	Path        string
	Tag         string
	Summary     string
	Description string
	// Scope is needed of the caller, for example agents:read. Without one any
	// signed-in caller may.
	Scope     string
	AlsoScope string // needed besides Scope
	OrScope   string // lets in as well
	Public    bool   // needs no credential
	// SessionOnly rejects API keys with authorization_error.
	SessionOnly bool
	// LiveOnly rejects test keys with authorization_error: the operation changes or shows what live calls depend
	// on.
	LiveOnly bool
	// OwnRules reports that f validates the body, together with rules beyond the schema. Before f only types are
	// checked; f gets the body without values of a wrong type, and their errors in its context: see fault.Found.
	OwnRules bool
	// MergePatch says that the body is a JSON Merge Patch (RFC 7396).
	MergePatch bool
	// Upload says that the body is a file, which f gets by FileOf; nil for none. The input has no Body.
	Upload *Upload
	// MaxBody is the largest body in bytes; 0 for maxBody.
	MaxBody int64
	// Answer is the size of an answer of an operation other than GET that may be large, in bytes. It is reserved before
	// the operation runs (package inflight), so that nothing is changed without an answer.
	Answer int
	Status int // of success: 200, or 204 for the output empty, unless given
	// Action is what the audit log calls it, as resource.verb. Unless given it
	// follows from the ID: update-agent is agent.update.
	Action string
	// Unaudited excludes a POST from the audit log: it changes nothing, or writes its entry itself.
	Unaudited bool
	// Errors are codes beyond those that follow from the rest: credentials,
	// scope, faulty input.
	Errors []fault.Code
}

// Router registers operations.
type Router struct {
	Huma  huma.API
	Texts *DescriptionTexts
	// authenticate finds who makes a request, and counts it against the caller's
	// limit.
	Authenticate func(w http.ResponseWriter, r *http.Request) (auth.Principal, error)
	// audit runs an operation and writes its entry in the audit log.
	Audit func(ctx context.Context, op Operation, who auth.Principal, in any, run func(context.Context) (any, error)) error
	// Operations are those that were registered, in order.
	Operations []Operation
}

// principalKey is where authentication leaves the principal.
type principalKey struct{}

// Register adds a route. The input's fields are huma's: tags path, query and header, and a field Body, which may be
// ruled; the output is answer[T] or empty. Before f runs, the caller is authenticated and has the scope, and the
// input is validated; all errors of parameters and body are returned together. An error of f is translated by its
// fault code; one without a code is a 500 without details. Operations that change something write an entry to the
// audit log. For a Public operation who is the zero Principal.
func Register[In, Out any](rt *Router, op Operation, f func(ctx context.Context, who auth.Principal, in *In) (*Out, error)) {
	if op.Status == 0 {
		op.Status = http.StatusOK
		if reflect.TypeFor[Out]() == reflect.TypeFor[Empty]() {
			op.Status = http.StatusNoContent
		}
	}
	huma.Register(rt.Huma, rt.Describe(op, reflect.TypeFor[In]()), func(ctx context.Context, in *In) (*Out, error) {
		who, _ := ctx.Value(principalKey{}).(auth.Principal)
		x := ExchangeOf(ctx)
		if len(x.parameterFaults) > 0 {
			return nil, ProblemOf(ctx, fault.Invalid(slices.Concat(x.parameterFaults, x.bodyFaults)))
		}
		found := fault.Found(x.bodyFaults)
		if len(found) > 0 {
			ctx = fault.WithFound(ctx, found)
		}
		if err := inflight.Reserve(ctx, op.Answer); err != nil {
			return nil, ProblemOf(ctx, err)
		}
		var out *Out
		run := func(ctx context.Context) (any, error) {
			var err error
			out, err = f(ctx, who, in)
			if len(found) > 0 {
				err = found.With(rulesOf(err))
			}
			return out, err
		}
		var err error
		if op.audited() {
			err = rt.Audit(ctx, op, who, in, run)
		} else {
			_, err = run(ctx)
		}
		if err != nil {
			return nil, ProblemOf(ctx, err)
		}
		return out, nil
	})
	rt.declareBody(op)
	rt.exemplifyFaults(op)
	rt.Operations = append(rt.Operations, op)
}

// declareBody describes a body as receiveBody reads it: JSON. huma describes a RawBody as arbitrary bytes.
func (rt *Router) declareBody(op Operation) {
	body := describedOperation(rt.Huma.OpenAPI(), op.Method, op.Path).RequestBody
	if body == nil {
		return
	}
	delete(body.Content, "application/octet-stream")
	if op.MergePatch {
		body.Content["application/merge-patch+json"] = &huma.MediaType{Schema: body.Content["application/json"].Schema}
	}
}

// describedOperation returns an operation of the description.
func describedOperation(described *huma.OpenAPI, method, path string) *huma.Operation {
	item := described.Paths[path]
	return map[string]*huma.Operation{
		http.MethodGet: item.Get, http.MethodPost: item.Post, http.MethodPut: item.Put, http.MethodPatch: item.Patch, http.MethodDelete: item.Delete,
	}[method]
}

// rulesOf returns the errors of an operation's rules. If a body has errors, they are the response.
func rulesOf(err error) []fault.Detail {
	var f *fault.Error
	if !errors.As(err, &f) || f.Code != fault.Validation {
		return nil
	}
	return f.Details
}

// ScopeRequired refuses a caller who lacks what needs names.
func ScopeRequired(needs string) *fault.Error {
	return fault.New(fault.ScopeRequired, "the scope %s is needed", strings.ReplaceAll(needs, "`", ""))
}

// ErrTestKey refuses a test key.
var ErrTestKey = fault.New(fault.Authorization, "this concerns live calls: a test key will not do")

// needs names the scopes that let a caller in.
func (op Operation) needs() string {
	switch {
	case op.AlsoScope != "":
		return "`" + op.Scope + "` and `" + op.AlsoScope + "`"
	case op.OrScope != "":
		return "`" + op.Scope + "` or `" + op.OrScope + "`"
	}
	return "`" + op.Scope + "`"
}

// Admits reports whether a caller may use an operation.
func (op Operation) Admits(who auth.Principal) bool {
	return op.inScope(who) && (who.Session || !op.SessionOnly) && (who.Livemode || !op.LiveOnly)
}

// inScope reports whether a caller has the scopes of an operation.
func (op Operation) inScope(who auth.Principal) bool {
	return op.Scope == "" || who.Can(op.Scope) && (op.AlsoScope == "" || who.Can(op.AlsoScope)) || op.OrScope != "" && who.Can(op.OrScope)
}

// Describe turns an operation into huma's form.
func (rt *Router) Describe(op Operation, in reflect.Type) huma.Operation {
	codes := append([]fault.Code{fault.Internal, fault.Validation, fault.ServiceUnavailable}, op.Errors...) // any query string may be malformed, and the database unreachable
	described := huma.Operation{
		OperationID: op.ID, Method: op.Method, Path: op.Path, Tags: []string{op.Tag},
		Summary: op.Summary, Description: op.Description, DefaultStatus: op.Status,
		Responses:        map[string]*huma.Response{},
		SkipValidateBody: true, // receiveBody does
		MaxBodyBytes:     -1,   // receiveBody does
		BodyReadTimeout:  -1,   // receiveBody does
		Middlewares:      huma.Middlewares{rt.admit(op, in)},
		Security:         []map[string][]string{}, // public, unless said otherwise
	}
	if !op.Public {
		described.Security = []map[string][]string{{"bearer": {}}, {"apiKey": {}}}
		if op.SessionOnly {
			described.Security = []map[string][]string{{"session": {}}}
		}
		codes = append(codes, fault.Authentication, fault.TokenExpired, fault.InvalidToken, fault.KeyRevoked, fault.RateLimitExceeded)
	}
	if op.SessionOnly || op.LiveOnly {
		codes = append(codes, fault.Authorization)
	}
	if op.Scope != "" {
		codes = append(codes, fault.ScopeRequired)
		described.Description = strings.TrimSpace(described.Description + "\n\nRequires the scope " + op.needs() + ".")
	}
	if op.LiveOnly {
		described.Description += " Test keys are not allowed."
	}
	if op.Upload != nil {
		described.RequestBody = op.Upload.requestBody()
	}
	if _, has := in.FieldByName("Body"); has || op.Upload != nil {
		codes = append(codes, fault.PayloadTooLarge, fault.UnsupportedMedia)
	}
	byStatus := map[int][]fault.Code{}
	for _, code := range codes {
		if status := Statuses[code]; !slices.Contains(byStatus[status], code) {
			byStatus[status] = append(byStatus[status], code)
		}
	}
	envelope := rt.Huma.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[Envelope](), true, "")
	for status, codes := range byStatus {
		names := make([]string, len(codes))
		for i, code := range codes {
			names[i] = "`" + string(code) + "`"
		}
		described.Responses[strconv.Itoa(status)] = &huma.Response{
			Description: http.StatusText(status) + ": " + strings.Join(names, ", "),
			Content:     map[string]*huma.MediaType{"application/json": {Schema: envelope, Examples: rt.Texts.Problems.byCode(op, codes)}},
		}
	}
	return described
}

// admit lets a request through to its operation: credential, scope, body.
func (rt *Router) admit(op Operation, in reflect.Type) func(huma.Context, func(huma.Context)) {
	body, _ := in.FieldByName("Body")
	return func(ctx huma.Context, next func(huma.Context)) {
		r, w := humago.Unwrap(ctx)
		faults, ignored := checkParameters(rt.Huma.OpenAPI(), ctx.Operation(), r)
		if len(ignored) > 0 {
			w.Header().Set(IgnoredParameterHeader, ignoredHeader(ignored))
			ExchangeOf(r.Context()).ignoredParameters = ignored
		}
		if !op.Public {
			who, err := rt.Authenticate(w, r)
			if err == nil && !op.inScope(who) {
				err = ScopeRequired(op.needs())
			}
			if err == nil && op.SessionOnly && !who.Session {
				err = fault.New(fault.Authorization, "this needs a user's session: an API key will not do")
			}
			if err == nil && op.LiveOnly && !who.Livemode {
				err = ErrTestKey
			}
			if err != nil {
				WriteProblem(w, r, err)
				return
			}
			ctx = huma.WithValue(ctx, principalKey{}, who)
		}
		ExchangeOf(r.Context()).parameterFaults = faults
		switch expected := ctx.Operation().RequestBody; {
		case op.Upload != nil && len(faults) > 0: // the file is not read
		case op.Upload != nil:
			if err := receiveUpload(w, r, op.Upload); err != nil {
				WriteProblem(w, r, err)
				return
			}
		case expected != nil:
			faults, ignored, err := receiveBody(w, r, rt.Huma.OpenAPI().Components.Schemas, expected, body.Type, op)
			if err != nil {
				WriteProblem(w, r, err)
				return
			}
			ExchangeOf(r.Context()).bodyFaults = faults
			if len(ignored) > 0 {
				w.Header().Set(IgnoredFieldHeader, ignoredHeader(ignored))
				ExchangeOf(r.Context()).ignoredFields = ignored
			}
		}
		next(ctx)
	}
}

// audited reports whether an operation leaves an entry in the audit log: all
// that are not GET do, unless they are declared not to.
func (op Operation) audited() bool { return op.Method != http.MethodGet && !op.Unaudited }

// AuditAction returns the name of an operation in the audit log: its Action, or what follows
// from its ID.
func (op Operation) AuditAction() string {
	if op.Action != "" {
		return op.Action
	}
	verb, resource, _ := strings.Cut(op.ID, "-")
	return strings.ReplaceAll(resource, "-", "_") + "." + verb
}
