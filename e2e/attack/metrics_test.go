package attack

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"parley/e2e/binary"
)

// A tenant reads its own figures in /metrics, however it requests them: none of another tenant, and none of the process.
func TestMetricsOfOthers(t *testing.T) {
	t.Parallel()
	port, err := binary.FreePort()
	if err != nil {
		t.Fatal(err)
	}
	const token = "the operator's own token"
	second := fmt.Sprintf("127.0.0.1:%d", port)
	s := start(t, map[string]string{"PARLEY_METRICS_TOKEN": strings.ReplaceAll(token, " ", "-"), "PARLEY_METRICS_ADDR": second}, "--without=worker")
	victim, curious := newTenant(t, s, "victim", "*"), newTenant(t, s, "curious", "metrics:read,agents:read")
	agent := `{"name":"desk","config":{"prompt":{"system":"You are the desk."},"stt":{"provider":"offline","model":"pocketsphinx"},"llm":{"provider":"offline","model":"scripted"},"tts":{"provider":"offline","voice_id":"rms"}}}`
	workflow := `{"slug":"takeover-of-globex","name":"w","config":{"nodes":[{"id":"a","agent_name":"desk","is_entry":true,"is_exit":true}],"connections":[]}}`
	for _, make := range [][2]string{{"/api/v1/agents", agent}, {"/api/v1/workflows", workflow}, {"/api/v1/calls", `{"workflow_slug":"takeover-of-globex"}`}} {
		if answer, text := send(t, s, victim, http.MethodPost, make[0], make[1]); answer.StatusCode != http.StatusCreated {
			t.Fatalf("%s: %s", answer.Status, text)
		}
	}
	if answer, text := send(t, s, curious, http.MethodGet, "/api/v1/agents", ""); answer.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s", answer.Status, text)
	}
	read := func(address string, header http.Header) (int, string) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address+"/metrics", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header, r.Host = header, header.Get("Host")
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		text, err := io.ReadAll(answer.Body)
		if err != nil {
			t.Fatal(err)
		}
		return answer.StatusCode, string(text)
	}
	const forwarded, key = "X-Forwarded-For", "X-Api-Key"
	for _, header := range []http.Header{{key: {curious}}, {key: {curious}, forwarded: {"192.0.2.1"}}, {"Authorization": {"Bearer " + curious}}, {"Authorization": {"Bearer " + curious}, forwarded: {"127.0.0.1"}}} {
		status, text := read(s.URL, header)
		if status != http.StatusOK || !strings.Contains(text, `http_requests_total{endpoint="/api/v1/agents",method="GET",status="200"} 1`) {
			t.Errorf("%v: %d, its own series are not there", header, status)
		}
		for _, foreign := range []string{"takeover-of-globex", "/api/v1/workflows", "/api/v1/calls", "go_", "process_", "worker_", "_waiting", "node_"} {
			if strings.Contains(text, foreign) {
				t.Errorf("%v sees %s", header, foreign)
			}
		}
	}
	for _, header := range []http.Header{{forwarded: {"127.0.0.1"}}, {forwarded: {""}}, {"Host": {"rebinding.example.com"}}, {"Authorization": {"Bearer the-operator's-own-toke"}, forwarded: {"192.0.2.1"}}} {
		if status, text := read(s.URL, header); status != http.StatusUnauthorized {
			t.Errorf("%v: %d %.100s", header, status, text)
		}
	}
	for _, operator := range []struct {
		address string
		header  http.Header
	}{{s.URL, nil}, {s.URL, http.Header{"Authorization": {"Bearer the-operator's-own-token"}, forwarded: {"192.0.2.1"}}}, {"http://" + second, http.Header{forwarded: {"192.0.2.1"}}}} {
		if status, text := read(operator.address, operator.header); status != http.StatusOK || !strings.Contains(text, "takeover-of-globex") || !strings.Contains(text, "go_goroutines") {
			t.Errorf("the operator at %s: %d", operator.address, status)
		}
	}
	answer, err := http.Get("http://" + second + "/health")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	var health struct{ Status string }
	if err := json.NewDecoder(answer.Body).Decode(&health); err != nil || health.Status != "healthy" {
		t.Errorf("the second listener's health: %v %v", health, err)
	}
	if answer, err := http.Get("http://" + second + "/api/v1/agents"); err != nil || answer.StatusCode != http.StatusNotFound {
		t.Errorf("the second listener has the API: %v", err)
	}
}
