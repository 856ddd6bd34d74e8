package openairealtime

import (
	"encoding/json"
	"fmt"
	"reflect"
	"sync"

	"parley/internal/dialogue"
	"parley/internal/provider/realtime"
)

// conversation is a dialogue.Conversation over one connection.
type conversation struct {
	key  string
	link *realtime.Link

	input       *input
	transcripts *realtime.Transcripts

	transcriber            string // the model that transcribes the caller
	used, transcribedUsage dialogue.UsageFunc

	mu           sync.Mutex
	instructions string
	tools        []function
	active       *answer // was asked for, and is not done
	next         *answer // is asked for when active is done
	answers      int     // that were asked for
	pending      []*utterance
	commits      int // that were sent
}

func newConversation(link *realtime.Link, key, transcriber string, o dialogue.ConversationOptions) *conversation {
	return &conversation{key: key, transcriber: transcriber, used: o.Used, transcribedUsage: o.Transcribed, link: link, input: newInput(), transcripts: realtime.NewTranscripts()}
}

// Transcripts returns the channel of the caller's transcripts.
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

// end ends what is open when the link has ended.
func (c *conversation) end(err error) {
	if err == nil {
		err = c.link.Ended()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, a := range []*answer{c.active, c.next} {
		if a != nil {
			a.Finish(err)
		}
	}
	c.active, c.next = nil, nil
	c.transcripts.Close()
}

// Add adds messages to the conversation.
func (c *conversation) Add(messages ...dialogue.Message) {
	for _, m := range messages {
		for _, i := range items(m) {
			c.link.Send(createItem{"conversation.item.create", i})
		}
	}
}

// Respond asks for an answer.
func (c *conversation) Respond(o dialogue.ResponseOptions) dialogue.Response {
	c.mu.Lock()
	defer c.mu.Unlock()
	a := newAnswer(c)
	if err := c.link.Ended(); err != nil {
		a.Finish(err)
		return a
	}
	if tools := functions(o.Tools); o.System != c.instructions || !reflect.DeepEqual(tools, c.tools) {
		c.instructions, c.tools = o.System, tools
		c.link.Send(sessionUpdate(session{Type: "realtime", Instructions: o.System, Tools: tools}))
	}
	if c.active == nil {
		c.create(a)
		return a
	}
	if c.next != nil {
		c.next.Finish(nil)
	}
	c.next = a
	c.cancel(c.active)
	return a
}

// create sends the request for an answer; one at a time is possible.
func (c *conversation) create(a *answer) {
	c.answers++
	a.eventID = fmt.Sprintf("answer_%d", c.answers)
	c.active = a
	c.link.Send(command{"response.create", a.eventID})
}

// cancel has the vendor stop an answer. Before the vendor has named it, that has to wait.
func (c *conversation) cancel(a *answer) {
	a.cancelled = true
	if a.id != "" && !a.cancelSent {
		a.cancelSent = true
		c.link.Send(cancelResponse{"response.cancel", a.id})
	}
}

// handle handles an event of the vendor.
func (c *conversation) handle(message []byte) error {
	var e event
	if err := json.Unmarshal(message, &e); err != nil {
		return fmt.Errorf("%s sent no JSON: %w", vendor, err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	switch e.Type {
	case "input_audio_buffer.committed":
		c.committed(e.ItemID)
	case "conversation.item.input_audio_transcription.delta":
		return c.transcribed(e.ItemID, e.Delta, false)
	case "conversation.item.input_audio_transcription.completed":
		used := e.Usage.Speech()
		used.Model = c.transcriber
		c.transcribedUsage.Report(used)
		return c.transcribed(e.ItemID, e.Transcript, true)
	case "conversation.item.input_audio_transcription.failed":
		return c.transcribed(e.ItemID, realtime.Inaudible, true)
	case "error":
		return c.refused(e.Error)
	case "response.created":
		if a := c.active; a != nil && a.id == "" {
			a.id = e.Response.ID
			if a.cancelled {
				c.cancel(a)
			}
		}
	case "response.done":
		if u := e.Response.Usage; u != nil {
			c.used.Report(dialogue.SpeechUsage{Usage: *u.tokens()})
		}
		if a := c.active; a != nil && a.id == e.Response.ID {
			c.finish(a, e.Response)
		}
	default:
		if a := c.active; a != nil && a.id != "" && a.id == e.ResponseID {
			return a.handle(e)
		}
	}
	return nil
}

// refused handles an error. Most leave the session as it is: cancelling what has just ended, truncating what is not
// there any more.
func (c *conversation) refused(e wireError) error {
	if a := c.active; a != nil && e.EventID != "" && e.EventID == a.eventID {
		a.Finish(c.errorOf(e))
		c.active = nil
		c.createNext()
		return nil
	}
	for i, u := range c.pending {
		if e.EventID != "" && e.EventID == u.eventID { // there was too little audio
			c.pending = append(c.pending[:i:i], c.pending[i+1:]...)
			return c.transcripts.Put(dialogue.Transcript{Final: true})
		}
	}
	switch {
	case e.Code == "session_expired":
		return dialogue.Errorf("%s: the session has expired", vendor)
	case e.EventID == sessionUpdateID:
		return c.errorOf(e)
	}
	return nil
}

func (c *conversation) createNext() {
	if a := c.next; a != nil {
		c.next = nil
		c.create(a)
	}
}
