package attack

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"parley/client"
	"parley/e2e/binary"
)

// hookedAgent makes an agent whose call hook is at a URL.
func hookedAgent(t *testing.T, s *binary.Server, key, name, url string) {
	t.Helper()
	post(t, s, key, "/api/v1/agents", json.RawMessage(`{"name":"`+name+`","config":{"prompt":{"system":"You answer."},"call_hook":{"url":"`+url+`","timeout_ms":4000},
		"stt":{"provider":"offline","model":"pocketsphinx"},"llm":{"provider":"offline","model":"scripted"},"tts":{"provider":"offline","voice_id":"rms"}}}`))
}

// dispatchTo starts a call with an agent, and returns it with what its call hook did wrong.
func dispatchTo(t *testing.T, s *binary.Server, key, agent string) (c client.Call, problem string) {
	t.Helper()
	answer, text := send(t, s, key, http.MethodPost, "/api/v1/calls/test-agent", `{"agent_name":"`+agent+`"}`)
	var d client.Dispatch
	if err := json.Unmarshal(text, &d); err != nil || answer.StatusCode != http.StatusCreated {
		t.Fatalf("%s: %s %s", agent, answer.Status, text)
	}
	_, text = send(t, s, key, http.MethodGet, "/api/v1/calls/"+d.CallID, "")
	if err := json.Unmarshal(text, &c); err != nil {
		t.Fatal(err)
	}
	_, text = send(t, s, key, http.MethodGet, "/api/v1/calls/"+d.CallID+"/timeline", "")
	var timeline []client.Moment
	if err := json.Unmarshal(text, &timeline); err != nil {
		t.Fatal(err)
	}
	for _, m := range timeline {
		if m.Type == client.MomentError {
			problem += m.Message
		}
	}
	return c, problem
}

// A tenant's call hook reaches no listener of Parley, gets no call to another tenant's agent or workflow, costs no memory by what it
// answers, and, while it does not answer, keeps no other tenant waiting.
func TestCallHooksInWrongHands(t *testing.T) {
	t.Parallel()
	port, err := binary.FreePort()
	if err != nil {
		t.Fatal(err)
	}
	operators := fmt.Sprintf("127.0.0.1:%d", port)
	s := start(t, map[string]string{"PARLEY_ALLOW_PRIVATE_NETWORKS": "true", "PARLEY_METRICS_ADDR": operators}, "--without=worker,sip")
	key, victim := newTenant(t, s, "curious", "*"), newTenant(t, s, "victim", "*")
	post(t, s, victim, "/api/v1/agents", json.RawMessage(`{"name":"private","config":{"prompt":{"system":"You answer."},
		"stt":{"provider":"offline","model":"pocketsphinx"},"llm":{"provider":"offline","model":"scripted"},"tts":{"provider":"offline","voice_id":"rms"}}}`))
	post(t, s, victim, "/api/v1/workflows", json.RawMessage(`{"slug":"private","name":"Private","config":{"nodes":[{"id":"a","agent_name":"private","is_entry":true,"is_exit":true}],"connections":[]}}`))

	release := make(chan struct{})
	var once sync.Once
	free := func() { once.Do(func() { close(release) }) }
	waiting := make(chan struct{}, 100)
	backend := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		switch r.URL.Path {
		case "/agent":
			fmt.Fprint(w, `{"agent_name":"private"}`)
		case "/workflow":
			fmt.Fprint(w, `{"workflow_slug":"private"}`)
		case "/redirect":
			http.Redirect(w, r, "http://"+operators+"/metrics", http.StatusTemporaryRedirect)
		case "/huge":
			block := []byte(`{"metadata":{"a":"` + strings.Repeat("x", 1<<20))
			for range 200 {
				if _, err := w.Write(block); err != nil {
					return
				}
			}
		case "/hang":
			waiting <- struct{}{}
			select {
			case <-release:
			case <-r.Context().Done():
			}
		}
	}))
	defer backend.Close()
	defer free()

	for name, url := range map[string]string{"metrics": "http://" + operators + "/metrics", "api": s.URL + "/api/v1/calls", "redirect": backend.URL + "/redirect",
		"agent": backend.URL + "/agent", "workflow": backend.URL + "/workflow"} {
		hookedAgent(t, s, key, name, url)
		c, problem := dispatchTo(t, s, key, name)
		if c.AgentName == nil || *c.AgentName != name || c.WorkflowSlug != nil || problem == "" {
			t.Errorf("the hook %s: the call is %+v, and the error log has %q", name, c, problem)
		}
		if strings.Contains(problem, operators) {
			t.Errorf("the hook %s: %s", name, problem)
		}
	}

	hookedAgent(t, s, key, "huge", backend.URL+"/huge")
	grown := watchMemory(t, s, func() {
		for range size(3, 20) {
			if _, problem := dispatchTo(t, s, key, "huge"); !strings.Contains(problem, "more than 256 KiB") {
				t.Errorf("a huge answer: %q", problem)
			}
		}
	})
	if grown > 64<<20 {
		t.Errorf("answers of 200 MB each raised the memory by %d MB", grown>>20)
	}

	hookedAgent(t, s, key, "hang", backend.URL+"/hang")
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/api/v1/calls/test-agent", strings.NewReader(`{"agent_name":"hang"}`))
			if err != nil {
				t.Error(err)
				return
			}
			r.Header.Set("Authorization", "Bearer "+key)
			r.Header.Set("Content-Type", "application/json")
			_, _ = answerTo(t, r)
		})
	}
	<-waiting // at least one hangs
	if c, problem := dispatchTo(t, s, victim, "private"); c.Status != "pending" || problem != "" {
		t.Errorf("a call of another tenant: %+v, %q", c, problem)
	}
	free()
	all.Wait()
}
