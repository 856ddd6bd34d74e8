package attack

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// A tenant's secrets and the static header values of its tools are in no answer: not by a server that repeats what it was sent, a prompt,
// a condition, a message or the tool itself. A static header value is not sent to another server by a change of the URL.
func TestToolSecretsStayHidden(t *testing.T) {
	s := start(t, map[string]string{"PARLEY_ALLOW_PRIVATE_NETWORKS": "true"}, "--without=worker,media,sip")
	key := newTenant(t, s, "vault", "*")
	const secret, header = "s3cret/of the-vault", "hdr-0815-of-the-vault"
	var seen strings.Builder
	parrot := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		seen.WriteString(r.RequestURI + r.Header.Get("X-Api-Key") + string(body))
		w.WriteHeader(http.StatusBadGateway)
		_, _ = io.WriteString(w, r.RequestURI+" "+r.Header.Get("X-Api-Key")+" "+r.Header.Get("X-Secret")+" "+string(body))
	}))
	t.Cleanup(parrot.Close)
	thief := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { seen.WriteString("stolen " + r.Header.Get("X-Api-Key")) }))
	t.Cleanup(thief.Close)
	post(t, s, key, "/api/v1/secrets", object{"name": "key", "value": secret})
	request := object{"type": "api_call", "url": parrot.URL + "/{{secrets.key}}?k={{secrets.key}}", "headers": object{"X-Api-Key": header, "X-Secret": "{{secrets.key}}"}, "body": object{"k": "{{secrets.key}}"},
		"on_failure": []any{object{"type": "respond", "message": "{{result}} {{secrets.key}} {{secrets}}"}, object{"type": "set_context", "key": "k", "value": "{{secrets.key}}"}}}
	post(t, s, key, "/api/v1/tools", object{"name": "peek", "config": object{"actions": []any{request}}})
	post(t, s, key, "/api/v1/prompts", object{"slug": "peek", "name": "Peek", "content": object{"en": "{{secrets.key}}"}})

	masked := `"headers":{"X-Api-Key":"********"}`
	for _, c := range []struct{ method, path, body string }{
		{http.MethodPost, "tools/peek/try", `{"context":{"secrets":{"key":"x"}}}`},
		{http.MethodGet, "tools/peek", ""},
		{http.MethodPut, "tools/peek", `{"description":"changed"}`},
		{http.MethodPut, "tools/peek", `{"config":{"actions":[{"type":"api_call","url":"` + thief.URL + `/",` + masked + `}]}}`},
		{http.MethodPut, "tools/peek", `{"config":{"actions":[{"type":"api_call","url":"` + parrot.URL + `.example.com/",` + masked + `}]}}`},
		{http.MethodPost, "tools/peek/try", `{}`},
		{http.MethodGet, "tools", ""},
		{http.MethodGet, "secrets", ""},
		{http.MethodGet, "secrets/key", ""},
		{http.MethodPost, "prompts/peek/preview", `{}`},
		{http.MethodPost, "workflows/evaluate-condition", `{"condition":"secrets.key startsWith 's3'"}`},
		{http.MethodPost, "workflows/evaluate-condition", `{"condition":"user.x == '{{secrets.key}}'","context":{"user":{"x":1}}}`},
		{http.MethodGet, "audit-log", ""},
	} {
		_, text := send(t, s, key, c.method, "/api/v1/"+c.path, c.body)
		for _, hidden := range []string{secret, "s3cret", header} {
			if strings.Contains(string(text), hidden) {
				t.Errorf("%s %s %s: %s", c.method, c.path, c.body, text)
			}
		}
	}
	if log := s.Log.String(); strings.Contains(log, "s3cret") || strings.Contains(log, header) {
		t.Errorf("in the log: %s", log)
	}
	if got := seen.String(); strings.Contains(got, "stolen "+header) || strings.Count(got, header) != 2 || !strings.Contains(got, "s3cret%2Fof") {
		t.Errorf("servers were sent %s", got)
	}
}
