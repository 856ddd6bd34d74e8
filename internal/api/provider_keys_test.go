package api

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"parley/internal/api/wire"
	"parley/internal/fault"
	"parley/internal/provider"
	"parley/internal/provider/catalogtest"
	"parley/internal/provider/keycheck"
	"parley/internal/providerkey"
	"parley/internal/seal"
)

func testSealer(t testing.TB) *seal.Sealer {
	t.Helper()
	sealer, err := seal.New(bytes.Repeat([]byte{3}, seal.KeySize))
	if err != nil {
		t.Fatal(err)
	}
	return sealer
}

func newProviderKeys(t *testing.T) *service {
	return newService(t, func(d *Deps) {
		d.ProviderKeys = providerkey.Registry{Sealer: testSealer(t), Providers: catalogtest.Catalog{"stt/ear": nil, "stt/nose": nil, "llm/brain": nil, "tts/mouth": nil}}
	})
}

func TestProviderKeyLife(t *testing.T) {
	s := newProviderKeys(t)
	const path, planted = "/api/v1/provider-keys", "sk-planted-secret-4711"
	w := s.do("full", http.MethodPost, path, `{"provider_type":"stt","provider_name":"ear","api_key":"`+planted+`","is_default":true}`)
	s.want(w, http.StatusCreated, nil)
	s.same(w.Body.Bytes(), `{"provider_type":"stt","provider_name":"ear","hint":"4711","base_url":"","is_default":true}`)
	var made providerKeyBody
	if err := json.Unmarshal(bytes.ReplaceAll(w.Body.Bytes(), []byte(`"created_at"`), []byte(`"x"`)), &made); err != nil {
		t.Fatal(err)
	}
	s.want(s.do("full", http.MethodPost, path, `{"provider_type":"stt","provider_name":"nose","api_key":"sk-2222","is_default":true}`), http.StatusCreated, nil)

	var list struct{ Items []json.RawMessage }
	w = s.do("full", http.MethodGet, path, "")
	s.want(w, http.StatusOK, &list)
	if len(list.Items) != 2 {
		t.Fatalf("list %s", w.Body)
	}
	s.same(list.Items[0], `{"provider_type":"stt","provider_name":"nose","hint":"222","base_url":"","is_default":true}`)
	s.same(list.Items[1], `{"provider_type":"stt","provider_name":"ear","hint":"4711","base_url":"","is_default":false}`)
	if w := s.do("stranger", http.MethodGet, path, ""); w.Body.String() != "{\"items\":[]}\n" {
		t.Errorf("a stranger lists %s", w.Body)
	}

	foreign := s.do("stranger", http.MethodDelete, path+"/"+made.ID, "")
	unknown := s.do("stranger", http.MethodDelete, path+"/"+acme, "")
	s.refused(foreign, http.StatusNotFound, fault.NotFound)
	if foreign.Body.String() != unknown.Body.String() {
		t.Errorf("foreign %s, unknown %s", foreign.Body, unknown.Body)
	}
	s.want(s.do("full", http.MethodDelete, path+"/"+strings.ToUpper(made.ID), ""), http.StatusNoContent, nil)
	s.refused(s.do("full", http.MethodDelete, path+"/"+made.ID, ""), http.StatusNotFound, fault.NotFound)
	s.refused(s.do("full", http.MethodDelete, path+"/no-uuid", ""), http.StatusUnprocessableEntity, fault.Validation)
	if strings.Contains(s.log.String(), planted) {
		t.Error("the log holds the key")
	}
}

func TestProviderKeyFaults(t *testing.T) {
	s := newProviderKeys(t)
	for body, want := range map[string]map[string]string{
		`{}`: {"provider_type": "is required", "provider_name": "is required", "api_key": "is required"},
		`{"provider_type":"stt","provider_name":"brain","api_key":"a b"}`:                            {"provider_name": "must be one of ear, nose", "api_key": "must hold visible ASCII characters only"},
		`{"provider_type":"llm","provider_name":"brain","api_key":"k","base_url":"http://10.0.0.7"}`: {"base_url": "must be an https URL"},
		`{"provider_type":"fax","provider_name":"ear","api_key":"k"}`:                                {"provider_type": "must be one of stt, llm, tts"},
		`{"provider_type":1,"provider_name":null,"api_key":[],"is_default":"yes"}`: {"provider_type": "must be of type string", "provider_name": "must not be null",
			"api_key": "must be of type string", "is_default": "must be of type boolean"},
	} {
		got := s.refused(s.do("full", http.MethodPost, "/api/v1/provider-keys", body), http.StatusUnprocessableEntity, fault.Validation)
		for field, message := range want {
			if got[field] != message {
				t.Errorf("%s: %s %q, want %q", body, field, got[field], message)
			}
		}
		if len(got) != len(want) {
			t.Errorf("%s: faults %v", body, got)
		}
	}
}

func TestProviderKeyScopes(t *testing.T) {
	s := newProviderKeys(t)
	s.key("read", acme, "provider-keys:read")
	s.key("write", acme, "provider-keys:write")
	for _, route := range []struct{ method, path, body, right, wrong string }{
		{http.MethodGet, "", "", "read", "write"}, {http.MethodPost, "", `{}`, "write", "read"}, {http.MethodDelete, "/" + acme, "", "write", "read"},
	} {
		target := "/api/v1/provider-keys" + route.path
		s.refused(s.do("", route.method, target, route.body), http.StatusUnauthorized, fault.Authentication)
		s.refused(s.do(route.wrong, route.method, target, route.body), http.StatusForbidden, fault.ScopeRequired)
		if w := s.do(route.right, route.method, target, route.body); w.Code == http.StatusForbidden {
			t.Errorf("%s with its scope: %s", target, w.Body)
		}
	}
}

func TestProvidersAreTheCatalogue(t *testing.T) {
	s := newProviderKeys(t)
	s.key("no scope", acme)
	s.refused(s.do("", http.MethodGet, "/api/v1/providers", ""), http.StatusUnauthorized, fault.Authentication)
	var list wire.ItemsBody[providerBody]
	w := s.do("no scope", http.MethodGet, "/api/v1/providers", "")
	s.want(w, http.StatusOK, &list)
	if len(list.Items) != len(provider.Catalog) || list.Items[0].Name != provider.Catalog[0].Name || list.Items[0].Models[0] != provider.Catalog[0].Models[0] {
		t.Errorf("got %s", w.Body)
	}
}

// The list has the settings and the shutdown date of each model, and which key calls use of each provider.
func TestProvidersListSettingsOfModels(t *testing.T) {
	s := newProviderKeys(t)
	s.deps.ProviderKeys.Providers = catalogtest.Catalog{"stt/deepgram": nil}
	s.deps.Lacks = func(kind, name string, ownKey bool) string {
		if ownKey || name == "openai" || name == "offline" {
			return ""
		}
		return "no key for " + name
	}
	s.made("full", "/api/v1/provider-keys", `{"provider_type":"stt","provider_name":"deepgram","api_key":"k-1234567"}`)
	var list wire.ItemsBody[providerBody]
	s.want(s.do("full", http.MethodGet, "/api/v1/providers", ""), http.StatusOK, &list)
	sources := map[string]string{}
	for _, p := range list.Items {
		sources[string(p.Kind)+" "+p.Name] = p.KeySource + " " + p.Lacks
		if len(p.ModelDetails) != len(p.Models) || p.ModelDetails[0].Name != p.Models[0] {
			t.Errorf("%s %s: details %+v of %v", p.Kind, p.Name, p.ModelDetails, p.Models)
		}
		for _, m := range p.ModelDetails {
			deprecated := m.Name == "gpt-4.1"
			if deprecated && m.ShutdownDate != "2027-01-14" || m.Status == "" || m.Name == "nova-3" && !slices.Contains(m.Languages, "de-CH") {
				t.Errorf("%+v", m)
			}
		}
	}
	for name, want := range map[string]string{"stt deepgram": "tenant ", "llm openai": "platform ", "tts cartesia": "missing no key for cartesia", "tts offline": "not_needed "} {
		if sources[name] != want {
			t.Errorf("%s: %q, want %q", name, sources[name], want)
		}
	}
}

// vendors accept one key.
type vendors struct{ asked []string }

func (v *vendors) Check(_ context.Context, vendor, key, _ string) keycheck.Result {
	v.asked = append(v.asked, vendor)
	if key == "sk-good" {
		return keycheck.Result{Verdict: keycheck.Accepted}
	}
	return keycheck.Result{Verdict: keycheck.Refused, Message: "401 Unauthorized: no"}
}

func TestCheckProviderKey(t *testing.T) {
	s := newProviderKeys(t)
	v := new(vendors)
	s.deps.KeyChecks = v
	const path = "/api/v1/provider-keys"
	check := func(key string) string {
		id := s.made("full", path, `{"provider_type":"stt","provider_name":"ear","api_key":"`+key+`"}`)
		w := s.do("full", http.MethodPost, path+"/"+id+"/check", "")
		s.want(w, http.StatusOK, nil)
		s.refused(s.do("stranger", http.MethodPost, path+"/"+id+"/check", ""), http.StatusNotFound, fault.NotFound)
		return strings.TrimSpace(w.Body.String())
	}
	if got := check("sk-good"); got != `{"result":"accepted","message":""}` {
		t.Errorf("got %s", got)
	}
	if got := check("sk-bad"); got != `{"result":"refused","message":"401 Unauthorized: no"}` {
		t.Errorf("got %s", got)
	}
	if diff := slices.Compare(v.asked, []string{"ear", "ear"}); diff != 0 {
		t.Errorf("asked %v", v.asked)
	}
}
