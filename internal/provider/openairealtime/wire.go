package openairealtime

import (
	"encoding/json"

	"parley/internal/dialogue"
	"parley/internal/provider/openai"
)

// event is a server event, with the fields of all types that are read.
// https://developers.openai.com/api/reference/resources/realtime/server-events
type event struct {
	Type       string     `json:"type"`
	Error      wireError  `json:"error"`
	ItemID     string     `json:"item_id"`
	ResponseID string     `json:"response_id"`
	Delta      string     `json:"delta"`
	Transcript string     `json:"transcript"`
	Item       outputItem `json:"item"`
	Response   response   `json:"response"`
	// Usage is that of a transcription, which is billed by the price of the model that transcribes.
	Usage *openai.TranscriptionUsage `json:"usage"`
}

type wireError struct {
	Type    string `json:"type"`
	Code    string `json:"code"`
	Message string `json:"message"`
	Param   string `json:"param"`
	EventID string `json:"event_id"` // of the client event that caused it
}

type outputItem struct {
	ID        string `json:"id"`
	Type      string `json:"type"`
	Name      string `json:"name"`
	CallID    string `json:"call_id"`
	Arguments string `json:"arguments"`
}

type response struct {
	ID            string `json:"id"`
	Status        string `json:"status"`
	StatusDetails struct {
		Error wireError `json:"error"`
	} `json:"status_details"`
	Usage *usage `json:"usage"`
}

type usage struct {
	InputTokens  int `json:"input_tokens"`
	OutputTokens int `json:"output_tokens"`
	InputDetails struct {
		CachedTokens  int `json:"cached_tokens"`
		AudioTokens   int `json:"audio_tokens"`
		CachedDetails struct {
			AudioTokens int `json:"audio_tokens"`
		} `json:"cached_tokens_details"`
	} `json:"input_token_details"`
	OutputDetails struct {
		AudioTokens int `json:"audio_tokens"`
	} `json:"output_token_details"`
}

func (u *usage) tokens() *dialogue.Usage {
	return &dialogue.Usage{
		InputTokens: u.InputTokens, OutputTokens: u.OutputTokens, CachedTokens: u.InputDetails.CachedTokens, AudioTokens: u.InputDetails.AudioTokens,
		CachedAudioTokens: u.InputDetails.CachedDetails.AudioTokens, OutputAudioTokens: u.OutputDetails.AudioTokens,
	}
}

// The client events.
type (
	command struct {
		Type    string `json:"type"`
		EventID string `json:"event_id,omitempty"`
	}
	appendAudio struct {
		Type  string `json:"type"`
		Audio string `json:"audio"`
	}
	createItem struct {
		Type string `json:"type"`
		Item item   `json:"item"`
	}
	deleteItem struct {
		Type   string `json:"type"`
		ItemID string `json:"item_id"`
	}
	truncateItem struct {
		Type         string `json:"type"`
		ItemID       string `json:"item_id"`
		ContentIndex int    `json:"content_index"`
		AudioEndMS   int64  `json:"audio_end_ms"`
	}
	cancelResponse struct {
		Type       string `json:"type"`
		ResponseID string `json:"response_id"`
	}
)

// item is an item of the conversation that the client creates.
type item struct {
	Type      string    `json:"type"`
	Role      string    `json:"role,omitempty"`
	Content   []content `json:"content,omitempty"`
	Name      string    `json:"name,omitempty"`
	CallID    string    `json:"call_id,omitempty"`
	Arguments string    `json:"arguments,omitempty"`
	Output    *string   `json:"output,omitempty"`
}

type content struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

// items returns a message as items of the conversation.
func items(m dialogue.Message) (list []item) {
	switch {
	case m.Role == dialogue.RoleTool:
		return []item{{Type: "function_call_output", CallID: m.ToolCallID, Output: &m.Content}}
	case m.Content != "" && m.Role == dialogue.RoleAssistant:
		list = append(list, item{Type: "message", Role: "assistant", Content: []content{{"output_text", m.Content}}})
	case m.Content != "":
		list = append(list, item{Type: "message", Role: string(m.Role), Content: []content{{"input_text", m.Content}}})
	}
	for _, call := range m.ToolCalls {
		arguments := string(call.Arguments)
		if arguments == "" {
			arguments = "{}"
		}
		list = append(list, item{Type: "function_call", Name: call.Name, CallID: call.ID, Arguments: arguments})
	}
	return list
}

// toolCall returns a function call of the model. Arguments that are not a JSON object are left out: they were cut off.
func (i outputItem) toolCall() (dialogue.ToolCall, bool) {
	arguments := json.RawMessage(i.Arguments)
	if i.Arguments == "" {
		arguments = json.RawMessage("{}")
	}
	var object map[string]json.RawMessage
	if json.Unmarshal(arguments, &object) != nil || i.Name == "" {
		return dialogue.ToolCall{}, false
	}
	return dialogue.ToolCall{ID: i.CallID, Name: i.Name, Arguments: arguments}, true
}
