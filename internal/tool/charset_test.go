package tool

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"io"
	"net/http"
	"strings"
	"testing"
)

func compressed(text string, w func(io.Writer) io.WriteCloser) string {
	var b bytes.Buffer
	z := w(&b)
	_, _ = io.WriteString(z, text)
	_ = z.Close()
	return b.String()
}

// Responses are read as text, whatever their character set, and decompressed though nobody asked for it.
func TestResponsesAreText(t *testing.T) {
	asGzip := func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) }
	asZlib := func(w io.Writer) io.WriteCloser { return zlib.NewWriter(w) }
	const json = `{"stadt":"München"}`
	for name, test := range map[string]struct{ kind, coding, body, want string }{
		"UTF-8":                        {"application/json", "", json, json},
		"a byte order mark":            {"application/json", "", "\ufeff" + json, json},
		"UTF-16 with a mark":           {"text/plain", "", "\xff\xfeM\x00\xfc\x00", "Mü"},
		"Latin-1, declared":            {"application/json; charset=ISO-8859-1", "", "{\"stadt\":\"M\xfcnchen\"}", json},
		"Latin-1, not declared":        {"application/json", "", "{\"stadt\":\"M\xfcnchen\"}", json},
		"Latin-1 without a media type": {"", "", "M\xfcnchen \x80", "München €"},
		"UTF-8 declared as Latin-1":    {"text/plain; charset=iso-8859-1", "", "München", "München"},
		"Shift JIS":                    {"text/plain; charset=Shift_JIS", "", "\x93\x8c\x8b\x9e", "東京"},
		"an unknown character set":     {"text/plain; charset=x-none", "", "München", "München"},
		"gzip":                         {"application/json", "gzip", compressed(json, asGzip), json},
		"gzip that is not declared":    {"application/json", "", compressed(json, asGzip), json},
		"gzip that is none":            {"application/json", "gzip", json, json},
		"deflate":                      {"application/json", "deflate", compressed(json, asZlib), json},
		"Latin-1 in gzip":              {"text/plain; charset=latin1", "gzip", compressed("M\xfcnchen", asGzip), "München"},
		"nothing":                      {"text/plain", "gzip", "", "The request succeeded with HTTP status 200."},
		"Brotli":                       {"text/plain", "br", "\x0b\x02\x80Hi", `The request failed: answered with status 200, but its content coding "br" is not supported.`},
		"half of gzip":                 {"text/plain", "gzip", compressed(json, asGzip)[:20], "The request failed: answered with status 200, but the answer broke off."},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBackend(t, func(_ int, w http.ResponseWriter, _ *http.Request) {
				w.Header()["Content-Type"] = nil
				if test.kind != "" {
					w.Header().Set("Content-Type", test.kind)
				}
				if test.coding != "" {
					w.Header().Set("Content-Encoding", test.coding)
				}
				io.WriteString(w, test.body)
			})
			if o := run1(t, b.actions(t, `[{"type":"api_call","url":"HOST/"}]`), `{}`); o.Answer != test.want {
				t.Errorf("%q, want %q", o.Answer, test.want)
			}
		})
	}
}

// What a response grows to is bounded, and a character that the bound cuts does not make it another character set.
func TestGrowthIsBounded(t *testing.T) {
	bomb := compressed(strings.Repeat("é", 8<<20), func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) })
	b := newBackend(t, func(_ int, w http.ResponseWriter, _ *http.Request) { io.WriteString(w, bomb) })
	o := run1(t, b.actions(t, `[{"type":"api_call","url":"HOST/"}]`), `{}`)
	if len(o.Answer) > maxAnswer || strings.Trim(o.Answer, "é") != "" || o.Answer == "" {
		t.Errorf("%d bytes: %.20q", len(o.Answer), o.Answer)
	}
	if odd := toUTF8([]byte(strings.Repeat("é", 10)+"\xc3"), "text/plain"); !strings.HasPrefix(string(odd), "éé") {
		t.Errorf("%q", odd)
	}
}

// Letters beyond ASCII in a tool's URL are sent encoded, whether they are its own or a value's.
func TestURLsAreEncoded(t *testing.T) {
	var sent string
	b := newBackend(t, func(_ int, w http.ResponseWriter, r *http.Request) { sent = r.RequestURI })
	run1(t, b.actions(t, `[{"type":"api_call","url":"HOST/städte/{{params.ort}}?stadt=München&name={{params.ort}}&weiß"}]`), `{"ort":"Köln & Bonn"}`, Parameter{Name: "ort", Type: "string"})
	if want := "/st%C3%A4dte/K%C3%B6ln%20&%20Bonn?stadt=M%C3%BCnchen&name=K%C3%B6ln+%26+Bonn&wei%C3%9F"; sent != want {
		t.Errorf("sent %s, want %s", sent, want)
	}
}
