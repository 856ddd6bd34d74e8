package api

import (
	"context"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/fstest"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/sse"
	"github.com/getkin/kin-openapi/openapi3"
	"github.com/google/uuid"

	"parley/internal/api/wire"
	"parley/internal/auth"
	"parley/internal/fault"
)

// apiDescription is the description of an API's operations. Servers with the same operations share one, because building and
// validating it is slower than most tests.
func apiDescription(t testing.TB, api *huma.OpenAPI) *openapi3.T {
	t.Helper()
	var operations []string
	for path, item := range api.Paths {
		for method, o := range map[string]*huma.Operation{"get": item.Get, "post": item.Post, "put": item.Put, "patch": item.Patch, "delete": item.Delete} {
			if o != nil {
				operations = append(operations, method+" "+path)
			}
		}
	}
	slices.Sort(operations)
	key := strings.Join(operations, "\n")
	descriptions.Lock()
	defer descriptions.Unlock()
	if descriptions.of[key] == nil {
		document, err := wire.OpenAPI30(api, &texts)
		if err != nil {
			t.Fatal(err)
		}
		descriptions.of[key] = described(t, document)
	}
	return descriptions.of[key]
}

var descriptions = struct {
	sync.Mutex
	of map[string]*openapi3.T
}{of: map[string]*openapi3.T{}}

// described reads a description and checks that it is valid OpenAPI 3.0.
func described(t testing.TB, document []byte) *openapi3.T {
	t.Helper()
	doc, err := openapi3.NewLoader().LoadFromData(document)
	if err != nil {
		t.Fatal(err)
	}
	if err := doc.Validate(context.Background()); err != nil {
		t.Fatal(err)
	}
	if doc.OpenAPI != "3.0.3" {
		t.Fatalf("OpenAPI %s", doc.OpenAPI)
	}
	return doc
}

// bodies are the media types of bodies that are files, by path.
var bodies = map[string][]string{"/api/v1/sounds": {"audio/ogg", "audio/wav"}}

func TestDescriptionIsValid(t *testing.T) {
	s := newService(t)
	w := s.do("", http.MethodGet, "/openapi.json", "")
	s.want(w, http.StatusOK, nil)
	doc := described(t, w.Body.Bytes())
	if doc.Info.Version != "1.2.3" {
		t.Errorf("version %s", doc.Info.Version)
	}
	ids := map[string]bool{}
	for path, item := range doc.Paths.Map() {
		for method, op := range item.Operations() {
			name := method + " " + path
			if op.OperationID == "" || ids[op.OperationID] || op.Summary == "" || len(op.Tags) == 0 {
				t.Errorf("%s: id %q, summary %q, tags %v", name, op.OperationID, op.Summary, op.Tags)
			}
			ids[op.OperationID] = true
			public := op.Security != nil && len(*op.Security) == 0
			if public != (strings.HasPrefix(path, "/health") || strings.HasPrefix(path, "/api/v1/auth/log") || path == "/api/v1/auth/refresh" || path == "/api/v1/auth/methods" || strings.HasPrefix(path, "/api/v1/auth/session") || path == publicCalls) {
				t.Errorf("%s: public is %v", name, public)
			}
			if !public && op.Responses.Status(http.StatusUnauthorized) == nil {
				t.Errorf("%s: no 401", name)
			}
			if op.Description == "" {
				t.Errorf("%s: no description", name)
			}
			for _, p := range op.Parameters {
				if p.Value.Description == "" {
					t.Errorf("%s: the parameter %s is not described", name, p.Value.Name)
				}
				if p.Value.Schema.Value.Format == wire.MomentFormat {
					t.Errorf("%s: the parameter %s has a format of ours", name, p.Value.Name)
				}
			}
			if op.RequestBody != nil {
				for kind := range op.RequestBody.Value.Content {
					if !slices.Contains(bodies[path], kind) && kind != "application/json" && kind != "application/merge-patch+json" {
						t.Errorf("%s: a body of type %s is described, and refused", name, kind)
					}
				}
			}
			for status, answer := range op.Responses.Map() {
				headers := answer.Value.Headers
				if limited := headers["X-RateLimit-Remaining"] != nil; limited != (!public && status != "401") {
					t.Errorf("%s: %s documents the rate limit: %v", name, status, limited)
				}
				if ignores := headers["X-Ignored-Fields"] != nil; ignores != (op.RequestBody != nil && op.RequestBody.Value.Content["application/json"] != nil && slices.Contains([]string{"200", "201", "202", "204", "404", "409", "422", "500", "503"}, status)) {
					t.Errorf("%s: %s documents ignored fields: %v", name, status, ignores)
				}
				if headers["X-Ignored-Parameters"] == nil && path != metricsPath {
					t.Errorf("%s: %s does not describe X-Ignored-Parameters", name, status)
				}
				if status[0] != '4' && status[0] != '5' || strings.HasPrefix(path, "/health") && status == "503" {
					continue
				}
				media := answer.Value.Content["application/json"]
				if media.Schema.Ref != "#/components/schemas/Envelope" {
					t.Errorf("%s: %s is no envelope", name, status)
				}
				for key, example := range media.Examples {
					code := strings.TrimRight(key, "_0123456789") // a second one of a code has a number
					shown, _ := example.Value.Value.(map[string]any)
					shownError, _ := shown["error"].(map[string]any)
					if strconv.Itoa(wire.Statuses[fault.Code(code)]) != status || shownError["code"] != code || shownError["message"] == nil || shownError["message"] == "" || shownError["message"] == " not found" {
						t.Errorf("%s: the example %s of %s is %v", name, key, status, shown)
					}
				}
				if len(media.Examples) == 0 {
					t.Errorf("%s: %s has no example", name, status)
				}
			}
		}
	}
	for _, op := range doc.Paths.Value("/api/v1/auth/api-keys").Operations() {
		if len(*op.Security) != 1 || (*op.Security)[0]["session"] == nil {
			t.Errorf("%s: security %v, want a session alone", op.OperationID, *op.Security)
		}
	}
	if len(doc.Servers) != 1 || doc.Servers[0].URL != "/" {
		t.Errorf("servers %v", doc.Servers)
	}
	if op := doc.Paths.Value("/api/v1/auth/api-keys").Post; op.Responses.Status(201) == nil || op.Responses.Status(403) == nil || op.Responses.Status(415) == nil {
		t.Error("create-api-key lacks an answer")
	}
	webhooks := doc.Paths.Value("/api/v1/webhooks")
	if made, changed := webhooks.Post.RequestBody.Value.Content["application/json"].Schema.Value, webhooks.Patch.RequestBody.Value.Content["application/json"].Schema.Value; !slices.Equal(made.Required, []string{"url"}) || changed.Required != nil || !changed.Properties["timeout"].Value.Nullable {
		t.Errorf("a webhook's creation requires %v, its update %v", made.Required, changed.Required)
	}
	for path, fields := range map[string][]string{"/api/v1/prompts/{slug}": {"description"}, "/api/v1/sip-trunks/{id}": {"username", "password", "caller_id"}} {
		for _, field := range fields {
			if !doc.Paths.Value(path).Patch.RequestBody.Value.Content["application/json"].Schema.Value.Properties[field].Value.Nullable {
				t.Errorf("null is not described to remove %s at %s", field, path)
			}
		}
	}
	if metrics := doc.Paths.Value("/api/v1/calls/{id}/metrics").Get.Responses.Status(200).Value.Content["application/json"].Schema.Value.Properties; metrics["agent_handoffs"] == nil || metrics["agents"] == nil {
		t.Errorf("a call's metrics are described as %v", metrics)
	}
}

// What only other resources use must be lowered as well.
func TestDescriptionIsLowered(t *testing.T) {
	s := newThings(t)
	wire.Register(s.router, wire.Operation{ID: "many", Method: http.MethodPost, Path: "/many", Tag: "Things"},
		func(context.Context, auth.Principal, *struct {
			Body struct {
				Config  wire.Optional[thing] `json:"config,omitempty"`
				Count   wire.Optional[int]   `json:"count,omitempty"`
				When    *wire.Time           `json:"when" nullable:"true"`
				Const   string               `json:"const" pattern:"^a$" patternDescription:"an a"`
				Example map[string]any       `json:"example" example:"{\"const\": [1]}"`
				Names   map[string][]*string `json:"names"`
			}
			RawBody []byte
		}) (*wire.Answer[wire.Nullable[thing]], error) {
			return nil, nil
		})
	sse.Register(s.huma, s.router.Describe(wire.Operation{ID: "stream", Method: http.MethodGet, Path: "/stream", Tag: "Things"}, reflect.TypeFor[struct{}]()),
		map[string]any{"thing": thing{}}, func(context.Context, *struct{}, sse.Sender) {})
	document, err := wire.OpenAPI30(s.huma.OpenAPI(), &texts)
	if err != nil {
		t.Fatal(err)
	}
	doc := described(t, document)
	body := doc.Paths.Value("/many").Post.RequestBody.Value.Content["application/json"].Schema.Value
	for _, field := range []string{"config", "count", "when"} {
		if p := body.Properties[field].Value; p == nil || !p.Nullable || p.Type == nil {
			t.Errorf("%s is not nullable", field)
		}
	}
	if body.Properties["const"] == nil || body.Properties["example"] == nil {
		t.Error("a property was taken for a keyword")
	}
}

func TestDocumentationPages(t *testing.T) {
	s := newService(t)
	for path, kind := range map[string]string{"/docs": "text/html; charset=utf-8", "/redoc": "text/html; charset=utf-8", "/docs/app.js": "text/javascript; charset=utf-8"} {
		w := s.do("", http.MethodGet, path, "")
		s.want(w, http.StatusOK, nil)
		policy := w.Header().Get("Content-Security-Policy")
		if w.Header().Get("Content-Type") != kind || !strings.Contains(policy, "script-src 'self';") || !strings.Contains(policy, "frame-ancestors 'none'") {
			t.Errorf("%s: %v", path, w.Header())
		}
		if again := s.do("", http.MethodGet, path, "", "If-None-Match", w.Header().Get("ETag")); again.Code != http.StatusNotModified {
			t.Errorf("%s: sent again to one who has it, status %d", path, again.Code)
		}
	}
	for _, path := range []string{"/docs/missing.js", "/docs/..%2f..%2fsecret", "/docs/%2e%2e"} {
		s.refused(s.do("", http.MethodGet, path, ""), http.StatusNotFound, "not_found")
	}
	unbuilt := newService(t, func(d *Deps) { d.Docs = fstest.MapFS{} })
	w := unbuilt.do("", http.MethodGet, "/docs", "")
	unbuilt.refused(w, http.StatusServiceUnavailable, "service_unavailable")
	if !strings.Contains(w.Body.String(), "make build") {
		t.Errorf("no way out in %s", w.Body)
	}
}

func TestDescriptionNamesItsServer(t *testing.T) {
	s := newService(t, func(d *Deps) { d.PublicURL = "https://voice.example.com" })
	doc := described(t, s.do("", http.MethodGet, "/openapi.json", "").Body.Bytes())
	if len(doc.Servers) != 2 || doc.Servers[0].URL != "https://voice.example.com" {
		t.Errorf("servers %v", doc.Servers)
	}
}

// Who lacks the scope, or the kind of credential, is answered what the operation's examples say: see asDescribed.
func TestRefusalsAreAsTheirExamples(t *testing.T) {
	s := newService(t)
	s.key("powerless", acme, "metrics:read")
	for path, item := range s.description.Paths.Map() {
		for method, op := range item.Operations() {
			public := op.Security != nil && len(*op.Security) == 0
			if op.Responses.Status(http.StatusForbidden) == nil || path == metricsPath || public {
				continue
			}
			for _, p := range op.Parameters {
				if p.Value.In == "path" {
					path = strings.ReplaceAll(path, "{"+p.Value.Name+"}", uuid.NewString())
				}
			}
			s.want(s.do("powerless", method, path, ""), http.StatusForbidden, nil)
		}
	}
}
