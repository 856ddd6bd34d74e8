package api

import (
	"maps"
	"net/http"
	"slices"
	"testing"

	"parley/internal/fault"
)

// Settings of a dispatch have ranges, those of phone calls are refused for others, and a trunk must be the tenant's.
func TestCallSettings(t *testing.T) {
	s := newPhones(t, nil)
	var trunk struct{ ID string }
	s.want(s.do("full", http.MethodPost, "/api/v1/sip-trunks", `{"name":"main","address":"sip.example.com"}`), http.StatusCreated, &trunk)
	const phone = `"call_type":"sip","phone_number":"+4930123456",`
	for body, want := range map[string][]string{
		phone + `"trunk_id":"` + trunk.ID + `","caller_id":"+4930111111","ring_timeout_seconds":5`:                                         nil,
		`"max_duration_seconds":10,"silence_timeout_seconds":5,"greeting":"Hello {{user.name}}.","greeting_mode":"wait","recording":false`: nil,
		`"max_duration_seconds":3600,"silence_timeout_seconds":3600,"greeting_mode":"speak","recording":true`:                              nil,
		`"trunk_id":"` + trunk.ID + `","caller_id":"+4930111111","ring_timeout_seconds":30`:                                                {"caller_id", "ring_timeout_seconds", "trunk_id"},
		`"microphone":false`:                                     nil,
		phone + `"microphone":false`:                             {"microphone"},
		phone + `"trunk_id":"none"`:                              {"trunk_id"},
		phone + `"caller_id":"030 111111"`:                       {"caller_id"},
		phone + `"ring_timeout_seconds":4`:                       {"ring_timeout_seconds"},
		phone + `"ring_timeout_seconds":121`:                     {"ring_timeout_seconds"},
		`"max_duration_seconds":9,"silence_timeout_seconds":4`:   {"max_duration_seconds", "silence_timeout_seconds"},
		`"max_duration_seconds":3601`:                            {"max_duration_seconds"}, // above the server's hour
		`"silence_timeout_seconds":3601`:                         {"silence_timeout_seconds"},
		`"greeting":"","greeting_mode":"shout","recording":"on"`: {"greeting", "greeting_mode", "recording"},
	} {
		answer := s.do("full", http.MethodPost, "/api/v1/calls", `{`+body+`,"workflow_slug":"support"}`)
		if want == nil {
			s.want(answer, http.StatusCreated, new(startedBody))
			continue
		}
		if got := slices.Sorted(maps.Keys(s.refused(answer, http.StatusUnprocessableEntity, fault.Validation))); !slices.Equal(got, want) {
			t.Errorf("%s: faults in %v, want %v", body, got, want)
		}
	}
	if got := s.refused(s.do("full", http.MethodPost, "/api/v1/webhooks/ingest", `{"agent_slug":"desk","caller_id":"+4930111111"}`), http.StatusUnprocessableEntity, fault.Validation); got["caller_id"] == "" {
		t.Errorf("ingest without a number: %v", got)
	}
	s.want(s.do("full", http.MethodPost, "/api/v1/webhooks/ingest", `{"agent_slug":"desk","phone_number":"+4930123456","caller_id":"+4930111111"}`), http.StatusCreated, new(startedBody))
	s.want(s.do("full", http.MethodPost, "/api/v1/calls/test-agent", `{"agent_name":"desk","greeting":"Hello.","recording":true}`), http.StatusCreated, new(startedBody))
}
