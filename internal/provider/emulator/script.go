package emulator

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"

	"parley/internal/dialogue"
)

// Script configures an emulated language model.
type Script struct {
	// Answer returns the answer to a prompt as received; nil answers "All right."
	Answer func(dialogue.Prompt) Reply
	// FirstSentence is the time from the first token to the end of the first sentence; later tokens keep the pace.
	// 0 means 50 ms.
	FirstSentence time.Duration
	// Ended, if not nil, is called at the end of each answer that started to stream; nil when it was complete.
	Ended func(error)
}

// Reply is an answer: text, tool calls or both.
type Reply struct {
	Text      string
	ToolCalls []dialogue.ToolCall
}

// errLeft is the error of an answer whose client has disconnected.
var errLeft = errors.New("the client has left")

// errDropped is the error of an answer that the fault Drop ends.
var errDropped = errors.New("dropped")

func (s Script) answer(p dialogue.Prompt) Reply {
	if s.Answer == nil {
		return Reply{Text: "All right."}
	}
	return s.Answer(p)
}

func (s Script) ended(err error) {
	if s.Ended != nil {
		s.Ended(err)
	}
}

// tokens splits a text after its spaces and returns how many tokens the first sentence has: at least two, so that
// there is a time between them.
func tokens(text string) (list []string, first int) {
	for _, piece := range strings.SplitAfter(text, " ") {
		if piece == "" {
			continue
		}
		list = append(list, piece)
		if first == 0 && strings.ContainsAny(strings.TrimSpace(piece), ".!?") {
			first = len(list)
		}
	}
	if first == 0 {
		first = len(list)
	}
	if first == 1 && utf8.RuneCountInString(list[0]) > 1 {
		_, head := utf8.DecodeRuneInString(list[0])
		list = append([]string{list[0][:head], list[0][head:]}, list[1:]...)
		first = 2
	}
	return list, first
}

// fragments splits a call's arguments into parts of a few bytes, as vendors do, within words and escapes too.
func fragments(arguments json.RawMessage) []string {
	if len(arguments) == 0 {
		arguments = json.RawMessage("{}")
	}
	var list []string
	for text := string(arguments); text != ""; {
		n := min(5, len(text))
		for n < len(text) && !utf8.RuneStart(text[n]) {
			n++
		}
		list, text = append(list, text[:n]), text[n:]
	}
	return list
}

// sse is an answer in progress, as server-sent events.
type sse struct {
	s     *Server
	ctx   context.Context
	w     http.ResponseWriter
	drop  bool // after the first piece
	sent  int  // pieces
	begun time.Time
	pace  time.Duration
}

// stream starts an answer after the delay.
func (s *Server) stream(w http.ResponseWriter, r *http.Request, pace time.Duration) (*sse, error) {
	e := &sse{s: s, ctx: r.Context(), w: w, drop: s.Fault() == Drop, pace: pace}
	if err := e.wait(time.Now().Add(s.o.Delay)); err != nil {
		return nil, err
	}
	e.begun = time.Now()
	w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	w.Header().Set("Cache-Control", "no-cache")
	return e, nil
}

func (e *sse) wait(until time.Time) error {
	timer := time.NewTimer(time.Until(until))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-e.ctx.Done():
		return errLeft
	}
}

// piece sends the next part of the answer at its time.
func (e *sse) piece(name string, data any) error {
	if err := e.wait(e.begun.Add(time.Duration(e.sent) * e.pace)); err != nil {
		return err
	}
	e.sent++
	if err := e.event(name, data); err != nil {
		return err
	}
	if e.drop {
		return errDropped
	}
	return nil
}

// event sends an event immediately; its name may be empty.
func (e *sse) event(name string, data any) error {
	encoded, ok := data.(string)
	if !ok {
		text, err := json.Marshal(data)
		if err != nil {
			return err
		}
		encoded = string(text)
	}
	if name != "" {
		name = "event: " + name + "\n"
	}
	if _, err := fmt.Fprintf(e.w, "%sdata: %s\n\n", name, encoded); err != nil {
		return errLeft
	}
	if err := http.NewResponseController(e.w).Flush(); err != nil {
		return errLeft
	}
	return nil
}

// wire is a vendor's protocol.
type wire struct {
	path       string
	authorized func(http.Header, string) bool
	// refuse writes an error in the vendor's form.
	refuse func(w http.ResponseWriter, status int, message string)
	// read parses a request. Its errors are protocol violations.
	read func(http.Header, []byte) (prompt dialogue.Prompt, model string, err error)
	// write streams an answer.
	write func(e *sse, model string, inputTokens int, p dialogue.Prompt, r Reply) error
	// garbage is a malformed answer.
	garbage string
	// model returns the description of a model, at /v1/models/.
	model func(name string) any
}

// serve serves a language model's protocol.
func (s *Server) serve(script Script, v wire) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.countPeer(r)
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return // the client has left
		}
		if r.URL.Path == "/v1/models" && r.Method == http.MethodGet {
			s.listModels(w, r, v)
			return
		}
		if name, ok := strings.CutPrefix(r.URL.Path, "/v1/models/"); ok && r.Method == http.MethodGet {
			s.describe(w, r, v, name)
			return
		}
		if r.Method != http.MethodPost || r.URL.Path != v.path {
			s.breach("%s %s is not POST %s", r.Method, r.URL.Path, v.path)
			v.refuse(w, http.StatusNotFound, "Invalid URL ("+r.Method+" "+r.URL.Path+")")
			return
		}
		if !v.authorized(r.Header, s.o.Key) {
			v.refuse(w, http.StatusUnauthorized, "Incorrect API key provided.")
			return
		}
		prompt, model, err := v.read(r.Header, body)
		if err != nil {
			s.breach("%s: %v", v.path, err)
			v.refuse(w, http.StatusBadRequest, err.Error())
			return
		}
		if s.o.NoSchemas && prompt.JSONSchema != nil {
			v.refuse(w, http.StatusBadRequest, "This response_format type is unavailable now")
			return
		}
		switch s.Fault() {
		case RateLimit:
			w.Header().Set("Retry-After", "1")
			v.refuse(w, http.StatusTooManyRequests, "Rate limit reached.")
			return
		case Broken:
			v.refuse(w, http.StatusInternalServerError, "The server had an error while processing your request.")
			return
		case Garbage:
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, v.garbage)
			return
		case Stall:
			<-r.Context().Done()
			return
		}
		err = s.reply(w, r, script, v, prompt, model, len(body)/4)
		script.ended(err)
		if errors.Is(err, errDropped) {
			panic(http.ErrAbortHandler) // closes the connection
		}
	})
}

// UnknownModel is a model that no account has.
const UnknownModel = "unknown-model"

// listModels answers with no models, to a key that is right.
func (s *Server) listModels(w http.ResponseWriter, r *http.Request, v wire) {
	if !v.authorized(r.Header, s.o.Key) {
		v.refuse(w, http.StatusUnauthorized, "Incorrect API key provided.")
		return
	}
	s.checkKey(w, true, `{"data":[]}`, "")
}

// describe serves the description of a model.
func (s *Server) describe(w http.ResponseWriter, r *http.Request, v wire, name string) {
	switch fault := s.Fault(); {
	case !v.authorized(r.Header, s.o.Key):
		v.refuse(w, http.StatusUnauthorized, "Incorrect API key provided.")
	case name == UnknownModel:
		v.refuse(w, http.StatusNotFound, "The model does not exist.")
	case fault == RateLimit:
		v.refuse(w, http.StatusTooManyRequests, "Rate limit reached.")
	case fault == Broken:
		v.refuse(w, http.StatusInternalServerError, "The server had an error while processing your request.")
	case fault == Garbage:
		io.WriteString(w, "<html>") //nolint:errcheck // the client may be gone
	case fault == Stall:
		<-r.Context().Done()
	default:
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, encode(v.model(name))) //nolint:errcheck // the client may be gone
	}
}

func (s *Server) reply(w http.ResponseWriter, r *http.Request, script Script, v wire, p dialogue.Prompt, model string, inputTokens int) error {
	reply := script.answer(p)
	sentence := script.FirstSentence
	if sentence == 0 {
		sentence = 50 * time.Millisecond
	}
	pace := sentence
	if _, first := tokens(reply.Text); first > 2 {
		pace = sentence / time.Duration(first-1)
	}
	e, err := s.stream(w, r, pace)
	if err != nil {
		return err
	}
	return v.write(e, model, inputTokens, p, reply)
}

// strictly decodes JSON and rejects unknown fields.
func strictly(data []byte, to any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(to); err != nil {
		return err
	}
	if d.More() {
		return errors.New("more than one JSON value")
	}
	return nil
}

// checkAnswerSchema checks the schema of an answer, and has the prompt ask for it.
func checkAnswerSchema(p *dialogue.Prompt, schema json.RawMessage) error {
	if err := checkFunction("answer", schema); err != nil {
		return err
	}
	p.JSON, p.JSONSchema = true, schema
	return nil
}

var functionName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

// checkFunction checks a tool's name and that its parameters are an object's schema.
func checkFunction(name string, parameters json.RawMessage) error {
	if !functionName.MatchString(name) {
		return fmt.Errorf("tool name %q does not match %s", name, functionName)
	}
	var schema functionSchema
	if err := json.Unmarshal(parameters, &schema); err != nil || schema.Type != "object" {
		return fmt.Errorf("the schema of tool %s is not of type object", name)
	}
	if at := schema.withoutItems(); at != "" { // "array schema missing items"
		return fmt.Errorf("invalid schema for function '%s': In context=%s, array schema missing items", name, at)
	}
	return nil
}

// functionSchema is a schema of a function's parameters, or of a value within.
type functionSchema struct {
	Type       any                       `json:"type"`
	Items      *functionSchema           `json:"items"`
	Properties map[string]functionSchema `json:"properties"`
}

// withoutItems returns the path of an array whose items are not described, at any depth, or "".
func (s functionSchema) withoutItems() string {
	if s.Type == "array" && s.Items == nil {
		return "()"
	}
	for name, property := range s.Properties {
		if at := property.withoutItems(); at != "" {
			return "(properties, " + name + ") " + at
		}
	}
	if s.Items != nil {
		return s.Items.withoutItems()
	}
	return ""
}

// isObject reports whether a text is a JSON object.
func isObject(text []byte) bool {
	var fields map[string]json.RawMessage
	return json.Unmarshal(text, &fields) == nil && fields != nil
}
