package providertest

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"parley/internal/audio"
	"parley/internal/dialogue"
	"parley/internal/leaktest"
	"parley/internal/provider/emulator"
)

// SpeechToText is a vendor of speech recognition.
type SpeechToText struct {
	Serve   func(emulator.Reporter, emulator.Options, emulator.RecognizerScript) *emulator.Server
	Connect func(key, baseURL string) dialogue.Recognizer
	// CommitsOnly: text is final when Finalize asks for it only, and the vendor does not judge whether a turn has ended.
	CommitsOnly bool
}

// conditionTimeout bounds the wait for a condition.
const conditionTimeout = time.Minute

const key = "the-right-key"

// Recognizer runs the suite.
func Recognizer(t *testing.T, v SpeechToText) {
	t.Run("streams interim results, then the final one", v.streams)
	t.Run("recognises several turns over one connection", v.turns)
	if !v.CommitsOnly {
		t.Run("loses and doubles nothing when the vendor ends the turn itself", v.vendorEnds)
	}
	t.Run("loses nothing when the caller goes on after Finalize", v.goesOn)
	t.Run("answers Finalize when nothing was heard", v.nothing)
	t.Run("detects an incomplete utterance", v.incomplete)
	t.Run("waits for a slow first byte", v.slow)
	t.Run("ends with the context in mid-stream", v.cancelled)
	t.Run("closes in mid-stream, and twice", v.closes)
	t.Run("reports a dropped connection", v.drops)
	t.Run("reports garbage", v.garbage)
	t.Run("closes promptly though the vendor stalls", v.stalls)
	t.Run("opens no stream that stalls", v.stallsAtOnce)
	t.Run("reports a refused key", v.refused)
	t.Run("treats a rate limit as temporary", func(t *testing.T) { v.temporary(t, emulator.RateLimit) })
	t.Run("treats a server error as temporary", func(t *testing.T) { v.temporary(t, emulator.Broken) })
	t.Run("reports a server that is not there", v.unreachable)
}

// serve starts the vendor's emulator. After the test no goroutine may be left.
func (v SpeechToText) serve(t *testing.T, o emulator.Options, lines ...string) *emulator.Server {
	t.Helper()
	before := goleak.IgnoreCurrent()
	t.Cleanup(func() { leaktest.None(t, before) })
	o.Key = key
	server := v.Serve(t, o, emulator.RecognizerScript{Lines: lines})
	t.Cleanup(server.Close)
	return server
}

func (v SpeechToText) open(t *testing.T, server *emulator.Server) *call {
	t.Helper()
	r, err := v.Connect(key, server.URL).Recognize(t.Context(), dialogue.RecognizeOptions{})
	if err != nil {
		t.Fatalf("Recognize: %v", err)
	}
	t.Cleanup(func() { r.Close() })
	return &call{t, r}
}

// call is a recognition and the one who speaks and listens to it.
type call struct {
	t *testing.T
	dialogue.Recognition
}

func (c *call) speak(d time.Duration) { c.t.Helper(); c.write(audio.Tone(300, dialogue.ListenRate, d)) }
func (c *call) silence(d time.Duration) {
	c.t.Helper()
	c.write(make([]int16, dialogue.ListenRate*int(d.Milliseconds())/1000))
}

func (c *call) write(pcm []int16) {
	c.t.Helper()
	for frame := audio.FrameLength(dialogue.ListenRate); len(pcm) >= frame; pcm = pcm[frame:] {
		if err := c.Write(pcm[:frame]); err != nil {
			c.t.Fatalf("Write: %v", err)
		}
	}
}

// speakUntilEnd speaks to a stream that may end meanwhile.
func (c *call) speakUntilEnd(d time.Duration) {
	pcm := audio.Tone(300, dialogue.ListenRate, d)
	for frame := audio.FrameLength(dialogue.ListenRate); len(pcm) >= frame; pcm = pcm[frame:] {
		if c.Write(pcm[:frame]) != nil {
			return
		}
	}
}

// pause returns the silence after which the voice engine asks for the transcript.
func (c *call) pause() {
	c.t.Helper()
	c.silence(200 * time.Millisecond)
	if err := c.Finalize(); err != nil {
		c.t.Fatalf("Finalize: %v", err)
	}
}

// next returns the next transcript.
func (c *call) next() dialogue.Transcript {
	c.t.Helper()
	select {
	case collected, ok := <-c.Transcripts():
		if !ok {
			c.t.Fatalf("the stream ended: %v", c.Err())
		}
		return collected
	case <-time.After(conditionTimeout):
		c.t.Fatalf("no transcript within %v", conditionTimeout)
	}
	return dialogue.Transcript{}
}

// words returns the next transcript, except for announcements of speech.
func (c *call) words() dialogue.Transcript {
	c.t.Helper()
	for {
		if collected := c.next(); collected != (dialogue.Transcript{SpeechStarted: true}) {
			return collected
		}
	}
}

// until returns the final texts up to the transcript that is wanted.
func (c *call) until(want func(dialogue.Transcript) bool) string {
	c.t.Helper()
	var finals []string
	for {
		collected := c.next()
		if collected.Final && collected.Text != "" {
			finals = append(finals, collected.Text)
		}
		if want(collected) {
			return strings.Join(finals, " ")
		}
	}
}

// ended waits for the end of the stream, and returns why.
func (c *call) ended() error {
	c.t.Helper()
	timeout := time.After(conditionTimeout)
	for {
		select {
		case _, ok := <-c.Transcripts():
			if !ok {
				return c.Err()
			}
		case <-timeout:
			c.t.Fatalf("the stream goes on after %v", conditionTimeout)
		}
	}
}

func interim(t dialogue.Transcript) bool   { return !t.Final && t.Text != "" }
func final(t dialogue.Transcript) bool     { return t.Final && t.Text != "" }
func endOfTurn(t dialogue.Transcript) bool { return t.Final && (t.EndOfTurn || t.EndOfSpeech) }

func (v SpeechToText) streams(t *testing.T) {
	c := v.open(t, v.serve(t, emulator.Options{}, "I would like to book a table."))
	c.speak(time.Second)
	if collected := c.words(); !interim(collected) || !strings.HasPrefix("I would like to book a table.", collected.Text) {
		t.Errorf("while the caller speaks: %+v", collected)
	}
	c.speak(time.Second)
	c.pause()
	if collected := c.until(final); collected != "I would like to book a table." {
		t.Errorf("heard %q", collected)
	}
}

func (v SpeechToText) turns(t *testing.T) {
	lines := []string{"The first turn.", "The second turn.", "The third turn."}
	server := v.serve(t, emulator.Options{}, lines...)
	c := v.open(t, server)
	for _, line := range lines {
		c.speak(time.Second)
		c.pause()
		c.silence(300 * time.Millisecond)
		if collected := c.until(v.isComplete); collected != line {
			t.Errorf("heard %q, want %q", collected, line)
		}
	}
	if n := server.Connections(); n != 1 {
		t.Errorf("%d connections for one call", n)
	}
}

// isComplete reports whether a transcript is the last of an utterance.
func (v SpeechToText) isComplete(collected dialogue.Transcript) bool {
	return endOfTurn(collected) || v.CommitsOnly && final(collected)
}

func (v SpeechToText) vendorEnds(t *testing.T) {
	c := v.open(t, v.serve(t, emulator.Options{}, "The first.", "The second."))
	c.speak(time.Second)
	c.silence(400 * time.Millisecond)
	if collected := c.until(endOfTurn); collected != "The first." {
		t.Errorf("heard %q before Finalize", collected)
	}
	c.pause()
	if collected := c.next(); collected != (dialogue.Transcript{Final: true}) {
		t.Errorf("Finalize after the vendor's own end: %+v", collected)
	}
	c.speak(time.Second)
	c.pause()
	if collected := c.until(final); collected != "The second." {
		t.Errorf("heard %q", collected)
	}
}

// goesOn: the pause was one within the utterance.
func (v SpeechToText) goesOn(t *testing.T) {
	c := v.open(t, v.serve(t, emulator.Options{}, "The first.", "The second."))
	c.speak(time.Second)
	c.pause()
	c.speak(500 * time.Millisecond)
	c.silence(400 * time.Millisecond)
	c.speak(time.Second)
	c.pause()
	var finals []string
	for len(finals) < 2 {
		finals = append(finals, c.until(final))
	}
	if collected := strings.Join(finals, " "); collected != "The first. The second." {
		t.Errorf("heard %q", collected)
	}
}

func (v SpeechToText) nothing(t *testing.T) {
	c := v.open(t, v.serve(t, emulator.Options{}, "Never said."))
	for range 3 {
		c.pause()
		if collected := c.next(); collected != (dialogue.Transcript{Final: true}) {
			t.Errorf("heard %+v in silence", collected)
		}
	}
}

func (v SpeechToText) incomplete(t *testing.T) {
	c := v.open(t, v.serve(t, emulator.Options{}, "My number is one two,", "three four."))
	c.speak(time.Second)
	c.pause()
	var collected dialogue.Transcript
	if c.until(func(t dialogue.Transcript) bool { collected = t; return final(t) }); collected.EndOfTurn {
		t.Errorf("the end of a turn that was forced: %+v", collected)
	}
}

func (v SpeechToText) slow(t *testing.T) {
	const delay = 300 * time.Millisecond
	c := v.open(t, v.serve(t, emulator.Options{Delay: delay}, "Better late."))
	began := time.Now()
	c.speak(time.Second)
	c.pause()
	if collected := c.until(final); collected != "Better late." {
		t.Errorf("heard %q", collected)
	}
	if took := time.Since(began); took < delay {
		t.Errorf("heard after %v: the delay was not there", took)
	}
}

func (v SpeechToText) cancelled(t *testing.T) {
	server := v.serve(t, emulator.Options{}, "Cut off in the middle.")
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	r, err := v.Connect(key, server.URL).Recognize(ctx, dialogue.RecognizeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	c := &call{t, r}
	c.speak(time.Second)
	c.until(interim)
	hungUp := errors.New("hung up")
	cancel(hungUp)
	if err := c.ended(); !errors.Is(err, hungUp) {
		t.Errorf("Err = %v", err)
	}
	if c.Write(make([]int16, 320)) == nil || c.Finalize() == nil {
		t.Error("a stream that has ended accepts audio")
	}
	if _, err := v.Connect(key, server.URL).Recognize(ctx, dialogue.RecognizeOptions{}); !errors.Is(err, hungUp) {
		t.Errorf("Recognize for a call that is over: %v", err)
	}
}

func (v SpeechToText) closes(t *testing.T) {
	c := v.open(t, v.serve(t, emulator.Options{}, "Cut off in the middle."))
	c.speak(time.Second)
	c.until(interim)
	for range 2 {
		if err := c.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	}
	if err := c.ended(); err != nil {
		t.Errorf("Err after Close: %v", err)
	}
	if c.Write(make([]int16, 320)) == nil || c.Finalize() == nil {
		t.Error("a closed stream accepts audio")
	}
}

func (v SpeechToText) drops(t *testing.T) {
	server := v.serve(t, emulator.Options{}, "Cut off in the middle.")
	c := v.open(t, server)
	server.Fail(emulator.Drop)
	c.speakUntilEnd(time.Second)
	if collected := c.words(); !interim(collected) {
		t.Errorf("before the drop: %+v", collected)
	}
	if err := c.ended(); err == nil || errors.Is(err, dialogue.ErrRefused) {
		t.Errorf("Err = %v", err)
	}
	if c.Write(make([]int16, 320)) == nil {
		t.Error("a broken stream accepts audio")
	}
	server.Fail(emulator.None)
	again := v.open(t, server)
	again.speak(time.Second)
	again.pause()
	if collected := again.until(final); collected != "Cut off in the middle." {
		t.Errorf("heard %q after the drop", collected)
	}
}

func (v SpeechToText) garbage(t *testing.T) {
	server := v.serve(t, emulator.Options{}, "Not understood.")
	c := v.open(t, server)
	server.Fail(emulator.Garbage)
	c.speakUntilEnd(time.Second)
	if err := c.ended(); err == nil || !strings.Contains(err.Error(), "protocol") {
		t.Errorf("Err = %v", err)
	}
}

func (v SpeechToText) stalls(t *testing.T) {
	server := v.serve(t, emulator.Options{}, "Not heard.")
	c := v.open(t, server)
	server.Fail(emulator.Stall)
	c.speak(time.Second)
	c.pause()
	if collected := c.next(); collected != (dialogue.Transcript{Final: true}) {
		t.Errorf("heard %+v of a vendor that stalls", collected)
	}
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		c.Close()
	}()
	select {
	case <-closed:
	case <-time.After(conditionTimeout):
		t.Fatal("Close waits for the vendor")
	}
	if err := c.ended(); err != nil {
		t.Errorf("Err after Close: %v", err)
	}
}

// stallsAtOnce: opening ends with its context, wherever it hangs.
func (v SpeechToText) stallsAtOnce(t *testing.T) {
	server := v.serve(t, emulator.Options{})
	server.Fail(emulator.Stall)
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	r, err := v.Connect(key, server.URL).Recognize(ctx, dialogue.RecognizeOptions{})
	if err == nil {
		<-ctx.Done() // the vendor's handshake alone makes the stream
		err = (&call{t, r}).ended()
	}
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Recognize: %v", err)
	}
}

func (v SpeechToText) refused(t *testing.T) {
	server := v.serve(t, emulator.Options{})
	const wrong = "sk-the-wrong-key"
	_, err := v.Connect(wrong, server.URL).Recognize(t.Context(), dialogue.RecognizeOptions{})
	if !errors.Is(err, dialogue.ErrRefused) {
		t.Errorf("Recognize: %v", err)
	}
	if err != nil && strings.Contains(err.Error(), wrong) {
		t.Errorf("the error shows the key: %v", err)
	}
}

func (v SpeechToText) temporary(t *testing.T, fault emulator.Fault) {
	server := v.serve(t, emulator.Options{}, "Here again.")
	server.Fail(fault)
	if _, err := v.Connect(key, server.URL).Recognize(t.Context(), dialogue.RecognizeOptions{}); err == nil || errors.Is(err, dialogue.ErrRefused) {
		t.Errorf("Recognize: %v", err)
	}
	server.Fail(emulator.None)
	c := v.open(t, server)
	c.speak(time.Second)
	c.pause()
	if collected := c.until(final); collected != "Here again." {
		t.Errorf("heard %q", collected)
	}
}

func (v SpeechToText) unreachable(t *testing.T) {
	server := v.serve(t, emulator.Options{})
	url := server.URL
	server.Close()
	if _, err := v.Connect(key, url).Recognize(t.Context(), dialogue.RecognizeOptions{}); err == nil || errors.Is(err, dialogue.ErrRefused) {
		t.Errorf("Recognize: %v", err)
	}
	for _, url := range []string{"not a url\x7f", "ftp://127.0.0.1"} {
		if _, err := v.Connect(key, url).Recognize(t.Context(), dialogue.RecognizeOptions{}); err == nil {
			t.Errorf("base URL %q is taken", url)
		}
	}
}
