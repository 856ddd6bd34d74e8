package emulator

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/coder/websocket"

	"parley/internal/audio"
	"parley/internal/dialogue"
)

// Emulated synthesis: 60 ms per character, delivered in parts of 100 ms at four times real time.
const (
	characterTime = 60 * time.Millisecond
	pieceTime     = 100 * time.Millisecond
	pace          = 4
)

// UnknownVoice is a voice that no account has.
const UnknownVoice = "unknown-voice"

// sound is a synthesised text.
type sound struct {
	pcm   []byte // little endian
	runes []rune
}

// sound synthesises a text: with Options.Speak, or with a tone for each word.
func (s *Server) sound(text string) sound {
	var pcm []int16
	if s.o.Speak != nil {
		pcm = s.o.Speak(strings.TrimSpace(text))
	} else {
		for word := range strings.SplitAfterSeq(text, " ") {
			letters := utf8.RuneCountInString(strings.TrimSpace(word))
			pitch := 180 + 20*float64(letters%8)
			pcm = append(pcm, audio.Tone(pitch, dialogue.SpeakRate, time.Duration(letters)*characterTime)...)
			gap := time.Duration(utf8.RuneCountInString(word)-letters) * characterTime
			pcm = append(pcm, make([]int16, gap*dialogue.SpeakRate/time.Second)...)
		}
	}
	bytes := make([]byte, 0, 2*len(pcm))
	for _, v := range pcm {
		bytes = append(bytes, byte(v), byte(uint16(v)>>8))
	}
	return sound{pcm: bytes, runes: []rune(text)}
}

// at returns the start of a character.
func (s sound) at(character int) time.Duration {
	if len(s.runes) == 0 {
		return 0
	}
	return s.length() * time.Duration(character) / time.Duration(len(s.runes))
}

func (s sound) length() time.Duration { return lengthOf(len(s.pcm)) }

func lengthOf(bytes int) time.Duration {
	return time.Duration(bytes/2) * time.Second / dialogue.SpeakRate
}

// words returns the words of the text with their times from its start.
func (s sound) words() []dialogue.Word {
	var words []dialogue.Word
	begin := -1
	for i, r := range append(s.runes, ' ') {
		switch {
		case r != ' ' && begin < 0:
			begin = i
		case r == ' ' && begin >= 0:
			words = append(words, dialogue.Word{Text: string(s.runes[begin:i]), Start: s.at(begin), End: s.at(i)})
			begin = -1
		}
	}
	return words
}

// pieces delivers the audio in parts of size bytes, until the context ends or one is rejected.
func (s sound) pieces(ctx context.Context, size int, deliver func(from, to int) bool) bool {
	began := time.Now()
	for from := 0; from < len(s.pcm); from += size {
		if !rest(ctx, time.Until(began.Add(lengthOf(from)/pace))) {
			return false
		}
		if !deliver(from, min(from+size, len(s.pcm))) {
			return false
		}
	}
	return true
}

// rest waits, and reports whether the context is still valid.
func rest(ctx context.Context, d time.Duration) bool {
	if d > 0 {
		select {
		case <-time.After(d):
		case <-ctx.Done():
		}
	}
	return ctx.Err() == nil
}

// line is a client's connection to an emulated synthesiser.
type line struct {
	s     *Server
	conn  *websocket.Conn
	ctx   context.Context
	hang  context.CancelFunc
	voice sync.WaitGroup // contexts being spoken
}

// serveConnection calls handleMessage with every message of a connection, until it returns false.
func (s *Server) serveConnection(ctx context.Context, conn *websocket.Conn, handleMessage func(l *line, data []byte) bool) {
	l := &line{s: s, conn: conn}
	l.ctx, l.hang = context.WithCancel(ctx)
	defer l.voice.Wait()
	defer l.hang()
	s.mu.Lock()
	s.lines = append(s.lines, l)
	s.mu.Unlock()
	for {
		kind, data, err := conn.Read(l.ctx)
		if err != nil {
			return
		}
		if kind != websocket.MessageText {
			s.breach("a binary message")
			return
		}
		if !handleMessage(l, data) {
			return
		}
	}
}

// sendMessage sends a message.
func (l *line) sendMessage(message any) bool {
	data, err := json.Marshal(message)
	if err != nil {
		panic(err) // the emulator's own messages
	}
	return l.conn.Write(l.ctx, websocket.MessageText, data) == nil
}

// sendClose sends a message and closes the connection.
func (l *line) sendClose(message any, code websocket.StatusCode, reason string) {
	if message != nil {
		l.sendMessage(message)
	}
	l.conn.Close(code, reason)
	l.hang()
}

// fails applies the server's fault to an answer, except those with their own protocol message, and reports
// whether it did.
func (l *line) fails(ctx context.Context, spoken bool) bool {
	switch l.s.Fault() {
	case Garbage:
		l.conn.Write(l.ctx, websocket.MessageText, []byte(`<html>502 Bad Gateway`)) //nolint:errcheck // the client may be gone
	case Drop:
		if !spoken {
			return false
		}
		l.conn.CloseNow() //nolint:errcheck // that is the fault
		l.hang()
	case Stall:
		<-ctx.Done()
	default:
		return false
	}
	return true
}

// Idle closes every connection as vendors do after a long idle time.
func (s *Server) Idle() {
	s.mu.Lock()
	lines := s.lines
	s.lines = nil
	s.mu.Unlock()
	for _, l := range lines {
		l.sendClose(nil, websocket.StatusNormalClosure, "connection idle timeout")
	}
}

// Released returns how many contexts clients of a synthesiser cancelled or closed.
func (s *Server) Released() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.released
}

func (s *Server) release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.released++
}
