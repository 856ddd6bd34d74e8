package eval

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/internal/analysis"
)

// clerk answers analyses, and remembers what it was asked.
type clerk struct {
	answers analysis.Answers
	faults  []string
	err     error

	asked  analysis.Question
	agents []string
}

func (c *clerk) Analyse(_ context.Context, _, _ string, agents []string, q analysis.Question) (analysis.Answers, []string, error) {
	c.asked, c.agents = q, agents
	return c.answers, c.faults, c.err
}

const judged = `
- name: judged
  agent: desk
  turns: [{say: your hours}, {say: bye}]
  analyses:
    outcome: {booked: yes, polite: ">= 7", data.service: cleaning, data.count: 2, data.items.1: pear, data.note: null, data.open: true, data.price: "< 3.5"}
`

func TestAnalyses(t *testing.T) {
	score := func(n float64) *float64 { return &n }
	fitting := analysis.Answers{
		Data:     json.RawMessage(`{"service":"Cleaning.","count":2.0,"items":["apple","pear"],"open":true,"price":3.49}`),
		Criteria: []analysis.CriterionAnswer{{Name: "booked", Answer: "yes"}, {Name: "polite", Score: score(7)}},
	}
	for _, tc := range []struct {
		name   string
		clerk  clerk
		want   []string
		broken string
	}{
		{"as expected", clerk{answers: fitting}, []string{}, ""},
		{"otherwise", clerk{answers: analysis.Answers{
			Data: json.RawMessage(`{"service":"check-up","count":3,"items":["apple"],"note":"x","open":false,"price":3.5}`),
			Criteria: []analysis.CriterionAnswer{{Name: "booked", Answer: "no", Rationale: "Nothing was booked.", Evidence: []int64{2, 3}},
				{Name: "polite", Unproven: true}},
		}}, []string{
			`analysis outcome: want booked yes, got no: Nothing was booked.; evidence: caller "your hours", agent "From nine."`,
			`analysis outcome: want polite >= 7, got unknown (without sufficient evidence)`,
			`analysis outcome: want data.service "cleaning", got "check-up"`,
			`analysis outcome: want data.count 2, got 3`,
			`analysis outcome: want data.items.1 "pear", got null`,
			`analysis outcome: want data.note null, got "x"`,
			`analysis outcome: want data.open true, got false`,
			`analysis outcome: want data.price < 3.5, got 3.5`,
		}, ""},
		{"another analysis", clerk{}, []string{
			`analysis outcome: want booked yes, but the analysis has no such criterion`,
			`analysis outcome: want polite >= 7, but the analysis has no such criterion`,
			`analysis outcome: want data.service "cleaning", but the analysis has no schema`,
			`analysis outcome: want data.count 2, but the analysis has no schema`,
			`analysis outcome: want data.items.1 "pear", but the analysis has no schema`,
			`analysis outcome: want data.note null, but the analysis has no schema`,
			`analysis outcome: want data.open true, but the analysis has no schema`,
			`analysis outcome: want data.price < 3.5, but the analysis has no schema`,
		}, ""},
		{"an answer that is not valid", clerk{faults: []string{"data is missing", "there is no entry 9"}},
			[]string{"analysis outcome: the answer of the language model is not valid: data is missing; there is no entry 9"}, ""},
		{"no answer", clerk{err: context.DeadlineExceeded}, []string{}, "analysis outcome: "},
	} {
		t.Run(tc.name, func(t *testing.T) {
			suite, err := Parse("suite.yaml", []byte(judged))
			if err != nil {
				t.Fatal(err)
			}
			var r *Report
			synctest.Test(t, func(t *testing.T) {
				r = Run(t.Context(), suite, new(desk), Options{Patience: time.Minute, Analyst: &tc.clerk})
			})
			got := r.Conversations[0]
			if diff := cmp.Diff(tc.want, got.Failures); diff != "" || !strings.HasPrefix(got.Broken, tc.broken) || (got.Broken == "") != (tc.broken == "") {
				t.Errorf("broken %q; failures (-want +got):\n%s", got.Broken, diff)
			}
			if len(got.Transcript) != 6 || got.Transcript[4].Text != "Goodbye." || got.Transcript[5].Tool != "end_call" && got.Transcript[4].Tool != "end_call" {
				t.Errorf("transcript %+v", got.Transcript)
			}
			if tc.clerk.asked.Call.Reason != "agent_ended" || len(tc.clerk.agents) != 1 || tc.clerk.agents[0] != "desk" {
				t.Errorf("asked about %+v of %q", tc.clerk.asked.Call, tc.clerk.agents)
			}
		})
	}
}

// With redaction, analyses receive the masked conversation, and their answers are masked before they are compared.
func TestRedactedAnalyses(t *testing.T) {
	for redacts, want := range map[bool][3]string{
		true:  {"my number is [phone]", "They left [phone].", `{"phone":"[phone]"}`},
		false: {"my number is +4915112345678", "They left +4915112345678.", `{"phone":"+4915112345678"}`},
	} {
		var told struct{ Phone string }
		if err := json.Unmarshal([]byte(want[2]), &told); err != nil {
			t.Fatal(err)
		}
		suite, err := Parse("suite.yaml", []byte(`- {name: a, agent: desk, turns: [{say: my number is +4915112345678}], analyses: {outcome: {left: yes, data.phone: "`+told.Phone+`"}}}`))
		if err != nil {
			t.Fatal(err)
		}
		c := clerk{answers: analysis.Answers{Data: json.RawMessage(`{"phone":"+4915112345678"}`), Criteria: []analysis.CriterionAnswer{{Name: "left", Answer: "yes", Rationale: "They left +4915112345678."}}}}
		synctest.Test(t, func(t *testing.T) {
			r := Run(t.Context(), suite, new(desk), Options{Patience: time.Minute, Analyst: &c, Redact: redacts})
			got := r.Conversations[0]
			if !got.Passed() {
				t.Fatalf("redaction %v: %+v", redacts, got)
			}
			if said := c.asked.Transcript[1].Text; said != want[0] || got.Transcript[1].Text != want[0] || got.Analyses[0].Criteria[0].Rationale != want[1] || string(got.Analyses[0].Data) != want[2] {
				t.Errorf("redaction %v: asked about %q, answers %s and %+v", redacts, said, got.Analyses[0].Data, got.Analyses[0].Criteria)
			}
		})
	}
}

// A conversation that broke off is not analysed.
func TestBrokenIsNotAnalysed(t *testing.T) {
	suite, err := Parse("suite.yaml", []byte("- {name: a, agent: desk, turns: [{say: bye}, {say: hello}], analyses: {outcome: {booked: yes}}}"))
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		c := clerk{err: errors.New("asked")}
		r := Run(t.Context(), suite, new(desk), Options{Patience: time.Minute, Analyst: &c})
		if got := r.Conversations[0]; !strings.Contains(got.Broken, "was not said") || c.agents != nil || got.Transcript != nil {
			t.Errorf("%+v", got)
		}
	})
}
