package api

import (
	"net/http"
	"strings"
	"testing"

	"parley/internal/fault"
)

func TestCallsRefuseFaultyInput(t *testing.T) {
	s := newService(t)
	large := `{"x":"` + strings.Repeat("x", maxContext) + `"}`
	for _, c := range []struct {
		path, body string
		fields     []string
	}{
		{"/api/v1/calls", `{}`, []string{"workflow_slug"}},
		{"/api/v1/calls", `{"call_type":"sip"}`, []string{"workflow_slug", "phone_number"}},
		{"/api/v1/calls", `{"workflow_slug":"w","call_type":"sip","phone_number":null}`, []string{"phone_number"}},
		{"/api/v1/calls", `{"workflow_slug":"w","call_type":"sip","phone_number":"030 123456"}`, []string{"phone_number"}},
		{"/api/v1/calls", `{"workflow_slug":7,"call_type":"fax","user_context":` + large + `,"metadata":` + large + `}`,
			[]string{"workflow_slug", "call_type", "user_context", "metadata"}},
		{"/api/v1/calls", `{"workflow_slug":"w","user_context":[]}`, []string{"user_context"}},
		{"/api/v1/calls", `{"workflow_slug":"w","user_context":{"a":1e400,"b":1e308},"metadata":{"a":1e-20000,"b":[1e-99999999999999999999],"c":0.` + strings.Repeat("0", 16383) + `1}}`,
			[]string{"user_context.a", "metadata.a", "metadata.b[0]", "metadata.c"}},
		{"/api/v1/calls/test-agent", `{"agent_name":"a","call_type":"sip"}`, []string{"phone_number"}},
		{"/api/v1/calls/test-agent", `{"agent_name":"a","sip_headers":{"X-A":"b"}}`, []string{"sip_headers"}},
		{"/api/v1/calls/test-agent", `{"user_context":` + large + `}`, []string{"agent_name", "user_context"}},
	} {
		got := s.refused(s.do("full", http.MethodPost, c.path, c.body), http.StatusUnprocessableEntity, fault.Validation)
		for _, field := range c.fields {
			if got[field] == "" {
				t.Errorf("%.60s: %s is not named in %v", c.body, field, got)
			}
		}
		if len(got) != len(c.fields) {
			t.Errorf("%.60s: faults %v, want %v", c.body, got, c.fields)
		}
	}
	s.key("reader", acme, "calls:read")
	s.refused(s.do("reader", http.MethodPost, "/api/v1/calls", `{}`), http.StatusForbidden, fault.ScopeRequired)
	s.key("creator", acme, "calls:create")
	s.refused(s.do("creator", http.MethodPost, "/api/v1/calls", `{}`), http.StatusUnprocessableEntity, fault.Validation)
}
