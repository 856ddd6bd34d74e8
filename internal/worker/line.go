package worker

import (
	"context"

	"parley/internal/dialogue"
	"parley/internal/media"
	"parley/internal/voice"
)

// line adapts a participant to voice.Line.
type line struct {
	participant *media.Participant
	recorder    *recorder
	captions    chan voice.Caption
	typed       chan string
}

const (
	// captionsKept and textsKept limit the captions waiting to be sent and the caller's texts waiting to be read.
	captionsKept, textsKept = 64, 8
)

func newLine(t *recorder) *line {
	return &line{recorder: t, captions: make(chan voice.Caption, captionsKept), typed: make(chan string, textsKept)}
}

// write queues a text of the caller. It is dropped when the queue is full.
func (l *line) write(text string) {
	select {
	case l.typed <- text:
	default:
	}
}

func (l *line) Typed() <-chan string { return l.typed }

// Caption queues a caption. It is dropped when the queue is full: a later one of its segment has the whole text.
func (l *line) Caption(c voice.Caption) {
	select {
	case l.captions <- c:
	default:
	}
}

// publish sends the captions to the room until the session ends.
func (l *line) publish(ctx context.Context) {
	for {
		select {
		case c := <-l.captions:
			// Failed captions are not retried.
			_ = l.participant.SendTranscript(media.Transcript{Segment: c.Segment, Text: c.Text, Final: c.Final, Peer: c.Role == dialogue.RoleUser})
		case <-ctx.Done():
			return
		}
	}
}

// forget drops the frames received so far, such as the silence while a phone rang.
func (l *line) forget() {
	for {
		select {
		case _, ok := <-l.participant.Frames():
			if !ok {
				return
			}
		default:
			return
		}
	}
}

func (l *line) Frames() <-chan []int16 { return l.participant.Frames() }
func (l *line) Play(pcm []int16) error {
	l.recorder.recordAgent(pcm)
	return l.participant.Play(pcm)
}

// announce shows everyone in the room which agent speaks from now on.
func (l *line) announce(agent string) {
	if l != nil && l.participant != nil {
		l.participant.SetAttributes(map[string]string{"parley.agent": agent})
	}
}

func (l *line) SetState(state voice.State) {
	l.participant.SetAttributes(map[string]string{"lk.agent.state": string(state)})
}
