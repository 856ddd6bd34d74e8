package api

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/internal/audit"
)

// entries are the audit log of acme, newest first.
func (s *service) entries(q audit.Query) []audit.Entry {
	s.t.Helper()
	q.Limit = 100
	entries, _, err := audit.List(s.t.Context(), s.db, acme, q)
	if err != nil {
		s.t.Fatal(err)
	}
	return entries
}

func TestSignInsAreAudited(t *testing.T) {
	s := newService(t)
	made := s.session("ada@example.com", acme)
	const path, right, wrong = "/api/v1/auth/login", `{"email":"Ada@example.com","password":"open sesame, please"}`, `{"email":"ada@example.com","password":"wrong"}`
	s.want(s.do("", http.MethodPost, path, right), http.StatusOK, nil)
	s.want(s.do("", http.MethodPost, path, wrong), http.StatusUnauthorized, nil)
	s.want(s.do("", http.MethodPost, path, `{"email":"nobody@example.com","password":"wrong"}`), http.StatusUnauthorized, nil)
	for end := time.Now().Add(time.Minute); len(s.entries(audit.Query{Action: signInFailed})) == 0; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the failed sign-in is not in the audit log")
		}
	}
	logout := `{"refresh_token":"` + made.RefreshToken + `"}`
	for range 2 { // the second finds the token revoked
		s.want(s.do("", http.MethodPost, "/api/v1/auth/logout", logout), http.StatusNoContent, nil)
	}
	s.want(s.do("", http.MethodPost, "/api/v1/auth/logout", `{"refresh_token":"unknown"}`), http.StatusNoContent, nil)
	var actions []string
	for _, e := range s.entries(audit.Query{}) {
		actions = append(actions, e.Action)
		if e.ActorType != audit.User || e.ActorID == "" || e.ActorID != e.ResourceID || e.ClientAddress == "" || e.RequestID == "" {
			t.Errorf("%+v", e)
		}
	}
	slices.Sort(actions)
	if want := []string{signIn, signInFailed, signOut}; !slices.Equal(actions, want) {
		t.Errorf("%v, want %v", actions, want)
	}
}

// A request that is refused leaves no entry, and no entry holds what was given.
func TestEntriesHoldNamesOnly(t *testing.T) {
	s := newPhones(t, nil)
	s.want(s.do("full", http.MethodPost, "/api/v1/sip-trunks", `{"name":"Carrier","address":"sip.example.com","password":"s3cret","headers":{"X-Secret-Name":"s3cret"}}`), http.StatusCreated, nil)
	var page struct{ Items []struct{ ID string } }
	s.want(s.do("full", http.MethodGet, "/api/v1/sip-trunks", ""), http.StatusOK, &page)
	id := page.Items[0].ID
	s.want(s.do("full", http.MethodPatch, "/api/v1/sip-trunks/"+id, `{"password":"s3cret2","headers":{"X-Secret-Name":"s3cret3"},"unknown":1}`), http.StatusOK, nil)
	s.want(s.do("full", http.MethodPatch, "/api/v1/sip-trunks/"+id, `{"transport":"pigeon"}`), http.StatusUnprocessableEntity, nil)
	entries := s.entries(audit.Query{ResourceType: "sip_trunk"})
	if len(entries) != 2 {
		t.Fatalf("%+v", entries)
	}
	if e := entries[0]; e.Action != "sip_trunk.update" || e.ResourceID != id || e.ResourceName != "Carrier" || !slices.Equal(e.Changes, []string{"headers", "password"}) {
		t.Errorf("%+v", e)
	}
	text, err := json.Marshal(entries)
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{"s3cret", "X-Secret-Name"} {
		if strings.Contains(string(text), secret) {
			t.Errorf("the audit log holds %s", secret)
		}
	}
}
