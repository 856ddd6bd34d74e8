package tool

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// A request says which voice call and which function call it belongs to.
func TestRequestsNameTheirCall(t *testing.T) {
	b := newBackend(t, says(503, "busy"))
	r := NewRunner(true)
	t.Cleanup(r.Close)
	actions := b.actions(t, `[{"type":"api_call","url":"HOST/","retry_count":1,"headers":{"X-Parley-Call-Id":"another"}}]`)
	r.Run(t.Context(), Call{ID: "call_7", CallID: "01a2", Name: "look_up", Tool: Definition{Config: Config{Actions: actions}}, Arguments: json.RawMessage(`{}`), Scope: scope()})
	for _, got := range b.seen() {
		if got.Header.Get("X-Parley-Call-Id") != "01a2" || got.Header.Get("X-Parley-Tool-Call-Id") != "call_7" {
			t.Errorf("headers %v", got.Header)
		}
	}
	if len(b.seen()) != 2 {
		t.Errorf("%d requests", len(b.seen()))
	}
}

// A request whose path lacks a value is not sent, for it would mean something else: all patients rather than one.
func TestPathWithoutAValueIsNotRequested(t *testing.T) {
	for _, v := range []string{`""`, `" "`, "null"} {
		b := newBackend(t, says(200, "ok"))
		actions := b.actions(t, `[{"type":"api_call","url":"HOST/patients/{{params.v}}","on_failure":[{"type":"respond","message":"Which patient?"}]}]`)
		o := run1(t, actions, `{"v":`+v+`}`, Parameter{Name: "v", Type: "string"})
		if len(b.seen()) != 0 {
			t.Errorf("%s: requested %s", v, b.seen()[0].URI)
		}
		if got := strings.Join(messages(o.Problems), "; "); !strings.Contains(got, "{{params.v}}, which stands in the URL's path, has no value") || o.Answer != "Which patient?" {
			t.Errorf("%s: %s; answer %q", v, got, o.Answer)
		}
	}
	b := newBackend(t, says(200, "ok"))
	run1(t, b.actions(t, `[{"type":"api_call","url":"HOST/patients/{{user.none | 'new'}}?q={{user.none}}"}]`), `{}`)
	if len(b.seen()) != 1 || b.seen()[0].URI != "/patients/new?q=" {
		t.Errorf("with a default: %+v", b.seen())
	}
}

// A request is not sent without the values that it requires.
func TestRequestWithoutARequiredValueIsNotSent(t *testing.T) {
	for v, sent := range map[string]bool{`""`: false, `" "`: false, `null`: false, `"4711"`: true} {
		b := newBackend(t, says(200, "ok"))
		actions := b.actions(t, `[{"type":"api_call","url":"HOST/bookings","required":["params.v"],"body":{"patient":"{{params.v}}"},"on_failure":[{"type":"respond","message":"Which patient?"}]}]`)
		o := run1(t, actions, `{"v":`+v+`}`, Parameter{Name: "v", Type: "string"})
		if got := strings.Join(messages(o.Problems), "; "); (len(b.seen()) == 1) != sent || sent != (got == "") || !sent && (!strings.Contains(got, "{{params.v}}, which it requires, has no value") || o.Answer != "Which patient?") {
			t.Errorf("%s: %d requests; %s; answer %q", v, len(b.seen()), got, o.Answer)
		}
	}
	if got := Config.Texts(Config{Actions: (*backend)(nil).actions(t, `[{"type":"api_call","url":"https://a.example","required":["workflow.id"]}]`)}); !slices.Contains(got, "{{workflow.id}}") {
		t.Errorf("the texts are %q", got)
	}
}

// signer signs with a text that shows what is signed.
type signer struct{ signed []string }

func (s *signer) Sign(_ context.Context, content []byte) (string, error) {
	s.signed = append(s.signed, string(content))
	return "t=1,v1=" + strconv.Itoa(len(s.signed)), nil
}

// Each attempt is signed: method, URL as it is sent, and body. A header of the tool cannot pretend a signature.
func TestRequestsAreSigned(t *testing.T) {
	b := newBackend(t, says(503, "busy"))
	r := NewRunner(true)
	t.Cleanup(r.Close)
	actions := b.actions(t, `[{"type":"api_call","url":"HOST/a b?stadt=München#x","retry_count":1,"headers":{"X-Parley-Signature":"t=1,v1=00"},"body":{"a":1}}]`)
	call := Call{Name: "look_up", Tool: Definition{Config: Config{Actions: actions}}, Arguments: json.RawMessage(`{}`), Scope: scope()}
	r.Run(t.Context(), call)
	s := &signer{}
	call.Tenant.Signer = s
	r.Run(t.Context(), call)
	seen := b.seen()
	if len(seen) != 4 || seen[1].Header.Get("X-Parley-Signature") != "" || seen[2].Header.Get("X-Parley-Signature") != "t=1,v1=1" || seen[3].Header.Get("X-Parley-Signature") != "t=1,v1=2" {
		t.Errorf("requests %+v", seen)
	}
	if want := "POST " + b.URL + seen[3].URI + "\n" + seen[3].Body; len(s.signed) != 2 || s.signed[1] != want {
		t.Errorf("signed %q, sent %q", s.signed, want)
	}
}
