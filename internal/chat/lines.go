package chat

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"
)

// Lines returns the next line; io.EOF after the last one.
type Lines interface {
	Next(ctx context.Context) (string, error)
}

// Script is a fixed list of lines.
type Script struct{ lines []string }

// NewScript returns a script.
func NewScript(lines []string) *Script { return &Script{lines} }

// Next implements Lines.
func (s *Script) Next(context.Context) (string, error) {
	if len(s.lines) == 0 {
		return "", io.EOF
	}
	line := s.lines[0]
	s.lines = s.lines[1:]
	return line, nil
}

// Typed is lines from a reader, such as a terminal.
type Typed struct {
	prompt func()
	lines  chan string
	err    error // once lines is closed
}

// NewTyped reads lines from r; prompt, if not nil, is called before each. The reading goroutine ends with r: a read
// from a terminal cannot be cancelled, so it may outlive the conversation by one line.
func NewTyped(r io.Reader, prompt func()) *Typed {
	if prompt == nil {
		prompt = func() {}
	}
	t := &Typed{prompt: prompt, lines: make(chan string)}
	go func() {
		defer close(t.lines)
		scanner := bufio.NewScanner(r)
		for scanner.Scan() {
			t.lines <- scanner.Text()
		}
		t.err = scanner.Err()
	}()
	return t
}

// Next implements Lines. Empty lines are skipped. The end of the context ends the lines.
func (t *Typed) Next(ctx context.Context) (string, error) {
	for {
		t.prompt()
		select {
		case line, more := <-t.lines:
			switch {
			case !more && t.err != nil:
				return "", fmt.Errorf("read a line: %w", t.err)
			case !more:
				return "", io.EOF
			case wordless(line):
				continue
			}
			return strings.TrimSpace(line), nil
		case <-ctx.Done():
			return "", io.EOF
		}
	}
}
