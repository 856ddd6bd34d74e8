package attack

import (
	"net/http"
	"strings"
	"testing"
)

// A client with trunks:write cannot read the stored password or header values, and cannot have them sent to another address.
func TestTrunkSecrets(t *testing.T) {
	t.Parallel()
	s := start(t, nil, "--without=worker,media,sip")
	owner := newTenant(t, s, "owner", "*")
	insider := newKey(t, s, "owner", "--scopes", "sip:read,sip:write")
	const path, secret = "/api/v1/sip-trunks", "account-token-4711"
	digest := post(t, s, owner, path, object{"name": "digest", "address": "127.0.0.1:9", "username": "acme", "password": secret})
	id := post(t, s, owner, path, object{"name": "carrier", "address": "127.0.0.1:9", "username": "acme", "headers": object{"X-Token": secret}})
	for _, c := range []struct {
		method, path, body string
		status             int
		names              string
	}{
		{http.MethodGet, "", "", 200, "********"},
		{http.MethodGet, "/" + id, "", 200, "********"},
		{http.MethodPatch, "/" + id, `{"address":"thief.example"}`, 422, "headers.X-Token"},
		{http.MethodPatch, "/" + id, `{"address":"thief.example","headers":{"X-Token":"********"}}`, 422, "headers.X-Token"},
		{http.MethodPatch, "/" + id, `{"transport":"tcp"}`, 422, "headers.X-Token"},
		{http.MethodPatch, "/" + id, `{"username":"other"}`, 422, "headers.X-Token"},
		{http.MethodPost, "", `{"name":"copy","address":"thief.example","headers":{"X-Token":"********"}}`, 422, "headers.X-Token"},
		{http.MethodPatch, "/" + digest, `{"address":"thief.example"}`, 422, `"password"`},
		{http.MethodPatch, "/" + digest, `{"transport":"tls"}`, 422, `"password"`},
		{http.MethodPatch, "/" + digest, `{"username":"other"}`, 422, `"password"`},
		{http.MethodPatch, "/" + digest, `{"name":"renamed","media_encryption":"allow"}`, 200, `"has_password":true`},
		{http.MethodPatch, "/" + digest, `{"address":"127.0.0.2","password":"of-the-new-carrier"}`, 200, `"has_password":true`},
		{http.MethodPatch, "/" + id, `{"name":"renamed","headers":{"X-Token":"********"}}`, 200, "********"},
	} {
		answer, text := send(t, s, insider, c.method, path+c.path, c.body)
		if answer.StatusCode != c.status || !strings.Contains(string(text), c.names) || strings.Contains(string(text), secret) {
			t.Errorf("%s %s %s: %s: %s, want %d with %s", c.method, c.path, c.body, answer.Status, text, c.status, c.names)
		}
	}
	if answer, text := send(t, s, owner, http.MethodPatch, path+"/"+id, `{"address":"127.0.0.2","headers":{"X-Token":"of-the-new-carrier"}}`); answer.StatusCode != http.StatusOK {
		t.Errorf("the owner: %s: %s", answer.Status, text)
	}
}
