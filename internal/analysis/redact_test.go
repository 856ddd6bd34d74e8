package analysis_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/analysis"
)

func TestRedact(t *testing.T) {
	e := analysis.Entry{ID: 4, Speaker: analysis.Tool, Tool: "notify", Arguments: json.RawMessage(`{"to":"ann@example.com","order_id":"4711"}`), Result: "sent to ann@example.com"}
	e.Redact()
	want := analysis.Entry{ID: 4, Speaker: analysis.Tool, Tool: "notify", Arguments: json.RawMessage(`{"order_id":"4711","to":"[email]"}`), Result: "sent to [email]"}
	if diff := cmp.Diff(want, e); diff != "" {
		t.Errorf("entry (-want +got):\n%s", diff)
	}
	said := analysis.Entry{Speaker: analysis.Caller, Text: "write to ann@example.com"}
	if said.Redact(); said.Text != "write to [email]" || said.Arguments != nil || said.Result != "" {
		t.Errorf("entry %+v", said)
	}
	a := analysis.Answers{Data: json.RawMessage(`{"email":"ann@example.com"}`), Criteria: []analysis.CriterionAnswer{{Name: "sent", Answer: "yes", Evidence: []int64{4}, Rationale: "To ann@example.com."}}}
	a.Redact()
	if c := a.Criteria[0]; string(a.Data) != `{"email":"[email]"}` || c.Rationale != "To [email]." || c.Answer != "yes" || len(c.Evidence) != 1 {
		t.Errorf("answers %s, %+v", a.Data, a.Criteria)
	}
}
