package contract

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
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
	f.before = f.inventory(t)
	return f
}

// inventory is all that the other tenant can read.
func (f *fuzzer) inventory(t *testing.T) map[string]string {
	found := map[string]string{}
	for _, op := range f.operations {
		if op.method != http.MethodGet || op.public() || op.parameter() != "" && f.foreign[op.collection()] == "" || strings.Contains(op.path, "/analytics/") {
			continue
		}
		a := f.send(t, request{method: http.MethodGet, path: op.at(f.foreign[op.collection()]), header: bearer(f.other.session("*"))})
		found[op.path] = timestamps.ReplaceAllString(a.String(), "")
	}
	return found
}

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
	case a.status < 300:
		fail("the description forbids it", d.broken)
	}
	f.learn(d.op, a)
}

// maxReports bounds what a run tells.
const maxReports = 20

// report tells of a fault, once for its operation, kind and field.
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

// learn keeps the names of things that an answer tells of.
func (f *fuzzer) learn(op *operation, a *answer) {
	if a.status >= 300 {
		return
	}
	var body any
	if json.Unmarshal(a.body, &body) != nil {
		return
	}
	told := []any{body}
	if fields, ok := body.(object); ok {
		if items, ok := fields["items"].([]any); ok {
			told = items
		}
		if id, ok := fields["call_id"].(string); ok && op.method == http.MethodPost {
			f.keep("/api/v1/calls", id)
		}
	}
	for _, reader := range f.operations {
		if reader.parameter() == "" || reader.collection() != op.path {
			continue
		}
		for _, one := range told {
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

func (f *fuzzer) draw(rt *rapid.T) *drawn {
	g := &generator{rt, func(collection string) []string { return f.known[collection] }}
	op := pick(rt, f.operations, "operation")
	d := &drawn{op: op, request: request{method: op.method, header: http.Header{}}}
	f.credential(g, d)
	d.path = f.path(g, d)
	f.parameters(g, d)
	if s := op.schema(); s != nil {
		f.body(g, d, s)
	} else if chance(rt, 3, "uninvited body") {
		d.request.body = []byte(`{"unexpected": true}`)
	}
	if chance(rt, 3, "odd header") {
		name := pick(rt, []string{"X-Request-Id", "Accept", "Accept-Encoding", "X-Forwarded-For", "Last-Event-ID", "If-None-Match", "Range", "Origin"}, "header")
		d.header.Set(name, pick(rt, []string{"*", "\"", strings.Repeat("a", 3000), "bytes=0-1", "\xff\xfe", "gzip;q=0", "', --", "text/html"}, "value"))
	}
	if chance(rt, 1, "another method") {
		d.method = pick(rt, []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "BREW"}, "method")
		d.twisted = true
	}
	return d
}

func (f *fuzzer) credential(g *generator, d *drawn) {
	switch n := uniform(g.T, 100, "credential"); {
	case n < 60:
		maps.Copy(d.header, apiKey(f.acme.key))
		d.stranger = fixtures[d.op.OperationID].session
	case n < 90:
		maps.Copy(d.header, bearer(f.acme.session("*")))
	case n < 95:
		maps.Copy(d.header, apiKey(f.narrow))
		d.stranger = true
	default:
		d.header[pick(g.T, []string{"X-Api-Key", "Authorization"}, "where")] = []string{pick(g.T, []string{
			"", "Bearer", "Bearer ", "Bearer \xff", "bearer svc_live_", "Basic YTpi", "Bearer " + strings.Repeat("a.", 20_000), "svc_test_" + strings.Repeat("f", 72), "Bearer null", "Bearer a b"}, "junk")}
		d.stranger = true
	}
	if d.op.public() {
		d.stranger = false
	}
}

func (f *fuzzer) path(g *generator, d *drawn) string {
	if d.op.parameter() == "" {
		return d.op.path
	}
	s := d.op.Parameters.GetByInAndName("path", d.op.parameter()).Schema.Value
	var name string
	switch n := uniform(g.T, 10, "name"); {
	case n < 6 && len(f.known[d.op.collection()]) > 0:
		name = pick(g.T, f.known[d.op.collection()], "known")
	case n < 7:
		name = f.foreign[d.op.collection()]
	case n < 8:
		name = g.text(s, nil)
	default:
		name = pick(g.T, []string{"\x00", "\xff", " ", "..", ".", "a/b", strings.Repeat("n", 5000), "é", "%", "null", "0", "-1", "00000000-0000-0000-0000-000000000000", "{id}", "a\r\nb"}, "odd")
		d.twisted = d.twisted || name == "\x00" || name == "\xff" || name == "." || name == ".."
	}
	if name == "" {
		name = "a"
	}
	d.forbid(s.VisitJSON(name, formats, uuids))
	return d.op.at(name)
}

func (d *drawn) forbid(err error) {
	if d.broken == nil {
		d.broken = err
	}
}

// parameters draws query and header.
func (f *fuzzer) parameters(g *generator, d *drawn) {
	query := url.Values{}
	for _, ref := range d.op.Parameters {
		p := ref.Value
		if p.In == "path" || !p.Required && !chance(g.T, 40, p.Name) {
			continue
		}
		s := p.Schema.Value
		text, ok := fmt.Sprint(g.value(s, path{p.Name})), true
		if chance(g.T, 15, "odd") {
			text, ok = g.oddParameter(s)
			d.twisted = d.twisted || !ok
		}
		d.forbid(visitText(s, text))
		if p.In == "header" {
			if strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f }) {
				continue // Go's client does not send it
			}
			d.header.Set(p.Name, text)
		} else {
			query.Add(p.Name, text)
		}
	}
	if chance(g.T, 3, "unknown parameter") {
		query.Add(pick(g.T, []string{"unknown", "LIMIT", "limit[]", "é"}, "name"), "1")
	}
	if len(query) > 0 {
		d.path += "?" + query.Encode()
	}
	if chance(g.T, 1, "broken query") {
		d.path += pick(g.T, []string{"?%zz", "?a;b", "?&&&=", "?" + strings.Repeat("a=b&", 5000), "?limit=1&limit=x", "?=%00"}, "query")
		d.twisted = true
	}
}

// oddParameter draws what clients send by mistake or malice; ok is false where nobody says whether it is valid.
func (g *generator) oddParameter(s *openapi3.Schema) (text string, ok bool) {
	if s.Max != nil && chance(g.T, 30, "over") {
		return fmt.Sprintf("%.0f", *s.Max+1), true
	}
	text = pick(g.T, []string{"", "0", "-1", "1.5", "1e3", "99999999999999999999", "9223372036854775807", "abc", "\x00", "\xff", "TRUE", "yes", " 1", "+1", "0x10", "2026-13-01", "null", strings.Repeat("q", 3000), "é", "00000000-0000-0000-0000-000000000000"}, "odd")
	return text, text != "" && text != "\x00" && text != "\xff" && text != "+1" && text != "TRUE" && (s.Type.Is("string") || text != "0" || !s.Type.Is("boolean"))
}

// visitText checks a parameter's text against its schema.
func visitText(s *openapi3.Schema, text string) error {
	var value any = text
	switch {
	case s.Type.Is("integer"):
		value = json.Number(text)
		if _, err := strconv.ParseInt(text, 10, 64); err != nil {
			return err
		}
	case s.Type.Is("boolean"):
		if text != "true" && text != "false" {
			return fmt.Errorf("%q is no boolean", text)
		}
		value = text == "true"
	}
	return s.VisitJSON(value, formats, uuids)
}

func (f *fuzzer) body(g *generator, d *drawn, s *openapi3.Schema) {
	value := g.value(s, nil)
	if chance(g.T, 70, "sensible") {
		value = f.sensible(g, d.op, value)
	}
	bent := chance(g.T, 40, "bent")
	if bent {
		value = g.bend(s, value)
	}
	text, err := json.Marshal(value)
	if err != nil {
		g.T.Fatalf("%v: %v", value, err)
	}
	if bent {
		decoder := json.NewDecoder(bytes.NewReader(text))
		decoder.UseNumber()
		var tree any
		if err := decoder.Decode(&tree); err != nil {
			g.T.Fatalf("%s: %v", text, err)
		}
		d.forbid(s.VisitJSON(lenient(s, tree), openapi3.VisitAsRequest(), formats, uuids))
		d.twisted = d.twisted || beyond(text)
	}
	d.request.body = text
	if chance(g.T, 8, "twisted") {
		d.twisted = true
		f.twist(g, d)
	}
}

// lenient leaves out what is allowed beyond the description: null for a field that may be absent.
func lenient(s *openapi3.Schema, value any) any {
	switch value := value.(type) {
	case object:
		for name, field := range value {
			property := s.Properties[name]
			if property == nil {
				continue
			}
			if field == nil && !slices.Contains(s.Required, name) {
				delete(value, name)
				continue
			}
			value[name] = lenient(property.Value, field)
		}
	case []any:
		for i := range value {
			if s.Items != nil {
				value[i] = lenient(s.Items.Value, value[i])
			}
		}
	}
	return value
}

// beyond reports whether a body breaks a limit of all bodies, of which no schema tells: NUL, depth, size of numbers.
func beyond(text []byte) bool {
	for _, sign := range []string{`\u0000`, "1e400", "9223372036854775808", "123456789012345678901234567890"} {
		if bytes.Contains(text, []byte(sign)) {
			return true
		}
	}
	return len(text) > 60_000
}

// twist breaks a body below its values.
func (f *fuzzer) twist(g *generator, d *drawn) {
	text := d.request.body
	switch uniform(g.T, 12, "twist") {
	case 0:
		d.request.body = text[:rapid.IntRange(0, len(text)).Draw(g.T, "cut")]
	case 1:
		d.request.body = append([]byte("\xef\xbb\xbf"), text...)
	case 2:
		d.request.body = append(text, text...)
	case 3: // keys given twice
		if len(text) > 2 && text[0] == '{' {
			d.request.body = append(append(slices.Clone(text[:len(text)-1]), ','), text[1:]...)
		}
	case 4:
		d.header.Set("Content-Type", pick(g.T, []string{"text/plain", "application/x-www-form-urlencoded", "application/json; charset=utf-16", "application/xml", "multipart/form-data; boundary=x", ";", "application/json;;", "application/merge-patch+json"}, "type"))
	case 5:
		d.header.Set("Content-Encoding", pick(g.T, []string{"gzip", "identity", "br"}, "encoding"))
	case 6:
		d.request.body = bytes.Repeat([]byte(pick(g.T, []string{"[", `{"a":`, " ", "1", `"`, "[],"}, "repeated")), pick(g.T, []int{1, 101, 10_000, 200_000}, "times"))
	case 7:
		d.request.body = bytes.ReplaceAll(text, []byte("a"), []byte("\xc3\x28"))
	case 8:
		d.request.body = bytes.ReplaceAll(text, []byte("a"), []byte(`\ud800`))
	case 9:
		d.request.body = []byte(pick(g.T, []string{"null", "[]", "true", "\"\"", "0", "{}", "", " ", "NaN", "{'a':1}", "{\"a\":1,}", "\x00"}, "text"))
	case 10: // one byte over the limit of all bodies
		d.request.body = append(bytes.Repeat([]byte(" "), 1<<20+1-len(text)%(1<<20)), text...)
	default:
		at := rapid.IntRange(0, max(0, len(text)-1)).Draw(g.T, "at")
		if len(text) > 0 {
			d.request.body[at] = rapid.Byte().Draw(g.T, "byte")
		}
	}
}
