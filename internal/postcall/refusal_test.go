package postcall_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"parley/internal/analysis"
	"parley/internal/provider"
	"parley/internal/provider/openai"
)

// A language model is asked a second time, without the schema, only where it may be the schema that was refused.
func TestRefusalOfTheSchema(t *testing.T) {
	for _, tc := range []struct {
		status int
		body   string
		want   int32
	}{
		{http.StatusBadRequest, `{"error":{"message":"response_format json_schema is not supported"}}`, 2},
		{http.StatusUnprocessableEntity, `{"error":{"message":"unknown field json_schema"}}`, 2},
		{http.StatusBadRequest, `{"error":{"message":"too long","code":"context_length_exceeded"}}`, 1},
		{http.StatusUnauthorized, `{"error":{"message":"incorrect API key"}}`, 1},
		{http.StatusForbidden, `{"error":{"message":"no access"}}`, 1},
		{http.StatusNotFound, `{"error":{"message":"no such model"}}`, 1},
		{http.StatusTooManyRequests, `{"error":{"message":"rate limit"}}`, 1},
	} {
		var requests, schemas atomic.Int32
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			requests.Add(1)
			if strings.Contains(string(body), `"json_schema"`) {
				schemas.Add(1)
			}
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(tc.status)
			_, _ = io.WriteString(w, tc.body)
		}))
		model := openai.New(openai.Options{Provider: provider.Compatible, Key: "wrong", BaseURL: server.URL})
		config := analysis.Config{Criteria: []analysis.Criterion{{Name: "booked", Question: "Was it booked?"}}}
		q := analysis.NewQuestion(analysis.Facts{}, []analysis.Entry{{ID: 1, Speaker: analysis.Caller, Text: "Hello."}})
		if _, _, _, err := config.Ask(t.Context(), model, analysis.LLM{Provider: provider.Compatible, Model: "llama"}, q, time.Minute); err == nil {
			t.Errorf("%d: no error", tc.status)
		}
		if requests.Load() != tc.want || schemas.Load() != 1 {
			t.Errorf("%d %s: %d requests, %d with the schema; want %d and 1", tc.status, tc.body, requests.Load(), schemas.Load(), tc.want)
		}
		server.Close()
	}
}
