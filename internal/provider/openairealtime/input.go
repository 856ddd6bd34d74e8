package openairealtime

import (
	"fmt"
	"strings"
	"time"

	"parley/internal/audio"
	"parley/internal/dialogue"
	"parley/internal/provider/realtime"
)

const (
	// preroll is what is sent of the audio before speech.
	preroll = 300 * time.Millisecond
	// leastCommit is the least audio that the vendor lets be committed.
	leastCommit = 100 * time.Millisecond
)

// input sends the caller's audio to the vendor. Silence between utterances is not sent: it would be charged, and become a part
// of the next utterance. It is used by the session's loop only.
type input struct {
	vad       *audio.VAD
	resampler *audio.Resampler
	frame     []int16 // the beginning of one
	before    []int16 // what came before speech, at dialogue.SpeakRate
	open      bool    // an utterance is being sent
	sent      int     // samples of it
}

func newInput() *input {
	return &input{vad: audio.NewVAD(audio.VADOptions{}), resampler: audio.NewResampler(dialogue.ListenRate, dialogue.SpeakRate)}
}

// push adds the caller's audio at dialogue.ListenRate and returns what is to be sent.
func (i *input) push(pcm []int16) (send []int16) {
	const size = dialogue.ListenRate / 50
	i.frame = append(i.frame, pcm...)
	for ; len(i.frame) >= size; i.frame = i.frame[size:] {
		frame := i.resampler.Process(i.frame[:size], nil)
		if speaking := i.vad.Push(i.frame[:size]).Speaking; speaking && !i.open {
			i.open, i.sent = true, 0
			send = append(send, i.before...)
			i.before = i.before[:0]
		}
		if i.open {
			send = append(send, frame...)
			continue
		}
		i.before = append(i.before, frame...)
		if surplus := len(i.before) - int(preroll*dialogue.SpeakRate/time.Second); surplus > 0 {
			i.before = i.before[:copy(i.before, i.before[surplus:])]
		}
	}
	i.frame = append([]int16(nil), i.frame...)
	i.sent += len(send)
	return send
}

// close ends the utterance, and reports whether there is one to commit.
func (i *input) close() bool {
	was := i.open && i.sent >= int(leastCommit*dialogue.SpeakRate/time.Second)
	i.open, i.sent = false, 0
	return was
}

// utterance is what was committed and has no final transcript yet.
type utterance struct {
	eventID string
	itemID  string // "" until the vendor has named it
	interim strings.Builder
}

// Write sends audio of the caller.
func (c *conversation) Write(pcm []int16) error {
	if err := c.link.Ended(); err != nil {
		return err
	}
	if send := c.input.push(pcm); len(send) > 0 {
		c.link.Send(appendAudio{"input_audio_buffer.append", realtime.Encode(send)})
	}
	return nil
}

// Finalize commits what the caller said, which the vendor then transcribes.
func (c *conversation) Finalize() error {
	if err := c.link.Ended(); err != nil {
		return err
	}
	if !c.input.close() {
		return c.transcripts.Put(dialogue.Transcript{Final: true})
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.commits++
	u := &utterance{eventID: fmt.Sprintf("commit_%d", c.commits)}
	c.pending = append(c.pending, u)
	c.link.Send(command{"input_audio_buffer.commit", u.eventID})
	return nil
}

// committed names the oldest utterance without a name.
func (c *conversation) committed(itemID string) {
	for _, u := range c.pending {
		if u.itemID == "" {
			u.itemID = itemID
			return
		}
	}
}

// transcribed handles more of an utterance's transcript, or the whole of it.
func (c *conversation) transcribed(itemID, text string, final bool) error {
	for n, u := range c.pending {
		if u.itemID != itemID {
			continue
		}
		if !final {
			u.interim.WriteString(text)
			return c.transcripts.Put(dialogue.Transcript{Text: u.interim.String()})
		}
		c.pending = append(c.pending[:n:n], c.pending[n+1:]...)
		text = strings.TrimSpace(text)
		if text == "" { // noise: the model is not to answer it
			c.link.Send(deleteItem{"conversation.item.delete", itemID})
		}
		return c.transcripts.Put(dialogue.Transcript{Text: text, Final: true})
	}
	return nil
}
