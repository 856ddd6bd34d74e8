package contract

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/uuid"
)

// unraised are the error codes that no request of a client raises at a server in order.
var unraised = []string{
	"internal_error", "service_unavailable", // of a server that is not
	"precondition_failed", "range_not_satisfiable", // of a recording that is there
	"unsupported_media_type", // the clients send JSON
}

// The errors of the server arrive in every client, each code once.
func TestClientsRaiseErrorsOfTheServer(t *testing.T) {
	t.Parallel()
	p := newPlatform(t, nil, "--without=worker")
	expired := p.acme.token(jwt.SigningMethodHS256, []byte(jwtSecret), "access", time.Now().Add(-time.Minute), "*")
	_, limited := p.acme.newKey(t, "agents:read")
	var slow struct{ Key string }
	p.command(t, &slow, "key", "create", "--tenant", p.acme.name, "--name", "slow", "--scopes", "*", "--rate-limit", "1")
	var spender struct{ Key string }
	var tenant struct{ ID string }
	p.command(t, &tenant, "tenant", "create", "Spender")
	p.command(t, &spender, "key", "create", "--tenant", "Spender", "--name", "spender", "--scopes", "*")
	p.command(t, &tenant, "tenant", "set", "Spender", "--budget-day", "0USD")
	agent := newAgent(t, p.acme)
	large := agentBody(p.acme, p.acme.fresh("agent"))
	large["display_name"] = strings.Repeat("x", 2<<20)
	revoked := revokedKey(t, p.acme)
	cases := map[string]clientCall{
		"authentication_error": {Operation: "me", APIKey: "svc_live_123"},
		"invalid_token":        {Operation: "me", AccessToken: "a.b.c"},
		"token_expired":        {Operation: "me", AccessToken: expired},
		"key_revoked":          {Operation: "me", APIKey: revoked},
		"authorization_error":  {Operation: "list-api-keys", APIKey: p.acme.key},
		"scope_required":       {Operation: "delete-agent", APIKey: limited, Path: []string{agent}},
		"not_found":            {Operation: "get-call", APIKey: p.acme.key, Path: []string{uuid.NewString()}},
		"conflict":             {Operation: "create-agent", APIKey: p.acme.key, Body: agentBody(p.acme, agent)},
		"validation_error":     {Operation: "create-agent", APIKey: p.acme.key, Body: object{"name": "no name", "config": object{}}},
		"payload_too_large":    {Operation: "create-agent", APIKey: p.acme.key, Body: large},
		"rate_limit_exceeded":  {Operation: "me", APIKey: slow.Key},
		"budget_exhausted":     {Operation: "test-agent", APIKey: spender.Key, Body: object{"agent_name": "any"}},
	}
	for code := range p.document.examples() {
		if _, raised := cases[code]; !raised && !slices.Contains(unraised, code) {
			t.Errorf("no request raises %s", code)
		}
	}
	for name, start := range clientDrivers {
		t.Run(name, func(t *testing.T) {
			call := start(t, p.document)
			for code, c := range cases {
				c.BaseURL = p.URL
				if c.Path == nil {
					c.Path = []string{}
				}
				outcome := call(t, c)
				for range 2 { // the first request of a minute is within the rate
					if code == "rate_limit_exceeded" && outcome.Error == nil {
						outcome = call(t, c)
					}
				}
				if outcome.Error == nil || outcome.Error.Code != code || outcome.Error.RequestID == "" {
					t.Errorf("%s: %+v %s", code, outcome.Error, outcome.Broken)
				}
			}
		})
	}
}

// classes are the classes of errors by status, in TypeScript and Python.
var classes = map[int]string{
	401: "AuthenticationError", 403: "ForbiddenError", 404: "NotFoundError", 409: "ConflictError", 422: "ValidationError",
	429: "RateLimitError", 500: "ServerError", 503: "ServerError",
}

// Every error that is described for an operation is raised by it in every client, as its example has it.
func TestClientsRaiseEveryDescribedError(t *testing.T) {
	t.Parallel()
	p := newPlatform(t, nil, "--without=worker")
	var mu sync.Mutex
	var given problemExample
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		w.Header().Set("X-Request-Id", "of-the-example")
		w.WriteHeader(given.status)
		_, _ = w.Write(given.body)
	}))
	defer server.Close()
	for name, start := range clientDrivers {
		t.Run(name, func(t *testing.T) {
			call, raised := start(t, p.document), 0
			for code, examples := range p.document.examples() {
				for _, e := range examples {
					if e.op.OperationID == "metrics" {
						continue
					}
					mu.Lock()
					given = e
					mu.Unlock()
					raised++
					in := input{id: "x", body: object{}}
					if e.op.takesFile() {
						in.body = soundFile
					}
					outcome := call(t, p.clientCall(e.op, in, server.URL))
					if problem := e.differs(outcome.Error, code, name); problem != "" {
						t.Errorf("%s: %s: %s %+v %s", e.op.OperationID, code, problem, outcome.Error, outcome.Broken)
					}
				}
			}
			t.Log(raised, "errors")
		})
	}
}

// problemExample is an error that is described for an operation.
type problemExample struct {
	op      *operation
	status  int
	body    []byte
	problem problem
}

// examples are the errors that the description has examples of, by code.
func (d *document) examples() map[string][]problemExample {
	found := map[string][]problemExample{}
	for _, op := range d.operations {
		for status := 400; status < 600; status++ {
			described := op.Responses.Status(status)
			if described == nil || described.Value.Content["application/json"] == nil {
				continue
			}
			for _, example := range described.Value.Content["application/json"].Examples {
				body, err := json.Marshal(example.Value.Value)
				if err != nil {
					panic(err) // it was decoded from JSON
				}
				described := (&answer{body: body}).problem()
				found[described.Code] = append(found[described.Code], problemExample{op, status, body, described})
			}
		}
	}
	return found
}

// differs says in what an error is not as described, "" for nothing.
func (e problemExample) differs(raised *clientError, code, client string) string {
	class, known := classes[e.status]
	switch {
	case raised == nil:
		return "no error"
	case raised.Code != code || raised.Status != e.status || raised.RequestID != "of-the-example":
		return fmt.Sprintf("want status %d", e.status)
	case !strings.Contains(raised.Message, e.problem.Message):
		return "want the message " + e.problem.Message
	case len(raised.Details) != len(e.problem.Details):
		return fmt.Sprintf("want the details %v", e.problem.Details)
	case client != "go" && known && raised.Class != class:
		return "want the class " + class
	}
	return ""
}
