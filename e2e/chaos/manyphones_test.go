package chaos

import (
	"bufio"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"parley/client"
	"parley/e2e/phones"
)

// held is what a server holds for its calls.
type held struct{ goroutines, files, sockets, ports int }

// held counts what the server holds now.
func (x *switchboard) held(t *testing.T) (h held) {
	t.Helper()
	files, err := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", x.PID()))
	if err != nil {
		t.Fatal(err)
	}
	own := map[string]bool{}
	for _, file := range files {
		target, err := os.Readlink(file)
		if err != nil { // closed meanwhile
			continue
		}
		h.files++
		if inode, ok := strings.CutPrefix(target, "socket:["); ok {
			h.sockets++
			own[strings.TrimSuffix(inode, "]")] = true
		}
	}
	table, err := os.ReadFile("/proc/net/udp")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(table)) {
		if fields := strings.Fields(line); len(fields) > 9 && own[fields[9]] {
			h.ports++
		}
	}
	answer, err := http.Get(x.URL + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	for lines := bufio.NewScanner(answer.Body); lines.Scan(); {
		if rest, ok := strings.CutPrefix(lines.Text(), "go_goroutines "); ok {
			if h.goroutines, err = strconv.Atoi(rest); err != nil {
				t.Fatal(err)
			}
		}
	}
	return h
}

// exceeds reports whether more is held than some time before, other than by chance: connections to vendors and the database,
// and the goroutines of the client that asks, come and go.
func (h held) exceeds(before held) bool {
	return h.ports > before.ports || h.goroutines > before.goroutines+15 || h.files > before.files+8
}

// rateOf is a number of a test of many calls: of an environment variable, else by the run's size.
func rateOf(t *testing.T, variable string, small, large int) int {
	t.Helper()
	text := os.Getenv(variable)
	if text == "" {
		return size(small, large)
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		t.Fatalf("%s: %q is no number of calls", variable, text)
	}
	return n
}

// Many phones call one after the other, many at once, are greeted, and hang up. None fails, and nothing is left of them. The calls, those
// at once and those a second are PARLEY_CHAOS_PHONES, PARLEY_CHAOS_PHONES_AT_ONCE and PARLEY_CHAOS_PHONES_A_SECOND. Only at full size: sipp needs the processor.
func TestManyPhoneCalls(t *testing.T) {
	if !full {
		return
	}
	x := newSwitchboard(t, nil)
	calls, atOnce := rateOf(t, "PARLEY_CHAOS_PHONES", 30, 1000), rateOf(t, "PARLEY_CHAOS_PHONES_AT_ONCE", 10, 100)
	rate := rateOf(t, "PARLEY_CHAOS_PHONES_A_SECOND", 2, 20)
	lasts := time.Duration(atOnce) * time.Second / time.Duration(rate)
	run := func(o phones.Options) {
		t.Helper()
		dir := t.TempDir()
		content(t, x.phones(t, dir, new(phones.Script).Call().Pause(lasts).HangUp(), o), dir)
	}
	run(phones.Options{Calls: 5, AtOnce: 5, Rate: 5}) // what only the first calls cost
	time.Sleep(3 * time.Second)
	before := x.held(t)
	began := time.Now()
	run(phones.Options{Calls: calls, AtOnce: atOnce, Rate: rate})
	took := time.Since(began)
	var after held
	await(t, time.Second, fmt.Sprintf("nothing is left of the calls: %+v", before), func() bool {
		after = x.held(t)
		return !after.exceeds(before)
	})
	t.Logf("%d calls of %v in %.0f s; held before %+v, after %+v", calls, lasts, took.Seconds(), before, after)
	failed := 0
	for _, status := range []string{client.Failed, client.Active, client.Pending, client.Connecting} {
		listed, err := x.API.Calls.List(t.Context(), client.CallQuery{Status: status})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range listed.Items[:min(5, len(listed.Items))] {
			t.Errorf("call %s is %s", c.ID, c.Status)
		}
		failed += listed.Total
	}
	listed, err := x.API.Calls.List(t.Context(), client.CallQuery{Status: client.Completed})
	if err != nil {
		t.Fatal(err)
	}
	if failed > 0 || listed.Total != calls+5 {
		t.Errorf("%d calls are completed, %d are not", listed.Total, failed)
	}
}
