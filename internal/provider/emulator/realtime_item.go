package emulator

import (
	"encoding/json"
	"strings"
	"time"

	"parley/internal/dialogue"
)

func (c *realtimeConversation) previous() any {
	if len(c.items) == 0 {
		return nil
	}
	return c.items[len(c.items)-1].id
}

// add adds an item to the conversation.
func (c *realtimeConversation) add(i *realtimeItem, shape map[string]any) {
	shape["id"], shape["object"], shape["status"] = i.id, "realtime.item", "completed"
	previous := c.previous()
	c.items = append(c.items, i)
	c.send("conversation.item.added", map[string]any{"previous_item_id": previous, "item": shape})
	c.send("conversation.item.done", map[string]any{"previous_item_id": previous, "item": shape})
}

// realtimeClientItem is an item as a client creates it.
type realtimeClientItem struct {
	ID, Type, Role, Name, Arguments string
	CallID                          string `json:"call_id"`
	Output                          *string
	Content                         []struct{ Type, Text string }
}

func (c *realtimeConversation) create(eventID string, given realtimeClientItem) {
	i := &realtimeItem{id: given.ID}
	if i.id == "" {
		i.id = c.id("item")
	}
	switch given.Type {
	case "message":
		want := map[string]string{"system": "input_text", "user": "input_text", "assistant": "output_text"}[given.Role]
		if want == "" || len(given.Content) == 0 {
			c.violate(eventID, "invalid_value", "a message needs a role and content, not %+v", given)
			return
		}
		i.message.Role = dialogue.Role(given.Role)
		for _, part := range given.Content {
			if part.Type != want {
				c.violate(eventID, "invalid_value", "the content of role %s is %s, not %s", given.Role, want, part.Type)
				return
			}
			i.message.Content += part.Text
		}
	case "function_call":
		i.message = dialogue.Message{Role: dialogue.RoleAssistant, ToolCalls: []dialogue.ToolCall{{ID: given.CallID, Name: given.Name, Arguments: json.RawMessage(given.Arguments)}}}
		c.calls[given.CallID] = true
	case "function_call_output":
		if !c.calls[given.CallID] || given.Output == nil {
			c.violate(eventID, "invalid_tool_call_id", "Tool call ID '%s' not found in conversation.", given.CallID)
			return
		}
		i.message = dialogue.Message{Role: dialogue.RoleTool, ToolCallID: given.CallID, Content: *given.Output}
	default:
		c.violate(eventID, "invalid_value", "there is no item %q", given.Type)
		return
	}
	c.add(i, map[string]any{"type": given.Type, "role": given.Role})
}

// truncate cuts an answer to what was played. The vendor deletes the transcript; the script is given the part that was
// played, as a model would be.
func (c *realtimeConversation) truncate(eventID, id string, content int, end time.Duration) {
	n := c.index(id)
	if n < 0 || content != 0 || c.items[n].message.Role != dialogue.RoleAssistant || c.items[n].audio == 0 {
		c.violate(eventID, "invalid_value", "Only model output audio messages can be truncated")
		return
	}
	i := c.items[n]
	if end > i.audio {
		c.violate(eventID, "invalid_value", "Audio content of %v is already shorter than %v", i.audio, end)
		return
	}
	words := strings.Fields(i.message.Content)
	i.message.Content = strings.Join(words[:int(float64(len(words))*float64(end)/float64(i.audio))], " ")
	i.audio = end
	c.send("conversation.item.truncated", map[string]any{"item_id": id, "content_index": 0, "audio_end_ms": end.Milliseconds()})
}
