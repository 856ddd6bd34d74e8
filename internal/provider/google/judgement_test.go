package google

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"parley/internal/dialogue"
)

// ask returns the text and the error of an answer of a server that answers so.
func ask(t *testing.T, status int, kind, answer string) (text string, failure error) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		w.WriteHeader(status)
		io.WriteString(w, answer)
	}))
	defer server.Close()
	for delta, err := range New(Options{BaseURL: server.URL}).Generate(t.Context(), dialogue.Prompt{Model: "gemini-2.5-flash"}) {
		text, failure = text+delta.Text, err
	}
	return text, failure
}

func TestJudgements(t *testing.T) {
	for answer, want := range map[string]error{
		`{"candidates":[{"finishReason":"SAFETY"}]}`:                  dialogue.ErrDeclined,
		`{"candidates":[{"finishReason":"RECITATION"}]}`:              dialogue.ErrDeclined,
		`{"candidates":[{"finishReason":"MALFORMED_FUNCTION_CALL"}]}`: dialogue.ErrDeclined,
		`{"promptFeedback":{"blockReason":"PROHIBITED_CONTENT"}}`:     dialogue.ErrPromptDeclined,
	} {
		if text, err := ask(t, 200, "text/event-stream", "data: "+answer+"\n\n"); !errors.Is(err, want) || errors.Is(err, dialogue.ErrRefused) {
			t.Errorf("%s: %q, %v", answer, text, err)
		}
	}
	const tooLong = `{"error":{"code":400,"message":"The input token count (1300000) exceeds the maximum number of tokens allowed (1048576).","status":"INVALID_ARGUMENT"}}`
	if _, err := ask(t, 400, "application/json", tooLong); !errors.Is(err, dialogue.ErrPromptTooLong) {
		t.Errorf("too long: %v", err)
	}
}

func TestAnswerWithoutFinishReason(t *testing.T) {
	if text, err := ask(t, 200, "text/event-stream", "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"Sunny.\"}]}}]}\n\n"); text != "Sunny." || err != nil {
		t.Errorf("after a sentence: %q, %v", text, err)
	}
	if text, err := ask(t, 200, "text/event-stream", "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"Sun\"}]}}]}\n\n"); !errors.Is(err, dialogue.ErrUnfinished) {
		t.Errorf("in a sentence: %q, %v", text, err)
	}
}
