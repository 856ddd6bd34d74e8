package geminilive

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"

	"parley/internal/dialogue"
	"parley/internal/provider/realtime"
	"parley/internal/provider/recognition"
)

// silentAfter is how long after the caller's turn a model that sends nothing is taken for one that does not answer: the models
// decide by themselves whether they are meant.
const silentAfter = 4 * time.Second

// longestQuiet is the silence after which an utterance ends that the session did not end.
const longestQuiet = 600 * time.Millisecond

// errGoAway ends a connection that the vendor is about to close; the session opens another one.
var errGoAway = dialogue.NewError(vendor + " closes connections after ten minutes")

// conversation is a dialogue.Conversation over one connection.
type conversation struct {
	link        *realtime.Link
	transcripts *realtime.Transcripts

	mu     sync.Mutex
	system string
	gate   *recognition.Gate

	heard   strings.Builder    // transcript of the caller's turn so far
	pending bool               // the caller's turn has ended, and its final transcript was not passed on
	silent  *time.Timer        // that runs while it is
	notes   []dialogue.Message // that wait for the next request
	names   map[string]string  // of the functions that were called and not answered, by id
	results []functionResponse // that wait for the next request
	leaving bool               // the vendor is about to close the connection

	current *turn // of the model: being generated, or generated and not asked for yet
	awaited *turn // the next one, of which nothing has come
	closing bool  // the end of a turn that is complete is still to come
	owed    dialogue.Usage
	used    dialogue.UsageFunc
}

func newConversation(link *realtime.Link, o dialogue.ConversationOptions) *conversation {
	return &conversation{link: link, transcripts: realtime.NewTranscripts(), system: o.System, gate: recognition.NewGate(), names: map[string]string{}, used: o.Used}
}

// Transcripts yields the caller's transcripts.
func (c *conversation) Transcripts() <-chan dialogue.Transcript { return c.transcripts.Out() }

// Err waits for the end of the conversation and returns its error, nil after Close.
func (c *conversation) Err() error {
	<-c.link.Done()
	if err := c.link.Ended(); err != nil && !realtime.IsClosed(err) {
		return err
	}
	return nil
}

// Close ends the conversation.
func (c *conversation) Close() error {
	c.link.Close()
	return nil
}

func (c *conversation) end(err error) {
	if err == nil {
		err = c.link.Ended()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stopWaiting()
	for _, t := range []*turn{c.current, c.awaited} {
		if t != nil && t.reader != nil {
			t.reader.Finish(err)
		}
	}
	c.transcripts.Close()
}

// Write sends audio of the caller, from its first sound to Finalize.
func (c *conversation) Write(pcm []int16) error {
	if err := c.link.Ended(); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	spoken, begins := c.gate.Push(pcm)
	if begins {
		c.begin()
	}
	if len(spoken) > 0 {
		c.link.Send(clientMessage{RealtimeInput: &realtimeInput{Audio: &blob{"audio/pcm;rate=16000", realtime.Encode(spoken)}}})
	}
	if c.gate.Open() && c.gate.Quiet() >= longestQuiet { // a noise that was no speech to the session
		c.gate.End()
		c.endActivity()
	}
	return nil
}

// begin marks the beginning of what the caller says, which ends what is being generated.
func (c *conversation) begin() {
	c.stopWaiting()
	if t := c.awaited; t != nil { // the vendor ends it, and makes another one when the caller has spoken
		c.closing = true
		if !t.spoken {
			c.awaited = nil
			if t.reader != nil {
				t.reader.Finish(nil)
			}
		}
	}
	if t := c.current; t != nil {
		t.cut = true
		if t.reader == nil {
			c.forget(t, 0)
		}
	}
	c.sendResults("")
	c.sendNotes(false)
	c.link.Send(clientMessage{RealtimeInput: &realtimeInput{ActivityStart: &struct{}{}}})
}

// Finalize marks the end of what the caller says, which the vendor answers.
func (c *conversation) Finalize() error {
	if err := c.link.Ended(); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.gate.End() {
		if c.pending { // its final transcript is on its way
			return nil
		}
		return c.transcripts.Put(dialogue.Transcript{Final: true})
	}
	c.endActivity()
	return nil
}

// endActivity marks the end of what the caller says.
func (c *conversation) endActivity() {
	c.sendNotes(false) // how much was played of the answer that the caller interrupted
	c.link.Send(clientMessage{RealtimeInput: &realtimeInput{ActivityEnd: &struct{}{}}})
	if c.awaited == nil || !c.awaited.spoken {
		c.await(&turn{spoken: true})
	}
	c.pending = true
	c.stopWaiting()
	c.silent = time.AfterFunc(silentAfter, c.unanswered)
}

// await expects another turn of the model.
func (c *conversation) await(t *turn) {
	if c.awaited != nil && c.awaited.reader != nil {
		c.awaited.reader.Finish(nil)
	}
	c.awaited = t
}

func (c *conversation) stopWaiting() {
	if c.silent != nil {
		c.silent.Stop()
	}
}

// unanswered handles a turn of the caller that the model does not answer.
func (c *conversation) unanswered() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.pending || c.link.Ended() != nil {
		return
	}
	if t := c.awaited; t != nil && t.spoken {
		c.awaited = nil
		if t.reader != nil {
			t.reader.Finish(nil)
		}
	}
	if err := c.finishTranscript(""); err != nil {
		c.link.Fail(err)
	}
}

// finishTranscript passes the final transcript of the caller's turn on; the text is for one without words.
func (c *conversation) finishTranscript(wordless string) error {
	if !c.pending {
		return nil
	}
	c.pending = false
	c.stopWaiting()
	text := strings.TrimSpace(c.heard.String())
	c.heard.Reset()
	if text == "" {
		text = wordless
	}
	return c.transcripts.Put(dialogue.Transcript{Text: text, Final: true})
}

// Add adds messages, which are sent with the next request.
func (c *conversation) Add(messages ...dialogue.Message) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, m := range messages {
		name, called := c.names[m.ToolCallID]
		if m.Role != dialogue.RoleTool || !called {
			c.notes = append(c.notes, m)
			continue
		}
		delete(c.names, m.ToolCallID)
		c.results = append(c.results, functionResponse{m.ToolCallID, name, map[string]any{"output": m.Content}})
	}
}

// sendResults sends the results of functions, which the vendor answers. Instructions for that answer go with them: a message of its own would interrupt it.
func (c *conversation) sendResults(instructions string) {
	if len(c.results) == 0 {
		return
	}
	if instructions != "" {
		c.results[len(c.results)-1].Response["instructions"] = instructions
	}
	c.link.Send(clientMessage{ToolResponse: &toolResponse{c.results}})
	c.results = nil
}

// takeNotes returns what waits as one text.
func (c *conversation) takeNotes() string {
	var texts []string
	for _, p := range parts(c.notes) {
		texts = append(texts, p.Text)
	}
	c.notes = nil
	return strings.Join(texts, "\n")
}

// sendNotes sends what waits as a turn of the user's; a complete one is answered.
func (c *conversation) sendNotes(complete bool) {
	list := parts(c.notes)
	c.notes = nil
	if complete && len(list) == 0 {
		list = []part{note("Go on.")}
	}
	if len(list) > 0 {
		c.link.Send(clientMessage{ClientContent: &clientContent{Turns: []content{{Role: "user", Parts: list}}, TurnComplete: complete}})
	}
}

// handle handles a message of the vendor.
func (c *conversation) handle(message []byte) error {
	var m serverMessage
	if err := json.Unmarshal(message, &m); err != nil {
		return fmt.Errorf("%s sent no JSON: %w", vendor, err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.leaving = c.leaving || m.GoAway != nil
	if m.UsageMetadata != nil {
		used := m.UsageMetadata.tokens()
		c.used.Report(dialogue.SpeechUsage{Usage: used})
		c.addUsage(used)
	}
	if s := m.ServerContent; s != nil {
		if err := c.handleContent(s); err != nil {
			return err
		}
	}
	if m.ToolCallCancellation != nil { // the caller spoke meanwhile
		for _, id := range m.ToolCallCancellation.IDs {
			delete(c.names, id)
		}
	}
	if m.ToolCall != nil {
		var calls []dialogue.ToolCall
		for _, call := range m.ToolCall.FunctionCalls {
			c.names[call.ID] = call.Name
			arguments := call.Args
			if len(arguments) == 0 {
				arguments = json.RawMessage("{}")
			}
			calls = append(calls, dialogue.ToolCall{ID: call.ID, Name: call.Name, Arguments: arguments})
		}
		if err := c.generated(dialogue.ResponseEvent{ToolCalls: calls}); err != nil {
			return err
		}
		c.complete() // the vendor goes on when it has the results
	}
	if c.leaving && (c.current == nil || c.current.complete) && c.awaited == nil && !c.pending {
		return errGoAway
	}
	return nil
}

func (c *conversation) handleContent(s *serverContent) error {
	if t := s.InputTranscription; t != nil && t.Text != "" {
		if err := c.addTranscript(t.Text); err != nil {
			return err
		}
	}
	for _, p := range s.ModelTurn.Parts {
		if p.InlineData == nil || p.Thought {
			continue
		}
		pcm, err := realtime.Decode(p.InlineData.Data)
		if err != nil {
			return fmt.Errorf("%s sent audio that is not base64: %w", vendor, err)
		}
		if err := c.generated(dialogue.ResponseEvent{PCM: pcm}); err != nil {
			return err
		}
	}
	if t := s.OutputTranscription; t != nil && t.Text != "" {
		if err := c.generated(dialogue.ResponseEvent{Text: t.Text}); err != nil {
			return err
		}
	}
	if s.GenerationComplete {
		c.complete()
	}
	if s.Interrupted { // turnComplete follows
		c.complete()
		c.closing = true
	}
	if s.TurnComplete {
		return c.closeTurn()
	}
	return nil
}

// addTranscript handles more of the transcript of the caller. What comes after the answer has begun is not a turn of its own.
func (c *conversation) addTranscript(text string) error {
	if !c.pending && !c.gate.Open() {
		return nil
	}
	c.heard.WriteString(text)
	return c.transcripts.Put(dialogue.Transcript{Text: strings.TrimSpace(c.heard.String())})
}
