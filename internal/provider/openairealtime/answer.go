package openairealtime

import (
	"fmt"
	"time"

	"parley/internal/dialogue"
	"parley/internal/provider/realtime"
)

// answer is a dialogue.Response. Its fields belong to the conversation's lock.
type answer struct {
	*realtime.Response
	eventID    string // of the request
	id         string // "" until the vendor has named it
	cancelled  bool
	cancelSent bool
	done       bool

	items   []*spoken
	samples int // of all audio
	calls   []dialogue.ToolCall
	cut     bool // what was played is known
	played  time.Duration
}

// spoken is an item of an answer.
type spoken struct {
	id       string
	message  bool // rather than a function call
	from, to int  // its audio in the answer's, in samples
	named    bool // text of it was delivered
}

func newAnswer(c *conversation) *answer {
	a := new(answer)
	a.Response = realtime.NewResponse(func(played time.Duration) { c.truncate(a, played) })
	return a
}

func (a *answer) item(id string) *spoken {
	for _, i := range a.items {
		if i.id == id {
			return i
		}
	}
	i := &spoken{id: id, message: true, from: a.samples, to: a.samples}
	a.items = append(a.items, i)
	return i
}

// handle handles an event of this answer.
func (a *answer) handle(e event) error {
	switch e.Type {
	case "response.output_item.added":
		a.item(e.Item.ID).message = e.Item.Type == "message"
	case "response.output_audio.delta":
		pcm, err := realtime.Decode(e.Delta)
		if err != nil {
			return fmt.Errorf("%s sent audio that is not base64: %w", vendor, err)
		}
		a.samples += len(pcm)
		a.item(e.ItemID).to = a.samples
		if !a.cut {
			a.Put(dialogue.ResponseEvent{PCM: pcm})
		}
	case "response.output_audio_transcript.delta":
		i := a.item(e.ItemID)
		if !a.cut {
			a.Put(dialogue.ResponseEvent{Text: e.Delta, NewItem: !i.named})
		}
		i.named = true
	case "response.output_item.done":
		if e.Item.Type != "function_call" {
			break
		}
		if call, complete := e.Item.toolCall(); complete {
			a.calls = append(a.calls, call)
		}
	}
	return nil
}

// finish handles the end of the active answer.
func (c *conversation) finish(a *answer, r response) {
	a.done = true
	c.active = nil
	if u := r.Usage; u != nil {
		a.Put(dialogue.ResponseEvent{Usage: u.tokens()})
	}
	switch {
	case r.Status == "failed":
		a.Finish(c.errorOf(r.StatusDetails.Error))
	case r.Status != "cancelled" && len(a.calls) > 0 && !a.cut:
		a.Put(dialogue.ResponseEvent{ToolCalls: a.calls})
	}
	a.Finish(nil)
	if a.cut || r.Status == "cancelled" {
		c.removeUnplayed(a, r.Status == "cancelled")
	}
	c.createNext()
}

// truncate removes what was not played from the conversation, once the answer is done.
func (c *conversation) truncate(a *answer, played time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if a.cut {
		return
	}
	a.cut, a.played = true, played
	switch {
	case a.done:
		c.removeUnplayed(a, false)
	case a == c.active:
		c.cancel(a)
	case a == c.next:
		c.next = nil
		a.Finish(nil)
	}
}

// tolerance is less than what counts as unplayed: the last frame of an answer is filled up with silence.
const tolerance = dialogue.SpeakRate / 50

// removeUnplayed deletes at the vendor what was not played of a complete answer, with function calls that were not
// delivered.
func (c *conversation) removeUnplayed(a *answer, callsToo bool) {
	played := int(a.played * dialogue.SpeakRate / time.Second)
	for _, i := range a.items {
		switch {
		case !i.message && !callsToo, i.message && i.to > i.from && played+tolerance >= i.to:
		case i.message && i.from < played:
			c.link.Send(truncateItem{Type: "conversation.item.truncate", ItemID: i.id, AudioEndMS: int64(played-i.from) * 1000 / dialogue.SpeakRate})
		default:
			c.link.Send(deleteItem{"conversation.item.delete", i.id})
		}
	}
}
