package api

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"parley/internal/api/wire"
)

// Whatever comes as a body or a query is answered: accepted, or refused as
// faulty input with a fault named; never a 500.
func FuzzInput(f *testing.F) {
	for _, seed := range [][2]string{
		{`{"name":"n"}`, "limit=7"}, {`{"name":null,"note":null,"size":2.0}`, "big=1&after=2026-11-01T00:00:00Z"}, {`[[[{`, "%zz"},
		{`{"name":"\ud800","free":{"":{"a":[1e400,-0,"\u0000"]}}}`, "limit=\x00"},
		{`{"name":"\\u0000","free":{"\u0000":"\\u0000"}}`, "limit=%00"}, {`{"parts":[{},null,{"label":[]}],"words":{"a":{}}}`, "limit=&limit=2"},
		{"\xef\xbb\xbf{}", "a;b"}, {`{"name":"a","name":{"x":1}}`, ""}, {`{"NAME":"a","n\u0061me":"b"}`, ""},
	} {
		f.Add(seed[0], seed[1])
	}
	s := newThings(f)
	f.Fuzz(func(t *testing.T, body, query string) {
		r := httptest.NewRequest(http.MethodPut, aThing, strings.NewReader(body))
		r.URL.RawQuery = query
		r.Header.Set("X-API-Key", s.credentials["full"])
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		if !json.Valid(w.Body.Bytes()) {
			t.Fatalf("answer %q", w.Body)
		}
		switch w.Code {
		case http.StatusOK:
		case http.StatusUnprocessableEntity:
			var envelope wire.Envelope
			if err := json.Unmarshal(w.Body.Bytes(), &envelope); err != nil || len(envelope.Error.Details) == 0 {
				t.Fatalf("answer %s", w.Body)
			}
		default:
			t.Fatalf("status %d: %s\n%s", w.Code, w.Body, s.log)
		}
		s.log.Reset()
	})
}
