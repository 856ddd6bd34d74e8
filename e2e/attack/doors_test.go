package attack

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"parley/e2e/binary"
)

// tryTool runs a tool that requests a URL once, and returns what the tenant gets to see of it.
func tryTool(t *testing.T, s *binary.Server, key, name, url string, header object) string {
	t.Helper()
	action := object{"type": "api_call", "url": url, "method": "GET", "headers": header, "max_retries": 0}
	post(t, s, key, "/api/v1/tools", object{"name": name, "description": "d", "config": object{"actions": []object{action}}})
	answer, text := send(t, s, key, http.MethodPost, "/api/v1/tools/"+name+"/try", "{}")
	if answer.StatusCode != http.StatusOK {
		t.Fatalf("try %s: %s %s", url, answer.Status, text)
	}
	return string(text)
}

// With private networks allowed, a tenant's tool reaches servers of this machine, but no listener of Parley as the operator does: neither
// those of its own process nor those of another one, however the address is written.
func TestToolsAreNotTheOperator(t *testing.T) {
	settings := func() map[string]string {
		port, err := binary.FreePort()
		if err != nil {
			t.Fatal(err)
		}
		return map[string]string{"PARLEY_ALLOW_PRIVATE_NETWORKS": "true", "PARLEY_METRICS_ADDR": fmt.Sprintf("127.0.0.1:%d", port)}
	}
	own, others := settings(), settings()
	s, another := start(t, own, "--without=worker,sip"), start(t, others, "--without=worker,media,sip")
	key := newTenant(t, s, "curious", "*")
	port := func(address string) string { return address[strings.LastIndexByte(address, ':')+1:] }
	tool := 0
	for where, ports := range map[string][]string{
		"its own process": {port(s.URL), port(own["PARLEY_METRICS_ADDR"]), s.RTCPort},
		"another process": {port(another.URL), port(others["PARLEY_METRICS_ADDR"])},
	} {
		for _, port := range ports {
			for _, host := range []string{"127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "127.1"} {
				tool++
				seen := tryTool(t, s, key, "read_"+strconv.Itoa(tool), "http://"+host+":"+port+"/metrics", nil)
				if strings.Contains(seen, "go_goroutines") || where == "its own process" && !strings.Contains(seen, `"status":null`) {
					t.Errorf("%s, %s:%s: the tool sees %.200s", where, host, port, seen)
				}
			}
		}
	}
	for name, server := range map[string]*binary.Server{"its own process": s, "another process": another} {
		if answer, _ := send(t, server, "", http.MethodGet, "/metrics", ""); answer.StatusCode != http.StatusOK {
			t.Errorf("the operator of %s gets %s", name, answer.Status)
		}
	}
	neighbour := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "a server of the tenant") }))
	defer neighbour.Close()
	if seen := tryTool(t, s, key, "reach", neighbour.URL, nil); !strings.Contains(seen, "a server of the tenant") {
		t.Errorf("another server of this machine: %s", seen)
	}
}

// A check of a provider key says why there was no answer without resolved addresses and name servers.
func TestKeyChecksNameNoAddress(t *testing.T) {
	t.Parallel()
	s := start(t, map[string]string{"PARLEY_ALLOW_PRIVATE_NETWORKS": "true"}, "--without=worker,media,sip")
	key := newTenant(t, s, "acme", "*")
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := strconv.Itoa(closed.Addr().(*net.TCPAddr).Port)
	_ = closed.Close()
	silent := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }))
	defer silent.Close()
	encrypted := httptest.NewTLSServer(http.NotFoundHandler())
	defer encrypted.Close()
	for base, want := range map[string]string{
		"http://localhost:" + port + "/v1": "could not be made", "http://name.invalid/v1": "does not resolve", silent.URL: "closed before an answer",
		encrypted.URL: "unknown authority", "http://169.254.169.254/v1": "not a permitted address", "https" + strings.TrimPrefix(silent.URL, "http"): "does not speak TLS",
	} {
		id := post(t, s, key, "/api/v1/provider-keys", object{"provider_type": "llm", "provider_name": "openai_compatible", "api_key": "k", "base_url": base})
		answer, text := send(t, s, key, http.MethodPost, "/api/v1/provider-keys/"+id+"/check", "")
		var result struct{ Message string }
		if err := json.Unmarshal(text, &result); err != nil || answer.StatusCode != http.StatusOK || !strings.Contains(result.Message, want) || strings.ContainsAny(result.Message, "0123456789:") {
			t.Errorf("%s: %s %s, want %q", base, answer.Status, text, want)
		}
		if answer, text := send(t, s, key, http.MethodDelete, "/api/v1/provider-keys/"+id, ""); answer.StatusCode != http.StatusNoContent {
			t.Fatalf("%s %s", answer.Status, text)
		}
	}
}

// attackTrunkChecks has a trunk checked n times at once and returns how many checks were made and how many refused.
func attackTrunkChecks(t *testing.T, s *binary.Server, key, trunkID string, n int) (made, refused int) {
	t.Helper()
	var all sync.WaitGroup
	var mu sync.Mutex
	for range n {
		all.Go(func() {
			answer, text := send(t, s, key, http.MethodPost, "/api/v1/sip-trunks/"+trunkID+"/check", "")
			mu.Lock()
			defer mu.Unlock()
			switch {
			case answer.StatusCode == http.StatusOK:
				made++
			case answer.StatusCode == http.StatusTooManyRequests && answer.Header.Get("Retry-After") != "":
				refused++
			default:
				t.Errorf("check: %s %s", answer.Status, text)
			}
		})
	}
	all.Wait()
	return made, refused
}

// Checks of trunks send little to an address of a tenant's choice.
func TestTrunkChecksAreFew(t *testing.T) {
	t.Parallel()
	s := start(t, nil, "--without=worker,media,sip")
	victim := bound(t, "127.0.0.1", 0)
	var received atomic.Int64
	go func() {
		buffer := make([]byte, 2000)
		for {
			if _, err := victim.Read(buffer); err != nil {
				return
			}
			received.Add(1)
		}
	}()
	key := newTenant(t, s, "acme", "*")
	id := post(t, s, key, "/api/v1/sip-trunks", object{"name": "victim", "address": victim.LocalAddr().String()})
	made, refused := attackTrunkChecks(t, s, key, id, 50)
	t.Logf("50 requests: %d checks, %d datagrams", made, received.Load())
	if made > 11 || refused != 50-made || received.Load() > int64(3*made) || received.Load() == 0 {
		t.Errorf("50 requests: %d checks, %d refused, %d datagrams", made, refused, received.Load())
	}
}

// A key reads /metrics at its rate.
func TestMetricsAtTheKeysRate(t *testing.T) {
	t.Parallel()
	s := start(t, nil, "--without=worker,media,sip")
	command(t, s, "", "tenant", "create", "acme")
	key := newKey(t, s, "acme", "--scopes", "metrics:read", "--rate-limit", "1")
	got := map[int]int{}
	for range 20 {
		answer, _ := send(t, s, key, http.MethodGet, "/metrics", "")
		got[answer.StatusCode]++
	}
	if got[http.StatusOK] != 1 || got[http.StatusTooManyRequests] != 19 {
		t.Errorf("20 requests with a key of one a minute: %v", got)
	}
	if answer, _ := send(t, s, "", http.MethodGet, "/metrics", ""); answer.StatusCode != http.StatusOK {
		t.Errorf("the operator gets %s", answer.Status)
	}
}
