package emulator

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
)

// ledger keeps what an emulator reports.
type ledger struct {
	mu      sync.Mutex
	entries int
}

func (l *ledger) Errorf(string, ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.entries++
}

func (l *ledger) count() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.entries
}

const (
	cartesiaPath   = "/tts/websocket?cartesia_version=2026-03-01"
	elevenLabsPath = "/v1/text-to-speech/ada/multi-stream-input?model_id=eleven_flash_v2_5&output_format=pcm_24000"
)

// converse sends messages to an emulator and returns the answers, until one
// holds the word that ends them or the server hangs up.
func converse(t *testing.T, s *Server, path, header, end string, messages ...string) (answers []string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	conn, _, err := websocket.Dial(ctx, s.URL+path, &websocket.DialOptions{HTTPHeader: http.Header{header: {"k"}}})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.CloseNow()
	for _, m := range messages {
		if err := conn.Write(ctx, websocket.MessageText, []byte(m)); err != nil {
			break // the server has had enough
		}
	}
	for {
		_, data, err := conn.Read(ctx)
		if ctx.Err() != nil {
			t.Fatal("the conversation does not end")
		}
		if err != nil {
			return append(answers, "hangs up: "+err.Error())
		}
		answers = append(answers, string(data))
		if strings.Contains(string(data), end) {
			return answers
		}
	}
}

// never is the delay of an answer that is not to come before a breach.
const never = time.Hour

func TestCartesiaIsStrict(t *testing.T) {
	const good = `{"model_id":"sonic-3","transcript":"Hi. ","voice":{"mode":"id","id":"ada"},"context_id":"c","output_format":{"container":"raw","encoding":"pcm_s16le","sample_rate":24000},"language":"en","continue":true}`
	change := func(from, to string) string { return strings.Replace(good, from, to, 1) }
	last := change(`"continue":true`, `"continue":false`)
	for _, c := range []struct {
		name     string
		messages []string
		breaches int
		delay    time.Duration // of answers
	}{
		{"one text", []string{last}, 0, 0},
		{"two texts", []string{good, last}, 0, 0},
		{"a flush between", []string{good, change(`"Hi. "`, `"","flush":true`), last}, 0, 0},
		{"an empty text at the end", []string{good, strings.Replace(last, "Hi. ", "", 1)}, 0, 0},
		{"cancel", []string{good, `{"context_id":"c","cancel":true}`}, 0, 0},
		{"cancel of nothing", []string{`{"context_id":"d","cancel":true}`, last}, 1, 0},
		{"an unknown field", []string{change(`"language"`, `"speech":1,"language"`)}, 1, 0},
		{"no JSON", []string{`hello`}, 1, 0},
		{"an unknown language", []string{change(`"en"`, `"en-GB"`)}, 1, 0},
		{"a wrong rate", []string{change("24000", "23000")}, 1, 0},
		{"no voice", []string{change(`"id":"ada"`, `"id":""`)}, 1, 0},
		{"too fast", []string{change(`"language"`, `"generation_config":{"speed":1.6},"language"`)}, 1, 0},
		{"too patient", []string{change(`"language"`, `"max_buffer_delay_ms":6000,"language"`)}, 1, 0},
		{"an empty first text", []string{change("Hi. ", "")}, 1, 0},
		{"a flush with text", []string{change(`"continue"`, `"flush":true,"continue"`)}, 1, 0},
		{"another voice within a context", []string{good, change(`"ada"`, `"bob"`)}, 1, 0},
		{"texts that run into each other", []string{change("Hi. ", "Hi."), change("Hi. ", "there.")}, 1, 0},
		{"text after the end", []string{last, good}, 1, never},
	} {
		t.Run(c.name, func(t *testing.T) {
			var l ledger
			s := NewCartesia(&l, Options{Key: "k", Delay: c.delay})
			defer s.Close()
			converse(t, s, cartesiaPath, "X-Api-Key", `"done":true`, c.messages...)
			if l.count() != c.breaches || s.Breaches() != c.breaches {
				t.Errorf("%d breaches, want %d", l.count(), c.breaches)
			}
		})
	}
}

func TestElevenLabsIsStrict(t *testing.T) {
	const begin, text, end = `{"text":" ","context_id":"c"}`, `{"text":"Hi. ","context_id":"c","flush":true}`, `{"context_id":"c","close_context":true}`
	begins := func(ids string) (messages []string) {
		for id := range strings.SplitSeq(ids, "") {
			messages = append(messages, strings.Replace(begin, `"c"`, `"`+id+`"`, 1))
		}
		return messages
	}
	for _, c := range []struct {
		name     string
		messages []string
		breaches int
		delay    time.Duration // of answers
	}{
		{"one text", []string{begin, text, end}, 0, 0},
		{"settings at the beginning", []string{`{"text":" ","voice_settings":{"speed":0.8},"context_id":"c"}`, text, end}, 0, 0},
		{"kept alive", []string{begin, `{"text":"","context_id":"c"}`, end}, 0, 0},
		{"five contexts", append(begins("abdec"), text, end), 0, 0},
		{"six contexts", begins("abcdef"), 1, 0},
		{"an unknown field", []string{`{"text":" ","context_id":"c","transcript":""}`}, 1, 0},
		{"no JSON", []string{`hello`}, 1, 0},
		{"text without a beginning", []string{text}, 1, 0},
		{"a flush of nothing", []string{`{"context_id":"c","flush":true}`}, 1, 0},
		{"settings after the beginning", []string{begin, `{"text":"Hi. ","voice_settings":{},"context_id":"c"}`}, 1, 0},
		{"too fast", []string{`{"text":" ","voice_settings":{"speed":1.3},"context_id":"c"}`}, 1, 0},
		{"text without a space at the end", []string{begin, `{"text":"Hi.","context_id":"c"}`}, 1, 0},
		{"closed twice", []string{begin, text, end, end}, 1, never},
		{"text after the end", []string{begin, text, end, text}, 1, never},
		{"no context", []string{`{"text":" "}`}, 1, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			var l ledger
			s := NewElevenLabs(&l, Options{Key: "k", Delay: c.delay})
			defer s.Close()
			converse(t, s, elevenLabsPath, "Xi-Api-Key", `"isFinal":true`, c.messages...)
			if l.count() != c.breaches || s.Breaches() != c.breaches {
				t.Errorf("%d breaches, want %d", l.count(), c.breaches)
			}
		})
	}
}

func TestSynthesisersAreStrictAtTheDoor(t *testing.T) {
	for _, c := range []struct {
		name, path, header, key string
		start                   func(Reporter, Options) *Server
		status, breaches        int
	}{
		{"cartesia", cartesiaPath, "X-Api-Key", "wrong", NewCartesia, 401, 0},
		{"cartesia, no key", cartesiaPath, "X-Other", "k", NewCartesia, 401, 1},
		{"cartesia, no version", "/tts/websocket", "X-Api-Key", "k", NewCartesia, 400, 1},
		{"cartesia, elsewhere", "/tts", "X-Api-Key", "k", NewCartesia, 404, 1},
		{"elevenlabs, no key", elevenLabsPath, "X-Other", "k", NewElevenLabs, 401, 1},
		{"elevenlabs, too patient", elevenLabsPath + "&inactivity_timeout=181", "Xi-Api-Key", "k", NewElevenLabs, 422, 1},
		{"elevenlabs, another format", strings.Replace(elevenLabsPath, "pcm_24000", "mp3", 1), "Xi-Api-Key", "k", NewElevenLabs, 422, 1},
		{"elevenlabs, unknown parameter", elevenLabsPath + "&speed=1", "Xi-Api-Key", "k", NewElevenLabs, 422, 1},
		{"elevenlabs, elsewhere", "/v1/text-to-speech/ada/stream-input", "Xi-Api-Key", "k", NewElevenLabs, 404, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			var l ledger
			s := c.start(&l, Options{Key: "k"})
			defer s.Close()
			conn, answer, err := websocket.Dial(t.Context(), s.URL+c.path, &websocket.DialOptions{HTTPHeader: http.Header{c.header: {c.key}}})
			if err == nil {
				conn.CloseNow()
				t.Fatal("let in")
			}
			if answer.StatusCode != c.status || l.count() != c.breaches {
				t.Errorf("status %d, %d breaches, want %d, %d", answer.StatusCode, l.count(), c.status, c.breaches)
			}
		})
	}
}

// The length of speech fits its text, or is that of the speech it is given.
func TestSoundFitsItsText(t *testing.T) {
	s := NewCartesia(t, Options{})
	defer s.Close()
	const text = "Hello there, you. "
	sound := s.sound(text)
	if want := time.Duration(len(text)) * characterTime; sound.length() != want {
		t.Errorf("%v for %d characters, want %v", sound.length(), len(text), want)
	}
	var words []string
	for _, w := range sound.words() {
		words = append(words, w.Text+" "+w.Start.String()+"-"+w.End.String())
	}
	if got, want := strings.Join(words, ", "), "Hello 0s-300ms, there, 360ms-720ms, you. 780ms-1.02s"; got != want {
		t.Errorf("words %s, want %s", got, want)
	}
	given := NewCartesia(t, Options{Speak: func(string) []int16 { return []int16{1, -2, 3} }})
	defer given.Close()
	if got := string(given.sound(text).pcm); got != "\x01\x00\xfe\xff\x03\x00" {
		t.Errorf("given speech became %q", got)
	}
}
