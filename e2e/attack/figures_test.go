package attack

import (
	"net/http"
	"strconv"
	"strings"
	"testing"

	"parley/e2e/binary"
)

// metrics is what the operator reads in /metrics.
func metrics(t *testing.T, s *binary.Server) string {
	t.Helper()
	answer, text := send(t, s, "", http.MethodGet, "/metrics", "")
	if answer.StatusCode != http.StatusOK {
		t.Fatalf("/metrics: %s", answer.Status)
	}
	return string(text)
}

// figure is the value of a series without labels.
func figure(t *testing.T, metrics, name string) float64 {
	t.Helper()
	_, rest, found := strings.Cut(metrics, "\n"+name+" ")
	line, _, _ := strings.Cut(rest, "\n")
	value, err := strconv.ParseFloat(line, 64)
	if err != nil {
		t.Fatalf("%s in /metrics, found: %t: %v", name, found, err)
	}
	return value
}
