package api

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"parley/internal/api/wire"
	"parley/internal/fault"
	"parley/internal/sip"
)

const (
	trunksPath  = "/api/v1/sip-trunks"
	numbersPath = "/api/v1/phone-numbers"
)

// newPhones is the service with calls, trunks and phone numbers; platform is
// the platform's trunk.
func newPhones(t *testing.T, platform *sip.TrunkDraft) *service {
	s, _ := newCalls(t, nil)
	s.deps.SIP = sip.Registry{Sealer: testSealer(t), Platform: platform}
	return s
}

// made creates something and returns its id.
func (s *service) made(credential, path, body string) string {
	s.t.Helper()
	var made struct{ ID string }
	s.want(s.do(credential, http.MethodPost, path, body), http.StatusCreated, &made)
	return made.ID
}

func TestTrunkLife(t *testing.T) {
	s := newPhones(t, nil)
	const planted = "planted-password"
	w := s.do("full", http.MethodPost, trunksPath, `{"name":"Carrier","address":"sip.example.com:5061","transport":"tls","username":"u","password":"`+planted+`","caller_id":"+4930123456","headers":{"X-Account":"1"},"is_default":true}`)
	s.want(w, http.StatusCreated, nil)
	s.sameTool(w.Body.Bytes(), `{"name":"Carrier","address":"sip.example.com:5061","transport":"tls","username":"u","has_password":true,"caller_id":"+4930123456","headers":{"X-Account":"********"},"allowed_addresses":[],"media_encryption":"off","from_domain":null,"identity":"from","privacy":"none","default_country":null,"accept_transfers":false,"allow_uris":false,"headers_in":[],"headers_out":[],"is_default":true}`)
	id := s.made("full", trunksPath, `{"name":"Other","address":"10.0.0.1","password":"x"}`)
	w = s.do("full", http.MethodPatch, trunksPath+"/"+id, `{"name":"Pbx","password":null,"headers":{"X-B":"2","X-C":null},"allowed_addresses":["192.0.2.7/24"],"media_encryption":"require","id":"x"}`)
	s.want(w, http.StatusOK, nil)
	s.sameTool(w.Body.Bytes(), `{"name":"Pbx","address":"10.0.0.1","transport":"udp","username":null,"has_password":false,"caller_id":null,"headers":{"X-B":"********"},"allowed_addresses":["192.0.2.0/24"],"media_encryption":"require","from_domain":null,"identity":"from","privacy":"none","default_country":null,"accept_transfers":false,"allow_uris":false,"headers_in":[],"headers_out":[],"is_default":false,"warnings":["the field id is unknown and was ignored"]}`)
	s.refused(s.do("full", http.MethodPatch, trunksPath+"/"+s.made("full", trunksPath, `{"name":"Kept","address":"a","password":"x"}`), `{"address":"b"}`), http.StatusUnprocessableEntity, fault.Validation)
	w = s.do("full", http.MethodGet, trunksPath, "")
	var list wire.Page[json.RawMessage]
	s.want(w, http.StatusOK, &list)
	if list.Total != 3 || len(list.Items) != 3 || strings.Contains(w.Body.String(), planted) || strings.Contains(s.log.String(), planted) {
		t.Errorf("list %s", w.Body)
	}
	s.want(s.do("full", http.MethodGet, trunksPath+"/"+id, ""), http.StatusOK, nil)
	s.want(s.do("full", http.MethodDelete, trunksPath+"/"+id, ""), http.StatusNoContent, nil)
	s.refused(s.do("full", http.MethodGet, trunksPath+"/"+id, ""), http.StatusNotFound, fault.NotFound)
}

func TestTrunkAndNumberFaultsAreToldAtOnce(t *testing.T) {
	s := newPhones(t, nil)
	trunk := s.made("full", trunksPath, `{"name":"One","address":"a"}`)
	foreign := s.made("stranger", trunksPath, `{"name":"One","address":"a"}`)
	for _, test := range []struct{ method, path, body, want string }{
		{http.MethodPost, trunksPath, `{}`, "address name"},
		{http.MethodPost, trunksPath, `{"name":"","address":"sip:x","transport":"sctp","caller_id":"1","headers":{"Via":"x","A":"\r"}}`, "address caller_id headers.A headers.Via name transport"},
		{http.MethodPost, trunksPath, `{"name":"One","address":"a","allowed_addresses":["x","10.0.0.1"],"media_encryption":"x"}`, "allowed_addresses[0] media_encryption"},
		{http.MethodPost, numbersPath, `{"number":"+4930123456","agent_name":"desk"}`, "trunk_id"},
		{http.MethodPost, trunksPath, `{"name":1,"address":[],"headers":{"A":1},"is_default":"x"}`, "address headers.A is_default name"},
		{http.MethodPatch, trunksPath + "/" + trunk, `{"address":"","transport":"x"}`, "address transport"},
		{http.MethodPatch, trunksPath + "/no-uuid", `{}`, "id"},
		{http.MethodPost, numbersPath, `{}`, "number workflow_slug"},
		{http.MethodPost, numbersPath, `{"number":"030","agent_name":"nobody","trunk_id":"` + foreign + `"}`, "agent_name number trunk_id"},
		{http.MethodPost, numbersPath, `{"number":"+4930123456","agent_name":"desk","workflow_slug":"support"}`, "agent_name trunk_id"},
		{http.MethodPost, numbersPath, `{"number":"+4930123456","agent_name":"desk","trunk_id":"x"}`, "trunk_id"},
	} {
		faults := s.refused(s.do("full", test.method, test.path, test.body), http.StatusUnprocessableEntity, fault.Validation)
		var fields []string
		for field := range faults {
			fields = append(fields, field)
		}
		slices.Sort(fields)
		if got := strings.Join(fields, " "); got != test.want {
			t.Errorf("%s %s %s:\n got faults in %s\nwant faults in %s", test.method, test.path, test.body, got, test.want)
		}
	}
}

func TestPhoneNumberLife(t *testing.T) {
	s := newPhones(t, nil)
	trunk := s.made("full", trunksPath, `{"name":"One","address":"a"}`)
	w := s.do("full", http.MethodPost, numbersPath, `{"number":"+4930123456","workflow_slug":"support","agent_name":null,"trunk_id":"`+strings.ToUpper(trunk)+`"}`)
	s.want(w, http.StatusCreated, nil)
	s.same(w.Body.Bytes(), `{"number":"+4930123456","workflow_slug":"support","agent_name":null,"trunk_id":"`+trunk+`"}`)
	s.refused(s.do("full", http.MethodDelete, trunksPath+"/"+trunk, ""), http.StatusConflict, fault.Conflict)

	s.refused(s.do("full", http.MethodPost, numbersPath, `{"number":"+4930123456","agent_name":"desk","trunk_id":"`+trunk+`"}`), http.StatusConflict, fault.Conflict)
	// Others have the number on their own trunks.
	s.agent("stranger", "desk")
	theirs := s.made("stranger", trunksPath, `{"name":"One","address":"a"}`)
	s.made("stranger", numbersPath, `{"number":"+4930123456","agent_name":"desk","trunk_id":"`+theirs+`"}`)
	var list wire.Page[struct{ ID, Number string }]
	s.want(s.do("full", http.MethodGet, numbersPath, ""), http.StatusOK, &list)
	if list.Total != 1 || list.Items[0].Number != "+4930123456" {
		t.Errorf("list %+v", list)
	}
	s.want(s.do("full", http.MethodDelete, numbersPath+"/"+list.Items[0].ID, ""), http.StatusNoContent, nil)
	s.want(s.do("full", http.MethodDelete, trunksPath+"/"+trunk, ""), http.StatusNoContent, nil)
}

func TestSIPNeedsItsScopesAndTenant(t *testing.T) {
	s := newPhones(t, nil)
	trunk := s.made("full", trunksPath, `{"name":"One","address":"a"}`)
	number := s.made("full", numbersPath, `{"number":"+4930123456","agent_name":"desk","trunk_id":"`+trunk+`"}`)
	s.key("read", acme, "sip:read")
	s.key("write", acme, "sip:write")
	for _, route := range []struct{ method, path, id, body, right, wrong string }{
		{http.MethodGet, trunksPath, "", "", "read", "write"}, {http.MethodPost, trunksPath, "", `{}`, "write", "read"},
		{http.MethodGet, trunksPath, trunk, "", "read", "write"}, {http.MethodPatch, trunksPath, trunk, `{}`, "write", "read"}, {http.MethodDelete, trunksPath, trunk, "", "write", "read"},
		{http.MethodGet, numbersPath, "", "", "read", "write"}, {http.MethodPost, numbersPath, "", `{}`, "write", "read"}, {http.MethodDelete, numbersPath, number, "", "write", "read"},
	} {
		target := route.path
		if route.id != "" {
			unknown := route.path + "/" + acme
			target += "/" + route.id
			foreign, absent := s.do("stranger", route.method, target, route.body), s.do("stranger", route.method, unknown, route.body)
			s.refused(foreign, http.StatusNotFound, fault.NotFound)
			if foreign.Body.String() != absent.Body.String() {
				t.Errorf("%s %s: foreign %s, unknown %s", route.method, target, foreign.Body, absent.Body)
			}
		}
		s.refused(s.do("", route.method, target, route.body), http.StatusUnauthorized, fault.Authentication)
		s.refused(s.do(route.wrong, route.method, target, route.body), http.StatusForbidden, fault.ScopeRequired)
		if w := s.do(route.right, route.method, target, route.body); w.Code == http.StatusForbidden {
			t.Errorf("%s %s with its scope: %s", route.method, target, w.Body)
		}
	}
}

// A dispatch is warned while there is nothing to dial through.
func TestDispatchWarnsOfNoTrunk(t *testing.T) {
	warned := func(s *service, headers ...string) bool {
		t.Helper()
		w := s.do("full", http.MethodPost, "/api/v1/calls", `{"workflow_slug":"support","call_type":"sip","phone_number":"+4930123456"}`, headers...)
		s.want(w, http.StatusCreated, nil)
		return strings.Contains(w.Body.String(), "no SIP trunk")
	}
	s := newPhones(t, nil)
	s.made("stranger", trunksPath, `{"name":"One","address":"a"}`)
	if !warned(s) || !warned(s, "Idempotency-Key", "once") {
		t.Error("no warning without a trunk")
	}
	s.made("full", trunksPath, `{"name":"One","address":"a"}`)
	if warned(s) || warned(s, "Idempotency-Key", "twice") {
		t.Error("a warning with a trunk")
	}
	if warned(newPhones(t, &sip.TrunkDraft{Name: "platform", Address: "a"})) {
		t.Error("a warning with a trunk of the platform")
	}
}

func TestCheckTrunk(t *testing.T) {
	s := newPhones(t, nil)
	prober, err := sip.NewProber(sip.ProberOptions{LoopbackOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	s.deps.Probes = prober
	id := s.made("full", trunksPath, `{"name":"Carrier","address":"203.0.113.1"}`)
	w := s.do("full", http.MethodPost, trunksPath+"/"+id+"/check", "")
	var got trunkCheckBody
	s.want(w, http.StatusOK, &got)
	if got.Reached || got.SIPStatus != nil || !strings.Contains(got.Message, "loopback") {
		t.Errorf("got %s", w.Body)
	}
	s.refused(s.do("stranger", http.MethodPost, trunksPath+"/"+id+"/check", ""), http.StatusNotFound, fault.NotFound)
}
