package generation

import (
	"strings"
	"sync"
	"time"

	"parley/internal/voice/speechtext"
)

// segmentStream sends the segments of a model's growing text to the voice. A text that ends in the mark of a sentence, such as one
// before a function call, is sent after speechtext.SettleAfter without more.
type segmentStream struct {
	send   func(speechtext.Text) error
	settle *time.Timer

	mu        sync.Mutex
	segmenter *speechtext.Segmenter
	stopped   bool
	err       error // of send, when it was called by settle
}

func newSegmentStream(language string, send func(speechtext.Text) error) *segmentStream {
	s := &segmentStream{send: send, segmenter: speechtext.NewSegmenter(language)}
	s.settle = time.AfterFunc(time.Hour, s.sendSettled)
	s.settle.Stop()
	return s
}

// push adds text and sends the segments that are complete.
func (s *segmentStream) push(text string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if text == "" {
		return s.err
	}
	s.settle.Stop()
	if err := s.sendAll(s.segmenter.Push(text)); err != nil {
		return err
	}
	if s.segmenter.Unsettled() {
		s.settle.Reset(speechtext.SettleAfter)
	}
	return s.err
}

// flush sends the rest.
func (s *segmentStream) flush() error {
	s.stop()
	return s.sendAll(s.segmenter.Flush())
}

// stop ends the waiting for more text. It is idempotent.
func (s *segmentStream) stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stopped = true
	s.settle.Stop()
}

// stopAtSentence sends what is pending if it ends as a sentence, and otherwise returns it: the model's stream broke off.
func (s *segmentStream) stopAtSentence() (rest string) {
	s.sendSettled()
	s.stop()
	var written []string
	for _, segment := range s.segmenter.Flush() {
		written = append(written, segment.Written())
	}
	return strings.Join(written, " ")
}

func (s *segmentStream) sendSettled() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.stopped && s.err == nil {
		s.err = s.sendAll(s.segmenter.Settle())
	}
}

func (s *segmentStream) sendAll(segments []speechtext.Text) error {
	for _, segment := range segments {
		if err := s.send(segment); err != nil {
			return err
		}
	}
	return nil
}
