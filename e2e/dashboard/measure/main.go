// Command measure prints the dashboard's figures of docs/performance.md for a parley binary on this machine: it starts a
// server with a demo tenant that has had many calls, and uses its pages in Chromium.
//
//	go run ./e2e/dashboard/measure -parley bin/parley [-calls 10000] [-minutes 60]
//
// With -widget it prints those of <parley-agent> instead.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"time"

	"parley/e2e/binary"
	"parley/internal/database"
)

func main() {
	path := flag.String("parley", "bin/parley", "the binary to measure")
	calls := flag.Int("calls", 10_000, "calls that the tenant has had")
	minutes := flag.Int("minutes", 0, "minutes for which pages are open while calls change ten times a second")
	widget := flag.Bool("widget", false, "measure the widget")
	flag.Parse()
	measure := func() error { return run(*path, *calls, *minutes) }
	if *widget {
		measure = func() error { return measureWidget(*path) }
	}
	if err := measure(); err != nil {
		fmt.Fprintln(os.Stderr, "measure:", err)
		os.Exit(1)
	}
}

func run(path string, calls, minutes int) (err error) {
	dir, err := os.MkdirTemp("", "parley-measure-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	data := filepath.Join(dir, "data")
	settings := map[string]string{"PARLEY_DEMO": "true", "PARLEY_SESSION_RATE_LIMIT": "0"}
	s, err := binary.Start(path, data, settings)
	if err != nil {
		return err
	}
	email, password, err := printedSignIn(s)
	if err != nil {
		return errors.Join(err, s.Stop())
	}
	if err := s.Stop(); err != nil {
		return err
	}
	if err := seed(filepath.Join(data, "parley.db"), calls); err != nil {
		return fmt.Errorf("seed calls: %w", err)
	}
	if s, err = binary.Start(path, data, settings); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Stop()) }()
	node := exec.Command("node", "e2e/dashboard/measure/measure.mjs", s.URL, email, password, dir, strconv.Itoa(minutes))
	node.Stdout, node.Stderr = os.Stdout, os.Stderr
	return node.Run()
}

var signInForm = regexp.MustCompile(`e-mail\s+(\S+)\s+password\s+(\S+)\s`)

// printedSignIn returns the e-mail address and the password that the first start of a server prints.
func printedSignIn(s *binary.Server) (email, password string, err error) {
	for begun := time.Now(); time.Since(begun) < time.Minute; time.Sleep(20 * time.Millisecond) {
		if found := signInForm.FindStringSubmatch(s.Out.String()); found != nil {
			return found[1], found[2], nil
		}
	}
	return "", "", fmt.Errorf("the server prints no sign-in:\n%s", s.Out.String())
}

// seed writes n calls of the last 30 days into the database of a server that does not run, with the counts that the totals
// of lists come from.
func seed(path string, n int) error {
	ctx := context.Background()
	db, err := database.Open(ctx, "", path)
	if err != nil {
		return err
	}
	defer db.Close()
	return db.System().Write(ctx, func(ctx context.Context, tx database.Tx) error {
		for _, statement := range []string{
			fmt.Sprintf(`INSERT INTO calls (id, tenant_id, workflow_id, workflow_slug, user_id, status, direction, call_type, livemode, room_name, agent_history, metrics,
				created_at, started_at, ended_at, duration_seconds, join_by, fence, end_asked)
				SELECT printf('0193a6f0-0000-7000-8000-%%012x', i), tenant_id, workflow_id, slug, 'user-' || (i * 7919 %% 1000),
					CASE WHEN i %% 40 = 0 THEN 'timeout' WHEN i %% 10 = 0 THEN 'failed' ELSE 'completed' END,
					'inbound', 'voip', i %% 50 <> 0, 'measured-' || i, '["demo","demo-booking"]', '{}', at, at, at, 20 + i * 7919 %% 600, at, 1, 0
				FROM (WITH RECURSIVE numbers (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM numbers WHERE i < %[1]d)
					SELECT i, w.tenant_id, w.id AS workflow_id, w.slug, strftime('%%Y-%%m-%%d %%H:%%M:%%f+00:00', 'now', '-' || ((%[1]d - i + 1) * 2592000 / %[1]d) || ' seconds') AS at
					FROM numbers, (SELECT * FROM workflows WHERE slug = 'demo') w)`, n),
			`INSERT INTO call_counts
				SELECT tenant_id, span, CASE span WHEN 'all' THEN '1970-01-01 00:00:00+00:00' WHEN 'day' THEN substr(listed_at, 1, 10) || ' 00:00:00+00:00' ELSE substr(listed_at, 1, 13) || ':00:00+00:00' END,
					COALESCE(workflow_id, ''), status, livemode, COUNT(*)
				FROM calls CROSS JOIN (SELECT 'all' AS span UNION ALL SELECT 'day' UNION ALL SELECT 'hour') spans
				WHERE ended_at IS NOT NULL GROUP BY 1, 2, 3, 4, 5, 6`,
			`INSERT INTO call_user_counts SELECT tenant_id, user_id, COALESCE(workflow_id, ''), status, livemode, COUNT(*)
				FROM calls WHERE ended_at IS NOT NULL AND user_id IS NOT NULL GROUP BY 1, 2, 3, 4, 5`,
		} {
			if _, err := tx.ExecContext(ctx, statement); err != nil {
				return err
			}
		}
		return nil
	})
}
