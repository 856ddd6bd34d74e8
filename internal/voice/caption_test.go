package voice

import (
	"slices"
	"strings"
	"testing"
	"time"

	"parley/internal/dialogue"
)

// segments are the captions by segment, in the order of their beginnings.
func (l *fakeLine) segments() (ordered [][]Caption) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range l.captions {
		at := slices.IndexFunc(ordered, func(s []Caption) bool { return s[0].Segment == c.Segment })
		if at < 0 {
			ordered = append(ordered, nil)
			at = len(ordered) - 1
		}
		ordered[at] = append(ordered[at], c)
	}
	return ordered
}

func (s *scenario) wantCaptions(want ...string) {
	s.Helper()
	var got []string
	for _, segment := range s.line.segments() {
		last := segment[len(segment)-1]
		got = append(got, string(last.Role)+": "+last.Text)
		for _, c := range segment {
			if c.Final != (c == last) || c.Role == dialogue.RoleAssistant && !strings.HasPrefix(last.Text, c.Text) {
				s.Errorf("segment %+v", segment)
			}
		}
	}
	if !slices.Equal(got, want) {
		s.Errorf("captions %q, want %q", got, want)
	}
}

// What both sides say is published as it is said, and what the transcript keeps in the end.
func TestCaptions(t *testing.T) {
	perform(t, nil, func(s *scenario) {
		s.question("when do you open")
		s.wait(5 * time.Second)
	}, func(s *scenario) {
		s.wantCaptions("assistant: Hello there.", "user: when do you open", "assistant: We open at nine.")
		if answer := s.line.segments()[2]; len(answer) < 3 {
			s.Errorf("the answer is published at once: %+v", answer)
		}
	})
}

// A caller without a microphone writes: each text is a turn, the shortest too, and interrupts the agent.
func TestTypedTurns(t *testing.T) {
	silent := func(s *scenario) { s.line.muted, s.line.typed = true, make(chan string, 1) }
	perform(t, silent, func(s *scenario) {
		s.wait(2 * time.Second)
		s.line.typed <- "When do you open?"
		s.wait(600 * time.Millisecond) // the answer has just begun
		s.line.typed <- "ok"
		s.wait(5 * time.Second)
	}, func(s *scenario) {
		s.wantProblems()
		segments := s.line.segments()
		var said []string
		for _, segment := range segments {
			if last := segment[len(segment)-1]; last.Role == dialogue.RoleUser {
				said = append(said, last.Text)
			}
		}
		if want := []string{"When do you open?", "ok"}; !slices.Equal(said, want) {
			s.Errorf("the caller said %q, want %q", said, want)
		}
		if last := segments[len(segments)-1]; last[len(last)-1].Text != "We open at nine." {
			s.Errorf("the last answer is %+v", last)
		}
	})
}
