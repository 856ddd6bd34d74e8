package emulator

import (
	"encoding/base64"
	"slices"
	"strings"
	"time"

	"parley/internal/dialogue"
)

// content adds turns of the client. A complete one ends what is being generated, and is answered.
func (c *geminiConversation) content(turns []geminiContent, complete bool) bool {
	for _, t := range turns {
		role := map[string]dialogue.Role{"user": dialogue.RoleUser, "model": dialogue.RoleAssistant}[t.Role]
		if role == "" || len(t.Parts) == 0 {
			return c.refuse("a turn of the role %q with %d parts", t.Role, len(t.Parts))
		}
		for _, p := range t.Parts {
			c.addText(role, p.Text)
		}
	}
	if complete {
		c.interrupt()
		c.answer()
	}
	return true
}

// addText adds what a client wrote; what Parley marks as an instruction is one for the script.
func (c *geminiConversation) addText(role dialogue.Role, text string) {
	if rest, marked := strings.CutPrefix(text, "<system>"); marked {
		role, text = dialogue.RoleSystem, strings.TrimSuffix(rest, "</system>")
	}
	c.prompt.Messages = append(c.prompt.Messages, dialogue.Message{Role: role, Content: text})
}

// results handles the results of functions, and answers when all are there.
func (c *geminiConversation) results(list []geminiResult) bool {
	for _, r := range list {
		name, called := c.calls[r.ID]
		if !called || r.Name != name || r.Response == nil {
			return c.refuse("no function %q was called with the id %q", r.Name, r.ID)
		}
		delete(c.calls, r.ID)
		output, isText := r.Response["output"].(string)
		if !isText {
			output = encode(r.Response)
		}
		c.prompt.Messages = append(c.prompt.Messages, dialogue.Message{Role: dialogue.RoleTool, ToolCallID: r.ID, Content: output})
		if instructions, ok := r.Response["instructions"].(string); ok {
			c.addText(dialogue.RoleSystem, instructions)
		}
	}
	if len(c.calls) == 0 {
		c.answer()
	}
	return true
}

func (c *geminiConversation) input(in *geminiInput) bool {
	given := 0
	for _, is := range []bool{in.Audio != nil, in.ActivityStart != nil, in.ActivityEnd != nil, in.AudioStreamEnd} {
		if is {
			given++
		}
	}
	switch {
	case given != 1:
		return c.refuse("realtimeInput with %d fields", given)
	case in.Audio != nil:
		return c.listen(in.Audio.MimeType, in.Audio.Data)
	case in.AudioStreamEnd:
		return true
	case c.detects: // "This can only be sent if automatic (i.e. server-side) activity detection is disabled."
		return c.refuse("activity is detected automatically")
	case (in.ActivityStart != nil) == c.active:
		return c.refuse("activity begins or ends twice")
	}
	c.active = in.ActivityStart != nil
	if c.active {
		c.begin()
	} else {
		c.end()
	}
	return true
}

// listen handles audio. Unless the client marks activity, the vendor detects it.
func (c *geminiConversation) listen(kind, data string) bool {
	pcm, err := base64.StdEncoding.DecodeString(data)
	// 16 kHz is the rate of audio/pcm without one: https://ai.google.dev/gemini-api/docs/live-guide#audio-formats
	if err != nil || kind != "audio/pcm;rate=16000" && kind != "audio/pcm" || len(pcm)%2 != 0 {
		return c.refuse("audio of %q that is not 16 kHz linear PCM in base64", kind)
	}
	if !c.detects && !c.active {
		return c.refuse("audio outside of activity")
	}
	for _, frame := range frames(pcm) {
		heard := c.speechDetector.pushAudio(frame)
		if heard.began && c.detects {
			c.begin()
		}
		if heard.interim != "" && !c.rest {
			c.transcribe(heard.interim)
		}
		if heard.ended && c.detects {
			c.end()
		}
	}
	return true
}

// begin handles the beginning of activity, which interrupts what is being generated and cancels functions.
func (c *geminiConversation) begin() {
	c.shown, c.rest = "", time.Since(c.ended) < c.pause
	c.interrupt()
	if len(c.calls) > 0 {
		var ids []string
		for id := range c.calls {
			ids = append(ids, id)
		}
		clear(c.calls)
		c.messageSender.greet(encode(map[string]any{"toolCallCancellation": map[string]any{"ids": ids}}))
	}
}

// end handles the end of activity, which is answered.
func (c *geminiConversation) end() {
	c.ended = time.Now()
	c.interrupt()
	if c.rest {
		c.transcribe(" .")
	} else {
		c.line = c.speechDetector.end()
		c.transcribe(c.line)
	}
	c.prompt.Messages = append(c.prompt.Messages, dialogue.Message{Role: dialogue.RoleUser, Content: c.line})
	c.answer()
}

// transcribe sends what is new of a transcript.
func (c *geminiConversation) transcribe(text string) {
	news := strings.TrimPrefix(text, c.shown)
	c.shown = text
	if news != "" {
		c.messageSender.greet(encode(map[string]any{"serverContent": map[string]any{"inputTranscription": map[string]any{"text": news}}}))
	}
}

// interrupt ends what is being generated. What was sent of it stays in the conversation:
// https://ai.google.dev/gemini-api/docs/live-guide#interruptions
func (c *geminiConversation) interrupt() {
	if !c.busy {
		return
	}
	c.turn++
	c.busy = false
	c.recordAnswer()
	c.messageSender.greet(`{"serverContent":{"interrupted":true}}`)
	c.messageSender.greet(encode(map[string]any{"serverContent": map[string]any{"turnComplete": true}, "usageMetadata": c.usage(c.said)}))
	c.script.ended(nil)
}

func (c *geminiConversation) recordAnswer() {
	if c.said != "" {
		c.prompt.Messages = append(c.prompt.Messages, dialogue.Message{Role: dialogue.RoleAssistant, Content: c.said})
	}
}

func (c *geminiConversation) leave() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.turn++
	c.busy = false
}

// answer generates a turn of the model.
func (c *geminiConversation) answer() {
	c.turn++
	c.busy, c.said = true, ""
	p := c.prompt
	p.Messages = slices.Clone(p.Messages)
	reply := c.script.answer(p)
	go c.generate(c.turn, reply)
}

// send sends a message of a turn, and reports whether that goes on.
func (c *geminiConversation) send(turn int, message map[string]any, first bool) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.turn != turn {
		return false
	}
	c.messageSender.answer(encode(message), first, 0)
	return true
}

func serverContent(content map[string]any) map[string]any {
	return map[string]any{"serverContent": content}
}

// generate speaks ten times as fast as speech, and calls functions.
func (c *geminiConversation) generate(turn int, reply Reply) {
	var pcm []byte
	if reply.Text != "" {
		pcm = c.s.sound(reply.Text).pcm
	}
	words := strings.SplitAfter(reply.Text, " ")
	size := 2 * int(realtimePiece*dialogue.SpeakRate/time.Second)
	for first := true; len(pcm) > 0 || len(words) > 0 && reply.Text != ""; first = false {
		if len(pcm) > 0 {
			piece := pcm[:min(size, len(pcm))]
			pcm = pcm[len(piece):]
			data := map[string]any{"mimeType": "audio/pcm;rate=24000", "data": base64.StdEncoding.EncodeToString(piece)}
			if !c.send(turn, serverContent(map[string]any{"modelTurn": map[string]any{"parts": []any{map[string]any{"inlineData": data}}}}), first) {
				return
			}
		}
		if len(words) > 0 {
			if !c.send(turn, serverContent(map[string]any{"outputTranscription": map[string]any{"text": words[0]}}), false) {
				return
			}
			c.mu.Lock()
			c.said += words[0]
			c.mu.Unlock()
			words = words[1:]
		}
		select {
		case <-time.After(realtimePace):
		case <-c.s.ctx.Done():
			return
		}
	}
	c.conclude(turn, reply)
}

// conclude ends a turn. One that calls functions goes on when their results are there.
func (c *geminiConversation) conclude(turn int, reply Reply) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.turn != turn {
		return
	}
	c.busy = false
	c.recordAnswer()
	if len(reply.ToolCalls) > 0 {
		var calls []any
		for _, call := range reply.ToolCalls {
			c.calls[call.ID] = call.Name
			calls = append(calls, map[string]any{"id": call.ID, "name": call.Name, "args": call.Arguments})
		}
		c.prompt.Messages = append(c.prompt.Messages, dialogue.Message{Role: dialogue.RoleAssistant, ToolCalls: reply.ToolCalls})
		c.messageSender.answer(encode(map[string]any{"toolCall": map[string]any{"functionCalls": calls}, "usageMetadata": c.usage("a call")}), reply.Text == "", 0)
		c.script.ended(nil)
		return
	}
	c.messageSender.answer(encode(serverContent(map[string]any{"generationComplete": true})), false, 0)
	c.messageSender.answer(encode(map[string]any{"serverContent": map[string]any{"turnComplete": true}, "usageMetadata": c.usage(c.said)}), false, 0)
	c.script.ended(nil)
}

// usage charges what was said, and returns the usage of the turn. The thoughts are not among the tokens of the response.
func (c *geminiConversation) usage(said string) map[string]any {
	tokens, modality := len(strings.Fields(said)), "AUDIO"
	if len(c.calls) > 0 {
		modality = "TEXT"
		c.s.charge("realtime output_tokens", tokens)
	} else {
		c.s.charge("realtime output_audio_tokens", tokens)
	}
	for unit, n := range map[string]int{"input_tokens": 25, "cached_input_tokens": 15, "input_audio_tokens": 40, "cached_input_audio_tokens": 20, "output_tokens": 3} {
		c.s.charge("realtime "+unit, n)
	}
	return map[string]any{"promptTokenCount": 100, "cachedContentTokenCount": 35, "responseTokenCount": tokens, "thoughtsTokenCount": 3, "totalTokenCount": 103 + tokens,
		"promptTokensDetails":   []any{map[string]any{"modality": "TEXT", "tokenCount": 38}, map[string]any{"modality": "AUDIO", "tokenCount": 60}}, // 2 are of neither
		"cacheTokensDetails":    []any{map[string]any{"modality": "TEXT", "tokenCount": 15}, map[string]any{"modality": "AUDIO", "tokenCount": 20}},
		"responseTokensDetails": []any{map[string]any{"modality": modality, "tokenCount": tokens}}}
}
