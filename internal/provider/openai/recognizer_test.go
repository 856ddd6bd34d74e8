package openai_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"parley/internal/audio"
	"parley/internal/dialogue"
	"parley/internal/leaktest"
	"parley/internal/provider"
	"parley/internal/provider/emulator"
	"parley/internal/provider/openai"
)

const testKey = "the-right-key"

// wires are the ways to recognise speech: how a server is configured, and what its address begins with.
var wires = map[string]struct {
	provider string
	server   emulator.Compatible
	scheme   string
}{
	"transcriptions":        {provider.Compatible, emulator.Compatible{}, "http"},
	"openai transcriptions": {"openai", emulator.Compatible{OpenAI: true}, "http"},
	"groq":                  {"groq", emulator.Compatible{Groq: true}, "http"},
	"openai":                {"openai", emulator.Compatible{OpenAI: true, Realtime: "openai"}, "ws"},
	"speaches":              {provider.Compatible, emulator.Compatible{Realtime: "speaches"}, "ws"},
	"vllm":                  {provider.Compatible, emulator.Compatible{Realtime: "vllm"}, "ws"},
}

// eachWire runs a test over every wire. No goroutine may be left.
func eachWire(t *testing.T, o emulator.Options, test func(t *testing.T, server *emulator.Server, r *openai.Recognizer)) {
	for name, w := range wires {
		t.Run(name, func(t *testing.T) {
			before := goleak.IgnoreCurrent()
			t.Cleanup(func() { leaktest.None(t, before) })
			w.server.Recognizer = emulator.RecognizerScript{Lines: []string{"What are your opening hours?", "And on Sunday?"}}
			o.Key = testKey
			server := emulator.NewCompatible(t, o, w.server)
			t.Cleanup(server.Close)
			base := w.scheme + strings.TrimPrefix(server.URL, "http")
			test(t, server, openai.NewRecognizer(openai.Options{Provider: w.provider, Key: testKey, BaseURL: base}))
		})
	}
}

func open(t *testing.T, r *openai.Recognizer) dialogue.Recognition {
	t.Helper()
	stream, err := r.Recognize(t.Context(), dialogue.RecognizeOptions{Language: "de-DE", KeyTerms: []string{"Parley"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stream.Close() })
	return stream
}

func write(t *testing.T, r dialogue.Recognition, pcm []int16) {
	t.Helper()
	for frame := audio.FrameLength(dialogue.ListenRate); len(pcm) >= frame; pcm = pcm[frame:] {
		if err := r.Write(pcm[:frame]); err != nil {
			t.Fatal(err)
		}
	}
}

func silence(d time.Duration) []int16 {
	return make([]int16, audio.FrameLength(dialogue.ListenRate)*int(d/(20*time.Millisecond)))
}

// utter speaks, falls silent and asks for the transcript.
func utter(t *testing.T, r dialogue.Recognition) {
	t.Helper()
	write(t, r, audio.Tone(300, dialogue.ListenRate, 600*time.Millisecond))
	write(t, r, silence(200*time.Millisecond))
	if err := r.Finalize(); err != nil {
		t.Fatal(err)
	}
}

// final waits for the next final transcript, and writes silence meanwhile, as in a call.
func final(t *testing.T, r dialogue.Recognition) dialogue.Transcript {
	t.Helper()
	timeout := time.After(time.Minute)
	frame := time.NewTicker(20 * time.Millisecond)
	defer frame.Stop()
	for {
		select {
		case heard, ok := <-r.Transcripts():
			if !ok {
				t.Fatalf("the stream ended: %v", r.Err())
			}
			if heard.Final {
				return heard
			}
		case <-frame.C:
			write(t, r, silence(20*time.Millisecond))
		case <-timeout:
			t.Fatal("no transcript")
		}
	}
}

// Utterances are recognised in order, silence is no utterance, and speech during the transcription of the previous utterance is
// not lost.
func TestUtterances(t *testing.T) {
	eachWire(t, emulator.Options{Delay: 100 * time.Millisecond}, func(t *testing.T, server *emulator.Server, r *openai.Recognizer) {
		stream := open(t, r)
		write(t, stream, silence(2*time.Second))
		if err := stream.Finalize(); err != nil {
			t.Fatal(err)
		}
		if got := final(t, stream); got.Text != "" {
			t.Errorf("silence is heard as %q", got.Text)
		}
		utter(t, stream)
		utter(t, stream)
		for _, want := range []string{"What are your opening hours?", "And on Sunday?"} {
			if got := final(t, stream); got.Text != want {
				t.Errorf("heard %q, want %q", got.Text, want)
			}
		}
	})
}

func TestRefusedKey(t *testing.T) {
	for name, w := range wires {
		server := emulator.NewCompatible(t, emulator.Options{Key: testKey}, w.server)
		base := w.scheme + strings.TrimPrefix(server.URL, "http")
		_, err := openai.NewRecognizer(openai.Options{Provider: w.provider, Key: "wrong-key-4711", BaseURL: base}).Recognize(t.Context(), dialogue.RecognizeOptions{})
		if !errors.Is(err, dialogue.ErrRefused) || strings.Contains(err.Error(), "4711") {
			t.Errorf("%s: %v", name, err)
		}
		server.Close()
	}
}

// A server that fails in the middle of a call ends the stream with one sentence.
func TestFailures(t *testing.T) {
	for _, fault := range []emulator.Fault{emulator.Garbage, emulator.Drop} {
		eachWire(t, emulator.Options{}, func(t *testing.T, server *emulator.Server, r *openai.Recognizer) {
			stream := open(t, r)
			server.Fail(fault)
			utter(t, stream)
			timeout := time.After(time.Minute)
			for ended := false; !ended; {
				select {
				case _, more := <-stream.Transcripts():
					ended = !more
				case <-timeout:
					t.Fatal("the stream goes on")
				}
			}
			if err := stream.Err(); err == nil || errors.Is(err, dialogue.ErrRefused) || strings.ContainsAny(err.Error(), "<\n") || strings.Contains(err.Error(), "://") {
				t.Errorf("fault %d: %v", fault, err)
			}
		})
	}
}

// A request that fails once is made again.
func TestTranscriptionsAreRetried(t *testing.T) {
	server := emulator.NewCompatible(t, emulator.Options{Key: testKey}, emulator.Compatible{Recognizer: emulator.RecognizerScript{Lines: []string{"Hello?"}}})
	defer server.Close()
	stream := open(t, openai.NewRecognizer(openai.Options{Provider: provider.Compatible, Key: testKey, BaseURL: server.URL}))
	server.Fail(emulator.DropOnce)
	utter(t, stream)
	if got := final(t, stream); got.Text != "Hello?" {
		t.Errorf("heard %q", got.Text)
	}
}
