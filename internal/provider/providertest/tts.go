package providertest

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley/internal/dialogue"
	"parley/internal/provider/emulator"
)

// patience is how long a test waits for what must come.
const patience = 20 * time.Second

// Synthesizer is a vendor's synthesiser with the emulator of its wire.
type Synthesizer struct {
	Emulator func(emulator.Reporter, emulator.Options) *emulator.Server
	New      func(key, url string) dialogue.Synthesizer
}

// spoken is what came of an utterance.
type spoken struct {
	PCM   []int16
	Texts []string
	marks []int // sample at which each text begins
	words []dialogue.Word
	err   error
}

// add adds a piece.
func (s *spoken) add(piece dialogue.Speech) {
	if piece.Text != "" {
		s.Texts = append(s.Texts, piece.Text)
		s.marks = append(s.marks, len(s.PCM))
	}
	s.PCM = append(s.PCM, piece.PCM...)
	s.words = append(s.words, piece.Words...)
}

// listen takes an utterance to its end.
func listen(t *testing.T, u dialogue.Utterance) *spoken {
	t.Helper()
	s := &spoken{}
	timeout := time.After(patience)
	for {
		select {
		case piece, more := <-u.Audio():
			if !more {
				s.err = u.Err()
				return s
			}
			s.add(piece)
		case <-timeout:
			t.Fatal("the utterance does not end")
		}
	}
}

// firstAudio waits for the first piece with sound.
func firstAudio(t *testing.T, u dialogue.Utterance) *spoken {
	t.Helper()
	s := &spoken{}
	timeout := time.After(patience)
	for len(s.PCM) == 0 {
		select {
		case piece, more := <-u.Audio():
			if !more {
				t.Fatalf("no sound, but the end: %v", u.Err())
			}
			s.add(piece)
		case <-timeout:
			t.Fatal("no sound comes")
		}
	}
	return s
}

func begin(ctx context.Context, t *testing.T, v dialogue.Voice, texts ...string) dialogue.Utterance {
	t.Helper()
	u, err := v.Speak(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range texts {
		if err := u.Say(text); err != nil {
			t.Fatal(err)
		}
	}
	return u
}

// speak has texts spoken to the end.
func speak(ctx context.Context, t *testing.T, v dialogue.Voice, texts ...string) dialogue.Utterance {
	t.Helper()
	u := begin(ctx, t, v, texts...)
	if err := u.End(); err != nil {
		t.Fatal(err)
	}
	return u
}

// whole checks that an utterance spoke the texts, that each has sound, and
// that the words of each lie where it does: a transcript is cut by them.
func (s *spoken) whole(t *testing.T, texts ...string) {
	t.Helper()
	if s.err != nil {
		t.Fatal(s.err)
	}
	if diff := cmp.Diff(texts, s.Texts); diff != "" {
		t.Fatalf("texts (-said +marked):\n%s", diff)
	}
	for i, text := range texts {
		end := len(s.PCM)
		if i+1 < len(texts) {
			end = s.marks[i+1]
		}
		if s.marks[i] >= end {
			t.Errorf("%q has no sound", text)
		}
		var words []string
		for _, w := range s.words {
			if w.Start >= duration(s.marks[i]) && w.Start < duration(end) {
				words = append(words, w.Text)
			}
			if w.End < w.Start || w.End > duration(len(s.PCM))+10*time.Millisecond {
				t.Errorf("%q ends at %v, begins at %v, of %v", w.Text, w.End, w.Start, duration(len(s.PCM)))
			}
		}
		if diff := cmp.Diff(strings.Fields(text), words); diff != "" {
			t.Errorf("words of %q (-said +timed):\n%s", text, diff)
		}
	}
	if !slices.IsSortedFunc(s.words, func(a, b dialogue.Word) int { return int(a.Start - b.Start) }) {
		t.Errorf("words are not in order: %v", s.words)
	}
}

func duration(samples int) time.Duration {
	return time.Duration(samples) * time.Second / dialogue.SpeakRate
}

// TestVoice proves what every synthesiser keeps, whoever makes the sound.
func TestVoice(t *testing.T, s dialogue.Synthesizer, o dialogue.VoiceOptions) {
	open := func(t *testing.T) dialogue.Voice {
		v, err := s.Open(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { v.Close() })
		return v
	}
	t.Run("sound comes before the text has ended", func(t *testing.T) {
		u := begin(t.Context(), t, open(t), "Good morning, this is Parley.")
		heard := firstAudio(t, u)
		for _, text := range []string{"How can I help?", "Take your time."} {
			if err := u.Say(text); err != nil {
				t.Fatal(err)
			}
		}
		if err := u.End(); err != nil {
			t.Fatal(err)
		}
		rest := listen(t, u)
		for i := range rest.marks {
			rest.marks[i] += len(heard.PCM)
		}
		all := &spoken{PCM: append(heard.PCM, rest.PCM...), Texts: append(heard.Texts, rest.Texts...),
			marks: append(heard.marks, rest.marks...), words: append(heard.words, rest.words...), err: rest.err}
		all.whole(t, "Good morning, this is Parley.", "How can I help?", "Take your time.")
	})
	t.Run("two utterances at once do not mix", func(t *testing.T) {
		v := open(t)
		alone := listen(t, speak(t.Context(), t, v, "The first one is a long sentence with many words."))
		first := speak(t.Context(), t, v, "The first one is a long sentence with many words.")
		second := speak(t.Context(), t, v, "Short.")
		listen(t, second).whole(t, "Short.")
		both := listen(t, first)
		both.whole(t, "The first one is a long sentence with many words.")
		if !slices.Equal(alone.PCM, both.PCM) {
			t.Errorf("%d samples alone, %d beside another, or others", len(alone.PCM), len(both.PCM))
		}
	})
	t.Run("cancelling silences at once and leaves nothing", func(t *testing.T) {
		v := open(t)
		before := listen(t, speak(t.Context(), t, v, "And now?"))
		ctx, cancel := context.WithCancel(t.Context())
		u := begin(ctx, t, v, "This is a very long sentence that nobody wants to hear to its end, so it is interrupted.")
		firstAudio(t, u)
		cancel()
		if s := listen(t, u); !errors.Is(s.err, context.Canceled) {
			t.Errorf("error %v, want the context's", s.err)
		}
		if err := u.Say("More."); err == nil {
			t.Error("a cancelled utterance takes text")
		}
		after := listen(t, speak(t.Context(), t, v, "And now?"))
		after.whole(t, "And now?")
		if !slices.Equal(before.PCM, after.PCM) {
			t.Errorf("%d samples before, %d after, or others", len(before.PCM), len(after.PCM))
		}
	})
	t.Run("nothing to say is no error", func(t *testing.T) {
		if s := listen(t, speak(t.Context(), t, open(t))); s.err != nil || len(s.PCM) > 0 {
			t.Errorf("%d samples, error %v", len(s.PCM), s.err)
		}
	})
	t.Run("closing twice ends utterances", func(t *testing.T) {
		v := open(t)
		u := begin(t.Context(), t, v, "This sentence is not heard to its end.")
		firstAudio(t, u)
		for range 2 {
			if err := v.Close(); err != nil {
				t.Error(err)
			}
		}
		if s := listen(t, u); s.err == nil {
			t.Error("an utterance of a closed voice ends without an error")
		}
		if _, err := v.Speak(t.Context()); err == nil {
			t.Error("a closed voice speaks")
		}
	})
}

// TestSynthesizer proves that a vendor's synthesiser keeps the contract, and
// what it does when the vendor does not.
func TestSynthesizer(t *testing.T, s Synthesizer) {
	const key = "the-key-of-the-tests"
	start := func(t *testing.T, o emulator.Options) *emulator.Server {
		o.Key = key
		server := s.Emulator(t, o)
		t.Cleanup(server.Close)
		return server
	}
	open := func(t *testing.T, server *emulator.Server) dialogue.Voice {
		v, err := s.New(key, server.URL).Open(t.Context(), dialogue.VoiceOptions{VoiceID: "ada", Language: "en-GB"})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { v.Close() })
		return v
	}
	t.Run("voice", func(t *testing.T) {
		server := start(t, emulator.Options{Delay: 20 * time.Millisecond})
		TestVoice(t, s.New(key, server.URL), dialogue.VoiceOptions{VoiceID: "ada", Language: "en"})
	})
	t.Run("one connection for all turns", func(t *testing.T) {
		server := start(t, emulator.Options{})
		v := open(t, server)
		for _, text := range []string{"One.", "Two.", "Three."} {
			listen(t, speak(t.Context(), t, v, text)).whole(t, text)
		}
		if n := server.Connections(); n != 1 {
			t.Errorf("%d connections", n)
		}
	})
	t.Run("saying does not wait for the sound", func(t *testing.T) {
		server := start(t, emulator.Options{Delay: 300 * time.Millisecond})
		u := speak(t.Context(), t, open(t, server), "A slow one.", "And another.")
		select {
		case piece := <-u.Audio():
			t.Errorf("sound was there before the vendor made it: %d samples", len(piece.PCM))
		default:
		}
		listen(t, u).whole(t, "A slow one.", "And another.")
	})
	t.Run("a pause between texts", func(t *testing.T) {
		v := open(t, start(t, emulator.Options{}))
		u := begin(t.Context(), t, v, "One moment.")
		all := &spoken{}
		silence := time.NewTimer(1500 * time.Millisecond) // longer than Cartesia keeps a context
	first:
		for {
			select {
			case piece := <-u.Audio():
				all.add(piece)
			case <-silence.C:
				break first
			}
		}
		if err := u.Say("Here it is."); err != nil {
			t.Fatal(err)
		}
		if err := u.End(); err != nil {
			t.Fatal(err)
		}
		for piece := range u.Audio() {
			all.add(piece)
		}
		all.err = u.Err()
		all.whole(t, "One moment.", "Here it is.")
	})
	t.Run("text without letters is not sent", func(t *testing.T) {
		s := listen(t, speak(t.Context(), t, open(t, start(t, emulator.Options{})), "…", "So.", "!"))
		if diff := cmp.Diff([]string{"… So.", "!"}, s.Texts); diff != "" || s.err != nil {
			t.Errorf("%v\n%s", s.err, diff)
		}
	})
	t.Run("cancelling tells the vendor", func(t *testing.T) {
		server := start(t, emulator.Options{})
		v := open(t, server)
		for range 8 { // more than a connection may hold, were they not given up
			released := server.Released()
			ctx, cancel := context.WithCancel(t.Context())
			u := begin(ctx, t, v, "This is a sentence that somebody interrupts.")
			firstAudio(t, u)
			cancel()
			eventually(t, "a cancel message", func() bool { return server.Released() > released })
		}
		listen(t, speak(t.Context(), t, v, "At last.")).whole(t, "At last.")
	})
	t.Run("a listener who does not listen holds up nobody", func(t *testing.T) {
		v := open(t, start(t, emulator.Options{}))
		deaf := speak(t.Context(), t, v, "Nobody listens to this sentence for now.")
		listen(t, speak(t.Context(), t, v, "But to this one.")).whole(t, "But to this one.")
		listen(t, deaf).whole(t, "Nobody listens to this sentence for now.")
	})
	t.Run("an idle connection that was closed is replaced", func(t *testing.T) {
		server := start(t, emulator.Options{})
		v := open(t, server)
		listen(t, speak(t.Context(), t, v, "Hello.")).whole(t, "Hello.")
		server.Idle()
		eventually(t, "a new connection", func() bool { return server.Connections() == 2 })
		listen(t, speak(t.Context(), t, v, "Still there.")).whole(t, "Still there.")
		if n := server.Connections(); n != 2 {
			t.Errorf("%d connections", n)
		}
	})
	t.Run("a dropped connection fails the utterance and not the next", func(t *testing.T) {
		server := start(t, emulator.Options{})
		v := open(t, server)
		server.Fail(emulator.Drop)
		s := listen(t, speak(t.Context(), t, v, "This sentence is cut off in the middle."))
		if s.err == nil || errors.Is(s.err, dialogue.ErrRefused) {
			t.Errorf("error %v", s.err)
		}
		if len(s.PCM) == 0 {
			t.Error("what came before is lost")
		}
		server.Fail(emulator.None)
		listen(t, speak(t.Context(), t, v, "Again.")).whole(t, "Again.")
	})
	for _, c := range []struct {
		name  string
		fault emulator.Fault
	}{{"garbage", emulator.Garbage}, {"rate limit", emulator.RateLimit}, {"server error", emulator.Broken}} {
		t.Run(c.name+" fails the utterance and not the next", func(t *testing.T) {
			server := start(t, emulator.Options{})
			v := open(t, server)
			server.Fail(c.fault)
			s := listen(t, speak(t.Context(), t, v, "This fails."))
			plain(t, s.err, key)
			if errors.Is(s.err, dialogue.ErrRefused) {
				t.Errorf("counts as refused: %v", s.err)
			}
			server.Fail(emulator.None)
			listen(t, speak(t.Context(), t, v, "Again.")).whole(t, "Again.")
		})
	}
	for _, c := range []struct {
		name  string
		fault emulator.Fault
	}{{"rate limit", emulator.RateLimit}, {"server error", emulator.Broken}} {
		t.Run(c.name+" at the connection", func(t *testing.T) {
			server := start(t, emulator.Options{})
			server.Fail(c.fault)
			_, err := s.New(key, server.URL).Open(t.Context(), dialogue.VoiceOptions{VoiceID: "ada"})
			plain(t, err, key)
			if errors.Is(err, dialogue.ErrRefused) {
				t.Errorf("counts as refused: %v", err)
			}
		})
	}
	for _, c := range []struct{ name, key, voice string }{
		{"a wrong key", "a-wrong-key", "ada"}, {"an unknown voice", key, emulator.UnknownVoice}, {"no voice", key, ""},
	} {
		t.Run(c.name+" is refused", func(t *testing.T) {
			server := start(t, emulator.Options{})
			v, err := s.New(c.key, server.URL).Open(t.Context(), dialogue.VoiceOptions{VoiceID: c.voice})
			if err == nil {
				defer v.Close()
				err = listen(t, speak(t.Context(), t, v, "Hello.")).err
			}
			plain(t, err, c.key)
			if !errors.Is(err, dialogue.ErrRefused) {
				t.Errorf("error %v, want one that is dialogue.ErrRefused", err)
			}
		})
	}
	t.Run("nobody there", func(t *testing.T) {
		server := s.Emulator(t, emulator.Options{Key: key})
		server.Close()
		_, err := s.New(key, server.URL).Open(t.Context(), dialogue.VoiceOptions{VoiceID: "ada"})
		plain(t, err, key)
	})
	t.Run("a stalled vendor does not hold up who gives up", func(t *testing.T) {
		server := start(t, emulator.Options{})
		v := open(t, server)
		server.Fail(emulator.Stall)
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		if s := listen(t, speak(ctx, t, v, "Nothing comes.")); !errors.Is(s.err, context.DeadlineExceeded) {
			t.Errorf("error %v, want the context's", s.err)
		}
		server.Fail(emulator.None)
		listen(t, speak(t.Context(), t, v, "Again.")).whole(t, "Again.")
	})
}

// plain checks that an error is one for a tenant.
func plain(t *testing.T, err error, key string) {
	t.Helper()
	if err == nil {
		t.Fatal("no error")
	}
	if text := err.Error(); len(text) > 300 || strings.Contains(text, key) || strings.ContainsAny(text, "\n{<") {
		t.Errorf("not a line for a tenant: %s", text)
	}
}

// eventually waits for what happens beside the test.
func eventually(t *testing.T, what string, happened func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !happened(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("there is not %s", what)
		}
	}
}
