package tool

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/internal/template"
	"parley/internal/transfer"
)

// The fields of a transfer by its mode, each with its limits.
func TestConnectionRules(t *testing.T) {
	const bridge = `{"type":"transfer_call","mode":"bridge",`
	for action, field := range map[string]string{
		`{"type":"transfer_call","mode":"refer","phone_number":"+4930123456"}`:                                                                       "",
		`{"type":"transfer_call","mode":"refer","phone_number":"sip:alice@pbx.example"}`:                                                             "phone_number",
		`{"type":"transfer_call","mode":"refer","phone_number":"+4930123456","ring_seconds":20}`:                                                     "ring_seconds",
		`{"type":"transfer_call","phone_number":"+4930123456","headers":{"X-A":"b"}}`:                                                                "headers",
		`{"type":"transfer_call","mode":"warm","phone_number":"+4930123456"}`:                                                                        "mode",
		`{"type":"transfer_call","to":["+4930123456"]}`:                                                                                              "phone_number to",
		bridge + `"to":["+4930123456","sip:alice@pbx.example:5070"],"ring_seconds":5,"caller_id":"caller","headers":{"X-A":"b","user-to-user":"c"}}`: "",
		bridge + `"phone_number":"+4930123456"}`:                                                                                                     "",
		bridge + `"phone_number":"+4930123456","to":["+4930123456"]}`:                                                                                "to",
		bridge + `"message":"One moment."}`:                                                                                                          "to",
		bridge + `"to":[]}`:                                                                                                                          "to",
		bridge + `"to":["+4930123456","agent:night-desk"]}`:                                                                                          "",
		bridge + `"to":["agent:Night Desk"]}`:                                                                                                        "to[0]",
		bridge + `"to":["agent:"]}`:                                                                                                                  "to[0]",
		bridge + `"phone_number":"agent:night-desk"}`:                                                                                                "phone_number",
		bridge + `"to":["030 1234"]}`:                                                                                                                "to[0]",
		bridge + `"to":["+4930123456","+4930123456","+4930123456","+4930123456","+4930123456","+4930123456"]}`:                                       "to",
		bridge + `"to":["+4930123456"],"ring_seconds":4}`:                                                                                            "ring_seconds",
		bridge + `"to":["+4930123456"],"ring_seconds":121}`:                                                                                          "ring_seconds",
		bridge + `"to":["+4930123456"],"accept_seconds":30}`:                                                                                         "accept_seconds",
		bridge + `"to":["+4930123456"],"summary":"Ada"}`:                                                                                             "summary",
		bridge + `"to":["+4930123456"],"summary":"Ada","page":true}`:                                                                                 "",
		`{"type":"transfer_call","phone_number":"+4930123456","page":true}`:                                                                          "page",
		`{"type":"respond","message":"x","page":true}`:                                                                                               "page",
		bridge + `"to":["+4930123456"],"caller_id":"+4930123456"}`:                                                                                   "caller_id",
		bridge + `"to":["+4930123456"],"after":"listen"}`:                                                                                            "",
		bridge + `"to":["+4930123456"],"after":"stay"}`:                                                                                              "after",
		`{"type":"transfer_call","phone_number":"+4930123456","after":"listen"}`:                                                                     "after",
		bridge + `"to":["+4930123456"],"headers":{"From":"x"}}`:                                                                                      "headers.From",
		bridge + `"to":["+4930123456"],"headers":{"X-A":"` + strings.Repeat("x", 1025) + `"}}`:                                                       "headers.X-A",
		`{"type":"transfer_call","mode":"consult","to":["+4930123456"],"accept_seconds":120,"summary":"auto"}`:                                       "",
		`{"type":"transfer_call","mode":"consult","to":["+4930123456"],"accept_seconds":4}`:                                                          "accept_seconds",
		`{"type":"transfer_call","mode":"announce","to":["+4930123456"],"summary":"` + strings.Repeat("x", 2001) + `"}`:                              "summary",
		`{"type":"respond","message":"x","mode":"bridge"}`:                                                                                           "mode",
	} {
		faults, _ := inspect(t, `{"actions":[`+action+`]}`)
		var want []string
		for _, f := range strings.Fields(field) {
			want = append(want, "actions[0]."+f)
		}
		slices.Sort(faults)
		if !slices.Equal(faults, want) {
			t.Errorf("%.120s: faults %q, want %q", action, faults, want)
		}
	}
}

// A transfer to a person has its templates filled in. A target that the model or the caller has a part in stays within allowed_numbers.
func TestPersonsAreDialledWithinWhatIsAllowed(t *testing.T) {
	r := NewRunner(true)
	defer r.Close()
	run := func(action string, dials bool) Outcome {
		actions := (*backend)(nil).actions(t, `[`+action+`]`)
		scope := template.Scope{"user": map[string]any{"boss": "+4930111111", "agent": "agent:admin", "name": "Ada\r\nX-B: c"}}
		return r.Run(t.Context(), Call{Name: "t", DialsPersons: dials, Scope: scope, Arguments: []byte(`{"n":"+4930222222"}`),
			Tool: Definition{Config: Config{Parameters: []Parameter{{Name: "n", Type: "string"}}, Actions: actions}}})
	}
	o := run(`{"type":"transfer_call","mode":"consult","to":["{{user.boss}}","+4930333333"],"message":"One moment.","headers":{"X-Name":"{{user.name}}"},"ring_seconds":20}`, true)
	want := &Next{Action: TransferCall, Number: "+4930111111", Message: "One moment.", Transfer: &Transfer{Mode: transfer.Consult, Targets: []string{"+4930111111", "+4930333333"},
		Ring: 20 * time.Second, Accept: 30 * time.Second, CallerID: OwnCallerID, After: AfterLeave, Summary: AutoSummary, Headers: map[string]string{"X-Name": "Ada X-B: c"}}}
	if diff := cmp.Diff(want, o.Next); diff != "" || len(o.Problems) != 0 {
		t.Errorf("%s\n%+v", diff, o.Problems)
	}
	for action, answer := range map[string]string{
		`{"type":"transfer_call","mode":"bridge","to":["{{params.n}}"]}`:                                   "not one of those that are allowed",
		`{"type":"transfer_call","mode":"bridge","to":["{{params.n}}"],"allowed_numbers":["+4930111111"]}`: "not one of those that are allowed",
		`{"type":"transfer_call","mode":"bridge","to":["+4930333333","{{params.n}}"]}`:                     "not one of those that are allowed",
		`{"type":"transfer_call","mode":"bridge","to":["{{user.agent}}"]}`:                                 "not valid",
		`{"type":"transfer_call","mode":"bridge","to":["{{user.nobody}}"]}`:                                "not valid",
		`{"type":"transfer_call","mode":"bridge","to":["sip:{{params.n}};x=y@pbx.example"]}`:               "not valid",
	} {
		if o := run(action, true); o.Next != nil || !strings.Contains(o.Answer, answer) {
			t.Errorf("%s: %+v", action, o)
		}
	}
	if o := run(`{"type":"transfer_call","mode":"bridge","to":["{{params.n}}"],"allowed_numbers":["+4930*"]}`, true); o.Next == nil || o.Next.Number != "+4930222222" {
		t.Errorf("an allowed number: %+v", o)
	}
	if o := run(`{"type":"transfer_call","mode":"bridge","to":["+4930333333","agent:night-desk"],"allowed_numbers":["+4930*"]}`, true); o.Next == nil || o.Next.Transfer.Targets[1] != "agent:night-desk" {
		t.Errorf("an agent: %+v", o)
	}
	if o := run(`{"type":"transfer_call","mode":"bridge","to":["+4930333333"]}`, false); o.Next != nil || !strings.Contains(o.Answer, "nobody can be dialled here") {
		t.Errorf("outside a call: %+v", o)
	}
}
