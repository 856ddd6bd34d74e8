package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"parley/e2e/binary"
)

// dispatchRate sends POST /api/v1/calls at a steady rate, whether earlier ones were answered or not, and returns the
// milliseconds of each. The server has all roles: its worker's agents join their rooms meanwhile, up to its capacity.
func dispatchRate(path string, perSecond int, length time.Duration) (took []float64, err error) {
	dir, err := os.MkdirTemp("", "parley-bench-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	s, err := binary.Start(path, filepath.Join(dir, "data"), nil)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.Stop()) }()
	key, err := fastKey(path, s)
	if err != nil {
		return nil, err
	}
	web := &http.Client{Timeout: 10 * time.Second, Transport: &http.Transport{MaxIdleConnsPerHost: 64}}
	var mu sync.Mutex
	var failures []error
	var wg sync.WaitGroup
	ticker := time.NewTicker(time.Second / time.Duration(perSecond))
	defer ticker.Stop()
	for range int(length.Seconds()) * perSecond {
		due := <-ticker.C
		wg.Go(func() {
			err := post(web, s.URL+"/api/v1/calls", key, `{"workflow_slug":"demo","user_id":"u1","user_context":{"name":"Ada"}}`)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				failures = append(failures, err)
			}
			took = append(took, float64(time.Since(due).Microseconds())/1000)
		})
	}
	wg.Wait()
	if len(failures) > 0 {
		return nil, fmt.Errorf("%d of %d dispatches failed, the first: %w", len(failures), len(took), failures[0])
	}
	return took, nil
}

// fastKey makes an API key whose rate limit is out of the way.
func fastKey(path string, s *binary.Server) (string, error) {
	p, err := binary.Launch(path, map[string]string{"PARLEY_DATA_DIR": s.Dir}, "key", "create", "--tenant", "demo", "--name", "bench", "--scopes", "*", "--rate-limit", "100000")
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	code, err := p.Wait(ctx)
	if err != nil || code != 0 {
		return "", fmt.Errorf("parley key create: exit code %d, %w: %s", code, err, p.Log.String())
	}
	return strings.TrimSpace(p.Out.String()), nil
}

func post(web *http.Client, url, key, body string) error {
	r, err := http.NewRequest(http.MethodPost, url, bytes.NewReader([]byte(body)))
	if err != nil {
		return err
	}
	r.Header.Set("X-API-Key", key)
	r.Header.Set("Content-Type", "application/json")
	answer, err := web.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err == nil && answer.StatusCode != http.StatusCreated {
		err = fmt.Errorf("%s: %s", answer.Status, text)
	}
	return err
}
