package contract

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
)

// unaudited are the operations other than GET without an audit entry: they change nothing.
var unaudited = []string{"evaluate-condition", "preview-prompt", "estimate-analysis-run", "refresh", "refresh-session"}

// unnamed are those whose resource has neither id nor name: there is one, or there are several.
var unnamed = []string{"delete-webhook", "import-prompts", "replace-prices", "replay-webhook-deliveries", "test-webhook"}

type auditEntry struct {
	ID     string
	Action string
	Actor  struct {
		Type string
		ID   *string
	}
	Resource struct {
		Type     string
		ID, Name *string
	}
	Changes       []string
	ClientAddress *string `json:"client_address"`
	RequestID     *string `json:"request_id"`
}

// auditLog reads a page of the tenant's audit log, filtered by pairs of names and values.
func (of *tenant) auditLog(t *testing.T, filter ...string) []auditEntry {
	t.Helper()
	query := url.Values{"limit": {"100"}}
	for i := 0; i < len(filter); i += 2 {
		query.Set(filter[i], filter[i+1])
	}
	var page struct {
		Items []auditEntry
		Total int
	}
	of.must(t, apiKey(of.key), http.MethodGet, "/api/v1/audit-log?"+query.Encode(), nil, &page)
	return page.Items
}

// audit has every operation that changes something succeed, and looks for the one entry of it.
func (p *platform) audit(t *testing.T) {
	for _, id := range slices.Sorted(maps.Keys(p.document.operations)) {
		op, f := p.document.operations[id], fixtures[id]
		if op.method == http.MethodGet || f.answers != 0 { // TestCallIsControlled has a spoken call
			continue
		}
		t.Run(id, func(t *testing.T) {
			in := input{}
			if f.make != nil {
				in = f.make(t, p.acme)
			}
			credential, actor, kind := apiKey(p.acme.key), "", "api_key"
			if f.session || f.open {
				credential, actor, kind = bearer(p.acme.session("*")), p.acme.user.id, "user"
			}
			if in.header.Get("Authorization") != "" {
				actor, kind = "", "public_token"
			}
			request := "audit-" + uuid.NewString()
			maps.Copy(credential, in.header)
			credential.Set("X-Request-Id", request)
			path := op.at(in.id)
			if in.query != "" {
				path += "?" + in.query
			}
			if a := p.send(t, requestOf(t, op, path, credential, in.body)); a.status != op.success() {
				t.Fatalf("%v", a)
			}
			found := slices.DeleteFunc(p.acme.auditLog(t), func(e auditEntry) bool { return e.RequestID == nil || *e.RequestID != request })
			if slices.Contains(unaudited, id) {
				if len(found) != 0 {
					t.Errorf("it leaves %+v", found)
				}
				return
			}
			if len(found) != 1 {
				t.Fatalf("it leaves %d entries: %+v", len(found), found)
			}
			e := found[0]
			if e.Actor.Type != kind || e.Actor.ID == nil || actor != "" && *e.Actor.ID != actor || e.ClientAddress == nil || *e.ClientAddress != "127.0.0.1" {
				t.Errorf("%+v: who was it, and from where?", e)
			}
			if resource, verb, _ := strings.Cut(e.Action, "."); resource != e.Resource.Type || verb == "" {
				t.Errorf("%+v: the action does not fit the resource", e)
			}
			if named := e.Resource.ID != nil || e.Resource.Name != nil; named == slices.Contains(unnamed, id) {
				t.Errorf("%+v: named is %v", e, named)
			}
			if in.id != "" && in.id != deref(e.Resource.ID) && in.id != deref(e.Resource.Name) {
				t.Errorf("%+v does not name %s", e, in.id)
			}
			if in.id != "" && op.parameter() != "id" && deref(e.Resource.ID) == "" {
				t.Errorf("%+v has no id", e)
			}
			if updates := op.method == http.MethodPut || op.method == http.MethodPatch; updates != (len(e.Changes) > 0) {
				t.Errorf("%+v: changes", e)
			}
			for _, filter := range [][]string{{"action", e.Action}, {"actor", *e.Actor.ID}, {"resource_type", e.Resource.Type}} {
				if !slices.ContainsFunc(p.acme.auditLog(t, filter...), func(of auditEntry) bool { return of.ID == e.ID }) {
					t.Errorf("the filter %v hides it", filter)
				}
			}
			if slices.ContainsFunc(p.other.auditLog(t), func(of auditEntry) bool { return of.ID == e.ID }) {
				t.Error("another tenant sees it")
			}
		})
	}
	t.Run("commands", func(t *testing.T) {
		actions := map[string]bool{}
		for _, e := range p.acme.auditLog(t, "actor", "operator") {
			actions[e.Action] = true
			if e.Actor.Type != "operator" || e.Actor.ID != nil || e.ClientAddress != nil || e.RequestID != nil || e.Resource.ID == nil && e.Resource.Name == nil {
				t.Errorf("%+v", e)
			}
		}
		delete(actions, "phone_number.assign") // by fixtures of phone numbers, whose tests may be left out
		if want := []string{"api_key.create", "tenant.create", "user.create"}; !slices.Equal(slices.Sorted(maps.Keys(actions)), want) {
			t.Errorf("the operator's actions are %v, want %v", actions, want)
		}
	})
}

func requestOf(t *testing.T, op *operation, path string, header http.Header, body any) request {
	return request{method: op.method, path: path, header: header, body: encoded(t, body)}
}

func deref(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}
