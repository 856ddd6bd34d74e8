package worker

import (
	"context"

	"parley/internal/dialogue"
	"parley/internal/media"
	"parley/internal/voice"
)

// line is a participant as the voice room wants it.
type line struct {
	participant *media.Participant
	tape        *tape
	captions    chan voice.Caption
	typed       chan string
}

const (
	// captionsKept bounds the captions that wait to be sent, and textsKept the
	// texts of the caller that wait to be read.
	captionsKept, textsKept = 64, 8
)

func newLine(t *tape) *line {
	return &line{tape: t, captions: make(chan voice.Caption, captionsKept), typed: make(chan string, textsKept)}
}

// write takes a text of the caller's. One that writes faster than the agent
// reads loses what is too much.
func (l *line) write(text string) {
	select {
	case l.typed <- text:
	default:
	}
}

func (l *line) Typed() <-chan string { return l.typed }

// Caption has a caption sent. One that is too many is lost: a later one of its
// segment has the whole text.
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
			// What cannot be sent is missed by nobody who is in the room.
			_ = l.participant.SendTranscript(media.Transcript{Segment: c.Segment, Text: c.Text, Final: c.Final, Peer: c.Role == dialogue.RoleUser})
		case <-ctx.Done():
			return
		}
	}
}

// forget drops what was heard until now, such as the silence while a phone rang.
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
	l.tape.spoken(pcm)
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
