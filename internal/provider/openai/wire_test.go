package openai_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/dialogue"
	"parley/internal/provider/openai"
)

// vendor answers every request alike and keeps the last.
type vendor struct {
	*httptest.Server
	requests atomic.Int32
	header   http.Header
	path     string
	body     map[string]any
}

func serve(t *testing.T, status int, contentType, answer string) *vendor {
	v := &vendor{}
	v.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		v.requests.Add(1)
		v.header, v.path = r.Header, r.URL.Path
		sent, _ := io.ReadAll(r.Body)
		v.body = nil
		if err := json.Unmarshal(sent, &v.body); err != nil {
			t.Error(err)
		}
		w.Header().Set("Content-Type", contentType)
		w.WriteHeader(status)
		io.WriteString(w, answer)
	}))
	t.Cleanup(v.Close)
	return v
}

// generate reads an answer to its end.
func generate(base string, p dialogue.Prompt) (text string, calls []dialogue.ToolCall, usage *dialogue.Usage, failure error) {
	for delta, err := range openai.New(openai.Options{Key: "sk-secret-key", BaseURL: base}).Generate(context.Background(), p) {
		if err != nil {
			return text, calls, usage, err
		}
		text += delta.Text
		calls = append(calls, delta.ToolCalls...)
		if delta.Usage != nil {
			usage = delta.Usage
		}
	}
	return text, calls, usage, nil
}

// chunks makes a stream of deltas, ending with a reason unless it is empty.
func chunks(reason string, deltas ...string) string {
	var b strings.Builder
	for _, d := range deltas {
		fmt.Fprintf(&b, "data: {\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"choices\":[{\"index\":0,\"delta\":%s,\"finish_reason\":null}]}\n\n", d)
	}
	if reason != "" {
		fmt.Fprintf(&b, "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":%q}]}\n\n", reason)
	}
	return b.String()
}

const stream = "text/event-stream"

func TestRequestGoesOutAsDocumented(t *testing.T) {
	v := serve(t, http.StatusOK, stream, chunks("stop", `{"content":"Yes."}`))
	for name, value := range map[string]string{"OPENAI_API_KEY": "sk-other", "OPENAI_ORG_ID": "org-other", "OPENAI_PROJECT_ID": "proj-other",
		"OPENAI_BASE_URL": "http://127.0.0.1:1", "OPENAI_CUSTOM_HEADERS": "X-Other: yes"} {
		t.Setenv(name, value)
	}
	temperature := 0.25
	text, _, usage, err := generate(v.URL, dialogue.Prompt{
		Model: "gpt-4.1", System: "Be brief.", Temperature: &temperature, MaxTokens: 90,
		Messages: []dialogue.Message{
			{Role: dialogue.RoleSystem, Content: "The call begins."},
			{Role: dialogue.RoleAssistant, Content: "Hello!"},
			{Role: dialogue.RoleUser, Content: "A table."},
			{Role: dialogue.RoleAssistant, Content: "Let me see.", ToolCalls: []dialogue.ToolCall{{ID: "call_1", Name: "book", Arguments: json.RawMessage(`{"n": 2}`)}}},
			{Role: dialogue.RoleTool, ToolCallID: "call_1", Content: "booked"},
		},
		Tools: []dialogue.Tool{{Name: "book", Description: "Books a table.", Parameters: json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}}}`)}},
	})
	if err != nil || text != "Yes." || usage != nil {
		t.Errorf("heard %q, %v, %v", text, usage, err)
	}
	var want map[string]any
	if err := json.Unmarshal([]byte(`{
		"model": "gpt-4.1", "stream": true, "stream_options": {"include_usage": true}, "temperature": 0.25, "max_tokens": 90,
		"messages": [
			{"role": "system", "content": "Be brief."},
			{"role": "system", "content": "The call begins."},
			{"role": "assistant", "content": "Hello!"},
			{"role": "user", "content": "A table."},
			{"role": "assistant", "content": "Let me see.", "tool_calls": [{"id": "call_1", "type": "function", "function": {"name": "book", "arguments": "{\"n\": 2}"}}]},
			{"role": "tool", "tool_call_id": "call_1", "content": "booked"}],
		"tools": [{"type": "function", "function": {"name": "book", "description": "Books a table.", "parameters": {"type": "object", "properties": {"n": {"type": "integer"}}}}}]
	}`), &want); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, v.body); diff != "" {
		t.Errorf("(-want +sent):\n%s", diff)
	}
	if v.path != "/v1/chat/completions" || v.header.Get("Authorization") != "Bearer sk-secret-key" {
		t.Errorf("sent to %s with %v", v.path, v.header)
	}
	for _, name := range []string{"OpenAI-Organization", "OpenAI-Project", "X-Other"} {
		if v.header.Get(name) != "" {
			t.Errorf("%s was taken from the environment", name)
		}
	}
}

func TestBaseURLs(t *testing.T) {
	v := serve(t, http.StatusOK, stream, chunks("stop"))
	for suffix, want := range map[string]string{"": "/v1/chat/completions", "/": "/v1/chat/completions", "/v1": "/v1/chat/completions",
		"/v1/": "/v1/chat/completions", "/openai/v1": "/openai/v1/chat/completions"} {
		if _, _, _, err := generate(v.URL+suffix, dialogue.Prompt{Model: "m"}); err != nil || v.path != want {
			t.Errorf("base URL …%s leads to %s, %v, not to %s", suffix, v.path, err, want)
		}
	}
}

func TestParametersFitTheModel(t *testing.T) {
	v := serve(t, http.StatusOK, stream, chunks("stop"))
	temperature := 0.7
	for model, want := range map[string]string{
		"gpt-4.1":             "max_tokens temperature",
		"llama3.1:8b":         "max_tokens temperature",
		"gpt-5-chat-latest":   "max_tokens temperature",
		"gpt-50":              "max_tokens temperature",
		"o4-mini":             "max_completion_tokens low",
		"gpt-5":               "max_completion_tokens minimal",
		"gpt-5-mini":          "max_completion_tokens minimal",
		"openai/gpt-5.1":      "max_completion_tokens none",
		"gpt-5.2-2025-12-11":  "max_completion_tokens none",
		"gpt-5.1-codex":       "max_completion_tokens",
		"gpt-5-pro":           "max_completion_tokens",
		"gpt-5.2-chat-latest": "max_tokens temperature",
	} {
		if _, _, _, err := generate(v.URL, dialogue.Prompt{Model: model, Temperature: &temperature, MaxTokens: 5}); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, name := range []string{"max_tokens", "max_completion_tokens", "temperature"} {
			if v.body[name] != nil {
				got = append(got, name)
			}
		}
		if effort, ok := v.body["reasoning_effort"].(string); ok {
			got = append(got, effort)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s gets %v, want %s", model, got, want)
		}
	}
}

func TestAnswersThatAreNone(t *testing.T) {
	call := `{"tool_calls":[{"index":0,"id":"a","function":{"name":"book","arguments":"{\"n\":"}}]}`
	for name, test := range map[string]struct {
		status       int
		kind, answer string
		refused      bool
		want         string
	}{
		"no end":               {200, stream, chunks("", `{"content":"We"}`), false, "broke off"},
		"half a call and end":  {200, stream, chunks("", `{"content":"Let me see."}`, call), false, "broke off"},
		"half a call, [DONE]":  {200, stream, chunks("", call) + "data: [DONE]\n\n", false, "book"},
		"an error as reason":   {200, stream, chunks("error", `{"content":"We"}`), false, "because of an error"},
		"nothing":              {200, stream, "", false, "broke off"},
		"not a stream":         {200, "application/json", `{"choices":[]}`, false, "base URL"},
		"a page":               {200, "text/html", "<html>Welcome</html>", false, "base URL"},
		"half a call":          {200, stream, chunks("tool_calls", call), false, "book"},
		"a call over length":   {200, stream, chunks("length", call), false, "token limit"},
		"the filter":           {200, stream, chunks("content_filter"), false, "content filter"},
		"an error in it":       {200, stream, chunks("", `{"content":"We"}`) + "data: {\"error\":{\"message\":\"Overloaded, sk-secret-key.\",\"type\":\"server_error\"}}\n\n", false, "Overloaded, [key]."},
		"an event of errors":   {200, stream, "event: error\ndata: {\"message\":\"Overloaded.\"}\n\n" + chunks("stop"), false, "Overloaded."},
		"a refusal in it":      {200, stream, "data: {\"error\":{\"message\":\"Too long.\",\"type\":\"invalid_request_error\"}}\n\n", true, "Too long."},
		"a proxy's page":       {502, "text/html", "<html>Bad gateway</html>", false, "status 502"},
		"a key that is closed": {403, "application/json", `{"error":{"message":"Closed."}}`, true, "Closed."},
	} {
		v := serve(t, test.status, test.kind, test.answer)
		text, calls, usage, err := generate(v.URL, dialogue.Prompt{Model: "gpt-4.1"})
		if err == nil || errors.Is(err, dialogue.ErrRefused) != test.refused || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: heard %q, %v, %v, %v", name, text, calls, usage, err)
		} else if strings.Contains(err.Error(), "sk-secret-key") {
			t.Errorf("%s: the error shows the key: %v", name, err)
		}
		if len(calls) > 0 || usage != nil {
			t.Errorf("%s: calls %v and usage %v of half an answer", name, calls, usage)
		}
		if n := v.requests.Load(); n != 1 {
			t.Errorf("%s: asked %d times", name, n)
		}
	}
}

func TestAnswersOfServersThatImitate(t *testing.T) {
	for name, test := range map[string]struct {
		answer, text string
		calls, input int
	}{
		"usage beside the end": {"data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Hi.\"},\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":7,\"completion_tokens\":2}}\n\n", "Hi.", 0, 7},
		"comments and null": {": keep-alive\n\ndata: {\"choices\":null}\n\n" + chunks("stop", `{"role":"assistant","content":null}`, `{"content":"Hi."}`) +
			"data: {\"choices\":null,\"usage\":{\"prompt_tokens\":7,\"completion_tokens\":2}}\n\ndata: [DONE]\n\n", "Hi.", 0, 7},
		"a refusal":                    {chunks("stop", `{"refusal":"I must not."}`), "I must not.", 0, 0},
		"calls that stop":              {chunks("stop", `{"tool_calls":[{"index":0,"id":"a","function":{"name":"x","arguments":"{}"}},{"index":0,"id":"b","function":{"name":"y","arguments":""}}]}`), "", 2, 0},
		"lines of Windows":             {strings.ReplaceAll(chunks("stop", `{"content":"Hi."}`), "\n", "\r\n"), "Hi.", 0, 0},
		"arguments as objects":         {chunks("tool_calls", `{"tool_calls":[{"index":0,"id":"a","function":{"name":"x","arguments":{"n":1}}}]}`), "", 1, 0},
		"fields of other types":        {"data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":[],\"refusal\":\"No.\"},\"finish_reason\":\"stop\"}],\"usage\":{\"prompt_tokens\":7.0}}\n\n", "No.", 0, 7},
		"events without data":          {"event: ping\n\ndata:\n\n" + chunks("stop", `{"content":"Hi."}`), "Hi.", 0, 0},
		"error is null":                {"data: {\"error\":null,\"choices\":[]}\n\n" + chunks("stop", `{"content":"Hi."}`), "Hi.", 0, 0},
		"no end but [DONE]":            {chunks("", `{"content":"Sure, I can help"}`) + "data: [DONE]\n\n", "Sure, I can help", 0, 0},
		"no end after a sentence":      {chunks("", `{"content":"**Sure.** \"Yes!\" "}`), `**Sure.** "Yes!" `, 0, 0},
		"no end after Hindi":           {chunks("", `{"content":"नमस्ते। "}`), "नमस्ते। ", 0, 0},
		"no end after a call":          {chunks("", `{"tool_calls":[{"index":0,"id":"a","function":{"name":"x","arguments":"{}"}}]}`), "", 1, 0},
		"[DONE] alone":                 {"data: [DONE]\n\n", "", 0, 0},
		"content in parts":             {chunks("stop", `{"content":[{"type":"text","text":"Hi"},{"type":"thinking","thinking":[{"type":"text","text":"Hm."}]},{"type":"text","text":"."}]}`), "Hi.", 0, 0},
		"content as a part or strings": {chunks("stop", `{"content":{"type":"output_text","text":"Hi"}}`, `{"content":[", ","you."]}`), "Hi, you.", 0, 0},
		"an id for each fragment": {chunks("tool_calls", `{"tool_calls":[{"index":0,"id":"a","function":{"name":"x","arguments":""}}]}`,
			`{"tool_calls":[{"index":0,"id":"b","function":{"arguments":"{\"n\""}}]}`, `{"tool_calls":[{"index":0,"id":"c","function":{"name":null,"arguments":":1}"}}]}`), "", 1, 0},
		"a reason before the arguments": {chunks("tool_calls", `{"tool_calls":[{"index":0,"id":"a","function":{"name":"x","arguments":"{\"n\""}}]}`) +
			chunks("tool_calls", `{"tool_calls":[{"index":0,"function":{"arguments":":1}"}}]}`), "", 1, 0},
		"broken after ends": {chunks("stop", `{"content":"Hi."}`) + "data: {\"choi\n\n", "Hi.", 0, 0},
	} {
		v := serve(t, http.StatusOK, stream, test.answer)
		text, calls, usage, err := generate(v.URL, dialogue.Prompt{Model: "llama"})
		if err != nil || text != test.text || len(calls) != test.calls {
			t.Errorf("%s: heard %q, %v, %v", name, text, calls, err)
		}
		if test.input > 0 && (usage == nil || usage.InputTokens != test.input) {
			t.Errorf("%s: usage %+v", name, usage)
		}
	}
}

func TestRedirectsDoNotTakeTheKeyAlong(t *testing.T) {
	elsewhere := serve(t, http.StatusOK, stream, chunks("stop"))
	here := httptest.NewServer(http.RedirectHandler(elsewhere.URL+"/v1/chat/completions", http.StatusTemporaryRedirect))
	defer here.Close()
	if text, _, _, err := generate(here.URL, dialogue.Prompt{Model: "m"}); err == nil || elsewhere.requests.Load() != 0 {
		t.Errorf("heard %q, %v, and %d requests elsewhere", text, err, elsewhere.requests.Load())
	}
}

func TestNobodyListens(t *testing.T) {
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	if _, _, _, err := generate(gone.URL, dialogue.Prompt{Model: "m"}); err == nil || errors.Is(err, dialogue.ErrRefused) {
		t.Errorf("got %v", err)
	}
}

// A server that does not stream answers with a JSON object, or with one for each delta.
func TestAnswersWithoutEvents(t *testing.T) {
	whole := `{"object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"Hi."},"finish_reason":"stop"}],"usage":{"prompt_tokens":7}}`
	lines := `{"choices":[{"delta":{"content":"H"}}]}` + "\n" + `{"choices":[{"delta":{"content":"i."},"finish_reason":"stop"}],"usage":{"prompt_tokens":7}}`
	for kind, answer := range map[string]string{"application/json; charset=utf-8": whole, "application/x-ndjson": lines} {
		v := serve(t, http.StatusOK, kind, answer)
		text, _, usage, err := generate(v.URL, dialogue.Prompt{Model: "llama"})
		if err != nil || text != "Hi." || usage == nil || usage.InputTokens != 7 {
			t.Errorf("%s: heard %q, %v, %v", kind, text, usage, err)
		}
	}
	v := serve(t, http.StatusOK, "application/json", `{"error":{"message":"No such model.","code":"model_not_found"}}`)
	if text, _, _, err := generate(v.URL, dialogue.Prompt{Model: "llama"}); err == nil || !strings.Contains(err.Error(), "No such model.") {
		t.Errorf("an error with status 200: %q, %v", text, err)
	}
}

// What is a judgement on one prompt differs from a broken provider.
func TestJudgements(t *testing.T) {
	for name, test := range map[string]struct {
		status       int
		kind, answer string
		want         error
	}{
		"content_filter":     {200, stream, chunks("content_filter", `{"content":"We"}`), dialogue.ErrDeclined},
		"Azure's filter":     {400, "application/json", `{"error":{"message":"Filtered.","code":"content_filter","status":400,"innererror":{"code":"ResponsibleAIPolicyViolation"}}}`, dialogue.ErrPromptDeclined},
		"too long":           {400, "application/json", `{"error":{"message":"Too long.","type":"invalid_request_error","code":"context_length_exceeded"}}`, dialogue.ErrPromptTooLong},
		"too long, for vLLM": {400, "application/json", `{"object":"error","message":"This model's maximum context length is 4096 tokens.","type":"BadRequestError","code":400}`, dialogue.ErrPromptTooLong},
		"a call by Groq":     {400, "application/json", `{"error":{"message":"Failed to call a function.","type":"invalid_request_error","code":"tool_use_failed"}}`, dialogue.ErrDeclined},
		"moderation":         {403, "application/json", `{"error":{"code":403,"message":"Your input was flagged by moderation."}}`, dialogue.ErrPromptDeclined},
		"another request":    {400, "application/json", `{"error":{"message":"Bad temperature."}}`, dialogue.ErrRequestRefused},
	} {
		v := serve(t, test.status, test.kind, test.answer)
		if _, _, _, err := generate(v.URL, dialogue.Prompt{Model: "gpt-4.1"}); !errors.Is(err, test.want) || errors.Is(err, dialogue.ErrDeclined) && errors.Is(err, dialogue.ErrRefused) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
