package google

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"

	"parley/internal/dialogue"
	"parley/internal/provider/llm"
)

// request is the body of a request.
// https://ai.google.dev/api/generate-content
type request struct {
	System     *content    `json:"systemInstruction,omitempty"`
	Contents   []content   `json:"contents"`
	Tools      []tools     `json:"tools,omitempty"`
	Generation *generation `json:"generationConfig,omitempty"`
}

// content is a turn of the user or the model.
type content struct {
	Role  string `json:"role,omitempty"`
	Parts []part `json:"parts"`
}

// part is a part of a turn; one of its first three fields is set.
type part struct {
	Text      string    `json:"text,omitempty"`
	Call      *call     `json:"functionCall,omitempty"`
	Response  *response `json:"functionResponse,omitempty"`
	Thought   bool      `json:"thought,omitempty"`
	Signature string    `json:"thoughtSignature,omitempty"`
}

type call struct {
	ID   string          `json:"id,omitempty"`
	Name string          `json:"name"`
	Args json.RawMessage `json:"args,omitempty"`
}

type response struct {
	ID       string          `json:"id,omitempty"`
	Name     string          `json:"name"`
	Response json.RawMessage `json:"response"`
}

type tools struct {
	Functions []function `json:"functionDeclarations"`
}

type function struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parametersJsonSchema,omitempty"`
}

type generation struct {
	Temperature *float64        `json:"temperature,omitempty"`
	MaxTokens   int             `json:"maxOutputTokens,omitempty"`
	Thinking    *thinking       `json:"thinkingConfig,omitempty"`
	MIMEType    string          `json:"responseMimeType,omitempty"`
	Schema      json.RawMessage `json:"responseJsonSchema,omitempty"`
}

type thinking struct {
	Level  string `json:"thinkingLevel,omitempty"`
	Budget *int   `json:"thinkingBudget,omitempty"`
}

// thinkingRoom is added to the limit of models that think before they answer: thoughts count as output.
const thinkingRoom = 1024

// anySignature is what Gemini accepts as the signature of a call that another model made, as after a fallback.
// https://ai.google.dev/gemini-api/docs/thought-signatures
const anySignature = "skip_thought_signature_validator"

// newRequest converts a prompt.
func newRequest(p dialogue.Prompt) request {
	f := familyOf(p.Model)
	r := request{Contents: contents(p.Messages, f.signs), Generation: &generation{Temperature: p.Temperature, Thinking: f.thinking}}
	if strings.TrimSpace(p.System) != "" {
		r.System = &content{Parts: []part{{Text: p.System}}}
	}
	if p.MaxTokens > 0 {
		r.Generation.MaxTokens = p.MaxTokens
		if f.thinks {
			r.Generation.MaxTokens += thinkingRoom
		}
	}
	if p.JSONSchema != nil { // https://ai.google.dev/gemini-api/docs/structured-output
		r.Generation.MIMEType, r.Generation.Schema = "application/json", p.JSONSchema
	}
	for _, t := range p.Tools {
		if len(r.Tools) == 0 {
			r.Tools = []tools{{}}
		}
		r.Tools[0].Functions = append(r.Tools[0].Functions, function(t))
	}
	return r
}

// family is the parameters of a family of models.
type family struct {
	thinking *thinking // the least there is, because the caller waits
	thinks   bool      // nevertheless
	signs    bool      // calls must have a signature
}

var version = regexp.MustCompile(`^gemini-(\d+)(?:\.(\d+))?-(.*)$`)

// familyOf returns the family of a model: https://docs.cloud.google.com/gemini-enterprise-agent-platform/models/thinking.
func familyOf(model string) family {
	found := version.FindStringSubmatch(model)
	if found == nil {
		return family{}
	}
	major, _ := strconv.Atoi(found[1])
	minor, _ := strconv.Atoi(found[2])
	kind := found[3]
	switch {
	case major < 2, major == 2 && minor < 5:
		return family{}
	case major == 2 && strings.HasPrefix(kind, "pro"):
		return family{thinking: &thinking{Budget: new(128)}, thinks: true}
	case major == 2:
		return family{thinking: &thinking{Budget: new(0)}}
	case strings.HasPrefix(kind, "flash-lite"), strings.HasPrefix(kind, "flash") && major == 3 && minor < 7:
		return family{thinking: &thinking{Level: "minimal"}, thinks: true, signs: true}
	default: // has no level below low
		return family{thinking: &thinking{Level: "low"}, thinks: true, signs: true}
	}
}

// Text for a caller who has said nothing: the first and the last turn are the user's.
const (
	opening = "<system>The call begins.</system>"
	silence = "<system>The caller says nothing.</system>"
)

// contents converts the conversation. System messages become marked text in the user's turns. The results of a turn's
// calls are a separate content, directly after it, as the API requires.
func contents(conversation []dialogue.Message, signs bool) []content {
	var list []content
	names := map[string]string{} // of calls
	add := func(role string, parts ...part) {
		if len(list) == 0 && role == "model" {
			list = append(list, content{Role: "user", Parts: []part{{Text: opening}}})
		}
		n := len(list)
		if n > 0 && list[n-1].Role == role && (list[n-1].Parts[0].Response != nil) == (parts[0].Response != nil) {
			list[n-1].Parts = append(list[n-1].Parts, parts...)
			return
		}
		list = append(list, content{Role: role, Parts: parts})
	}
	for _, m := range llm.Paired(conversation) {
		text := strings.TrimSpace(m.Content)
		switch {
		case m.Role == dialogue.RoleTool:
			add("user", part{Response: &response{ID: m.ToolCallID, Name: names[m.ToolCallID], Response: result(m.Content)}})
		case m.Role == dialogue.RoleAssistant:
			if text != "" {
				add("model", part{Text: text})
			}
			for i, c := range m.ToolCalls {
				names[c.ID] = c.Name
				add("model", callPart(c, i == 0 && signs))
			}
		case text != "" && m.Role == dialogue.RoleSystem:
			add("user", part{Text: "<system>" + text + "</system>"})
		case text != "":
			add("user", part{Text: text})
		}
	}
	switch {
	case len(list) == 0:
		add("user", part{Text: opening})
	case list[len(list)-1].Role == "model":
		add("user", part{Text: silence})
	}
	return list
}

// callPart converts a call. Of the calls of a turn the first one must have a signature.
func callPart(c dialogue.ToolCall, signed bool) part {
	p := part{Call: &call{ID: c.ID, Name: c.Name, Args: c.Arguments}}
	if c.Origin == name {
		_ = json.Unmarshal(c.Extra, &p.Signature) // written by this package
	}
	if p.Signature == "" && signed {
		p.Signature = anySignature
	}
	return p
}

// result returns a tool's result, which has to be an object.
func result(text string) json.RawMessage {
	var fields map[string]json.RawMessage
	if json.Unmarshal([]byte(text), &fields) == nil && fields != nil {
		return json.RawMessage(text)
	}
	wrapped, _ := json.Marshal(map[string]string{"result": text}) // of our own type
	return wrapped
}
