package llm

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley/internal/dialogue"
)

func TestCallsAreGathered(t *testing.T) {
	type fragment struct {
		index               int64
		id, name, arguments string
	}
	for name, test := range map[string]struct {
		fragments []fragment
		want      []dialogue.ToolCall
	}{
		"one, in fragments": {
			[]fragment{{0, "a", "book", ""}, {0, "", "", `{"day`}, {0, "", "", `":1}`}},
			[]dialogue.ToolCall{{ID: "a", Name: "book", Arguments: json.RawMessage(`{"day":1}`)}},
		},
		"two, one after the other and mixed": {
			[]fragment{{0, "a", "book", `{"n"`}, {1, "b", "ask", ""}, {0, "", "", `:1}`}, {1, "", "", `{}`}},
			[]dialogue.ToolCall{{ID: "a", Name: "book", Arguments: json.RawMessage(`{"n":1}`)}, {ID: "b", Name: "ask", Arguments: json.RawMessage(`{}`)}},
		},
		"two that a server numbers alike": {
			[]fragment{{0, "a", "book", `{"n":1}`}, {0, "b", "book", `{"n":2}`}},
			[]dialogue.ToolCall{{ID: "a", Name: "book", Arguments: json.RawMessage(`{"n":1}`)}, {ID: "b", Name: "book", Arguments: json.RawMessage(`{"n":2}`)}},
		},
		"identifier and name in each fragment": {
			[]fragment{{0, "a", "book", `{"n"`}, {0, "a", "book", `:1}`}},
			[]dialogue.ToolCall{{ID: "a", Name: "book", Arguments: json.RawMessage(`{"n":1}`)}},
		},
		"an identifier for each fragment": {
			[]fragment{{0, "a", "book", ""}, {0, "b", "", `{"n"`}, {0, "c", "book", `:1`}, {0, "d", "", `}`}},
			[]dialogue.ToolCall{{ID: "a", Name: "book", Arguments: json.RawMessage(`{"n":1}`)}},
		},
		"two that differ in their names": {
			[]fragment{{0, "a", "book", ""}, {0, "b", "ask", `{}`}},
			[]dialogue.ToolCall{{ID: "a", Name: "book", Arguments: json.RawMessage(`{}`)}, {ID: "b", Name: "ask", Arguments: json.RawMessage(`{}`)}},
		},
		"no arguments":   {[]fragment{{0, "a", "hang_up", ""}}, []dialogue.ToolCall{{ID: "a", Name: "hang_up", Arguments: json.RawMessage(`{}`)}}},
		"null arguments": {[]fragment{{0, "a", "hang_up", " null\n"}}, []dialogue.ToolCall{{ID: "a", Name: "hang_up", Arguments: json.RawMessage(`{}`)}}},
		"nothing":        {nil, nil},
	} {
		var calls Calls
		for _, f := range test.fragments {
			calls.Add(f.index, f.id, f.name, f.arguments)
		}
		got, err := calls.Finish()
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestCallsWithoutIdentifiersGetDifferentOnes(t *testing.T) {
	var calls Calls
	calls.Add(0, "", "a", "{}")
	calls.Add(1, "", "b", "{}")
	got, err := calls.Finish()
	if err != nil || len(got) != 2 || got[0].ID == "" || got[0].ID == got[1].ID || len(got[0].ID) > 40 {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestBrokenCallsAreErrors(t *testing.T) {
	for _, arguments := range []string{`{"day":`, `{"day":1}}`, `[1]`, `"day"`, `7`, `{day:1}`} {
		var calls Calls
		calls.Add(0, "a", "book", arguments)
		if got, err := calls.Finish(); err == nil || !strings.Contains(err.Error(), "book") || errors.Is(err, dialogue.ErrRefused) {
			t.Errorf("%s: got %+v, %v", arguments, got, err)
		}
	}
	var nameless Calls
	nameless.Add(0, "a", "", "{}")
	if got, err := nameless.Finish(); err == nil {
		t.Errorf("without a name: got %+v", got)
	}
}

func TestResultsFollowTheirCalls(t *testing.T) {
	user := func(text string) dialogue.Message { return dialogue.Message{Role: dialogue.RoleUser, Content: text} }
	result := func(id, text string) dialogue.Message {
		return dialogue.Message{Role: dialogue.RoleTool, ToolCallID: id, Content: text}
	}
	calls := dialogue.Message{Role: dialogue.RoleAssistant, ToolCalls: []dialogue.ToolCall{{ID: "a"}, {ID: "b"}}}
	got := Paired([]dialogue.Message{result("a", "of no call"), user("1"), calls, result("b", "B"), user("2"), result("a", "A"), result("c", "lost"),
		calls, user("3")})
	want := []dialogue.Message{user("1"), calls, result("a", "A"), result("b", "B"), user("2"), calls, result("a", noResult), result("b", noResult), user("3")}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestRefusals(t *testing.T) {
	const key = "sk-proj-abcdefgh1234"
	x := begin(t.Context(), Account{Key: key})
	defer x.end()
	for _, test := range []struct {
		status  int
		body    string
		refused bool
		want    string
	}{
		{401, `{"error":{"message":"Incorrect API key provided: sk-proj-********1234. Find yours.","type":"invalid_request_error","code":"invalid_api_key"}}`, true,
			"the key is refused by the provider: Incorrect API key provided: [key]. Find yours."},
		{401, `{"error":"bad key ` + key + `"}`, true, "the key is refused by the provider: bad key [key]"},
		{403, `{"type":"error","error":{"type":"permission_error","message":"Not allowed."}}`, true, "the key is refused by the provider: Not allowed."},
		{404, `{"error":{"message":"The model does not exist","code":"model_not_found"}}`, true, "the request is refused by the provider: The model does not exist"},
		{400, `{"object":"error","message":"too\nlong"}`, true, "the request is refused by the provider: too long"},
		{422, `{"detail":"no such field"}`, true, "the request is refused by the provider: no such field"},
		{402, `{"error":{"type":"billing_error"}}`, true, "the account is refused by the provider: billing_error"},
		{413, `<html>nginx</html>`, true, "the request is refused by the provider"},
		{429, `{"error":{"message":"Slow down.","type":"requests","code":"rate_limit_exceeded"}}`, false, "too many requests at once: Slow down."},
		{429, `{"error":{"message":"You exceeded your quota.","type":"insufficient_quota","code":"insufficient_quota"}}`, true, "the account is refused by the provider: You exceeded your quota."},
		{408, ``, false, "the provider gave up waiting"},
		{409, ``, false, "the provider asks to try again"},
		{500, `{"error":{"message":"Oops.","type":"server_error","code":7}}`, false, "status 500: Oops."},
		{502, `<html>Bad gateway</html>`, false, "the provider fails with status 502"},
		{529, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, false, "status 529: Overloaded"},
		{304, ``, false, "the provider fails with status 304"},
	} {
		err := x.statusError(test.status, []byte(test.body))
		if errors.Is(err, dialogue.ErrRefused) != test.refused || !strings.HasSuffix(err.Error(), test.want) {
			t.Errorf("%d %s: %v", test.status, test.body, err)
		}
	}
	long := x.statusError(http.StatusBadRequest, []byte(`{"error":{"message":"`+strings.Repeat("ü", 500)+`"}}`)).Error()
	if len(long) > 500 || !strings.HasSuffix(long, "ü…") {
		t.Errorf("a long message becomes %d bytes: %s", len(long), long)
	}
}

func TestErrorsInStreams(t *testing.T) {
	const key = "sk-proj-abcdefgh1234"
	x := begin(t.Context(), Account{Key: key})
	defer x.end()
	for _, test := range []struct {
		event, data string
		refused     bool
		want        string // "" for no error
	}{
		{"", `{"choices":[]}`, false, ""},
		{"", `{"choices":[{"delta":{"content":"\"error\""}}]}`, false, ""},
		{"", `{"type":"response.created","response":{"error":null}}`, false, ""},
		{"", `{"error":null}`, false, ""},
		{"", `["error"]`, false, ""},
		{"", `{"error":{"message":"Bad ` + key + `.","type":"server_error"}}`, false, "Bad [key]."},
		{"", `{"error":{"code":429,"message":"Quota.","status":"RESOURCE_EXHAUSTED"}}`, false, "Quota."},
		{"", `{"error":"Oops."}`, false, "Oops."},
		{"", `{"error":{}}`, false, "the provider reports an error"},
		{"", `{"error":{"message":"Too long.","code":"invalid_request_error"},"choices":[{"finish_reason":"error"}]}`, true, "Too long."},
		{"", `{"object":"error","message":"Too long.","type":"invalid_request_error","code":400}`, true, "Too long."},
		{"error", `{"type":"error","code":"server_is_overloaded","message":"Later.","param":null}`, false, "Later."},
		{"error", `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, false, "Overloaded"},
		{"error", `<html>`, false, "the provider reports an error"},
	} {
		event := Event{Name: test.event, Data: []byte(test.data)}
		if got := reportsError(event); got != (test.want != "") {
			t.Errorf("%s %s: an error: %v", test.event, test.data, got)
		}
		if test.want == "" {
			continue
		}
		if err := x.streamError(event.Data); errors.Is(err, dialogue.ErrRefused) != test.refused || !strings.HasSuffix(err.Error(), ": "+test.want) {
			t.Errorf("%s %s: %v", test.event, test.data, err)
		}
	}
}

func TestBaseURLs(t *testing.T) {
	for configured, want := range map[string]string{"": "https://vendor.example", "https://proxy.example/": "https://proxy.example", "http://[::1]:8000/v1": "http://[::1]:8000/v1",
		"wss://proxy.example/v1/": "https://proxy.example/v1", "ws://proxy.example": "http://proxy.example"} {
		if got := BaseURL(configured, "https://vendor.example"); got != want {
			t.Errorf("%q leads to %q, not to %q", configured, got, want)
		}
	}
}
