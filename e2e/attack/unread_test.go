package attack

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"parley/e2e/binary"
)

// leaveUnread requests an answer n times and reads nothing of it. The connections stay open until the context ends.
func leaveUnread(ctx context.Context, s *binary.Server, key, path string, n int) error {
	dialer := net.Dialer{Control: func(_, _ string, c syscall.RawConn) (err error) {
		if failed := c.Control(func(fd uintptr) { err = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_RCVBUF, 4096) }); failed != nil {
			return failed
		}
		return err
	}}
	for range n {
		conn, err := dialer.DialContext(ctx, "tcp", strings.TrimPrefix(s.URL, "http://"))
		if err != nil {
			return err
		}
		context.AfterFunc(ctx, func() { _ = conn.Close() })
		if _, err := fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: x\r\nX-API-Key: %s\r\n\r\n", path, key); err != nil {
			return err
		}
	}
	return nil
}

// newVersions makes a prompt with n versions of 900 kB each.
func newVersions(t *testing.T, s *binary.Server, key string, n int) {
	t.Helper()
	body := func(name string) map[string]any {
		content := map[string]string{}
		for _, code := range []string{"aa", "bb", "cc", "dd", "ee", "ff", "gg", "hh", "ii"} {
			content[code] = strings.Repeat("x", 99_000)
		}
		return map[string]any{"slug": "large", "name": name, "category": "greeting", "content": content}
	}
	create(t, func(method, path, body string) (*http.Response, []byte) { return send(t, s, key, method, path, body) }, "/api/v1/prompts", body("0"))
	for i := range n - 1 {
		if answer, text := send(t, s, key, http.MethodPatch, "/api/v1/prompts/large", fmt.Sprintf(`{"name":"%d"}`, i+1)); answer.StatusCode != http.StatusOK {
			t.Fatalf("version %d: %s: %.300s", i+1, answer.Status, text)
		}
	}
}

// Answers that a tenant does not read use little memory, delay nobody else, and are cut off.
func TestUnreadAnswers(t *testing.T) {
	t.Parallel()
	s := start(t, nil, "--without=worker,media,sip")
	key, neighbour := newTenant(t, s, "acme", "*"), newTenant(t, s, "neighbour", "*")
	newVersions(t, s, key, 10)
	newVersions(t, s, neighbour, 5)
	const path = "/api/v1/prompts/large/versions?limit=5" // 4.5 MB

	volume := "/api/v1/analytics/call-volume?started_after=2015-01-01T00:00:00Z&started_before=2026-01-01T00:00:00Z"
	if answer, text := send(t, s, key, http.MethodGet, volume, ""); answer.StatusCode != http.StatusUnprocessableEntity || !strings.Contains(string(text), "96432 intervals") {
		t.Errorf("11 years of hours: %s: %.300s", answer.Status, text)
	}

	before, most := memory(t, s), 0
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	for _, each := range []string{path, volume} {
		if err := leaveUnread(ctx, s, key, each, 40); err != nil {
			t.Fatal(err)
		}
	}
	refused := false
	await(t, "a request beyond the tenant's budget is refused", func() bool {
		most = max(most, memory(t, s)-before)
		answer, text := send(t, s, key, http.MethodGet, path, "")
		switch answer.StatusCode {
		case http.StatusTooManyRequests:
			if refused = true; answer.Header.Get("Retry-After") == "" || !strings.Contains(string(text), "limit answer_bytes") {
				t.Errorf("%v: %.300s", answer.Header, text)
			}
		case http.StatusOK:
			wholePage(t, text, 5)
		default:
			t.Errorf("%s: %.300s", answer.Status, text)
			return true
		}
		return refused
	})
	if answer, text := send(t, s, neighbour, http.MethodGet, path, ""); answer.StatusCode != http.StatusOK {
		t.Errorf("the neighbour: %s: %.300s", answer.Status, text)
	} else {
		wholePage(t, text, 5)
	}
	if answer, text := send(t, s, key, http.MethodGet, "/api/v1/prompts", ""); answer.StatusCode != http.StatusOK {
		t.Errorf("a small answer: %s: %.300s", answer.Status, text)
	}
	await(t, "answers that are not read are cut off", func() bool {
		most = max(most, memory(t, s)-before)
		time.Sleep(200 * time.Millisecond)
		answer, text := send(t, s, key, http.MethodGet, path, "")
		if answer.StatusCode == http.StatusOK {
			wholePage(t, text, 5)
		}
		return answer.StatusCode == http.StatusOK
	})
	t.Logf("%d MiB more than before", most>>20)
	if most > 150<<20 {
		t.Errorf("the server grew by %d MiB", most>>20)
	}
}

// wholePage checks that a page is complete.
func wholePage(t *testing.T, text []byte, items int) {
	t.Helper()
	var page struct{ Items []json.RawMessage }
	if err := json.Unmarshal(text, &page); err != nil || len(page.Items) != items {
		t.Errorf("%d items, %v", len(page.Items), err)
	}
}

// A client that reads slowly but steadily gets its whole answer.
func TestSlowReader(t *testing.T) {
	t.Parallel()
	s := start(t, nil, "--without=worker,media,sip")
	key := newTenant(t, s, "acme", "*")
	newVersions(t, s, key, 5)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+"/api/v1/prompts/large/versions?limit=5", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("X-API-Key", key)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	var text []byte
	for piece := make([]byte, 128<<10); ; time.Sleep(100 * time.Millisecond) {
		n, err := io.ReadFull(answer.Body, piece)
		if text = append(text, piece[:n]...); err != nil {
			break
		}
	}
	wholePage(t, text, 5)
}
