package mcp

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"
)

const token = "tok-hours-very-secret"

// hoursServer starts server.mjs, and returns its URL and what it has printed since.
func hoursServer(t *testing.T) (url string, printed func() string, stop func()) {
	t.Helper()
	c := exec.CommandContext(t.Context(), "node", "server.mjs")
	c.Env = append(os.Environ(), "TOKEN="+token)
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	c.Stderr = os.Stderr
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	if !lines.Scan() {
		t.Fatal("the server has printed nothing")
	}
	url = lines.Text()
	var mu sync.Mutex
	var log strings.Builder
	var reading sync.WaitGroup
	reading.Go(func() {
		for lines.Scan() {
			mu.Lock()
			log.WriteString(lines.Text() + "\n")
			mu.Unlock()
		}
	})
	var once sync.Once
	stop = func() {
		once.Do(func() {
			_ = c.Process.Kill()
			reading.Wait()
			_ = c.Wait()
		})
	}
	t.Cleanup(stop)
	return url, func() string { mu.Lock(); defer mu.Unlock(); return log.String() }, stop
}

// request sends a request of the API with the server's key, and returns the answer, which is no error.
func (s server) request(t *testing.T, method, path string, body any) []byte {
	t.Helper()
	status, content := s.send(t, method, path, body)
	if status >= http.StatusBadRequest {
		t.Fatalf("%s %s: %d %s", method, path, status, content)
	}
	return content
}

func (s server) send(t *testing.T, method, path string, body any) (status int, content []byte) {
	t.Helper()
	text, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	r, err := http.NewRequestWithContext(t.Context(), method, s.URL+path, bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("X-API-Key", s.key)
	r.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	content, err = io.ReadAll(answer.Body)
	if err != nil {
		t.Fatalf("%s %s: %v", method, path, err)
	}
	return answer.StatusCode, content
}

type object = map[string]any

// An agent calls the tool of a server of the library for TypeScript, in one session for the conversation, with the tenant's secret as
// the credential; when the server is down the agent goes on and says so.
func TestAgentUsesToolsOfAServer(t *testing.T) {
	s := start(t, "*")
	url, printed, stop := hoursServer(t)
	s.request(t, http.MethodPost, "/api/v1/secrets", object{"name": "hours", "value": token})
	servers := []object{{"url": url, "headers": object{"Authorization": "Bearer {{secrets.hours}}"}, "allow": []string{"look_up_hours"}}}
	made := s.request(t, http.MethodPost, "/api/v1/agents", object{"name": "desk", "config": object{
		"prompt": object{"greeting": "Hello.", "system": "- opening hours => I look into the book. [look_up_hours {\"day\": \"monday\"}]"},
		"stt":    object{"provider": "offline", "model": "pocketsphinx"}, "llm": object{"provider": "offline", "model": "scripted"},
		"tts":         object{"provider": "offline", "voice_id": "slt"},
		"mcp_servers": servers,
	}})
	if !strings.Contains(string(made), `"look_up_hours"`) || strings.Contains(string(made), token) || strings.Contains(string(made), `"warnings"`) {
		t.Errorf("created: %s", made)
	}
	if status, refused := s.send(t, http.MethodDelete, "/api/v1/secrets/hours", nil); status != http.StatusConflict || !strings.Contains(string(refused), "the active agents desk") {
		t.Errorf("the secret in use is deleted: %d %s", status, refused)
	}
	chat := func() string {
		return string(execute(t, map[string]string{"PARLEY_DATA_DIR": s.Dir}, program, "chat", "--json", "--tenant", "shop", "--agent", "desk",
			"--say", "what are your opening hours", "--say", "your opening hours please"))
	}
	listed := len(printed())
	if said := chat(); strings.Count(said, "On monday we close at seven in the evening.") < 2 || strings.Contains(said, token) {
		t.Errorf("the conversation: %s", said)
	}
	deadline := time.Now().Add(time.Minute)
	for !strings.Contains(printed()[listed:], `"DELETE"`) && time.Now().Before(deadline) {
		time.Sleep(20 * time.Millisecond)
	}
	log := printed()[listed:]
	for part, times := range map[string]int{`"method":"initialize"`: 1, `"method":"tools/call"`: 2, `"method":"DELETE"`: 1} {
		if n := strings.Count(log, part); n != times {
			t.Errorf("%d times %s, want %d:\n%s", n, part, times, log)
		}
	}
	stop()
	if said := chat(); !strings.Contains(said, "cannot be used at the moment: the connection could not be made") {
		t.Errorf("without the server: %s", said)
	}
	if strings.Contains(s.Log.String(), token) {
		t.Error("the credential is in the log")
	}
}
