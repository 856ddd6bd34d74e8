package llm

import (
	"bytes"
	"crypto/rand"
	"encoding/json"

	"parley/internal/dialogue"
	"parley/internal/provider/vendorerror"
)

// Calls assembles an answer's tool calls from fragments. The zero value is empty.
type Calls struct{ gathered []gathering }

type gathering struct {
	index     int64
	id, name  string
	arguments bytes.Buffer
	extra     json.RawMessage
	origin    string // of the extra
}

// Add adds a fragment to the call at the index, or to a new one. Id and name are sent once or repeated. Some OpenAI-compatible servers
// give all calls the index 0, and some give each fragment an id of its own.
func (c *Calls) Add(index int64, id, name, arguments string) {
	g := c.find(index)
	if g == nil || g.endsBefore(id, name, arguments) {
		c.gathered = append(c.gathered, gathering{index: index})
		g = &c.gathered[len(c.gathered)-1]
	}
	if g.id == "" {
		g.id = id
	}
	if g.name == "" {
		g.name = name
	}
	g.arguments.WriteString(arguments)
}

// endsBefore reports whether a fragment with the call's index begins another call: it has a name, and differs from this call, or repeats
// its name after complete arguments.
func (g *gathering) endsBefore(id, name, arguments string) bool {
	switch {
	case name == "" || g.name == "":
		return false
	case id != "" && id == g.id:
		return false
	case name != g.name:
		return true
	case !g.isWhole():
		return false
	}
	return id != "" && g.id != "" || arguments != ""
}

// isWhole reports whether the arguments so far are a JSON object.
func (g *gathering) isWhole() bool {
	_, err := object(g.arguments.Bytes())
	return err == nil && g.arguments.Len() > 0
}

// AreWhole reports whether there are calls, and each has arguments that are a JSON object.
func (c *Calls) AreWhole() bool {
	for i := range c.gathered {
		if !c.gathered[i].isWhole() {
			return false
		}
	}
	return len(c.gathered) > 0
}

// Len returns how many calls there are.
func (c *Calls) Len() int64 { return int64(len(c.gathered)) }

// Attach attaches what the provider origin requires back with the last call at the index.
func (c *Calls) Attach(index int64, origin string, extra json.RawMessage) {
	if g := c.find(index); g != nil {
		g.extra, g.origin = extra, origin
	}
}

// find returns the last call at an index, or nil.
func (c *Calls) find(index int64) *gathering {
	for i := len(c.gathered) - 1; i >= 0; i-- {
		if c.gathered[i].index == index {
			return &c.gathered[i]
		}
	}
	return nil
}

// Finish returns the complete calls, in order. Arguments that are not a JSON object are an error, because truncated
// ones must not be executed; a retry by the caller usually returns complete ones.
func (c *Calls) Finish() ([]dialogue.ToolCall, error) {
	var calls []dialogue.ToolCall
	for i := range c.gathered {
		g := &c.gathered[i]
		if g.name == "" {
			return nil, dialogue.NewError("the model called a function without a name")
		}
		if g.id == "" {
			g.id = "call_" + rand.Text()
		}
		arguments, err := object(g.arguments.Bytes())
		if err != nil {
			return nil, vendorerror.Unexpected("the model called a function with arguments that are no JSON object", g.name)
		}
		calls = append(calls, dialogue.ToolCall{ID: g.id, Name: g.name, Arguments: arguments, Extra: g.extra, Origin: g.origin})
	}
	return calls, nil
}

// object returns text that must be a JSON object; empty text and null become the empty one.
func object(text []byte) (json.RawMessage, error) {
	text = bytes.TrimSpace(text)
	if len(text) == 0 || string(text) == "null" {
		return json.RawMessage("{}"), nil
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(text, &fields); err != nil {
		return nil, err
	}
	return json.RawMessage(text), nil
}

// WithReasoning attaches to the first call what a model reasoned before it, if anything.
func WithReasoning(calls []dialogue.ToolCall, model string, items []json.RawMessage) []dialogue.ToolCall {
	if len(calls) > 0 && len(items) > 0 {
		calls[0].Reasoning = &dialogue.Reasoning{Model: model, Items: items}
	}
	return calls
}

// noResult is the result of a call that was interrupted.
const noResult = "There is no result: the call was broken off."

// Paired returns the conversation with each tool call followed by its result, and without results of missing calls,
// as the vendors require. Otherwise they would reject every further turn.
func Paired(messages []dialogue.Message) []dialogue.Message {
	paired := make([]dialogue.Message, 0, len(messages))
	for i, m := range messages {
		if m.Role == dialogue.RoleTool {
			continue
		}
		paired = append(paired, m)
		for _, call := range m.ToolCalls {
			result := dialogue.Message{Role: dialogue.RoleTool, ToolCallID: call.ID, Content: noResult}
			for _, later := range messages[i+1:] {
				if later.Role == dialogue.RoleTool && later.ToolCallID == call.ID {
					result = later
					break
				}
			}
			paired = append(paired, result)
		}
	}
	return paired
}
