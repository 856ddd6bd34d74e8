package worker

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"parley/internal/dialogue"
	"parley/internal/media"
	"parley/internal/voice"
)

// line adapts a participant to voice.Line.
type line struct {
	participant  *media.Participant
	recorder     *recorder
	captions     chan voice.Caption
	textMessages chan string
	signals      chan voice.Signal

	output sync.Mutex             // held while a frame is played to the caller
	played time.Time              // when the agent last was; guarded by output
	hold   chan struct{}          // closed to end the hold sound; nil without one
	bridge atomic.Pointer[person] // who is connected with the caller; nil for nobody
}

const (
	// captionQueue and textQueue are the most captions waiting to be sent, and text messages waiting to be read.
	captionQueue, textQueue = 64, 8
	// signalQueue is the most signals of the phone waiting to be read.
	signalQueue = 64
)

func newLine(r *recorder) *line {
	return &line{recorder: r, captions: make(chan voice.Caption, captionQueue), textMessages: make(chan string, textQueue), signals: make(chan voice.Signal, signalQueue)}
}

// pushText queues a text message of the caller, or drops it when the queue is full.
func (l *line) pushText(text string) {
	select {
	case l.textMessages <- text:
	default:
	}
}

func (l *line) TextMessages() <-chan string { return l.textMessages }

// pressKey queues a key of the caller's phone.
func (l *line) pressKey(key byte) { l.pushSignal(voice.Signal{Kind: voice.KeyPressed, Key: key}) }

// pushSignal queues a signal of the caller's phone, or drops it when the queue is full.
func (l *line) pushSignal(signal voice.Signal) {
	select {
	case l.signals <- signal:
	default:
	}
}

func (l *line) Signals() <-chan voice.Signal { return l.signals }

// Caption queues a caption, or drops it when the queue is full: a later one of the segment has the whole text.
func (l *line) Caption(c voice.Caption) {
	select {
	case l.captions <- c:
	default:
	}
}

// publishCaptions sends the captions to the room until the session ends.
func (l *line) publishCaptions(ctx context.Context) {
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

// dropFrames drops the frames received so far, such as the silence while a phone rang.
func (l *line) dropFrames() {
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

// Play plays a frame of the agent to the caller. A caller who is connected with a person does not hear the agent.
func (l *line) Play(pcm []int16) error {
	l.output.Lock()
	defer l.output.Unlock()
	if l.bridge.Load() != nil {
		return nil
	}
	l.played = time.Now()
	return l.send(pcm)
}

// send plays a frame to the caller; l.output is held.
func (l *line) send(pcm []int16) error {
	l.recorder.recordAgent(pcm)
	return l.participant.Play(pcm)
}

// hearCaller handles a frame of the caller as soon as it is decoded.
func (l *line) hearCaller(pcm []int16) {
	l.recorder.recordCaller(pcm)
	if p := l.bridge.Load(); p != nil {
		p.hearCaller(pcm)
	}
}

// publishAgent sets the participant attribute with the name of the current agent.
func (l *line) publishAgent(agent string) {
	if l != nil && l.participant != nil {
		l.participant.SetAttributes(map[string]string{"parley.agent": agent})
	}
}

func (l *line) SetState(state voice.State) {
	l.participant.SetAttributes(map[string]string{media.AttributeAgentState: string(state)})
}
