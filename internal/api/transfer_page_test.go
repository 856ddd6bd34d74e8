package api

import (
	"context"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"parley/internal/database"
	"parley/internal/fault"
	"parley/internal/seal"
	"parley/internal/transfer"
	"parley/internal/transferpage"
)

// transferPage makes the page of a person for a call, and returns its path and the secret of its link.
func (s *service) transferPage(callID string) (path, secret string) {
	s.t.Helper()
	sealer, err := seal.New(make([]byte, seal.KeySize))
	if err != nil {
		s.t.Fatal(err)
	}
	var p *transferpage.Page
	if err := s.db.Tenant(acme).Write(s.t.Context(), func(ctx context.Context, tx database.Tx) (err error) {
		p, err = transferpage.Create(ctx, tx, sealer, transferpage.Draft{CallID: callID, Livemode: true, Mode: transfer.Bridge, Summary: "Ada wants a refund."})
		return err
	}); err != nil {
		s.t.Fatal(err)
	}
	secret, err = transferpage.Link(s.t.Context(), s.db.Tenant(acme), sealer, p.ID)
	if err != nil {
		s.t.Fatal(err)
	}
	return transferpage.Path + p.ID, secret
}

// ofPage sends a request as the page does.
func (s *service) ofPage(method, path, body string, headers ...string) *httptest.ResponseRecorder {
	s.t.Helper()
	return s.do("", method, path, body, append([]string{requestedByHeader, "page"}, headers...)...)
}

func TestTransferPage(t *testing.T) {
	s, _ := newCalls(t, nil)
	id := s.start("full", `{"workflow_slug":"support","user_context":{"name":"Ada","order":12345678901234567,"items":["a",2,null],"address":{"city":"Köln","<b>":"&"},"empty":[],"nested":[{"a":1}]}}`)
	path, secret := s.transferPage(id)
	body := `{"secret":"` + secret + `"}`

	for _, wrong := range []string{`{}`, `{"secret":"` + secret[1:] + `0"}`} {
		s.refused(s.ofPage(http.MethodPost, path+"/open", wrong), http.StatusUnauthorized, fault.Authentication)
	}
	for _, malformed := range []string{``, `[]`, `{"secret":7}`, `{"secret":"` + strings.Repeat("0", 2*maxOpenBody) + `"}`} {
		s.refused(s.ofPage(http.MethodPost, path+"/open", malformed), http.StatusUnprocessableEntity, fault.Validation)
	}
	for _, elsewhere := range [][]string{{"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Site", "same-site"}, {"Origin", "https://evil.example"}} {
		s.refused(s.ofPage(http.MethodPost, path+"/open", body, elsewhere...), http.StatusForbidden, fault.Authorization)
		s.refused(s.ofPage(http.MethodGet, path+"/call", "", elsewhere...), http.StatusForbidden, fault.Authorization)
	}
	s.refused(s.do("", http.MethodPost, path+"/open", body), http.StatusForbidden, fault.Authorization)
	s.refused(s.ofPage(http.MethodGet, path+"/open", ""), http.StatusMethodNotAllowed, fault.MethodNotAllowed)
	s.refused(s.ofPage(http.MethodGet, path+"/call", ""), http.StatusUnauthorized, fault.Authentication)

	w := s.ofPage(http.MethodPost, path+"/open", body)
	s.want(w, http.StatusNoContent, nil)
	cookies := w.Result().Cookies()
	if len(cookies) != 1 {
		t.Fatalf("cookies: %v", cookies)
	}
	c := cookies[0]
	if c.Path != path || !c.HttpOnly || c.SameSite != http.SameSiteStrictMode || c.Domain != "" || c.Value == secret {
		t.Errorf("the cookie is %v", c)
	}
	session := c.Name + "=" + c.Value
	var shown struct {
		Summary     string
		UserContext []pageValue `json:"user_context"`
	}
	s.want(s.ofPage(http.MethodGet, path+"/call", "", "Cookie", session), http.StatusOK, &shown)
	want := []pageValue{{"address", "{\n  \"<b>\": \"&\",\n  \"city\": \"Köln\"\n}"}, {"empty", ""}, {"items", "a, 2, –"}, {"name", "Ada"}, {"nested", "[\n  {\n    \"a\": 1\n  }\n]"}, {"order", "12345678901234567"}}
	if shown.Summary != "Ada wants a refund." || !slices.Equal(shown.UserContext, want) {
		t.Errorf("it shows %+v, want %+v", shown, want)
	}
	s.refused(s.ofPage(http.MethodPost, path+"/open", body), http.StatusConflict, fault.Conflict)
	s.refused(s.ofPage(http.MethodGet, path+"/call", "", "Cookie", session+"; "+session), http.StatusUnauthorized, fault.InvalidToken)

	other, _ := s.transferPage(s.start("full", `{"workflow_slug":"support"}`))
	s.refused(s.ofPage(http.MethodGet, other+"/call", "", "Cookie", session), http.StatusUnauthorized, fault.Authentication)
	s.refused(s.ofPage(http.MethodGet, other+"/stream", "", "Cookie", session), http.StatusUnauthorized, fault.Authentication)
	for _, elsewhere := range []string{"/api/v1/calls/" + id, "/api/v1/auth/me"} {
		s.refused(s.ofPage(http.MethodGet, elsewhere, "", "Cookie", session), http.StatusUnauthorized, fault.Authentication)
	}
}

// Guesses, right and wrong, are limited by address.
func TestGuessesOfTransferPages(t *testing.T) {
	s, _ := newCalls(t, nil)
	path, secret := s.transferPage(s.start("full", `{"workflow_slug":"support"}`))
	limited := 0
	for range 130 {
		if w := s.ofPage(http.MethodPost, path+"/open", `{"secret":"0"}`); w.Code == http.StatusTooManyRequests {
			limited++
		}
	}
	if limited != 10 {
		t.Errorf("%d of 130 were limited", limited)
	}
	s.refused(s.ofPage(http.MethodPost, path+"/open", `{"secret":"`+secret+`"}`), http.StatusTooManyRequests, fault.RateLimitExceeded)
}

// A page has a few streams at once, however many its session asks for.
func TestStreamsOfATransferPage(t *testing.T) {
	streams := pageStreams{open: map[string]int{}}
	var leave []func()
	for range maxPageStreams {
		left, err := streams.enter("a")
		if err != nil {
			t.Fatal(err)
		}
		leave = append(leave, left)
	}
	if _, err := streams.enter("a"); !fault.Is(err, fault.RateLimitExceeded) {
		t.Errorf("one more: %v", err)
	}
	if _, err := streams.enter("b"); err != nil {
		t.Errorf("another page: %v", err)
	}
	for _, left := range leave {
		left()
	}
	if _, err := streams.enter("a"); err != nil || len(streams.open) != 2 {
		t.Errorf("after they have left: %v, %v", err, streams.open)
	}
}

func TestTransferPageFiles(t *testing.T) {
	s := newService(t, func(d *Deps) {
		d.TransferPage = fstest.MapFS{"index.html": {Data: []byte("<!doctype html>page")}, "index-abc.js": {Data: []byte("1")}}
	})
	for _, id := range []string{"0193a6f1-0000-4000-8000-000000000001", "anything"} {
		w := s.do("", http.MethodGet, transferpage.Path+id, "")
		if h := w.Header(); w.Code != http.StatusOK || w.Body.String() != "<!doctype html>page" || h.Get("Cache-Control") != "no-store" || h.Get("X-Robots-Tag") == "" || h.Get("Content-Security-Policy") != transferPagePolicy {
			t.Errorf("%s: %d, %v", id, w.Code, h)
		}
	}
	w := s.do("", http.MethodGet, "/transfer-page/index-abc.js", "")
	if w.Code != http.StatusOK || !strings.Contains(w.Header().Get("Cache-Control"), "immutable") {
		t.Errorf("the script: %d, %v", w.Code, w.Header())
	}
	for _, none := range []string{"/transfer-page/none.js", "/transfer-page/", "/transfer/", "/transfer/a/b"} {
		s.refused(s.do("", http.MethodGet, none, "", "Accept", "text/html"), http.StatusNotFound, fault.NotFound)
	}
}
