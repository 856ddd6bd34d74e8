// Package description makes the API's description without a running server.
package description

import (
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing/fstest"

	"parley/internal/api"
)

// JSON is what a server answers /openapi.json with.
func JSON() ([]byte, error) {
	server, err := api.New(api.Deps{Version: "dev", Log: slog.New(slog.DiscardHandler), Docs: fstest.MapFS{}})
	if err != nil {
		return nil, fmt.Errorf("make the API: %w", err)
	}
	answer := httptest.NewRecorder()
	server.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/openapi.json", nil))
	if answer.Code != http.StatusOK {
		return nil, fmt.Errorf("the description is answered with status %d: %s", answer.Code, answer.Body)
	}
	return answer.Body.Bytes(), nil
}
