package llm

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"

	"parley/internal/dialogue"
)

// Calls gathers the fragments of an answer's tool calls. The zero value is
// empty.
type Calls struct{ gathered []gathering }

type gathering struct {
	index     int64
	id, name  string
	arguments bytes.Buffer
}

// Add takes a fragment: of the call at the index, or a new one when the index
// or the identifier is new. Identifier and name come once, or each time.
// Servers that imitate OpenAI are known to number all calls 0.
func (c *Calls) Add(index int64, id, name, arguments string) {
	g := c.find(index)
	if g == nil || id != "" && g.id != "" && id != g.id {
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

// find returns the last call at an index, nil when there is none.
func (c *Calls) find(index int64) *gathering {
	for i := len(c.gathered) - 1; i >= 0; i-- {
		if c.gathered[i].index == index {
			return &c.gathered[i]
		}
	}
	return nil
}

// Finish returns the complete calls, in order. Arguments that are no JSON
// object are an error: half of them must not be acted upon, and asking the
// model again, which the caller's retry does, usually brings whole ones.
func (c *Calls) Finish() ([]dialogue.ToolCall, error) {
	var calls []dialogue.ToolCall
	for i := range c.gathered {
		g := &c.gathered[i]
		if g.name == "" {
			return nil, fmt.Errorf("the model called a function without a name")
		}
		if g.id == "" {
			g.id = "call_" + rand.Text()
		}
		arguments, err := object(g.arguments.Bytes())
		if err != nil {
			return nil, fmt.Errorf("the model called %s with arguments that are no JSON object", g.name)
		}
		calls = append(calls, dialogue.ToolCall{ID: g.id, Name: g.name, Arguments: arguments})
	}
	return calls, nil
}

// object checks that a text is a JSON object; nothing, or null, is the empty
// one.
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

// noResult is what a model is told of a call that has no result: an
// interruption came first.
const noResult = "There is no result: the call was broken off."

// Paired returns the conversation with each tool call followed by its result,
// and no other results, as the vendors demand of it. One that lacks a result,
// or a result without its call, would have every further turn refused.
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
