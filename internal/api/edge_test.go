package api

import (
	"bufio"
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
	"testing"
	"time"

	"parley/internal/api/wire"
	"parley/internal/auth"
	"parley/internal/fault"
	"parley/internal/metrics"
)

type thing struct {
	Name  string                `json:"name" minLength:"1" maxLength:"5"`
	Kind  string                `json:"kind,omitempty" enum:"big,small"`
	Note  wire.Optional[string] `json:"note,omitempty" maxLength:"10"`
	Size  int                   `json:"size,omitempty" minimum:"1" maximum:"9"`
	Words map[string]string     `json:"words,omitempty"`
	Free  map[string]any        `json:"free,omitempty"`
	Parts []struct {
		Label string `json:"label"`
	} `json:"parts,omitempty" maxItems:"3"`
}

// A big thing has a note.
func (t *thing) Faults() []fault.Detail {
	if t.Kind == "big" && !t.Note.Set {
		return []fault.Detail{{Field: "note", Message: "is required for something big"}}
	}
	return nil
}

type thingIn struct {
	ID    wire.ID   `path:"id"`
	Limit int       `query:"limit" default:"50" minimum:"1" maximum:"100"`
	Big   bool      `query:"big"`
	After time.Time `query:"after"`
	Body  thing
}

type thingOut struct {
	ID     wire.ID `json:"id"`
	Limit  int     `json:"limit"`
	Thing  thing   `json:"thing"`
	Tenant string  `json:"tenant"`
}

// newThings is the service with a route that echoes its input.
func newThings(t testing.TB, change ...func(*Deps)) *service {
	s := newService(t, change...)
	wire.Register(s.router, wire.Operation{ID: "put-thing", Method: http.MethodPut, Path: "/things/{id}", Tag: "Things", Scope: "tools:write"},
		func(_ context.Context, who auth.Principal, in *thingIn) (*wire.Answer[thingOut], error) {
			return wire.NewAnswer(thingOut{in.ID, in.Limit, in.Body, who.TenantID}), nil
		})
	wire.Register(s.router, wire.Operation{ID: "fail", Method: http.MethodGet, Path: "/fail/{code}", Tag: "Things", Public: true},
		func(_ context.Context, _ auth.Principal, in *struct {
			Code string `path:"code"`
		}) (*wire.Empty, error) {
			switch in.Code {
			case "none":
				return nil, nil
			case "secret":
				return nil, errors.New("connection to db-7 refused")
			case "panic":
				panic("at the disco")
			}
			return nil, fmt.Errorf("while failing: %w", fault.New(fault.Code(in.Code), "it fails"))
		})
	return s
}

const aThing = "/things/0193A6F0-0000-7000-8000-000000000009"

func TestInputReachesTheOperation(t *testing.T) {
	s := newThings(t)
	w := s.do("full", http.MethodPut, aThing+"?limit=7", `{"name":"n","note":null,"size":2.0,"unknown":1,"free":{"any":[1e3,{"x":null},"<&>"]},"parts":[{"label":"a","l2":{}}]}`, "Accept", "application/xml")
	var out struct {
		ID     string
		Limit  int
		Tenant string
		Thing  map[string]json.RawMessage
	}
	s.want(w, http.StatusOK, &out)
	if out.ID != strings.ToLower(strings.TrimPrefix(aThing, "/things/")) || out.Limit != 7 || out.Tenant != acme {
		t.Errorf("got %+v", out)
	}
	if got := string(out.Thing["free"]); got != `{"any":[1000,{"x":null},"<&>"]}` {
		t.Errorf("free is %s", got)
	}
	if got := w.Header().Get("X-Ignored-Fields"); got != "parts[0].l2, unknown" {
		t.Errorf("ignored fields %q", got)
	}
	if w.Header().Get("Cache-Control") != "no-store" || w.Header().Get("X-Content-Type-Options") != "nosniff" {
		t.Errorf("headers %v", w.Header())
	}
	if w := s.do("full", http.MethodPut, aThing, `{"name":"n","NAME":"too long for it"}`); !strings.Contains(w.Body.String(), `"name":"n"`) {
		t.Errorf("a field in other letters got past its limits: %s", w.Body)
	}
}

func TestAllFaultsAtOnce(t *testing.T) {
	s := newThings(t)
	w := s.do("full", http.MethodPut, "/things/nine?limit=101&big=perhaps&after=yesterday",
		`{"kind":"medium","size":10,"note":"much too long a note","words":{"a":1},"parts":[{"label":"a"},{},{"label":7}]}`)
	got := s.refused(w, http.StatusUnprocessableEntity, fault.Validation)
	for _, field := range []string{"id", "limit", "big", "after", "name", "kind", "size", "note", "words.a", "parts[1].label", "parts[2].label"} {
		if got[field] == "" {
			t.Errorf("%s is not named in %v", field, got)
		}
		delete(got, field)
	}
	if len(got) > 0 {
		t.Errorf("named without fault: %v", got)
	}
}

func TestRulesJoinTheSchema(t *testing.T) {
	s := newThings(t)
	got := s.refused(s.do("full", http.MethodPut, aThing+"?limit=0", `{"kind":"big","size":"two"}`), http.StatusUnprocessableEntity, fault.Validation)
	for _, field := range []string{"limit", "name", "size", "note"} {
		if got[field] == "" {
			t.Errorf("%s is not named in %v", field, got)
		}
	}
	got = s.refused(s.do("full", http.MethodPut, aThing, `{"kind":"big","name":"n"}`), http.StatusUnprocessableEntity, fault.Validation)
	if len(got) != 1 || got["note"] == "" {
		t.Errorf("faults %v, want the note alone", got)
	}
	s.want(s.do("full", http.MethodPut, aThing, `{"kind":"big","name":"n","note":"n"}`), http.StatusOK, nil)
}

func TestBrokenBodies(t *testing.T) {
	s := newThings(t)
	for name, c := range map[string]struct{ body, field string }{
		"none":              {"", "body"},
		"blank":             {" \n", "body"},
		"half":              {`{"name":`, "body"},
		"two":               {`{"name":"a"}{}`, "body"},
		"array":             {`[]`, "body"},
		"null":              {`null`, "body"},
		"null in a field":   {`{"name":null}`, "name"},
		"fraction":          {`{"name":"a","size":1.5}`, "size"},
		"huge number":       {`{"name":"a","free":{"n":1e999999}}`, "free.n"},
		"NUL":               {`{"name":"a\u0000"}`, "name"},
		"NUL deep":          {`{"name":"a","free":{"x":["\u0000"]}}`, "free.x[0]"},
		"NUL in a name":     {`{"name":"a","free":{"\u0000":1}}`, "free"},
		"too many items":    {`{"name":"a","parts":[{"label":""},{"label":""},{"label":""},{"label":""}]}`, "parts"},
		"too deep":          {`{"name":"a","free":{"x":` + strings.Repeat("[", 100) + strings.Repeat("]", 100) + `}}`, "body"},
		"too many values":   {`{"name":"a","free":{"x":[` + strings.Repeat("0,", 100_000) + `0]}}`, "body"},
		"text in wrong way": {`{"name":"a` + "\n" + `"}`, "body"},
		"no UTF-8":          {"{\"name\":\"a\xffb\"}", "body"},
		"no UTF-8, ignored": {"{\"name\":\"a\",\"unknown\":\"\xed\xa0\xbd\"}", "body"}, // a surrogate's three bytes
		"half a character":  {`{"name":"a","free":{"x":"\ud83d"}}`, "body"},
		"half, in a name":   {`{"name":"a","free":{"\uDE00":1}}`, "body"},
		"two first halves":  {`{"name":"a","free":{"x":"\ud83d\ud83d\ude00"}}`, "body"},
		"halves apart":      {`{"name":"a","free":{"x":"\ud83d\\\ude00"}}`, "body"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := s.refused(s.do("full", http.MethodPut, aThing, c.body), http.StatusUnprocessableEntity, fault.Validation); got[c.field] == "" {
				t.Errorf("%v does not name %s", got, c.field)
			}
		})
	}
	for name, body := range map[string]string{
		"whole characters":     "{\"name\":\"😀\",\"free\":{\"\\uD83D\\uDE00\":\"\\ud83d\\ude00 \\ufffd \uFFFD\"}}",
		"an escaped backslash": `{"name":"a","free":{"x":"\\ud83d","y":"\\\\ude00"}}`,
	} {
		if w := s.do("full", http.MethodPut, aThing, body); w.Code != http.StatusOK {
			t.Errorf("%s: %d %s", name, w.Code, w.Body)
		}
	}
	deep := `{"name":"a","free":{"x":` + strings.Repeat("[", 98) + strings.Repeat("]", 98) + `}}`
	s.want(s.do("full", http.MethodPut, aThing, deep), http.StatusOK, nil)
}

func TestFaultsAreBounded(t *testing.T) {
	s := newThings(t)
	long := strings.Repeat("k", 500_000)
	body := `{"name":"a","words":{"` + long + `":0` + strings.Repeat(`,"x":0`, 3) + "}}"
	if got := s.do("full", http.MethodPut, aThing, body); got.Body.Len() > 4<<10 {
		t.Errorf("a long name made an answer of %d bytes", got.Body.Len())
	}
	var many strings.Builder
	for i := range 50_000 {
		fmt.Fprintf(&many, `,"w%d":0`, i)
	}
	w := s.do("full", http.MethodPut, aThing, `{"name":"a","words":{`+many.String()[1:]+"}}")
	if got := s.refused(w, http.StatusUnprocessableEntity, fault.Validation); len(got) != fault.MaxDetails {
		t.Errorf("%d faults reported, want %d", len(got), fault.MaxDetails)
	}
	w = s.do("full", http.MethodPut, aThing, `{"name":"a"`+many.String()+"}")
	if got := w.Header().Get("X-Ignored-Fields"); w.Code != http.StatusOK || len(got) > wire.MaxIgnoredSize+10 || !strings.HasSuffix(got, ", ...") {
		t.Errorf("status %d, ignored fields %d bytes long", w.Code, len(got))
	}
	w = s.do("full", http.MethodPut, aThing, `{"name":"a","x\r\nSet-Cookie: a=b":1,"ü":1}`)
	if got := w.Header().Get("X-Ignored-Fields"); got != `"x\r\nSet-Cookie: a=b", "\u00fc"` {
		t.Errorf("ignored fields %s", got)
	}
}

func TestBodySize(t *testing.T) {
	s := newThings(t)
	body := func(size int) string {
		start, end := `{"name":"a","free":{"x":"`, `"}}`
		return start + strings.Repeat("x", size-len(start)-len(end)) + end
	}
	s.want(s.do("full", http.MethodPut, aThing, body(wire.MaxBody)), http.StatusOK, nil)
	s.refused(s.do("full", http.MethodPut, aThing, body(wire.MaxBody+1)), http.StatusRequestEntityTooLarge, fault.PayloadTooLarge)
	// Without a declared length the body itself is counted.
	r := httptest.NewRequest(http.MethodPut, aThing, struct{ *strings.Reader }{strings.NewReader(body(wire.MaxBody + 1))})
	r.ContentLength = -1
	r.Header.Set("X-API-Key", s.credentials["full"])
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	s.refused(w, http.StatusRequestEntityTooLarge, fault.PayloadTooLarge)
}

func TestContentType(t *testing.T) {
	s := newThings(t)
	for kind, status := range map[string]int{
		"application/json": 200, "application/json; charset=UTF-8": 200, "application/merge-patch+json": 200, "": 200,
		"text/plain": 415, "application/x-www-form-urlencoded": 415, "application/json; charset=latin1": 415, "json": 415, ";": 415,
	} {
		w := s.do("full", http.MethodPut, aThing, `{"name":"a"}`, "Content-Type", kind)
		if w.Code != status {
			t.Errorf("%q: status %d, want %d", kind, w.Code, status)
		}
		if status == 415 {
			s.refused(w, status, fault.UnsupportedMedia)
		}
	}
	s.refused(s.do("full", http.MethodPut, aThing, "x", "Content-Encoding", "gzip"), http.StatusUnsupportedMediaType, fault.UnsupportedMedia)
}

func TestCredentialsAndScopes(t *testing.T) {
	s := newThings(t)
	w := s.do("", http.MethodPut, aThing, `{`)
	s.refused(w, http.StatusUnauthorized, fault.Authentication)
	if w.Header().Get("WWW-Authenticate") == "" {
		t.Error("401 without WWW-Authenticate")
	}
	s.refused(s.do("", http.MethodPut, aThing, "", "Authorization", "Basic Zm9vOmJhcg=="), http.StatusUnauthorized, fault.Authentication)
	s.refused(s.do("wrong", http.MethodPut, aThing, `{"name":"a"}`), http.StatusUnauthorized, fault.InvalidToken)
	s.key("reader", acme, "tools:read")
	w = s.do("reader", http.MethodPut, aThing, `{"name":"a"}`)
	s.refused(w, http.StatusForbidden, fault.ScopeRequired)
	if !strings.Contains(w.Body.String(), "tools:write") {
		t.Errorf("the scope is not named: %s", w.Body)
	}
	s.want(s.do("", http.MethodPut, aThing, `{"name":"a"}`, "X-API-Key", s.credentials["full"]), http.StatusOK, nil)
	s.want(s.do("", http.MethodPut, aThing, `{"name":"a"}`, "Authorization", "bearer "+s.credentials["full"]), http.StatusOK, nil)
}

// A base URL that ends in a slash is followed by a path that begins with one.
func TestPathsAreTidied(t *testing.T) {
	s := newThings(t, func(d *Deps) { d.Metrics = metrics.New() })
	for _, path := range []string{"/" + aThing, "//" + aThing, strings.Replace(aThing, "/things", "/./things/", 1), "/health/.." + aThing} {
		s.want(s.do("full", http.MethodPut, path, `{"name":"a"}`), http.StatusOK, nil)
		s.refused(s.do("", http.MethodPut, path, `{"name":"a"}`), http.StatusUnauthorized, fault.Authentication)
	}
	for _, path := range []string{"//api/v1/nothing", "//", "/things/..", "//things//"} {
		s.refused(s.do("full", http.MethodGet, path, ""), http.StatusNotFound, fault.NotFound)
	}
	if text := s.from("127.0.0.1:1", "//metrics", "").Body.String(); !strings.Contains(text, `http_requests_total{endpoint="/things/{id}",method="PUT",status="200"} 4`) {
		t.Errorf("they are not counted as what they are:\n%s", text)
	}
	s.refused(s.from("192.0.2.1:1", "//metrics", ""), http.StatusUnauthorized, fault.Authentication)
}

func TestUnknownRoutesAndMethods(t *testing.T) {
	s := newThings(t)
	for _, path := range []string{"/", "/api/v1/nothing", "/things", "/docs/", "/things/a/b", "/health/"} {
		s.refused(s.do("full", http.MethodGet, path, ""), http.StatusNotFound, fault.NotFound)
	}
	for path, allowed := range map[string][]string{aThing: {"PUT"}, "/health": {"GET", "HEAD"}, "/openapi.json": {"GET", "HEAD"}} {
		w := s.do("full", http.MethodDelete, path, "")
		s.refused(w, http.StatusMethodNotAllowed, fault.MethodNotAllowed)
		got := strings.Split(w.Header().Get("Allow"), ", ")
		slices.Sort(got)
		if !slices.Equal(got, allowed) {
			t.Errorf("%s allows %v, want %v", path, got, allowed)
		}
	}
}

func TestEveryCodeHasItsStatus(t *testing.T) {
	s := newThings(t)
	s.refused(s.do("", http.MethodGet, "/fail/a_code_of_tomorrow", ""), http.StatusInternalServerError, fault.Internal)
	for code, status := range wire.Statuses {
		if code == fault.Internal {
			continue // TestInsideStaysInside
		}
		s.refused(s.do("", http.MethodGet, "/fail/"+string(code), ""), status, code)
	}
	if w := s.do("", http.MethodGet, "/fail/none", ""); w.Code != http.StatusNoContent || w.Body.Len() > 0 {
		t.Errorf("an empty answer: %d %s", w.Code, w.Body)
	}
}

func TestInsideStaysInside(t *testing.T) {
	s := newThings(t)
	for what, secret := range map[string]string{"secret": "db-7", "panic": "at the disco", "internal_error": "it fails"} {
		s.log.Reset()
		w := s.do("", http.MethodGet, "/fail/"+what, "", "X-Request-Id", "req-7")
		s.refused(w, http.StatusInternalServerError, fault.Internal)
		if strings.Contains(w.Body.String(), secret) {
			t.Errorf("%s: the answer reveals %s", what, w.Body)
		}
		var line struct {
			Level, Method, Route, Error string
			Status                      int
			RequestID                   string `json:"request_id"`
		}
		if err := json.Unmarshal(s.log.Bytes(), &line); err != nil {
			t.Fatalf("%s: not one log line: %s", what, s.log)
		}
		if line.Level != "ERROR" || line.Method != "GET" || line.Route != "/fail/{code}" || line.Status != 500 || line.RequestID != "req-7" || !strings.Contains(line.Error, secret) {
			t.Errorf("%s: log line %+v", what, line)
		}
		if w.Header().Get("X-Request-Id") != "req-7" {
			t.Errorf("%s: request id %q", what, w.Header().Get("X-Request-Id"))
		}
	}
}

func TestLogHoldsNoPersonalData(t *testing.T) {
	s := newThings(t)
	s.do("full", http.MethodPut, aThing+"?limit=5&secret=mallory", `{"name":"alice"}`, "X-Request-Id", "a b\n")
	line := s.log.String()
	for _, leak := range []string{"mallory", "alice", s.credentials["full"], "0193A6F0", `a b`} {
		if strings.Contains(line, leak) {
			t.Errorf("the log contains %q: %s", leak, line)
		}
	}
	if !strings.Contains(line, `"route":"/things/{id}"`) || !strings.Contains(line, acme) {
		t.Errorf("log line %s", line)
	}
}

func TestParametersThatNoDatabaseStores(t *testing.T) {
	s := newThings(t)
	for target, field := range map[string]string{"/things/%00": "id", "/things/%ff": "id", aThing + "?limit=%00": "limit"} {
		if got := s.refused(s.do("full", http.MethodPut, target, `{"name":"a"}`), http.StatusUnprocessableEntity, fault.Validation); got[field] == "" {
			t.Errorf("%s: %v does not name %s", target, got, field)
		}
	}
	s.want(s.do("full", http.MethodPut, aThing+"?x=%00&=%ff", `{"name":"a"}`), http.StatusOK, nil) // what nobody reads does no harm
}

// Over a real connection: a client that sends a whole large body before it
// reads gets the answer, and the connection lives on.
func TestAnswerReachesClientThatIsStillSending(t *testing.T) {
	s := newThings(t)
	server := httptest.NewServer(s)
	defer server.Close()
	for target, status := range map[string]int{aThing: http.StatusRequestEntityTooLarge, "/nowhere": http.StatusNotFound, "/health": http.StatusMethodNotAllowed} {
		conn, err := net.Dial("tcp", server.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		answers := bufio.NewReader(conn)
		for range 2 {
			body := strings.Repeat("x", 4<<20)
			if _, err := fmt.Fprintf(conn, "PUT %s HTTP/1.1\r\nHost: test\r\nX-API-Key: %s\r\nContent-Length: %d\r\n\r\n%s", target, s.credentials["full"], len(body), body); err != nil {
				t.Fatal(err)
			}
			answer, err := http.ReadResponse(answers, nil)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := io.Copy(io.Discard, answer.Body); err != nil {
				t.Fatal(err)
			}
			if answer.StatusCode != status {
				t.Errorf("%s: status %d, want %d", target, answer.StatusCode, status)
			}
		}
	}
}
