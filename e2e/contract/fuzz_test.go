package contract

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// Sizes of the run; PARLEY_FUZZ_REQUESTS and PARLEY_FUZZ_SEED change them.
const (
	fuzzRequests = 2000 // on each database
	fuzzSeed     = 1
	sequence     = 25 // requests that build on each other
	maxGrowth    = 256 << 20
)

// Requests made from the description, valid and broken ones in sequences: none is answered with a 5xx, every answer is
// as described, what the description allows is not refused as faulty, and what it forbids is not accepted.
func TestGeneratedRequests(t *testing.T) {
	t.Parallel()
	requests, seed := setting(t, "PARLEY_FUZZ_REQUESTS", fuzzRequests), setting(t, "PARLEY_FUZZ_SEED", fuzzSeed)
	for name, value := range map[string]string{"rapid.checks": strconv.Itoa(max(1, requests/sequence)), "rapid.seed": strconv.Itoa(seed), "rapid.nofailfile": "true", "rapid.shrinktime": "10s"} {
		if err := flag.Set(name, value); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d requests with PARLEY_FUZZ_SEED=%d", requests, seed)
	// No media server and no worker: calls stay as they are made, and cost no rooms.
	eachDatabase(t, nil, []string{"--without=worker,media"}, func(t *testing.T, p *platform) {
		f := newFuzzer(t, p)
		before := 0
		rapid.Check(t, func(rt *rapid.T) {
			if f.sent > requests/10 && before == 0 {
				before = p.resident(t)
			}
			for range sequence {
				f.step(rt)
			}
		})
		t.Logf("sent %d: %v; valid by the description %d", f.sent, f.statuses, f.valid)
		if after := p.resident(t); after-before > maxGrowth {
			t.Errorf("the server has grown from %d to %d MiB", before>>20, after>>20)
		} else {
			t.Logf("resident %d MiB, then %d MiB", before>>20, after>>20)
		}
		if a := p.send(t, request{method: http.MethodGet, path: "/health/ready"}); a.status != http.StatusOK {
			t.Errorf("at the end /health/ready answers %v", a)
		}
		f.unchanged(t)
	})
}

func setting(t *testing.T, name string, otherwise int) int {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		t.Fatalf("%s=%s", name, text)
	}
	return n
}

// resident is the server's memory, in bytes.
func (p *platform) resident(t *testing.T) int {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", p.PID()))
	if err != nil {
		t.Fatal(err)
	}
	var size, pages int
	if _, err := fmt.Sscan(string(text), &size, &pages); err != nil {
		t.Fatal(err)
	}
	return pages * os.Getpagesize()
}

// fuzzer sends requests of the tenant acme.
type fuzzer struct {
	*platform
	operations []*operation
	known      map[string][]string // names of acme's things, by where they are made
	foreign    map[string]string   // names of the other tenant's things, likewise
	before     map[string]string   // what the other tenant has
	narrow     string              // a key with few scopes
	spared     []string            // ids of the keys in use, which are not to be revoked
	sent       int
	valid      int
	statuses   map[int]int
	reported   map[string]bool
	t          *testing.T
}

func newFuzzer(t *testing.T, p *platform) *fuzzer {
	f := &fuzzer{platform: p, known: map[string][]string{}, foreign: map[string]string{}, statuses: map[int]int{}, reported: map[string]bool{}, t: t, narrow: p.acme.keyWith(t, "agents:read", "calls:*")}
	var keys struct{ Items []struct{ ID string } }
	p.must(t, bearer(p.acme.session("*")), http.MethodGet, "/api/v1/auth/api-keys", nil, &keys)
	for _, key := range keys.Items {
		f.spared = append(f.spared, key.ID)
	}
	for _, id := range slices.Sorted(maps.Keys(p.document.operations)) {
		op := p.document.operations[id]
		f.operations = append(f.operations, op)
		make := fixtures[id].make
		if op.parameter() == "" || make == nil || f.foreign[op.collection()] != "" {
			continue
		}
		f.foreign[op.collection()] = make(t, p.other).id
		f.known[op.collection()] = append(f.known[op.collection()], make(t, p.acme).id)
	}
	for _, status := range []string{"pending", "in_flight"} {
		f.settle(t, status)
	}
	f.before = f.inventory(t)
	return f
}

// settle waits until none of the other tenant's deliveries is in a status.
func (f *fuzzer) settle(t *testing.T, status string) {
	var page struct{ Total int }
	for deadline := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
		f.must(t, apiKey(f.other.key), http.MethodGet, "/api/v1/webhooks/deliveries?status="+status, nil, &page)
		if page.Total == 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d deliveries are %s", page.Total, status)
		}
	}
}

// inventory is all that the other tenant can read.
func (f *fuzzer) inventory(t *testing.T) map[string]string {
	found := map[string]string{}
	for _, op := range f.operations {
		if op.method != http.MethodGet || fixtures[op.OperationID].open || op.parameter() != "" && f.foreign[op.collection()] == "" || strings.Contains(op.path, "/analytics/") {
			continue
		}
		a := f.send(t, request{method: http.MethodGet, path: op.at(f.foreign[op.collection()]), header: bearer(f.other.session("*"))})
		found[op.path] = storedBytes.ReplaceAllString(timestamps.ReplaceAllString(a.String(), ""), "")
	}
	return found
}

// storedBytes is what the tenant's calls store, which is summed up once a second.
var storedBytes = regexp.MustCompile(`\{"name":"stored_bytes"[^}]*\}`)

// timestamps are when an answer was made.
var timestamps = regexp.MustCompile(`"timestamp":"[^"]*"`)

func (f *fuzzer) unchanged(t *testing.T) {
	for path, after := range f.inventory(t) {
		if f.before[path] != after {
			t.Errorf("what another tenant has at %s was\n%s\nand is now\n%s", path, f.before[path], after)
		}
	}
}

// drawn is a request with what the description says of it.
type drawn struct {
	request
	op       *operation
	broken   error // what the description forbids in it; nil for a valid request
	twisted  bool  // beyond the description: it does not say whether this is valid
	stranger bool  // the credential does not open it
}

func (f *fuzzer) step(rt *rapid.T) {
	d := f.draw(rt)
	a, err := f.exchange(d.request)
	if err != nil {
		rt.Fatalf("%v: %v", d.request, err)
	}
	f.sent++
	f.statuses[a.status]++
	fail := func(what string, why error) { f.report(d, a, what, why) }
	if a.status >= 500 {
		fail("a server error", nil)
	}
	if err := f.document.check(f.document.route(d.method, d.path), a); err != nil {
		fail("the answer is not as described", err)
	}
	if bytes.Contains(a.body, []byte(f.other.marker)) {
		fail("the answer has what another tenant keeps", nil)
	}
	faulty := a.status == http.StatusUnprocessableEntity || a.status == http.StatusBadRequest || a.status == http.StatusUnsupportedMediaType || a.status == http.StatusRequestEntityTooLarge
	switch {
	case d.twisted || d.stranger:
	case d.broken == nil:
		f.valid++
		if faulty && !excused(d.op, a) {
			fail("the description allows it", nil)
		}
	case a.status < 300 && !strings.Contains(d.path, "partial=true"): // what is faulty of an import is left out then
		fail("the description forbids it", d.broken)
	}
	f.learn(d.op, a)
}

// maxReports bounds the faults that a run reports.
const maxReports = 20

// report reports a fault, once for its operation, kind and field.
func (f *fuzzer) report(d *drawn, a *answer, what string, why error) {
	kind := d.op.OperationID + " " + what
	for _, detail := range a.problem().Details {
		kind += " " + digits.ReplaceAllString(detail.Field, "") + detail.Message[:min(len(detail.Message), 20)]
	}
	if f.reported[kind] {
		return
	}
	f.reported[kind] = true
	if len(f.reported) <= maxReports {
		f.t.Errorf("%s: %s: %v\n%v\nis answered\n%v", d.op.OperationID, what, why, d.request, a)
	}
}

var digits = regexp.MustCompile(`[0-9]+`)

// learn keeps the names of the resources in an answer.
func (f *fuzzer) learn(op *operation, a *answer) {
	if a.status >= 300 {
		return
	}
	var body any
	if json.Unmarshal(a.body, &body) != nil {
		return
	}
	listed := []any{body}
	if fields, ok := body.(object); ok {
		if items, ok := fields["items"].([]any); ok {
			listed = items
		}
		if id, ok := fields["call_id"].(string); ok && op.method == http.MethodPost {
			f.keep("/api/v1/calls", id)
		}
	}
	for _, reader := range f.operations {
		if reader.parameter() == "" || reader.collection() != op.path {
			continue
		}
		for _, one := range listed {
			fields, _ := one.(object)
			if name, ok := fields[reader.parameter()].(string); ok {
				f.keep(op.path, name)
			}
		}
	}
}

func (f *fuzzer) keep(collection, name string) {
	kept := f.known[collection]
	if slices.Contains(kept, name) || slices.Contains(f.spared, name) {
		return
	}
	if len(kept) > 50 {
		kept = kept[1:]
	}
	f.known[collection] = append(kept, name)
}
