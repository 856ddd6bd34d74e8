// Command openapi prints the description of the API that the server serves at
// /openapi.json. The dashboard's types and enumerations are generated from it.
package main

import (
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"testing/fstest"

	"parley/internal/api"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "openapi:", err)
		os.Exit(1)
	}
}

func run() error {
	server, err := api.New(api.Deps{Version: "dev", Log: slog.New(slog.DiscardHandler), Docs: fstest.MapFS{}})
	if err != nil {
		return fmt.Errorf("make the API: %w", err)
	}
	answer := httptest.NewRecorder()
	server.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/openapi.json", nil))
	if answer.Code != http.StatusOK {
		return fmt.Errorf("the description is answered with status %d: %s", answer.Code, answer.Body)
	}
	_, err = os.Stdout.Write(answer.Body.Bytes())
	return err
}
