package wire

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"

	"parley/internal/fault"
)

const (
	MaxBody        = 1 << 20          // bytes
	maxDepth       = 100              // arrays and objects within each other
	maxValues      = 100_000          // values in one body
	bodyTimeout    = 15 * time.Second // to receive a body
	MaxIgnoredSize = 1 << 10          // bytes of X-Ignored-Fields, and of X-Ignored-Parameters
	maxDrained     = 8 << 20          // bytes of a body that nobody wants
	drainTimeout   = 5 * time.Second  // to receive those
)

// broken replaces an invalid body, so that huma, which reads it next, reports its errors together with those of the
// parameters.
var broken = []byte("!")

// Ruled is a body with rules beyond its schema. Their errors are reported together with the schema's; invalid
// fields are zero, and defaults are not filled in.
type Ruled interface {
	Faults() []fault.Detail
}

// ruleFaults returns the errors of a body's rules without those that its schema has found already.
func ruleFaults(of reflect.Type, body []byte, found []fault.Detail) []fault.Detail {
	value := reflect.New(of)
	rules, ok := value.Interface().(Ruled)
	if !ok {
		return found
	}
	var mistyped *json.UnmarshalTypeError // reported by the schema; the rest is filled in
	if err := json.Unmarshal(body, rules); err != nil && !errors.As(err, &mistyped) {
		return found
	}
	for _, broken := range rules.Faults() {
		if len(found) > fault.MaxDetails {
			break
		}
		if !slices.ContainsFunc(found, func(f fault.Detail) bool { return f.Field == broken.Field }) {
			found = append(found, broken)
		}
	}
	return found
}

// receiveBody reads a request's JSON body, validates it by its schema and its type's rules, and replaces it by the
// known fields. It returns the body's errors and the names of unknown fields, or an error for which parameters are
// not checked. For an operation with OwnRules, invalid values are left out.
func receiveBody(w http.ResponseWriter, r *http.Request, registry huma.Registry, expected *huma.RequestBody, of reflect.Type, op Operation) (faults []fault.Detail, ignored []string, err error) {
	typesOnly := op.OwnRules
	text, err := readText(w, r, cmp.Or(op.MaxBody, MaxBody))
	if err != nil {
		return nil, nil, err
	}
	replace := func(b []byte) {
		r.Body = io.NopCloser(bytes.NewReader(b))
		r.ContentLength = int64(len(b))
		r.Header.Set("Content-Type", "application/json") // huma decodes by it
	}
	refuse := func(message string) ([]fault.Detail, []string, error) {
		replace(broken)
		return []fault.Detail{{Field: "body", Message: message}}, nil, nil
	}
	if len(bytes.TrimSpace(text)) == 0 {
		if expected.Required {
			return refuse("a JSON body is required")
		}
		replace(nil)
		return nil, nil, nil
	}
	if !jsonContent(r) {
		return nil, nil, fault.New(fault.UnsupportedMedia, "the body must be JSON, Content-Type application/json")
	}
	if message := measure(text); message != "" {
		return refuse(message)
	}
	if !utf8.Valid(text) {
		return refuse("not valid JSON: must be UTF-8 throughout")
	}
	if half := halfCharacter(text); half != "" {
		return refuse("not valid JSON: " + half + " is half of a pair, without its other half")
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var tree any
	if err := decoder.Decode(&tree); err != nil {
		return refuse("not valid JSON: " + err.Error())
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return refuse("not valid JSON: more than one value")
	}
	v := validation{registry: registry, typesOnly: typesOnly}
	schema := expected.Content["application/json"].Schema
	tree, readable := v.check(schema, tree)
	ExchangeOf(r.Context()).Fields = v.names(schema, tree, fieldNameDepth)
	var known bytes.Buffer
	encoder := json.NewEncoder(&known)
	encoder.SetEscapeHTML(false) // lengths are as the client sent them
	if err := encoder.Encode(tree); err != nil {
		return nil, nil, err
	}
	if typesOnly && readable && !v.full() {
		replace(known.Bytes()) // the operation reports the rest
		return v.faults, v.ignored, nil
	}
	if faults = ruleFaults(of, known.Bytes(), v.faults); len(faults) > 0 {
		replace(broken)
	} else {
		replace(known.Bytes())
	}
	return faults, v.ignored, nil
}

// ReceiveMessage reads a body of a protocol of JSON messages, of at most limit bytes, and replaces it by what was read.
func ReceiveMessage(w http.ResponseWriter, r *http.Request, limit int64) ([]byte, error) {
	text, err := readText(w, r, limit)
	if err != nil {
		return nil, err
	}
	if message := measure(text); message != "" {
		return nil, fault.Invalid([]fault.Detail{{Field: "body", Message: message}})
	}
	r.Body = io.NopCloser(bytes.NewReader(text))
	return text, nil
}

// readText reads a body of text, without a byte order mark, which RFC 8259 allows to ignore.
func readText(w http.ResponseWriter, r *http.Request, limit int64) ([]byte, error) {
	text, err := readBody(w, r, limit, bodyTimeout)
	return bytes.TrimPrefix(text, []byte("\ufeff")), err
}

func readBody(w http.ResponseWriter, r *http.Request, limit int64, timeout time.Duration) ([]byte, error) {
	tooLarge := fault.New(fault.PayloadTooLarge, "the body is larger than %d bytes", limit)
	if r.ContentLength > limit {
		return nil, tooLarge
	}
	control := http.NewResponseController(w)
	// A test's recorder has no deadlines.
	_ = control.SetReadDeadline(time.Now().Add(timeout))
	text, err := io.ReadAll(io.LimitReader(r.Body, limit+1))
	if err != nil {
		ExchangeOf(r.Context()).BodyLost = true
		return nil, fault.Invalid([]fault.Detail{{Field: "body", Message: "ended before it was complete"}})
	}
	if int64(len(text)) > limit {
		return nil, tooLarge
	}
	_ = control.SetReadDeadline(time.Time{})
	return text, nil
}

// Drain reads the rest of an unwanted body, up to a limit: a client that is still sending when the connection
// closes may not read the response.
func Drain(w http.ResponseWriter, body io.Reader) {
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(drainTimeout))
	_, _ = io.CopyN(io.Discard, body, maxDrained)
}

// jsonContent reports whether a body is declared as JSON, or not declared.
func jsonContent(r *http.Request) bool {
	if e := r.Header.Get("Content-Encoding"); e != "" && e != "identity" {
		return false
	}
	declared := r.Header.Get("Content-Type")
	if declared == "" {
		return true
	}
	kind, parameters, err := mime.ParseMediaType(declared)
	if err != nil || kind != "application/json" && !(strings.HasPrefix(kind, "application/") && strings.HasSuffix(kind, "+json")) {
		return false
	}
	charset := parameters["charset"]
	return charset == "" || strings.EqualFold(charset, "utf-8")
}

// measure looks at a text's brackets and commas before anything is built from
// it: nesting and values cost far more memory than their bytes.
func measure(text []byte) (message string) {
	depth, values, quoted := 0, 1, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			depth++
			values++
			if depth > maxDepth {
				return "nested deeper than " + strconv.Itoa(maxDepth) + " levels"
			}
		case c == '}' || c == ']':
			depth--
		case c == ',':
			values++
			if values > maxValues {
				return "holds more than " + strconv.Itoa(maxValues) + " values"
			}
		}
	}
	return ""
}

// halfCharacter returns the first escape such as \ud83d that is not part of a surrogate pair, which UTF-8 cannot encode
// (RFC 8259, section 8.2); "" for none.
func halfCharacter(text []byte) string {
	for {
		at := bytes.IndexByte(text, '\\')
		if at < 0 {
			return ""
		}
		text = text[at:]
		first, ok := escapedUnit(text)
		switch {
		case !ok:
			text = text[min(2, len(text)):]
			continue
		case !utf16.IsSurrogate(first):
			text = text[6:]
			continue
		}
		second, _ := escapedUnit(text[6:])
		if utf16.DecodeRune(first, second) == utf8.RuneError {
			return string(text[:6])
		}
		text = text[12:]
	}
}

// escapedUnit returns the UTF-16 unit of the escape, \u and four digits, that a text
// begins with.
func escapedUnit(text []byte) (unit rune, ok bool) {
	if len(text) < 6 || text[0] != '\\' || text[1] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(string(text[2:6]), 16, 16)
	return rune(n), err == nil
}

// ignoredHeader lists unknown fields or parameters for their header; a name that
// is no plain word is quoted, a long list is cut.
func ignoredHeader(fields []string) string {
	var b strings.Builder
	for _, field := range fields {
		plain := field != "" && strings.Trim(field, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.[]") == ""
		if !plain {
			field = strconv.QuoteToASCII(field)
		}
		if b.Len()+len(field) > MaxIgnoredSize {
			if b.Len() > 0 {
				b.WriteString(", ")
			}
			b.WriteString("...")
			break
		}
		if b.Len() > 0 {
			b.WriteString(", ")
		}
		b.WriteString(field)
	}
	return b.String()
}
