package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxAnswer bounds the text of a result, in bytes.
const maxAnswer = 64 << 10

// run performs a tool, and returns a page of its answer.
func (s *Server) run(ctx context.Context, t *tool, text json.RawMessage) (*mcp.CallToolResult, error) {
	arguments, problem := decode(text)
	if problem != "" {
		return failed(problem), nil
	}
	page, problem := t.takePage(arguments)
	if problem != "" {
		return failed(problem), nil
	}
	content, refused, err := s.send(ctx, t, arguments)
	if refused != nil || err != nil {
		return refused, err
	}
	if t.sliced {
		if content, err = page.of(content); err != nil {
			return nil, fmt.Errorf("tool %s: %w", t.definition.Name, err)
		}
	}
	switch {
	case len(content) > maxAnswer:
		return failed(tooLarge), nil
	case len(content) == 0:
		return result("Done."), nil
	}
	return result(string(content)), nil
}

var tooLarge = fmt.Sprintf("the answer is larger than %d KiB: ask for less, with limit or a filter", maxAnswer>>10)

// perform returns the whole answer of a tool, or the result that says why there is none.
func (s *Server) perform(ctx context.Context, t *tool, text json.RawMessage) (content []byte, refused *mcp.CallToolResult, err error) {
	arguments, problem := decode(text)
	if problem != "" {
		return nil, failed(problem), nil
	}
	return s.send(ctx, t, arguments)
}

func decode(text json.RawMessage) (arguments map[string]json.RawMessage, problem string) {
	arguments = map[string]json.RawMessage{}
	if len(text) > 0 && json.Unmarshal(text, &arguments) != nil {
		return nil, "the arguments must be an object"
	}
	return arguments, ""
}

// send sends the request of a tool's operation, with the credentials of the request that called it.
func (s *Server) send(ctx context.Context, t *tool, arguments map[string]json.RawMessage) (content []byte, refused *mcp.CallToolResult, err error) {
	outer, ok := ctx.Value(requestKey{}).(*http.Request)
	if !ok {
		return nil, nil, fmt.Errorf("tool %s: called outside a request", t.definition.Name)
	}
	request, err := t.request(ctx, outer, arguments)
	if err != nil {
		return nil, failed(err.Error()), nil
	}
	answer := &recorder{header: http.Header{}}
	s.api.ServeHTTP(answer, request)
	switch {
	case answer.status >= http.StatusBadRequest:
		return nil, failed(answer.body.String()), nil
	case answer.cut:
		return nil, failed(tooLarge), nil
	}
	return answer.body.Bytes(), nil, nil
}

// request returns the operation's request. Arguments that are not parameters are the fields of the body.
func (t *tool) request(ctx context.Context, outer *http.Request, arguments map[string]json.RawMessage) (*http.Request, error) {
	path, query, header := t.operation.Path, url.Values{}, outer.Header.Clone()
	for _, unwanted := range []string{"Origin", "Cookie", "Content-Length", "Content-Type", "Accept-Encoding", "If-None-Match", "Range"} {
		header.Del(unwanted)
	}
	for _, p := range t.parameters {
		given, ok := arguments[p.argument]
		delete(arguments, p.argument)
		value := plain(given)
		switch {
		case p.in == "path" && value == "":
			return nil, fmt.Errorf("%s is required", p.argument)
		case p.in == "path":
			path = strings.ReplaceAll(path, "{"+p.name+"}", url.PathEscape(value))
		case ok && p.in == "query":
			query.Set(p.name, value)
		case ok && p.in == "header":
			header.Set(p.name, value)
		}
	}
	var body []byte
	if t.operation.Method != http.MethodGet && t.operation.Method != http.MethodDelete {
		var err error
		if body, err = json.Marshal(arguments); err != nil {
			return nil, err
		}
		if len(arguments) == 0 {
			body = []byte("{}")
		}
		header.Set("Content-Type", "application/json")
	}
	r, err := http.NewRequestWithContext(ctx, t.operation.Method, "/", bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	if r.URL, err = url.ParseRequestURI(path + "?" + query.Encode()); err != nil {
		return nil, err
	}
	r.Header, r.Host, r.RemoteAddr, r.RequestURI = header, outer.Host, outer.RemoteAddr, r.URL.RequestURI()
	return r, nil
}

// plain returns an argument as a parameter has it: a string without its quotes.
func plain(argument json.RawMessage) string {
	var text string
	if json.Unmarshal(argument, &text) == nil {
		return text
	}
	return string(argument)
}

// page selects entries of a list.
type page struct{ limit, offset int }

// takePage removes limit and offset from the arguments, and applies the page sizes of tools.
func (t *tool) takePage(arguments map[string]json.RawMessage) (p page, problem string) {
	p.limit = defaultPage
	for _, a := range []struct {
		name  string
		value *int
		min   int
		max   int
	}{{"limit", &p.limit, 1, maxPage}, {"offset", &p.offset, 0, 1 << 30}} {
		given, ok := arguments[a.name]
		if !t.sliced || !ok {
			continue
		}
		delete(arguments, a.name)
		n, err := strconv.Atoi(plain(given))
		if err != nil || n < a.min || n > a.max {
			return p, fmt.Sprintf("%s must be a whole number from %d to %d", a.name, a.min, a.max)
		}
		*a.value = n
	}
	for _, size := range []string{"limit", "page_size"} {
		if t.has(size) {
			n, err := strconv.Atoi(plain(arguments[size]))
			if _, given := arguments[size]; !given {
				arguments[size] = json.RawMessage(strconv.Itoa(defaultPage))
			} else if err == nil && n > maxPage {
				return p, fmt.Sprintf("%s must be a whole number from 1 to %d", size, maxPage)
			}
		}
	}
	return p, ""
}

func (t *tool) has(argument string) bool {
	for _, p := range t.parameters {
		if p.argument == argument {
			return true
		}
	}
	return false
}

// of returns the page of a list, with the number of all its entries.
func (p page) of(list []byte) ([]byte, error) {
	var entries []json.RawMessage
	if err := json.Unmarshal(list, &entries); err != nil {
		return nil, fmt.Errorf("read the list: %w", err)
	}
	from := min(p.offset, len(entries))
	to := min(from+p.limit, len(entries))
	return json.Marshal(struct {
		Items  []json.RawMessage `json:"items"`
		Total  int               `json:"total"`
		Limit  int               `json:"limit"`
		Offset int               `json:"offset"`
	}{append([]json.RawMessage{}, entries[from:to]...), len(entries), p.limit, p.offset})
}

func result(text string) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}
}

// failed returns a result that the model reads as an error: the API's error envelope, or a sentence.
func failed(text string) *mcp.CallToolResult {
	r := result(text)
	r.IsError = true
	return r
}

// recorder keeps an answer of the API. A list that is returned in pages is kept as a whole.
type recorder struct {
	header http.Header
	status int
	body   bytes.Buffer
	cut    bool // the answer is larger than is kept
}

// maxRecorded bounds what is kept of an answer, in bytes.
const maxRecorded = 4 << 20

func (r *recorder) Header() http.Header { return r.header }

func (r *recorder) WriteHeader(status int) {
	if r.status == 0 && status >= http.StatusOK {
		r.status = status
	}
}

func (r *recorder) Write(b []byte) (int, error) {
	r.WriteHeader(http.StatusOK)
	if r.cut = r.cut || r.body.Len()+len(b) > maxRecorded; !r.cut {
		r.body.Write(b)
	}
	return len(b), nil
}
