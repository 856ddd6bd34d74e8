package tool

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/internal/template"
	"parley/internal/transfer"
)

// backend is a tenant's server: it sends configured responses and records requests.
type backend struct {
	*httptest.Server
	mu    sync.Mutex
	asked []asked
}

type asked struct {
	Method, URI, Body string
	Header            http.Header
}

func newBackend(t *testing.T, answer func(n int, w http.ResponseWriter, r *http.Request)) *backend {
	b := &backend{}
	b.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		b.mu.Lock()
		b.asked = append(b.asked, asked{r.Method, r.RequestURI, string(body), r.Header})
		n := len(b.asked)
		b.mu.Unlock()
		r.Body = io.NopCloser(bytes.NewReader(body))
		answer(n, w, r)
	}))
	t.Cleanup(b.Close)
	return b
}

func (b *backend) seen() []asked {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.asked)
}

// echo answers with what was sent.
func echo(_ int, w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	_ = json.NewEncoder(w).Encode(map[string]any{"uri": r.RequestURI, "header": r.Header, "body": string(body), "json": json.RawMessage(body)})
}

func says(status int, body string) func(int, http.ResponseWriter, *http.Request) {
	return func(_ int, w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		io.WriteString(w, body)
	}
}

// actions parses a tool's actions; HOST is replaced by the backend's address.
func (b *backend) actions(t *testing.T, text string) []Action {
	t.Helper()
	var actions []Action
	host := "http://127.0.0.1:9"
	if b != nil {
		host = b.URL
	}
	if err := json.Unmarshal([]byte(strings.ReplaceAll(text, "HOST", host)), &actions); err != nil {
		t.Fatal(err)
	}
	return actions
}

func scope() template.Scope {
	return template.Scope{"user": map[string]any{"auth_token": "tok/en 4711", "name": "Ada"}, "workflow": map[string]any{"order": "w1"}, "flags": map[string]any{"vip": true}}
}

func run1(t *testing.T, actions []Action, arguments string, parameters ...Parameter) Outcome {
	t.Helper()
	r := NewRunner(true)
	t.Cleanup(r.Close)
	return r.Run(t.Context(), Call{Name: "look_up", Tool: Definition{Config: Config{Parameters: parameters, Actions: actions}},
		Arguments: json.RawMessage(arguments), Scope: scope()})
}

func messages(problems []Problem) (texts []string) {
	for _, p := range problems {
		level := "warning: "
		if p.Critical {
			level = "error: "
		}
		texts = append(texts, level+p.Message)
	}
	return texts
}

func TestArguments(t *testing.T) {
	parameters := []Parameter{
		{Name: "order", Type: "string", Required: true},
		{Name: "count", Type: "integer"},
		{Name: "size", Type: "string", Enum: []json.RawMessage{[]byte(`"small"`), []byte(`"large"`)}, Default: []byte(`"small"`)},
		{Name: "account", Type: "integer", Enum: []json.RawMessage{[]byte(`9007199254740993`)}},
	}
	for given, want := range map[string]string{
		`{"order":"A1"}`: `{"order":"A1","size":"small"}`,
		`{"order":"A1","count":3.0,"size":"large"}`: `{"count":3.0,"order":"A1","size":"large"}`,
		`{"order":"A1","count":null}`:               `{"order":"A1","size":"small"}`,
		`{"order":"","size":null}`:                  `{"order":"","size":"small"}`,
		`{"order":"A1","count":9007199254740993}`:   `{"count":9007199254740993,"order":"A1","size":"small"}`,
		`{"order":"A1","count":9007199254740993.5}`: `count must be of type integer`,
		`{"order":"A1","count":1e400}`:              `{"count":1e400,"order":"A1","size":"small"}`,
		`{"order":"A1","account":9007199254740992}`: `account must be one of 9007199254740993`,
		``:                                    `order is required`,
		`null`:                                `order is required`,
		`{}`:                                  `order is required`,
		`{"order":null}`:                      `order is required`,
		`[]`:                                  `the arguments must be a JSON object`,
		`{"order":`:                           `the arguments must be a JSON object`,
		`{"order":7,"count":1.5}`:             `order must be of type string; count must be of type integer`,
		`{"order":"A1","size":"huge"}`:        `size must be one of "small", "large"`,
		`{"order":"A1","number":1,"extra":2}`: `there is no parameter extra; there is no parameter number`,
	} {
		params, faults := Config{Parameters: parameters}.arguments(json.RawMessage(given))
		got := strings.Join(faults, "; ")
		if got == "" {
			text, _ := json.Marshal(params)
			got = string(text)
		}
		if got != want {
			t.Errorf("%s: %s, want %s", given, got, want)
		}
	}
	o := run1(t, (*backend)(nil).actions(t, `[{"type":"set_flag","name":"done"}]`), `{"count":"two"}`, parameters...)
	if !strings.Contains(o.Answer, "order is required; count must be of type integer") || len(o.Changes) != 0 || len(o.Problems) != 1 {
		t.Errorf("a call with wrong arguments ran: %+v", o)
	}
}

func TestTemplatesByPlace(t *testing.T) {
	b := newBackend(t, says(200, `{"id":17,"name":"Lamp"}`))
	o := run1(t, b.actions(t, `[{"type":"api_call","method":"PATCH","url":"HOST/users/{{user.auth_token}}/{{ params.path }}?q={{params.path}}&f=1#{{params.path}}",
		"headers":{"Authorization":"Bearer {{user.auth_token}}","X-Vip":"{{flags.vip}}"},
		"body":{"count":"{{params.count}}","text":"n={{params.count}}","list":["{{workflow.order}}",1,true,null],"absent":"{{user.absent}}","quote":"{{params.path}}","deep":{"tags":"{{params.tags}}"}}},
		{"type":"set_context","key":"item","value":{"id":"{{result.id}}","label":"{{result.name}} {{result.id}}"}}]`),
		`{"path":"../a/b?c=d&e\"}","count":12345678901234567890,"tags":["x",{"y":1}]}`,
		Parameter{Name: "path", Type: "string"}, Parameter{Name: "count", Type: "integer"}, Parameter{Name: "tags", Type: "array"})
	if len(b.seen()) != 1 {
		t.Fatalf("asked %d times; %+v", len(b.seen()), o)
	}
	got := b.seen()[0]
	if want := `/users/tok%2Fen%204711/..%2Fa%2Fb%3Fc=d&e%22%7D?q=..%2Fa%2Fb%3Fc%3Dd%26e%22%7D&f=1`; got.URI != want || got.Method != "PATCH" {
		t.Errorf("%s %s, want %s", got.Method, got.URI, want)
	}
	if got.Header.Get("Authorization") != "Bearer tok/en 4711" || got.Header.Get("X-Vip") != "true" || got.Header.Get("Content-Type") != "application/json" {
		t.Errorf("headers %v", got.Header)
	}
	want := `{"absent":"","count":12345678901234567890,"deep":{"tags":["x",{"y":1}]},"list":["w1",1,true,null],"quote":"../a/b?c=d\u0026e\"}","text":"n=12345678901234567890"}`
	if got.Body != want {
		t.Errorf("body %s\nwant %s", got.Body, want)
	}
	if o.Answer != `{"id":17,"name":"Lamp"}` {
		t.Errorf("answer %s", o.Answer)
	}
	if diff := cmp.Diff([]Change{{Key: "item", Value: map[string]any{"id": json.Number("17"), "label": "Lamp 17"}}}, o.Changes); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"warning: tool look_up: names {{user.absent}}, which this call does not have"}, messages(o.Problems)); diff != "" {
		t.Error(diff)
	}
}

// What a template puts in cannot lead a request elsewhere or split a header,
// and is in no message.
func TestTemplatesThatAreRefused(t *testing.T) {
	for _, c := range []struct{ name, actions, value, want string }{
		{"dots", `[{"type":"api_call","url":"HOST/a/{{params.v}}/b"}]`, `..`, "a value that stands in the URL's path leads to another path"},
		{"line break", `[{"type":"api_call","url":"HOST/","headers":{"X-A":"{{params.v}}"}}]`, "secret\r\nHost: evil", "{{params.v}} holds a line break, which the header X-A must not"},
		{"NUL", `[{"type":"api_call","url":"HOST/","headers":{"X-A":"{{params.v}}"}}]`, "secret\x00", "{{params.v}} holds a line break, which the header X-A must not"},
		{"long header", `[{"type":"api_call","url":"HOST/","headers":{"X-A":"{{params.v}}"}}]`, strings.Repeat("secret", 4000), "the header X-A is too long or holds control characters"},
		{"long URL", `[{"type":"api_call","url":"HOST/?a={{params.v}}"}]`, strings.Repeat("secret", 4000), "the URL is longer than 16 KiB"},
		{"long body", `[{"type":"api_call","url":"HOST/","body":{"a":"{{params.v}}","b":"{{params.v}}"}}]`, strings.Repeat("secret", 100_000), "the action is larger than 256 KiB once its templates are filled in (limit rendered_action)"},
		{"large value", `[{"type":"set_context","key":"k","value":"{{params.v}}"}]`, strings.Repeat("secret", 20_000), "workflow.k is not set: its value is larger than 64 KiB"},
		{"no number", `[{"type":"transfer_call","phone_number":"{{params.v}}"}]`, "secret", "transfer_call is not possible: this is no phone call"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBackend(t, says(200, "ok"))
			value, _ := json.Marshal(map[string]string{"v": c.value})
			o := run1(t, b.actions(t, c.actions), string(value), Parameter{Name: "v", Type: "string"})
			if len(b.seen()) != 0 {
				t.Errorf("a request was made: %+v", b.seen()[0].URI)
			}
			got := strings.Join(messages(o.Problems), "; ")
			if !strings.HasSuffix(got, c.want) || strings.Contains(got, "secret") || len(o.Changes) != 0 {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
	}
}

func TestOutcomesOfRequests(t *testing.T) {
	slow := func(n int, w http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
	broken := func(n int, w http.ResponseWriter, r *http.Request) {
		if n < 3 {
			panic(http.ErrAbortHandler)
		}
		io.WriteString(w, "third time")
	}
	halved := func(_ int, w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "100")
		io.WriteString(w, "booked")
	}
	flaky := func(statuses ...int) func(int, http.ResponseWriter, *http.Request) {
		return func(n int, w http.ResponseWriter, r *http.Request) { w.WriteHeader(statuses[min(n, len(statuses))-1]) }
	}
	for _, c := range []struct {
		name    string
		answer  func(int, http.ResponseWriter, *http.Request)
		options string
		message string
		asked   int
		branch  string
		problem string
	}{
		{"good", says(200, " hello\n"), ``, "hello", 1, "success", ""},
		{"empty", says(204, ""), ``, "The request succeeded with HTTP status 204.", 1, "success", ""},
		{"4xx is not repeated", says(404, `{"error":"none"}`), `,"retry_count":3`, `The request failed with HTTP status 404: {"error":"none"}`, 1, "failure", "answered with status 404"},
		{"redirects are not followed", says(302, ""), `,"retry_count":3`, "The request failed with HTTP status 302.", 1, "failure", "answered with status 302"},
		{"5xx is repeated", flaky(503, 500, 201), `,"retry_count":2`, "The request succeeded with HTTP status 201.", 3, "success", ""},
		{"429 is repeated", flaky(429, 200), `,"retry_count":1`, "The request succeeded with HTTP status 200.", 2, "success", ""},
		{"as often as it says", flaky(503), `,"retry_count":1`, "The request failed with HTTP status 503.", 2, "failure", "answered with status 503 (2 attempts)"},
		{"none unless it says", flaky(503), ``, "The request failed with HTTP status 503.", 1, "failure", "answered with status 503"},
		{"lost connections are repeated", broken, `,"retry_count":2`, "third time", 3, "success", ""},
		{"what may have been done is not", halved, `,"retry_count":3`, "The request failed: answered with status 200, but the answer broke off.", 1, "failure", "answered with status 200, but the answer broke off"},
		{"no answer in time is not", slow, `,"retry_count":3,"timeout":1`, "The request failed: no answer within 1 s.", 1, "failure", "no answer within 1 s"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := newBackend(t, c.answer)
			o := run1(t, b.actions(t, `[{"type":"api_call","method":"POST","url":"HOST/a?key=secret"`+c.options+`,
				"on_success":[{"type":"set_flag","name":"success"}],"on_failure":[{"type":"set_flag","name":"failure"}]},{"type":"set_flag","name":"after"}]`), `{}`)
			if o.Answer != c.message || len(b.seen()) != c.asked {
				t.Errorf("asked %d times, answer %q", len(b.seen()), o.Answer)
			}
			if diff := cmp.Diff([]Change{{Flag: c.branch, Value: true}, {Flag: "after", Value: true}}, o.Changes); diff != "" {
				t.Error(diff)
			}
			var want []string
			if c.problem != "" {
				want = []string{"error: tool look_up: POST " + b.URL + "/a: " + c.problem}
			}
			if diff := cmp.Diff(want, messages(o.Problems)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestConnectionRefused(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	l.Close()
	o := run1(t, (*backend)(nil).actions(t, strings.ReplaceAll(`[{"type":"api_call","url":"http://ADDRESS/","retry_count":1,
		"on_failure":[{"type":"respond","message":"Sorry: {{result.error}}"}]}]`, "ADDRESS", address)), `{}`)
	if o.Answer != "Sorry: the connection failed before an answer" || !strings.HasSuffix(o.Problems[0].Message, "(2 attempts)") {
		t.Errorf("%+v", o)
	}
}

// Without PARLEY_ALLOW_PRIVATE_NETWORKS a tool reaches no private place, by
// no spelling, and no http.
func TestPrivatePlacesAreRefused(t *testing.T) {
	b := newBackend(t, says(200, "ok"))
	_, port, _ := strings.Cut(strings.TrimPrefix(b.URL, "http://"), ":")
	r := NewRunner(false)
	defer r.Close()
	for _, place := range []string{"http://127.0.0.1", "https://127.0.0.1", "https://localhost", "https://2130706433", "https://[::ffff:127.0.0.1]", "https://169.254.169.254", "http://example.com"} {
		actions := b.actions(t, `[{"type":"api_call","url":"`+place+`:`+port+`/","retry_count":5}]`)
		o := r.Run(t.Context(), Call{Name: "t", Tool: Definition{Config: Config{Actions: actions}}})
		if !strings.Contains(o.Answer, "must be an https URL") && !strings.Contains(o.Answer, "must lead to a public address") {
			t.Errorf("%s: %s", place, o.Answer)
		}
	}
	if len(b.seen()) != 0 {
		t.Errorf("reached: %+v", b.seen())
	}
}

func TestAnswerIsCut(t *testing.T) {
	b := newBackend(t, says(200, strings.Repeat("é", 100_000)))
	o := run1(t, b.actions(t, `[{"type":"api_call","url":"HOST/"}]`), `{}`)
	if len(o.Answer) > maxAnswer || len(o.Answer) < maxAnswer-2 || strings.Trim(o.Answer, "é") != "" {
		t.Errorf("%d bytes", len(o.Answer))
	}
	o = run1(t, b.actions(t, `[`+strings.Repeat(`{"type":"api_call","url":"HOST/"},`, 8)+`{"type":"set_flag","name":"a"}]`), `{}`)
	if len(o.Answer) > maxAnswers {
		t.Errorf("%d bytes in all", len(o.Answer))
	}
}

func TestActions(t *testing.T) {
	b := newBackend(t, says(200, `{"status":"shipped","carrier":{"name":"DHL"}}`))
	o := run1(t, b.actions(t, `[{"type":"set_flag","name":"a","value":"{{params.v}}"},{"type":"set_flag","name":"b","value":"{{flags.a}} {{flags.vip}}"},
		{"type":"api_call","url":"HOST/","on_success":[
			{"type":"api_call","url":"HOST/2","on_success":[{"type":"set_context","key":"inner","value":"{{result.carrier}}"}]},
			{"type":"respond","message":"It is {{result.status}} with {{workflow.inner.name}}."}]},
		{"type":"handoff","target_agent":"billing"},{"type":"end_call","message":"Bye {{user.name}}."},{"type":"respond","message":"Second."}]`),
		`{"v":7}`, Parameter{Name: "v", Type: "number"})
	if want := "It is shipped with DHL.\nSecond."; o.Answer != want {
		t.Errorf("answer %q", o.Answer)
	}
	if diff := cmp.Diff([]Change{{Flag: "a", Value: json.Number("7")}, {Flag: "b", Value: "7 true"}, {Key: "inner", Value: map[string]any{"name": "DHL"}}}, o.Changes); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(&Next{Action: Handoff, Agent: "billing"}, o.Next); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"warning: tool look_up: end_call is ignored: handoff came before it"}, messages(o.Problems)); diff != "" {
		t.Error(diff)
	}
	if s := scope(); len(s["flags"].(map[string]any)) != 1 {
		t.Error("the caller's scope was written to")
	}
	if o := run1(t, nil, ``); o.Answer != "Done." {
		t.Errorf("a tool without actions answers %q", o.Answer)
	}
}

type phone struct {
	sent []string
	err  error
}

func (p *phone) SendDTMF(_ context.Context, digits string) error {
	p.sent = append(p.sent, digits)
	return p.err
}
func (p *phone) Transfer(context.Context, string) error { return p.err }

func TestPhoneActions(t *testing.T) {
	actions := (*backend)(nil).actions(t, `[{"type":"send_dtmf","digits":"1w{{params.n}}#"},{"type":"transfer_call","phone_number":"+49{{params.n}}","allowed_numbers":["+4930*","+4989123456"],"message":"One moment."}]`)
	call := Call{Name: "t", Tool: Definition{Config: Config{Parameters: []Parameter{{Name: "n", Type: "string"}}, Actions: actions}}, Arguments: []byte(`{"n":"30123456"}`)}
	r := NewRunner(true)
	defer r.Close()
	t.Run("no phone call", func(t *testing.T) {
		o := r.Run(t.Context(), call)
		if want := "Tones cannot be sent: this is no phone call.\nThe call cannot be transferred: it is no phone call."; o.Answer != want || o.Next != nil || len(o.Problems) != 2 {
			t.Errorf("%+v", o)
		}
	})
	t.Run("a phone call", func(t *testing.T) {
		p := &phone{}
		call := call
		call.Phone = p
		o := r.Run(t.Context(), call)
		if !slices.Equal(p.sent, []string{"1w30123456#"}) || len(o.Problems) != 0 {
			t.Errorf("sent %q; %+v", p.sent, o)
		}
		if diff := cmp.Diff(&Next{Action: TransferCall, Number: "+4930123456", Message: "One moment."}, o.Next); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("what does not fit", func(t *testing.T) {
		p := &phone{}
		call := call
		call.Phone, call.Arguments = p, []byte(`{"n":"x"}`)
		if o := r.Run(t.Context(), call); len(p.sent) != 0 || o.Next != nil || len(o.Problems) != 2 {
			t.Errorf("sent %q; %+v", p.sent, o)
		}
	})
	// Whatever the language model fills in, a number that the tool does not list is not reached.
	for _, tc := range []struct{ number, allowed, n, want string }{
		{"+49{{params.n}}", `["+4930*","+4989123456"]`, "89123456", "+4989123456"},
		{"+49{{params.n}}", `["+4930*","+4989123456"]`, "891234567", ""},
		{"+49{{params.n}}", `["+4930*"]`, "9001234567", ""},
		{"{{params.n}}", `[]`, "+4930123456", ""},
		{"{{params.n}}", ``, "+4930123456", ""},
		{"{{workflow.n}}", ``, "", ""},
		{"{{user.n}}", ``, "", "+4930111111"},
		{"{{user.n}}", `["+4989*"]`, "", ""},
		{"{{user.sip.n}}", ``, "", ""}, // the caller's
		{"{{call.from}}", ``, "", ""},
		{"+4930222222", ``, "", "+4930222222"},
	} {
		t.Run(tc.number+tc.allowed, func(t *testing.T) {
			allowed := ""
			if tc.allowed != "" {
				allowed = `,"allowed_numbers":` + tc.allowed
			}
			call := call
			call.Phone, call.Arguments = &phone{}, []byte(`{"n":"`+tc.n+`"}`)
			call.Scope = template.Scope{"user": map[string]any{"n": "+4930111111", "sip": map[string]any{"n": "+4930111111"}}, "call": map[string]any{"from": "+4930111111"}, "workflow": map[string]any{"n": "+4930111111"}}
			call.Tool.Config.Actions = (*backend)(nil).actions(t, `[{"type":"transfer_call","phone_number":"`+tc.number+`"`+allowed+`}]`)
			o := r.Run(t.Context(), call)
			switch {
			case tc.want != "" && (o.Next == nil || o.Next.Number != tc.want):
				t.Errorf("%+v", o)
			case tc.want == "" && (o.Next != nil || !strings.Contains(o.Answer, "not one of those that are allowed") || len(o.Problems) != 1 || strings.Contains(o.Problems[0].Message, tc.n) && tc.n != ""):
				t.Errorf("%+v", o)
			}
		})
	}
	t.Run("the line is gone", func(t *testing.T) {
		call := call
		call.Phone = &phone{err: errors.New("no dialog")}
		if o := r.Run(t.Context(), call); !strings.Contains(o.Answer, "could not be sent") || !o.Problems[0].Critical {
			t.Errorf("%+v", o)
		}
	})
}

// The end of a call cancels its tools.
func TestRunEndsWithItsContext(t *testing.T) {
	var asks atomic.Int64
	b := newBackend(t, func(_ int, w http.ResponseWriter, r *http.Request) { asks.Add(1); <-r.Context().Done() })
	ctx, cancel := context.WithCancel(t.Context())
	r := NewRunner(true)
	defer r.Close()
	done := make(chan Outcome)
	go func() {
		done <- r.Run(ctx, Call{Name: "t", Tool: Definition{Config: Config{Actions: b.actions(t, `[{"type":"api_call","url":"HOST/","retry_count":5},{"type":"set_flag","name":"a"}]`)}}})
	}()
	for asks.Load() == 0 {
		time.Sleep(time.Millisecond)
	}
	cancel()
	if o := <-done; len(o.Changes) != 0 || asks.Load() != 1 {
		t.Errorf("asked %d times; %+v", asks.Load(), o)
	}
}

func TestMask(t *testing.T) {
	m := NewMask(map[string]any{"token": "s3cr3t-value", "prefix": "s3cr3t", "pin": json.Number("4711"), "code": "abc", "language": "de", "city": "Bremen", "nested": []any{map[string]any{"card": "4111 1111"}}, "on": true, "none": nil, "empty": " "})
	for given, want := range map[string]string{
		`{"a":"Bearer s3cr3t-value","b":"s3cr3ts","c":"abc","d":"abcd","e":4711,"f":[{"g":"4111 1111!"}],"h":true,"i":"pin 4711","j":47,"k":"de","l":"in Bremen"}`: `{"a":"Bearer ***","b":"***s","c":"***","d":"abcd","e":"***","f":[{"g":"***!"}],"h":true,"i":"pin ***","j":47,"k":"de","l":"in ***"}`,
		`{}`: `{}`, ``: `{}`, `{"a":`: `{}`,
	} {
		if got := string(m.JSON([]byte(given))); got != want {
			t.Errorf("%s: %s, want %s", given, got, want)
		}
	}
	m = NewMask(map[string]any{"token": "s3cr3t-value", "notes": "has paid  twice\nand called"})
	for given, want := range map[string]string{
		"has paid twice and called: no": "***: no",
		"Bearer s3cr3t-val…":            "Bearer ***…",
		"Bearer s3c…":                   "Bearer s3c…", // too short to match
		"s3cr3t-value-s3cr3t-va…":       "***-***…",
		"…s3cr…has paid twice an…x":     "…***…***…x",
		"told has paid tw…; and s3cr3t…; the fallback takes its place…": "told ***…; and ***…; the fallback takes its place…",
	} {
		if got := m.Text(given); got != want {
			t.Errorf("%s: %s, want %s", given, got, want)
		}
	}
	if got := (Mask{}).Text("as it is"); got != "as it is" {
		t.Error(got)
	}
}

// A number of the context is masked however it is written.
func TestNumbersAreMasked(t *testing.T) {
	user, err := template.DecodeObject([]byte(`{"account":9007199254740993,"limit":1E5,"rate_code":0.10,"tiny_code":1e-400,"debt_code":-0,"list":[1234567890123456789]}`))
	if err != nil {
		t.Fatal(err)
	}
	m := NewMask(user)
	for given, want := range map[string]string{
		`{"a":9007199254740993,"b":9007199254740992,"c":"9007199254740993","d":"no 9007199254740993!"}`: `{"a":"***","b":9007199254740992,"c":"***","d":"no ***!"}`,
		`{"a":1E5,"b":100000,"c":1e+05,"d":"100000","e":"up to 100000","f":100001}`:                     `{"a":"***","b":"***","c":"***","d":"***","e":"up to ***","f":100001}`,
		`{"a":0.10,"b":0.1,"c":"0.1","d":1e-1,"e":0.11}`:                                                `{"a":"***","b":"***","c":"***","d":"***","e":0.11}`,
		`{"a":1e-400,"b":-0,"c":0,"d":[1234567890123456789.0]}`:                                         `{"a":"***","b":"***","c":"***","d":["***"]}`,
	} {
		if got := string(m.JSON([]byte(given))); got != want {
			t.Errorf("%s: %s, want %s", given, got, want)
		}
	}
}

// Numbers of the context, of arguments and of answers keep their digits wherever
// a template puts them.
func TestNumbersKeepTheirDigits(t *testing.T) {
	b := newBackend(t, says(200, `{"id":9007199254740993,"rate":1E5,"tiny":1e-400}`))
	user, err := template.DecodeObject([]byte(`{"account":9007199254740993,"id":1234567890123456789,"tiny":1e-400,"tenth":0.1,"limit":1E5,"minus":-0}`))
	if err != nil {
		t.Fatal(err)
	}
	r := NewRunner(true)
	defer r.Close()
	o := r.Run(t.Context(), Call{Name: "pay", Arguments: json.RawMessage(`{"n":9007199254740993,"o":{"x":[1E5,-0]}}`), Scope: template.Scope{"user": user},
		Tool: Definition{Config: Config{Parameters: []Parameter{{Name: "n", Type: "integer"}, {Name: "o", Type: "object"}}, Actions: b.actions(t, `[
			{"type":"api_call","method":"POST","url":"HOST/{{user.account}}/{{user.tiny}}?id={{user.id}}&n={{params.n}}&limit={{user.limit}}",
				"headers":{"X-Id":"{{user.id}} {{user.minus}} {{params.n}}"},
				"body":{"account":"{{user.account}}","all":"{{user}}","n":"{{params.n}}","o":"{{params.o}}","text":"{{user.tenth}} {{user.limit}} {{params.o}}","own":12345678901234567890}},
			{"type":"set_context","key":"id","value":"{{result.id}}"},
			{"type":"respond","message":"{{result.id}} {{result.rate}} {{result.tiny}} {{workflow.id}}"}]`)}}})
	if len(b.seen()) != 1 || len(o.Problems) != 0 {
		t.Fatalf("asked %d times; %+v", len(b.seen()), o)
	}
	got := b.seen()[0]
	if want := "/9007199254740993/1e-400?id=1234567890123456789&n=9007199254740993&limit=1E5"; got.URI != want {
		t.Errorf("asked %s, want %s", got.URI, want)
	}
	if want := "1234567890123456789 -0 9007199254740993"; got.Header.Get("X-Id") != want {
		t.Errorf("header %q, want %q", got.Header.Get("X-Id"), want)
	}
	want := `{"account":9007199254740993,"all":{"account":9007199254740993,"id":1234567890123456789,"limit":1E5,"minus":-0,"tenth":0.1,"tiny":1e-400},` +
		`"n":9007199254740993,"o":{"x":[1E5,-0]},"own":12345678901234567890,"text":"0.1 1E5 {\"x\":[1E5,-0]}"}`
	if got.Body != want {
		t.Errorf("body %s\nwant %s", got.Body, want)
	}
	if want := "9007199254740993 1E5 1e-400 9007199254740993"; o.Answer != want {
		t.Errorf("answer %q, want %q", o.Answer, want)
	}
}

func TestAwaits(t *testing.T) {
	sets := Config{Actions: []Action{{Type: APICall, OnSuccess: []Action{{Type: SetFlag, Name: "paid"}, {Type: SetContext, Key: "order"}}}}}
	for text, want := range map[string]bool{
		"{{flags.paid}}": true, "{{workflow.order.id}}": true, "{{workflow.order[0]}}": true, "{{workflow}}": true,
		"{{flags.vip}}": false, "{{workflow.orders}}": false, "{{user.paid}}": false, "paid": false,
	} {
		if got := (Config{Actions: []Action{{Type: APICall, OnFailure: []Action{{Type: Respond, Message: text}}}}}).Awaits(sets); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
	if !(Config{Actions: []Action{{Headers: map[string]string{"A": "{{flags.paid}}"}}}}).Awaits(sets) {
		t.Error("headers are not looked at")
	}
	persons := Action{Type: TransferCall, Connection: Connection{Mode: transfer.Bridge, To: []string{"+4930123456", "agent:c", "agent:a"}}}
	if got := (Config{Actions: []Action{{Type: Handoff, TargetAgent: "b"}, {OnFailure: []Action{{Type: Handoff, TargetAgent: "a"}, {Type: Handoff, TargetAgent: "b"}, persons}}}}).Targets(); !slices.Equal(got, []string{"b", "a", "c"}) {
		t.Error(got)
	}
}

// An action that its templates make larger than 256 KiB is not done, whatever holds the templates, and the rest of the tool
// is. Rendering stops there.
func TestRenderedActionsAreBounded(t *testing.T) {
	b := newBackend(t, says(200, `{}`))
	large := strings.Repeat("x", 60_000)
	list := "[" + strings.TrimSuffix(strings.Repeat(`"{{params.x}}",`, 3_000), ",") + "]"
	text := strings.Repeat("{{params.x}}", 3_000)
	for name, action := range map[string]string{
		"body of values": `{"type":"api_call","url":"HOST/","body":{"a":` + list + `}}`,
		"body of texts":  `{"type":"api_call","url":"HOST/","body":{"a":"` + text + `"}}`,
		"path":           `{"type":"api_call","url":"HOST/` + text + `"}`,
		"headers":        `{"type":"api_call","url":"HOST/","headers":{"X-A":"` + text + `"}}`,
		"together":       `{"type":"api_call","url":"HOST/","body":{"a":"{{params.x}}{{params.x}}{{params.x}}","b":"{{params.x}}","c":"{{params.x}}"}}`,
		"set_context":    `{"type":"set_context","key":"k","value":` + list + `}`,
		"set_flag":       `{"type":"set_flag","name":"k","value":"` + text + `"}`,
		"respond":        `{"type":"respond","message":"` + text + `"}`,
		"end_call":       `{"type":"end_call","message":"` + text + `"}`,
	} {
		actions := b.actions(t, "["+action+`,{"type":"set_flag","name":"after"}]`)
		out := run1(t, actions, `{"x":"`+large+`"}`, Parameter{Name: "x", Type: "string"})
		if len(out.Problems) != 1 || !out.Problems[0].Critical || !strings.HasSuffix(out.Problems[0].Message, "(limit rendered_action)") {
			t.Errorf("%s: problems %v", name, messages(out.Problems))
		}
		if len(out.Changes) != 1 || out.Changes[0].Flag != "after" || out.Next != nil || len(out.Answer) > 1000 {
			t.Errorf("%s: changes %v, next %v, %d bytes to the model", name, out.Changes, out.Next, len(out.Answer))
		}
	}
	if n := len(b.seen()); n != 0 {
		t.Errorf("%d requests were sent", n)
	}
}

// Of many paths that lead nowhere the first are reported.
func TestMissingPathsAreReportedBriefly(t *testing.T) {
	var message strings.Builder
	for n := range 200 {
		fmt.Fprintf(&message, "{{user.none%d}}", n)
	}
	out := run1(t, []Action{{Type: Respond, Message: message.String()}, {Type: Respond, Message: message.String()}}, `{}`)
	if n := len(out.Problems); n != maxLacking+1 {
		t.Errorf("%d problems, want %d", n, maxLacking+1)
	}
}
