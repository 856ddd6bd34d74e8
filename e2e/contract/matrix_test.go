package contract

import (
	"bytes"
	"encoding/json"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/uuid"
)

// The API as it is described, on each database, by one server for all of it.
func TestContract(t *testing.T) {
	t.Parallel()
	eachDatabase(t, nil, []string{"--without=worker"}, func(t *testing.T, p *platform) {
		t.Run("examples", p.examples)
		t.Run("matrix", p.matrix)
		t.Run("NUL", p.nul)
		t.Run("audit", p.audit)
	})
}

// matrix sends every operation with every kind of credential, and with foreign, random and own names.
func (p *platform) matrix(t *testing.T) {
	var public []string
	for _, id := range slices.Sorted(maps.Keys(p.document.operations)) {
		if _, known := fixtures[id]; !known {
			t.Errorf("%s has no fixture", id)
		}
		if p.document.operations[id].public() {
			public = append(public, id)
		}
	}
	if want := []string{"create-session", "delete-session", "get-sign-in-methods", "health", "health-live", "health-ready", "login", "logout", "refresh", "refresh-session", "start-public-call"}; !slices.Equal(public, want) {
		t.Errorf("public are %v, want %v", public, want)
	}
	t.Run("pages", p.pages)
	t.Run("heads", p.heads)
	revoked := revokedKey(t, p.acme)
	for _, id := range slices.Sorted(maps.Keys(fixtures)) {
		op := p.document.operations[id]
		if op == nil {
			t.Errorf("there is no operation for the fixture %s", id)
			continue
		}
		t.Run(id, func(t *testing.T) {
			m := matrix{p, op, fixtures[id]}
			if m.open {
				m.succeeds(t, "without a credential", nil)
				m.succeeds(t, "with a broken credential", http.Header{"Authorization": {"Bearer broken"}, "X-Api-Key": {"broken"}})
				return
			}
			m.credentials(t, revoked)
			m.scopes(t)
			m.names(t)
			m.references(t)
		})
	}
}

// pages are those that the description does not hold: the documents are everybody's, the metrics the machine's own.
func (p *platform) pages(t *testing.T) {
	proxied := http.Header{"X-Forwarded-For": {"192.0.2.1"}}
	with := func(credential http.Header) http.Header {
		credential.Set("X-Forwarded-For", "192.0.2.1")
		return credential
	}
	for _, c := range []struct {
		path   string
		header http.Header
		status int
		code   string
	}{
		{"/openapi.json", nil, 200, ""},
		{"/docs", proxied, 200, ""},
		{"/redoc", proxied, 200, ""},
		{"/metrics", nil, 200, ""},
		{"/metrics", proxied, 401, "authentication_error"},
		{"/metrics", with(apiKey("svc_live_123")), 401, "authentication_error"},
		{"/metrics", with(apiKey(p.acme.keyWith(t, "agents:*"))), 403, "scope_required"},
		{"/metrics", with(apiKey(p.acme.keyWith(t, "metrics:read"))), 200, ""},
		{"/metrics", with(bearer(p.acme.session("*"))), 200, ""},
	} {
		a, err := p.exchange(request{method: http.MethodGet, path: c.path, header: c.header})
		if err != nil {
			t.Fatal(err)
		}
		if a.status != c.status || a.code() != c.code || a.header.Get("X-Request-Id") == "" {
			t.Errorf("%s with %v: %d %s, want %d %s", c.path, c.header, a.status, a.code(), c.status, c.code)
		}
	}
}

// heads asks for the heads of all that can be read, one after the other on the same connections.
func (p *platform) heads(t *testing.T) {
	for _, op := range p.document.operations {
		if op.method == http.MethodGet {
			p.send(t, request{method: http.MethodHead, path: op.at(uuid.NewString()), header: apiKey(p.acme.key)})
		}
	}
}

func revokedKey(t *testing.T, of *tenant) string {
	id, key := of.newKey(t, "*")
	of.must(t, bearer(of.session("*")), http.MethodDelete, "/api/v1/auth/api-keys/"+id, nil, nil)
	return key
}

// matrix is one operation's part.
type matrix struct {
	*platform
	*operation
	fixture
}

func (m *matrix) input(t *testing.T, of *tenant) input {
	if m.make == nil {
		return input{}
	}
	return m.make(t, of)
}

func (m *matrix) try(t *testing.T, credential http.Header, in input) *answer {
	t.Helper()
	path := m.at(in.id)
	if in.query != "" {
		path += "?" + in.query
	}
	header := credential.Clone()
	if header == nil {
		header = http.Header{}
	}
	maps.Copy(header, in.header)
	header.Set("X-Request-Id", "of-the-matrix")
	a := m.send(t, request{method: m.method, path: path, header: header, body: encoded(t, in.body)})
	if strings.Contains(string(a.body), m.other.marker) {
		t.Errorf("the answer has what another tenant keeps: %v", a)
	}
	return a
}

// allowed is the status of the answer to those who may.
func (m *matrix) allowed() int {
	if m.answers != 0 {
		return m.answers
	}
	return m.success()
}

func (m *matrix) succeeds(t *testing.T, how string, credential http.Header) {
	t.Helper()
	a := m.try(t, credential, m.input(t, m.acme))
	if a.status != m.allowed() {
		t.Errorf("%s: %v, want status %d", how, a, m.allowed())
	}
}

func (m *matrix) refused(t *testing.T, how string, credential http.Header, code string) *answer {
	t.Helper()
	a := m.try(t, credential, input{id: uuid.NewString()})
	if a.code() != code {
		t.Errorf("%s: %v, want %s", how, a, code)
	}
	return a
}

// credentials tries those that let nobody in.
func (m *matrix) credentials(t *testing.T, revoked string) {
	secret, hs256 := []byte(jwtSecret), jwt.SigningMethodHS256
	later, earlier := time.Now().Add(time.Hour), time.Now().Add(-time.Minute)
	unknown := "svc_live_" + strings.Repeat("0", 64) + "c3b1e0ef"
	for _, c := range []struct {
		how        string
		credential http.Header
		code       string
	}{
		{"no credential", nil, "authentication_error"},
		{"an empty credential", http.Header{"Authorization": {"Bearer "}, "X-Api-Key": {""}}, "authentication_error"},
		{"another scheme", http.Header{"Authorization": {"Basic YTpi"}}, "authentication_error"},
		{"a malformed key", apiKey("svc_live_123"), "authentication_error"},
		{"a malformed key as bearer", bearer("svc_live_123"), "authentication_error"},
		{"an unknown key", apiKey(unknown), "authentication_error"},
		{"a token as key", apiKey(m.acme.session("*")), "authentication_error"},
		{"a revoked key", apiKey(revoked), "key_revoked"},
		{"a revoked key as bearer", bearer(revoked), "key_revoked"},
		{"a malformed token", bearer("a.b.c"), "invalid_token"},
		{"an expired token", bearer(m.acme.token(hs256, secret, "access", earlier, "*")), "token_expired"},
		{"a token signed with another secret", bearer(m.acme.token(hs256, []byte("another secret of thirty-two characters"), "access", later, "*")), "invalid_token"},
		{"an expired token signed with another secret", bearer(m.acme.token(hs256, []byte("another secret of thirty-two characters"), "access", earlier, "*")), "invalid_token"},
		{"a token signed otherwise", bearer(m.acme.token(jwt.SigningMethodHS512, secret, "access", later, "*")), "invalid_token"},
		{"an unsigned token", bearer(m.acme.token(jwt.SigningMethodNone, jwt.UnsafeAllowNoneSignatureType, "access", later, "*")), "invalid_token"},
		{"a token of another kind", bearer(m.acme.token(hs256, secret, "refresh", later, "*")), "invalid_token"},
	} {
		m.refused(t, c.how, c.credential, c.code)
	}
}

// scopes tries keys and sessions with and without what is needed.
func (m *matrix) scopes(t *testing.T) {
	switch {
	case m.session:
		m.refused(t, "a key", apiKey(m.acme.key), "authorization_error")
		m.succeeds(t, "a session", bearer(m.acme.session("*")))
		if m.scope != "" {
			m.refused(t, "a session with all other scopes", bearer(m.acme.session(m.wrong(true)...)), "scope_required")
		}
		return
	case m.scope == "":
		m.succeeds(t, "a key with any scope", apiKey(m.acme.keyWith(t, "limits:read")))
		m.succeeds(t, "a session with any scope", bearer(m.acme.session("nothing:known")))
		return
	}
	wrong := m.acme.keyWith(t, m.wrong(false)...)
	for _, credential := range []http.Header{apiKey(wrong), bearer(wrong), bearer(m.acme.session(m.wrong(true)...)), bearer(m.acme.session())} {
		if a := m.refused(t, "all other scopes", credential, "scope_required"); !strings.Contains(a.problem().Message, m.scope) {
			t.Errorf("%v does not name %s", a, m.scope)
		}
	}
	resource, _, _ := strings.Cut(m.scope, ":")
	scopes, all := []string{m.scope}, []string{resource + ":*"}
	if m.with != "" {
		m.refused(t, "a key with the one scope alone", apiKey(m.acme.keyWith(t, m.scope)), "scope_required")
		m.refused(t, "a key with the other scope alone", apiKey(m.acme.keyWith(t, m.with)), "scope_required")
		scopes, all = append(scopes, m.with), append(all, m.with)
	}
	m.succeeds(t, "a key with the scope", apiKey(m.acme.keyWith(t, scopes...)))
	m.succeeds(t, "a key with the scope as bearer", bearer(m.acme.keyWith(t, scopes...)))
	m.succeeds(t, "a session with the scope", bearer(m.acme.session(scopes...)))
	m.succeeds(t, "a key with the resource", apiKey(m.acme.keyWith(t, all...)))
	m.succeeds(t, "a key with all", apiKey(m.acme.key))
	if m.also != "" {
		m.succeeds(t, "a key with the other scope", apiKey(m.acme.keyWith(t, m.also)))
	}
	if m.scope == "calls:write" {
		m.succeeds(t, "a key with an alias", apiKey(m.acme.keyWith(t, "calls:create")))
		m.succeeds(t, "a key with another alias", apiKey(m.acme.keyWith(t, "calls:initiate")))
	}
}

// wrong are all scopes but those that let in, and for sessions also some that look like them; no key can have these.
func (m *matrix) wrong(alike bool) []string {
	wrong := map[string]bool{}
	if resource, action, _ := strings.Cut(m.scope, ":"); alike {
		wrong = map[string]bool{m.scope + "x": true, resource + "s:*": true, action + ":" + resource: true}
	}
	for _, f := range fixtures {
		for _, scope := range []string{f.scope, f.also} {
			if scope != "" && scope != m.scope && scope != m.also {
				wrong[scope] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(wrong))
}

// names tries what is not the tenant's: another's is answered as what nobody has, and stays as it is.
func (m *matrix) names(t *testing.T) {
	if m.parameter() == "" || m.choice() {
		return
	}
	mine := apiKey(m.acme.key)
	theirs := apiKey(m.other.key)
	if m.session {
		mine, theirs = bearer(m.acme.session("*")), bearer(m.other.session("*"))
	}
	in := m.input(t, m.acme)
	foreign, random := in, in
	foreign.id = m.input(t, m.other).id
	random.id = scrambled(foreign.id)
	read := m.document.operations[m.document.reader(m.operation)]
	before := m.look(t, read, theirs, foreign.id)
	a, b := m.try(t, mine, foreign), m.try(t, mine, random)
	if m.stream {
		m.messages(t, a, foreign.id)
		m.messages(t, b, random.id)
	} else if a.status != http.StatusNotFound || b.status != http.StatusNotFound {
		t.Errorf("foreign: %v\nrandom: %v\nwant 404", a, b)
	}
	if !bytes.Equal(a.body, b.body) || !maps.EqualFunc(steady(a.header), steady(b.header), slices.Equal) {
		t.Errorf("foreign and random differ:\n%v %v\n%v %v", a.header, a, b.header, b)
	}
	if after := m.look(t, read, theirs, foreign.id); after != before {
		t.Errorf("a refused request has changed what is another's:\n%s\n%s", before, after)
	}
	owned := request{method: m.method, path: m.at(foreign.id), header: theirs, body: encoded(t, in.body)}
	if a := m.send(t, owned); a.status != m.allowed() {
		t.Errorf("its owner: %v, want status %d", a, m.allowed())
	}
}

// messages checks that a stream reports a missing call, and normalises what differs from stream to stream.
func (m *matrix) messages(t *testing.T, a *answer, id string) {
	t.Helper()
	a.body = instants.ReplaceAll(bytes.ReplaceAll(a.body, []byte(id), []byte("ID")), nil)
	if a.status != http.StatusOK || !bytes.Contains(a.body, []byte(`"event":"error"`)) {
		t.Errorf("%v, want an error message", a)
	}
}

// instants are the fields of a message that are new in each.
var instants = regexp.MustCompile(`"(id|timestamp)":"[^"]*",?`)

// steady are the headers that say the same at any time.
func steady(h http.Header) http.Header {
	h = h.Clone()
	for _, name := range []string{"Date", "X-Ratelimit-Remaining", "X-Ratelimit-Reset"} {
		h.Del(name)
	}
	return h
}

// scrambled is a name of the same form that nobody has.
func scrambled(name string) string {
	if uuid.Validate(name) == nil {
		return uuid.NewString()
	}
	random := strings.ReplaceAll(uuid.NewString(), "-", "")
	return name[:len(name)-8] + random[:8]
}

// references tries bodies that name what is not the tenant's.
func (m *matrix) references(t *testing.T) {
	for _, refers := range m.refers {
		theirs := refers.make(t, m.other)
		random := scrambled(theirs)
		answers := map[string]string{}
		for _, name := range []string{theirs, random} {
			in := m.input(t, m.acme)
			in.body = refers.body(t, m.acme, name)
			a := m.try(t, apiKey(m.acme.key), in)
			if a.status != http.StatusNotFound && a.status != http.StatusUnprocessableEntity {
				t.Errorf("%s: %v, want 404 or 422", name, a)
			}
			answers[name] = strings.ReplaceAll(string(a.body), name, "NAME")
		}
		if answers[theirs] != answers[random] {
			t.Errorf("foreign and random differ:\n%s\n%s", answers[theirs], answers[random])
		}
	}
}

// reader is the operation that reads what another operation's path names, "" for none.
func (d *document) reader(of *operation) string {
	for id, op := range d.operations {
		if op.method == http.MethodGet && op.parameter() != "" && op.path == of.collection()+"/{"+op.parameter()+"}" {
			return id
		}
	}
	return ""
}

// look is what the owner reads, "" where nothing can be read.
func (m *matrix) look(t *testing.T, read *operation, owner http.Header, id string) string {
	if read == nil {
		return ""
	}
	a := m.send(t, request{method: http.MethodGet, path: read.at(id), header: owner})
	if a.status != http.StatusOK {
		t.Errorf("the owner reads %v", a)
	}
	var tidy bytes.Buffer
	if err := json.Compact(&tidy, a.body); err != nil {
		t.Error(err)
	}
	return tidy.String()
}
