package api

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"

	"parley/internal/fault"
)

// Go's parser drops what it cannot decode, and with it a filter.
func TestBrokenQueriesAreRefused(t *testing.T) {
	s := newThings(t)
	for query, field := range map[string]string{
		"limit=100%":                     "limit",
		"limit=%zz":                      "limit",
		"limit=5;big=true":               "limit",
		"limit=5;":                       "limit",
		"big=true&limit=%2":              "limit",
		"limit=5&limit=6":                "limit",
		"limit=5&%6cimit=6":              "limit",
		"limit=5&limit=5%":               "limit",
		"limit=%00":                      "limit",
		"unknown=%zz":                    "unknown",
		"li%zzmit=5":                     "query",
		"limit;big=true":                 "query",
		"%ff=%zz":                        "query",
		"=%zz":                           "query",
		";":                              "query",
		"%":                              "query",
		strings.Repeat("a", 1000) + "=%": "query",
	} {
		faults := s.refused(s.do("full", http.MethodPut, aThing+"?"+query, `{"name":"a"}`), http.StatusUnprocessableEntity, fault.Validation)
		if len(faults) != 1 || faults[field] == "" {
			t.Errorf("%s: %v, want one fault, of %s", query, faults, field)
		}
	}
	s.want(s.do("full", http.MethodPut, aThing+"?&limit=5&&big=true&", `{"name":"a"}`), http.StatusOK, nil)
}

// All faults of a request are in one answer.
func TestBrokenQueriesBesideOtherFaults(t *testing.T) {
	s := newThings(t)
	faults := s.refused(s.do("full", http.MethodPut, "/things/x?big=%zz&limit=0", `{"name":7}`), http.StatusUnprocessableEntity, fault.Validation)
	for _, field := range []string{"id", "big", "limit", "name"} {
		if faults[field] == "" {
			t.Errorf("%v lacks %s", faults, field)
		}
	}
}

func TestUnknownParametersAreNamed(t *testing.T) {
	s := newThings(t)
	for query, want := range map[string]string{
		"":                              "",
		"limit=5&big=true":              "",
		"volume=5":                      "volume",
		"z=1&limit=5&a=2&z=3":           "z, a",
		"page%0d%0ax=1&=1":              `"page\r\nx", ""`,
		strings.Repeat("b", 2000) + "=": "...",
	} {
		w := s.do("full", http.MethodPut, aThing+"?"+query, `{"name":"a"}`)
		if got := w.Header().Get("X-Ignored-Parameters"); w.Code != http.StatusOK || got != want {
			t.Errorf("%s: %d, ignored %q, want %q", query, w.Code, got, want)
		}
	}
	if got := s.do("", http.MethodGet, "/health/live?verbose=1", "").Header().Get("X-Ignored-Parameters"); got != "verbose" {
		t.Errorf("without a credential: ignored %q", got)
	}
}

// Every operation refuses them, streams and analytics included, before it does anything.
func TestNoOperationTakesABrokenQuery(t *testing.T) {
	s := newService(t)
	s.session("user@example.com", acme, "*")
	for path, item := range s.description.Paths.Map() {
		for method, op := range item.Operations() {
			names := []string{"unknown"}
			for _, p := range op.Parameters {
				switch p.Value.In {
				case "path":
					path = strings.ReplaceAll(path, "{"+p.Value.Name+"}", uuid.NewString())
				case "query":
					names = append(names, p.Value.Name)
				}
			}
			for _, name := range names {
				for _, value := range []string{"100%", "%zz", "1;2"} {
					faults := s.refused(s.do("user@example.com", method, path+"?"+name+"="+value, ""), http.StatusUnprocessableEntity, fault.Validation)
					if faults[name] == "" {
						t.Errorf("%s %s with %s=%s: %v", method, path, name, value, faults)
					}
				}
			}
		}
	}
}
