package emulator

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"

	"parley/internal/dialogue"
)

// googlePath is the path of a request without its model.
const googlePath = "/v1beta/stream"

// NewGoogle runs an emulator of the Gemini API's streamed generateContent.
// https://ai.google.dev/api/generate-content#method:-models.streamgeneratecontent
func NewGoogle(report Reporter, o Options, script Script) *Server {
	return start(report, o, func(s *Server) http.Handler { return s.serveGoogle(script) })
}

func (s *Server) serveGoogle(script Script) http.Handler {
	served := s.serve(script, wire{
		path:       googlePath,
		authorized: func(h http.Header, key string) bool { return h.Get("X-Goog-Api-Key") == key },
		refuse:     refuseGoogle,
		read:       readGoogle,
		write:      writeGoogle,
		garbage:    "data: {\"candidates\":[{\"content\":{\"par\n\ndata: <html>\n\n",
		model:      func(name string) any { return map[string]any{"name": "models/" + name} },
	})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		rest, ok := strings.CutPrefix(r.URL.Path, "/v1beta/models/")
		model, streams := strings.CutSuffix(rest, ":streamGenerateContent")
		switch {
		case ok && streams && r.URL.Query().Get("alt") == "sse" && strings.HasSuffix(model, "-tts"):
			s.countPeer(r)
			s.googleSpeech(w, r)
			return
		case ok && streams && r.URL.Query().Get("alt") == "sse":
			body, err := io.ReadAll(r.Body)
			if err != nil {
				return // the client has left
			}
			r.Body = io.NopCloser(io.MultiReader(strings.NewReader(encode(model)+"\n"), bytes.NewReader(body)))
			r.URL.Path = googlePath
		case ok && r.Method == http.MethodGet:
			r.URL.Path = "/v1/models/" + rest
		case r.URL.Path == "/v1beta/models":
			r.URL.Path = "/v1/models"
		}
		served.ServeHTTP(w, r)
	})
}

// refuseGoogle writes an error. A wrong key is 400 here:
// https://ai.google.dev/gemini-api/docs/troubleshooting.
func refuseGoogle(w http.ResponseWriter, status int, message string) {
	details := []any{}
	word := map[int]string{http.StatusBadRequest: "INVALID_ARGUMENT", http.StatusNotFound: "NOT_FOUND", http.StatusTooManyRequests: "RESOURCE_EXHAUSTED",
		http.StatusInternalServerError: "INTERNAL"}[status]
	if status == http.StatusUnauthorized {
		status, word, message = http.StatusBadRequest, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key."
		details = []any{map[string]any{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID", "domain": "googleapis.com"}}
	}
	w.Header().Set("Content-Type", "application/json; charset=UTF-8")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{"error": map[string]any{"code": status, "message": message, "status": word, "details": details}})
}

// googleRequest has the fields that a voice agent may send.
type googleRequest struct {
	System   *googleContent  `json:"systemInstruction"`
	Contents []googleContent `json:"contents"`
	Tools    []struct {
		Functions []struct {
			Name        string          `json:"name"`
			Description string          `json:"description"`
			Parameters  json.RawMessage `json:"parametersJsonSchema"`
			// Schema, whose types are in capitals, stands in place of Parameters: https://ai.google.dev/api/caching#FunctionDeclaration
			Schema *geminiSchema `json:"parameters"`
		} `json:"functionDeclarations"`
	} `json:"tools"`
	Generation struct {
		Temperature *float64 `json:"temperature"`
		MaxTokens   int      `json:"maxOutputTokens"`
		Thinking    *struct {
			Level  string `json:"thinkingLevel"`
			Budget *int   `json:"thinkingBudget"`
		} `json:"thinkingConfig"`
		MIMEType string          `json:"responseMimeType"`
		Schema   json.RawMessage `json:"responseJsonSchema"`
	} `json:"generationConfig"`
}

type googleContent struct {
	Role  string       `json:"role"`
	Parts []googlePart `json:"parts"`
}

type googlePart struct {
	Text string `json:"text"`
	Call *struct {
		ID   string          `json:"id"`
		Name string          `json:"name"`
		Args json.RawMessage `json:"args"`
	} `json:"functionCall"`
	Response *struct {
		ID       string          `json:"id"`
		Name     string          `json:"name"`
		Response json.RawMessage `json:"response"`
	} `json:"functionResponse"`
	Signature string `json:"thoughtSignature"`
}

// The signatures that the emulator accepts: its own, and the one for calls of other models.
var googleSignatures = map[string]bool{googleSignature: true, "skip_thought_signature_validator": true}

var googleSignature = base64.StdEncoding.EncodeToString([]byte("a signature of thoughts"))

// readGoogle checks a request, which follows its model, and makes a prompt of it.
func readGoogle(h http.Header, body []byte) (p dialogue.Prompt, model string, err error) {
	first, body, _ := bytes.Cut(body, []byte("\n"))
	var r googleRequest
	if err := json.Unmarshal(first, &model); err != nil {
		return p, "", err
	}
	if !strings.HasPrefix(h.Get("Content-Type"), "application/json") {
		return p, "", fmt.Errorf("content type %q", h.Get("Content-Type"))
	}
	if err := strictly(body, &r); err != nil {
		return p, "", err
	}
	p.Model, p.Temperature, p.MaxTokens = model, r.Generation.Temperature, r.Generation.MaxTokens
	if g := r.Generation; g.Schema != nil || g.MIMEType != "" { // https://ai.google.dev/gemini-api/docs/structured-output
		if g.MIMEType != "application/json" || len(r.Tools) > 0 {
			return p, "", fmt.Errorf("controlled generation of only `application/json` responses is supported, without functions")
		}
		if err := checkAnswerSchema(&p, g.Schema); err != nil {
			return p, "", err
		}
	}
	if t := r.Generation.Thinking; t != nil {
		three := strings.HasPrefix(model, "gemini-3")
		switch { // "You cannot use both thinking_level and thinking_budget", https://ai.google.dev/gemini-api/docs/thinking
		case t.Level != "" && t.Budget != nil:
			return p, "", fmt.Errorf("thinking_level and thinking_budget are both set")
		case t.Level != "" && !three:
			return p, "", fmt.Errorf("thinking_level is not supported by this model")
		case t.Level == "minimal" && (strings.Contains(model, "pro") || model == "gemini-3.7-flash" || model == "gemini-3.8-flash"):
			return p, "", fmt.Errorf("thinking level MINIMAL is not supported by this model")
		}
	}
	if r.System != nil {
		for _, part := range r.System.Parts {
			p.System += part.Text
		}
	}
	for _, t := range r.Tools {
		for _, f := range t.Functions {
			switch {
			case f.Schema != nil && f.Parameters != nil:
				return p, "", fmt.Errorf("parameters and parametersJsonSchema are both set")
			case f.Schema != nil && f.Schema.Type != "OBJECT":
				return p, "", fmt.Errorf("parameters of %s: the schema is of the type %q", f.Name, f.Schema.Type)
			case f.Schema != nil:
				f.Parameters = json.RawMessage(strings.ReplaceAll(encode(f.Schema), `"OBJECT"`, `"object"`))
			}
			if err := checkFunction(f.Name, f.Parameters); err != nil {
				return p, "", err
			}
			p.Tools = append(p.Tools, dialogue.Tool{Name: f.Name, Description: f.Description, Parameters: f.Parameters})
		}
	}
	return p, model, r.conversation(&p, strings.HasPrefix(model, "gemini-3"))
}

// conversation checks the contents: https://ai.google.dev/gemini-api/docs/function-calling and …/thought-signatures.
func (r googleRequest) conversation(p *dialogue.Prompt, signs bool) error {
	if len(r.Contents) == 0 {
		return fmt.Errorf("contents is not specified")
	}
	var open []string // names of calls without a response
	for i, c := range r.Contents {
		calls, responses := 0, 0
		said := dialogue.Message{Role: dialogue.RoleUser}
		if c.Role == "model" {
			said.Role = dialogue.RoleAssistant
		} else if c.Role != "user" {
			return fmt.Errorf("please use a valid role: user, model; not %q", c.Role)
		}
		if len(c.Parts) == 0 || i == 0 && c.Role != "user" {
			return fmt.Errorf("contents.%d: no parts, or not the user's", i)
		}
		for _, part := range c.Parts {
			switch {
			case part.Call != nil:
				if calls++; c.Role != "model" || calls == 1 && signs && !googleSignatures[part.Signature] {
					return fmt.Errorf("function call is missing a thought_signature in functionCall parts. Function call `default_api:%s`, position %d", part.Call.Name, i)
				}
				open = append(open, part.Call.Name)
				said.ToolCalls = append(said.ToolCalls, dialogue.ToolCall{ID: part.Call.ID, Name: part.Call.Name, Arguments: part.Call.Args})
			case part.Response != nil:
				if c.Role != "user" || responses >= len(open) || open[responses] != part.Response.Name || !isObject(part.Response.Response) {
					return fmt.Errorf("please ensure that function response turn comes immediately after a function call turn")
				}
				responses++
				text := string(part.Response.Response)
				var wrapped struct{ Result *string }
				if json.Unmarshal(part.Response.Response, &wrapped) == nil && wrapped.Result != nil {
					text = *wrapped.Result
				}
				p.Messages = append(p.Messages, dialogue.Message{Role: dialogue.RoleTool, ToolCallID: part.Response.ID, Content: text})
			case part.Text != "":
				said.Content += part.Text
			default:
				return fmt.Errorf("contents.%d: a part must have one initialized field", i)
			}
		}
		if responses != len(open) && calls == 0 || responses > 0 && said.Content != "" {
			return fmt.Errorf("please ensure that the number of function response parts is equal to the number of function call parts of the function call turn")
		}
		if calls == 0 {
			open = nil
		}
		if said.Content != "" || len(said.ToolCalls) > 0 {
			p.Messages = append(p.Messages, said)
		}
	}
	if len(open) > 0 {
		return fmt.Errorf("%d function calls at the end have no response", len(open))
	}
	if last := r.Contents[len(r.Contents)-1]; last.Role != "user" {
		return fmt.Errorf("please ensure that the conversation ends with a user turn")
	}
	return nil
}

// writeGoogle streams an answer.
func writeGoogle(e *sse, model string, inputTokens int, p dialogue.Prompt, r Reply) error {
	list, _ := tokens(r.Text)
	finish := "STOP"
	if p.MaxTokens > 0 && len(list) > p.MaxTokens {
		list, finish, r.ToolCalls = list[:p.MaxTokens], "MAX_TOKENS", nil
	}
	output := 0
	send := func(parts []any, finish string, event func(string, any) error) error {
		candidate := map[string]any{"index": 0, "content": map[string]any{"role": "model", "parts": parts}}
		if finish != "" {
			candidate["finishReason"] = finish
		}
		return event("", map[string]any{"candidates": []any{candidate}, "modelVersion": model, "responseId": "Il0taoSYJ5Cez7IP",
			"usageMetadata": map[string]any{"promptTokenCount": inputTokens, "cachedContentTokenCount": inputTokens / 3, "candidatesTokenCount": output, "thoughtsTokenCount": 3, "totalTokenCount": inputTokens + output + 3}})
	}
	for _, token := range list {
		output++
		if err := send([]any{map[string]any{"text": token}}, "", e.piece); err != nil {
			return err
		}
	}
	var parts []any
	for i, c := range r.ToolCalls {
		output += 5
		part := map[string]any{"functionCall": map[string]any{"id": c.ID, "name": c.Name, "args": c.Arguments}}
		if i == 0 && strings.HasPrefix(model, "gemini-3") {
			part["thoughtSignature"] = googleSignature
		}
		parts = append(parts, part)
	}
	if len(parts) > 0 {
		if err := send(parts, "", e.piece); err != nil {
			return err
		}
	}
	e.s.charge("llm input_tokens", inputTokens-inputTokens/3)
	e.s.charge("llm cached_input_tokens", inputTokens/3)
	e.s.charge("llm output_tokens", output+3)
	return send([]any{map[string]any{"text": ""}}, finish, e.event)
}
