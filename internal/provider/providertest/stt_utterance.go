package providertest

import (
	"errors"
	"strings"
	"testing"
	"time"

	"parley/internal/dialogue"
	"parley/internal/provider/emulator"
)

// UtteranceRecognizer runs the suite for recognisers that make a request of each utterance, and for those of the same vendors that
// stream: no interim text is expected. The key is the suite's.
func UtteranceRecognizer(t *testing.T, v SpeechToText) {
	t.Run("recognises utterances in order", v.utterances)
	t.Run("refuses another key, and hides it", v.hidesKey)
	for name, fault := range map[string]emulator.Fault{"garbage": emulator.Garbage, "dropped connections": emulator.Drop} {
		t.Run("ends with one sentence after "+name, func(t *testing.T) { v.fails(t, fault) })
	}
}

// utter speaks, falls silent and asks for the transcript.
func (c *call) utter() {
	c.t.Helper()
	c.speak(600 * time.Millisecond)
	c.pause()
}

// awaitFinal waits for the next final transcript, and writes silence meanwhile, as in a call.
func (c *call) awaitFinal() dialogue.Transcript {
	c.t.Helper()
	timeout := time.After(conditionTimeout)
	frame := time.NewTicker(20 * time.Millisecond)
	defer frame.Stop()
	for {
		select {
		case heard, ok := <-c.Transcripts():
			if !ok {
				c.t.Fatalf("the stream ended: %v", c.Err())
			}
			if heard.Final {
				return heard
			}
		case <-frame.C:
			c.silence(20 * time.Millisecond)
		case <-timeout:
			c.t.Fatal("no transcript")
		}
	}
}

// utterances: they are recognised in order, silence is none, and speech during the transcription of the previous one is not lost.
func (v SpeechToText) utterances(t *testing.T) {
	lines := []string{"What are your opening hours?", "And on Sunday?"}
	c := v.open(t, v.serve(t, emulator.Options{Delay: 100 * time.Millisecond}, lines...))
	c.silence(2 * time.Second)
	if err := c.Finalize(); err != nil {
		t.Fatal(err)
	}
	if got := c.awaitFinal(); got.Text != "" {
		t.Errorf("silence is heard as %q", got.Text)
	}
	c.utter()
	c.utter()
	for _, want := range lines {
		if got := c.awaitFinal(); got.Text != want {
			t.Errorf("heard %q, want %q", got.Text, want)
		}
	}
}

func (v SpeechToText) hidesKey(t *testing.T) {
	server := v.serve(t, emulator.Options{})
	_, err := v.Connect("wrong-key-4711", server.URL).Recognize(t.Context(), dialogue.RecognizeOptions{})
	if !errors.Is(err, dialogue.ErrRefused) || strings.Contains(err.Error(), "4711") {
		t.Errorf("error %v", err)
	}
}

// fails: a server that fails in the middle of a call ends the stream.
func (v SpeechToText) fails(t *testing.T, fault emulator.Fault) {
	server := v.serve(t, emulator.Options{})
	c := v.open(t, server)
	server.Fail(fault)
	c.utter()
	if err := c.ended(); err == nil || errors.Is(err, dialogue.ErrRefused) || strings.ContainsAny(err.Error(), "<\n") || strings.Contains(err.Error(), "://") {
		t.Errorf("error %v", err)
	}
}

// RetriesUtterances checks that a request that fails once is made again.
func RetriesUtterances(t *testing.T, v SpeechToText) {
	server := v.serve(t, emulator.Options{}, "Hello?")
	c := v.open(t, server)
	server.Fail(emulator.DropOnce)
	c.utter()
	if got := c.awaitFinal(); got.Text != "Hello?" {
		t.Errorf("heard %q", got.Text)
	}
}
