package emulator

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"parley/internal/dialogue"
)

// witness keeps what is reported.
type witness struct{ reports []string }

func (w *witness) Errorf(format string, args ...any) {
	w.reports = append(w.reports, fmt.Sprintf(format, args...))
}

// post sends a body to an emulator and returns the status and the answer.
func post(t *testing.T, url, body string, header http.Header) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header = header
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(answer)
}

// breaches sends each body and checks that it is refused with the words.
func breaches(t *testing.T, server *Server, w *witness, path string, header http.Header, bodies map[string]string) {
	t.Helper()
	for want, body := range bodies {
		before := server.Breaches()
		status, answer := post(t, server.URL+path, body, header)
		if status != http.StatusBadRequest || !strings.Contains(answer, want) || server.Breaches() != before+1 {
			t.Errorf("%s\nis answered with %d %s, want %q", body, status, answer, want)
		}
	}
	if len(w.reports) != server.Breaches() {
		t.Errorf("%d reports of %d breaches", len(w.reports), server.Breaches())
	}
}

func TestOpenAIIsStrict(t *testing.T) {
	w := &witness{}
	server := NewOpenAI(w, Options{Key: "k"}, Script{})
	defer server.Close()
	header := http.Header{"Authorization": {"Bearer k"}, "Content-Type": {"application/json"}}
	request := func(messages, more string) string {
		return `{"model":"gpt-4.1","stream":true,"stream_options":{"include_usage":true},"messages":[` + messages + `]` + more + `}`
	}
	const hello, call = `{"role":"user","content":"Hello"}`, `{"role":"assistant","tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}]}`
	if status, answer := post(t, server.URL+"/chat/completions", request(hello, ""), header); status != 200 || !strings.HasSuffix(answer, "data: [DONE]\n\n") || server.Breaches() > 0 {
		t.Fatalf("a good request is answered with %d %s", status, answer)
	}
	breaches(t, server, w, "/chat/completions", header, map[string]string{
		"model parameter":      `{"stream":true}`,
		"unknown field":        request(hello, `,"max_token":5`),
		"too short":            request("", ""),
		"got null":             request(`{"role":"user"}`, ""),
		"invalid role":         request(`{"role":"caller","content":"Hello"}`, ""),
		"usage would be lost":  `{"model":"gpt-4.1","stream":true,"messages":[` + hello + `]}`,
		"have no result":       request(hello+","+call, ""),
		"must be followed":     request(call+","+hello, ""),
		"must be a response":   request(`{"role":"tool","tool_call_id":"a","content":"x"}`, ""),
		"invalid tool call":    request(strings.Replace(call, "{}", "{", 1), ""),
		"fields of another":    request(`{"role":"user","content":"Hello","tool_call_id":"a"}`, ""),
		"not between":          request(hello, `,"temperature":3`),
		"same time":            request(hello, `,"max_tokens":3,"max_completion_tokens":3`),
		"does not match":       request(hello, `,"tools":[{"type":"function","function":{"name":"a b","parameters":{"type":"object"}}}]`),
		"not of type object":   request(hello, `,"tools":[{"type":"function","function":{"name":"a","parameters":{"type":"string"}}}]`),
		"unrecognized request": request(hello, `,"reasoning_effort":"low"`),
		"not supported with":   strings.Replace(request(hello, `,"max_tokens":3`), "gpt-4.1", "gpt-5", 1),
		"'temperature' does":   strings.Replace(request(hello, `,"temperature":0.5`), "gpt-4.1", "o3", 1),
		"stream is not true":   `{"model":"gpt-4.1"}`,
		"more than one JSON":   request(hello, "") + "{}",
		"a limit of 0 tokens":  request(hello, `,"max_tokens":0`),
		"tool type":            request(hello, `,"tools":[{"type":"other"}]`),
	})
}

func TestAnthropicIsStrict(t *testing.T) {
	w := &witness{}
	server := NewAnthropic(w, Options{Key: "k"}, Script{})
	defer server.Close()
	header := http.Header{"X-Api-Key": {"k"}, "Anthropic-Version": {"2023-06-01"}, "Content-Type": {"application/json"}}
	request := func(messages, more string) string {
		return `{"model":"claude-sonnet-4-6","max_tokens":100,"stream":true,"messages":[` + messages + `]` + more + `}`
	}
	const (
		hello  = `{"role":"user","content":"Hello"}`
		call   = `{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{}}]}`
		result = `{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"x"}]}`
		tools  = `,"tools":[{"name":"f","input_schema":{"type":"object"}}]`
		mark   = `{"type":"text","text":"x","cache_control":{"type":"ephemeral"}}`
	)
	if status, answer := post(t, server.URL+"/v1/messages", request(hello+","+call+","+result, tools), header); status != 200 || !strings.Contains(answer, "event: message_stop\n") || server.Breaches() > 0 {
		t.Fatalf("a good request is answered with %d %s", status, answer)
	}
	breaches(t, server, w, "/v1/messages", header, map[string]string{
		"model: Field required":   `{"max_tokens":5,"stream":true}`,
		"unknown field":           request(hello, `,"max_token":5`),
		"at least one message":    request("", ""),
		"must alternate":          request(hello+","+hello, ""),
		"beginning with user":     request(`{"role":"assistant","content":"Hello"}`, ""),
		"must be non-empty":       request(`{"role":"user","content":" "}`, ""),
		"content is empty":        request(`{"role":"user","content":[]}`, ""),
		"prefill":                 request(hello+`,{"role":"assistant","content":"I"}`, ""),
		"immediately after":       request(hello+","+call+","+hello, tools),
		"unexpected `tool_use_id": request(result, tools),
		"must define tools":       request(hello+","+call+","+result, ""),
		"invalid tool_use":        request(hello+","+strings.Replace(call, `"a"`, `"a:b"`, 1)+","+result, tools),
		"in a message of the":     request(strings.Replace(call, "assistant", "user", 1), tools),
		"greater than or equal":   `{"model":"m","stream":true,"messages":[` + hello + `]}`,
		"range: 0..1":             request(hello, `,"temperature":1.5`),
		"a maximum of 4 blocks":   request(`{"role":"user","content":[`+strings.Repeat(mark+",", 4)+mark+`]}`, ""),
		"system: text content":    request(hello, `,"system":""`),
		"not of type object":      request(hello, `,"tools":[{"name":"a","input_schema":{}}]`),
		"stream is not true":      `{"model":"m","max_tokens":5}`,
	})
	header.Set("Anthropic-Version", "2020-01-01")
	if status, answer := post(t, server.URL+"/v1/messages", request(hello, ""), header); status != http.StatusBadRequest {
		t.Errorf("another version is answered with %d %s", status, answer)
	}
}

func TestLanguageModelsRefuseOtherKeysAndPaths(t *testing.T) {
	for _, test := range []struct {
		start  func(Reporter, Options, Script) *Server
		path   string
		header http.Header
	}{
		{NewOpenAI, "/chat/completions", http.Header{"Authorization": {"Bearer wrong"}}},
		{NewAnthropic, "/v1/messages", http.Header{"X-Api-Key": {"wrong"}}},
	} {
		w := &witness{}
		server := test.start(w, Options{Key: "k"}, Script{})
		if status, answer := post(t, server.URL+test.path, "{}", test.header); status != http.StatusUnauthorized || len(w.reports) > 0 {
			t.Errorf("%s: a wrong key is answered with %d %s, %v", test.path, status, answer, w.reports)
		}
		if status, answer := post(t, server.URL+"/elsewhere", "{}", test.header); status != http.StatusNotFound || len(w.reports) != 1 {
			t.Errorf("%s: a wrong path is answered with %d %s, %v", test.path, status, answer, w.reports)
		}
		server.Close()
	}
}

func TestTokens(t *testing.T) {
	for text, want := range map[string]struct {
		list  []string
		first int
	}{
		"":                            {nil, 0},
		"We are open. Till six.":      {[]string{"We ", "are ", "open. ", "Till ", "six."}, 3},
		"no end":                      {[]string{"no ", "end"}, 2},
		"Yes. Of course!":             {[]string{"Y", "es. ", "Of ", "course!"}, 2},
		"Ärger!":                      {[]string{"Ä", "rger!"}, 2},
		"?":                           {[]string{"?"}, 1},
		"Two  spaces and a new\nline": {[]string{"Two ", " ", "spaces ", "and ", "a ", "new\nline"}, 6},
	} {
		list, first := tokens(text)
		if !slices.Equal(list, want.list) || first != want.first || strings.Join(list, "") != text {
			t.Errorf("%q: %q, %d, want %q, %d", text, list, first, want.list, want.first)
		}
	}
}

func TestFragmentsAreTheWhole(t *testing.T) {
	for _, arguments := range []string{`{}`, `{"town":"Zürich \u00e9 日本"}`, `{"a":1}`} {
		list := fragments(json.RawMessage(arguments))
		if strings.Join(list, "") != arguments || len(arguments) > 8 && len(list) < 3 {
			t.Errorf("%s: %q", arguments, list)
		}
	}
}

// TestPace checks that an answer is never faster than it should be: what the
// measures call the vendor's own time.
func TestPace(t *testing.T) {
	const delay, sentence = 40 * time.Millisecond, 60 * time.Millisecond
	server := NewOpenAI(t, Options{Key: "k", Delay: delay}, Script{FirstSentence: sentence,
		Answer: func(dialogue.Prompt) Reply { return Reply{Text: "We are open. Till six."} }})
	defer server.Close()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL+"/chat/completions", strings.NewReader(
		`{"model":"gpt-4.1","stream":true,"stream_options":{"include_usage":true},"messages":[{"role":"user","content":"Hello"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	r.Header = http.Header{"Authorization": {"Bearer k"}, "Content-Type": {"application/json"}}
	begun := time.Now()
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var text strings.Builder
	times := map[string]time.Duration{}
	for buffer := make([]byte, 4096); ; {
		n, err := res.Body.Read(buffer)
		text.Write(buffer[:n])
		for _, mark := range []string{"We ", "open. ", "six.", "[DONE]"} {
			if _, seen := times[mark]; !seen && strings.Contains(text.String(), mark) {
				times[mark] = time.Since(begun)
			}
		}
		if err != nil {
			break
		}
	}
	if times["We "] < delay || times["open. "] < delay+sentence || times["six."] < delay+2*sentence || times["[DONE]"] == 0 {
		t.Errorf("heard at %v", times)
	}
}
