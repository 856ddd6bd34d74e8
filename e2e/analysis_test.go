package e2e

import (
	"errors"
	"net/http"
	"slices"
	"testing"

	"parley/client"
)

// A spoken call is analysed after its end: what was asked for, and whether it was done, with entries of the transcript as evidence.
func TestAnalysisOfACall(t *testing.T) {
	t.Parallel()
	s := shared(t)
	ask(t, s, http.MethodPost, "/api/v1/analyses", object{
		"name": "achieved", "schema": object{"type": "object", "properties": object{"service": object{"type": "string"}}},
		"criteria":     []object{{"name": "greeted", "question": "Did the agent greet the caller?"}, {"name": "claimed", "question": "Was the call a success?"}},
		"instructions": "- how can i help you => greeted: yes\n- opening hours => claimed: yes\n- eleven in the morning => data.service: \"hours\"",
	}, nil)
	ask(t, s, http.MethodPost, "/api/v1/analyses", object{"name": "long", "criteria": []object{{"name": "x", "question": "?"}}, "conditions": object{"min_duration_seconds": 3600}}, nil)
	var demo client.Agent
	ask(t, s, http.MethodGet, "/api/v1/agents/demo", nil, &demo)
	demo.Config.Analyses = []string{"achieved", "long"}
	ask(t, s, http.MethodPost, "/api/v1/agents", object{"name": "analysed", "config": demo.Config}, nil)

	r, problem := converseOnce(t, s, []string{hours}, nil, "--agent", "analysed", "--hang-up")
	if problem != "" {
		t.Fatal(problem)
	}
	var analyses []client.CallAnalysis
	await(t, "both analyses are finished", func() bool {
		var err error
		if analyses, err = s.API.Calls.Analyses(t.Context(), r.CallID); err != nil {
			t.Fatal(err)
		}
		return len(analyses) == 2 && analyses[0].Status != client.AnalysisPending && analyses[1].Status != client.AnalysisPending
	})
	entries, err := s.API.Calls.Transcript(t.Context(), r.CallID)
	if err != nil {
		t.Fatal(err)
	}
	spoken := map[int64]string{}
	for _, e := range entries {
		spoken[e.ID] = e.Role
	}
	a := analyses[0]
	if a.Name != "achieved" || a.Status != client.AnalysisDone || string(a.Data) != `{"service":"hours"}` || len(a.Criteria) != 2 || a.LLM == nil || a.LLM.Provider != "offline" {
		t.Fatalf("%+v", a)
	}
	greeted, claimed := a.Criteria[0], a.Criteria[1]
	if greeted.Answer != "yes" || len(greeted.Evidence) == 0 || !slices.ContainsFunc(greeted.Evidence, func(id int64) bool { return spoken[id] == "assistant" }) {
		t.Errorf("greeted: %+v of %v", greeted, spoken)
	}
	if claimed.Answer != "unknown" || !claimed.Unproven { // the caller alone says so
		t.Errorf("claimed: %+v of %v", claimed, spoken)
	}
	if b := analyses[1]; b.Status != client.AnalysisSkipped || b.Reason == nil || *b.Reason != "min_duration" {
		t.Errorf("%+v", b)
	}
	found, err := s.API.Calls.List(t.Context(), client.CallQuery{AgentName: "analysed", Results: map[string]string{"achieved.greeted": "yes", "achieved.data.service": "hours"}})
	if err != nil || len(found.Items) != 1 || found.Items[0].ID != r.CallID || found.Items[0].Results["achieved.claimed"] != "unknown" {
		t.Errorf("found by its answers: %+v, %v", found, err)
	}
	// A run over earlier calls, with a new version.
	ask(t, s, http.MethodPut, "/api/v1/analyses/achieved", object{"instructions": "- eleven in the morning => claimed: yes\n- * => greeted: no"}, nil)
	var run object
	ask(t, s, http.MethodPost, "/api/v1/analyses/achieved/runs", object{"agent_name": "analysed", "sample": 5}, &run)
	await(t, "the run is done", func() bool {
		ask(t, s, http.MethodGet, "/api/v1/analysis-runs/"+run["id"].(string), nil, &run)
		return run["status"] == "done"
	})
	if analyses, err = s.API.Calls.Analyses(t.Context(), r.CallID); err != nil || analyses[0].Version != 2 || analyses[0].Criteria[0].Answer != "no" || run["calls"] != 1.0 || run["done"] != 1.0 {
		t.Errorf("after the run %v: %+v, %v", run, analyses, err)
	}
	var used *client.Error
	if err := s.API.Analyses.Delete(t.Context(), "achieved"); !errors.As(err, &used) || used.Status != http.StatusConflict {
		t.Errorf("the deletion of an analysis in use: %v", err)
	}
}
