package contract

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"pgregory.net/rapid"
)

func (f *fuzzer) draw(rt *rapid.T) *drawn {
	g := &generator{rt, func(collection string) []string { return f.known[collection] }}
	op := pick(rt, f.operations, "operation")
	d := &drawn{op: op, request: request{method: op.method, header: http.Header{}}}
	f.credential(g, d)
	d.path = f.path(g, d)
	f.parameters(g, d)
	if s := op.schema(); s != nil {
		f.body(g, d, s)
	} else if op.takesFile() {
		f.file(g, d)
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
	if d.op.public() || fixtures[d.op.OperationID].open {
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
	d.forbid(s.VisitJSON(name, formats, uuids, brief))
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
		text := fmt.Sprint(g.value(s, path{p.Name}))
		if chance(g.T, 15, "odd") {
			var ok bool
			text, ok = g.oddParameter(s)
			d.twisted = d.twisted || !ok
		}
		if p.In == "header" {
			text = strings.Trim(text, " \t") // as HTTP does
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
		name := pick(g.T, []string{"unknown", "LIMIT", "limit[]", "é"}, "name")
		query.Add(name, "1")
		d.twisted = d.twisted || strings.HasPrefix(strings.ToLower(name), "limit") // refused where it is near a known one
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
	return s.VisitJSON(value, formats, uuids, brief)
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
		d.forbid(s.VisitJSON(lenient(s, tree), openapi3.VisitAsRequest(), formats, uuids, brief))
		d.twisted = d.twisted || beyond(text)
	}
	d.request.body = text
	if chance(g.T, 8, "twisted") {
		d.twisted = true
		f.twist(g, d)
	}
}

// file draws a file, often a broken one.
func (f *fuzzer) file(g *generator, d *drawn) {
	d.request.body = slices.Clone(soundFile)
	if chance(g.T, 60, "twisted") {
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

// beyond reports whether a body exceeds a limit of all bodies that is in no schema: NUL, depth, size of numbers.
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
