package emulator

import (
	"context"
	"encoding/base64"
	"strings"
	"time"

	"parley/internal/dialogue"
)

// realtimeResponse is an answer of an emulated realtime model in progress.
type realtimeResponse struct {
	*realtimeConversation
	ctx     context.Context
	stopped *bool
	id      string
	output  []any
	first   bool
	tokens  int
}

// respond answers what the conversation holds.
func (c *realtimeConversation) respond(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	r := &realtimeResponse{realtimeConversation: c, ctx: ctx, id: c.id("resp"), stopped: new(bool), first: true}
	c.active, c.stop = cancel, r.stopped
	reply := c.script.answer(c.prompt())
	c.send("response.created", map[string]any{"response": map[string]any{"id": r.id, "object": "realtime.response", "status": "in_progress", "output": []any{}}})
	go func() {
		defer cancel()
		complete := r.speak(reply.Text)
		for _, call := range reply.ToolCalls {
			complete = complete && r.call(call)
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		status := "completed"
		if !complete {
			status = "cancelled"
		}
		c.active = nil
		if ctx.Err() != nil && !*r.stopped {
			return // the connection has ended
		}
		for unit, n := range map[string]int{"input_tokens": 20, "cached_input_tokens": 10, "input_audio_tokens": 55, "cached_input_audio_tokens": 15,
			"output_tokens": r.tokens - r.tokens/2, "output_audio_tokens": r.tokens / 2} {
			r.s.charge("realtime "+unit, n)
		}
		r.part("response.done", map[string]any{"response": map[string]any{"id": r.id, "object": "realtime.response", "status": status, "output": r.output,
			"usage": map[string]any{"total_tokens": 100 + r.tokens, "input_tokens": 100, "output_tokens": r.tokens,
				"input_token_details": map[string]any{"text_tokens": 30, "audio_tokens": 70, "image_tokens": 0, "cached_tokens": 25,
					"cached_tokens_details": map[string]any{"text_tokens": 10, "audio_tokens": 15, "image_tokens": 0}},
				"output_token_details": map[string]any{"text_tokens": r.tokens - r.tokens/2, "audio_tokens": r.tokens / 2}}}})
		c.script.ended(nil)
	}()
}

// part sends an event of the response. The lock is held.
func (r *realtimeResponse) part(kind string, fields map[string]any) {
	if fields["response"] == nil {
		fields["response_id"] = r.id
	}
	r.messageSender.answer(r.event(kind, fields), r.first, 0)
	r.first = false
}

// speak says a text, and reports whether it was not cancelled.
func (r *realtimeResponse) speak(text string) (complete bool) {
	if text == "" {
		return true
	}
	pcm := r.s.sound(text).pcm
	r.mu.Lock()
	i := &realtimeItem{id: r.realtimeConversation.id("item"), message: dialogue.Message{Role: dialogue.RoleAssistant}}
	r.spoke = true
	previous := r.previous()
	r.items = append(r.items, i)
	item := map[string]any{"id": i.id, "object": "realtime.item", "type": "message", "role": "assistant", "status": "in_progress", "content": []any{}}
	r.part("response.output_item.added", map[string]any{"output_index": 0, "item": item})
	r.part("conversation.item.added", map[string]any{"previous_item_id": previous, "item": item})
	where := func(more map[string]any) map[string]any {
		fields := map[string]any{"item_id": i.id, "output_index": 0, "content_index": 0}
		for name, value := range more {
			fields[name] = value
		}
		return fields
	}
	r.part("response.content_part.added", where(map[string]any{"part": map[string]any{"type": "audio", "transcript": ""}}))
	r.mu.Unlock()
	words := strings.SplitAfter(text, " ")
	size := 2 * int(realtimePiece*dialogue.SpeakRate/time.Second)
	complete = true
	for n := 0; len(pcm) > 0; n++ {
		r.mu.Lock()
		if r.ctx.Err() != nil {
			r.mu.Unlock()
			complete = false
			break
		}
		for range 2 { // the transcript is ahead of the audio
			if len(words) > 0 {
				i.message.Content += words[0]
				r.tokens++
				r.part("response.output_audio_transcript.delta", where(map[string]any{"delta": words[0]}))
				words = words[1:]
			}
		}
		piece := pcm[:min(size, len(pcm))]
		pcm = pcm[len(piece):]
		i.audio += time.Duration(len(piece)/2) * time.Second / dialogue.SpeakRate
		r.part("response.output_audio.delta", where(map[string]any{"delta": base64.StdEncoding.EncodeToString(piece)}))
		r.mu.Unlock()
		select {
		case <-time.After(realtimePace):
		case <-r.ctx.Done():
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if complete {
		for _, word := range words {
			i.message.Content += word
			r.part("response.output_audio_transcript.delta", where(map[string]any{"delta": word}))
		}
		item["status"] = "completed"
	} else {
		item["status"] = "incomplete"
	}
	item["content"] = []any{map[string]any{"type": "output_audio", "transcript": i.message.Content}}
	r.part("response.output_audio.done", where(nil))
	r.part("response.output_audio_transcript.done", where(map[string]any{"transcript": i.message.Content}))
	r.part("response.content_part.done", where(map[string]any{"part": map[string]any{"type": "audio", "transcript": i.message.Content}}))
	r.part("response.output_item.done", map[string]any{"output_index": 0, "item": item})
	r.part("conversation.item.done", map[string]any{"previous_item_id": previous, "item": item})
	r.output = append(r.output, item)
	return complete
}

// call calls a function.
func (r *realtimeResponse) call(call dialogue.ToolCall) (complete bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ctx.Err() != nil {
		return false
	}
	arguments := string(call.Arguments)
	if arguments == "" {
		arguments = "{}"
	}
	i := &realtimeItem{id: r.realtimeConversation.id("item"), message: dialogue.Message{Role: dialogue.RoleAssistant, ToolCalls: []dialogue.ToolCall{call}}}
	r.items = append(r.items, i)
	r.calls[call.ID] = true
	index := len(r.output)
	item := map[string]any{"id": i.id, "object": "realtime.item", "type": "function_call", "status": "in_progress", "name": call.Name, "call_id": call.ID, "arguments": ""}
	r.part("response.output_item.added", map[string]any{"output_index": index, "item": item})
	where := map[string]any{"item_id": i.id, "output_index": index, "call_id": call.ID}
	for _, fragment := range fragments(call.Arguments) {
		where["delta"] = fragment
		r.part("response.function_call_arguments.delta", where)
	}
	delete(where, "delta")
	where["arguments"], where["name"] = arguments, call.Name
	r.part("response.function_call_arguments.done", where)
	item["status"], item["arguments"] = "completed", arguments
	r.part("response.output_item.done", map[string]any{"output_index": index, "item": item})
	r.output = append(r.output, item)
	r.tokens += 10
	return true
}
