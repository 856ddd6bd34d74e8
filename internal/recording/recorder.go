// Package recording records calls as Ogg Opus, the caller on the left, the agent on the right, and stores the
// recordings.
package recording

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pion/rtp"
	"github.com/pion/webrtc/v4/pkg/media/oggwriter"

	"parley/internal/audio"
	"parley/internal/dialogue"
)

const (
	// rate is the sample rate of recordings, that of the agent's speech.
	rate  = dialogue.SpeakRate
	frame = rate / 50 // samples of one channel in 20 ms
	// lag is how long a position is kept open for late frames.
	lag = 400 * time.Millisecond
	// jitter is how far a frame may be from its clock position and still follow the previous one without a gap.
	jitter = 80 * time.Millisecond
	// heardAfter is how much later the agent's audio is placed than it is sent: when the caller hears it, and what they say meanwhile has
	// arrived. It is what the buffers on both sides take, without a network between them.
	heardAfter = 35 * time.Millisecond
	// quietLevel is that of pauses in dBFS, in which the caller's frames may be moved by their average lateness, of about lateAverage frames.
	quietLevel, lateAverage = -50, 25
	// silenceInterval is how often silence is written while the call is on hold, so that it is encoded as it passes, not all of it
	// with the frame after it.
	silenceInterval = time.Second
	// backlog limits the frames waiting for the encoder: 2 s of both voices.
	backlog = 200
)

// channel is a voice's channel.
type channel int

const (
	caller channel = iota
	agent
)

// Recorder records one call, until Close. Heard and Spoken never block; each is for one goroutine at a time.
type Recorder struct {
	log       *slog.Logger
	on        atomic.Bool
	held      atomic.Bool
	sound     chan *sound
	redaction redaction
	lost      atomic.Int64 // frames dropped because the encoder was too slow

	closing sync.Once
	closed  chan struct{}
	done    chan struct{}
	err     error // valid when done is closed
}

// sound is a frame on its way to the encoder; frames are reused.
type sound struct {
	at      time.Time
	channel channel
	pcm     [frame]int16
	length  int
}

var sounds = sync.Pool{New: func() any { return new(sound) }}

// Output is the file that a recording is written to.
type Output interface {
	io.WriteSeeker
	io.WriterAt
	io.Closer
}

// New starts a recording to a file, which it closes at the end. It is paused until Record switches it on. Write
// errors end it; Close returns them.
func New(to Output, log *slog.Logger) (*Recorder, error) { return newRecorder(to, log, lag) }

// NewRedacted is New for a recording of which parts may be silenced (Await, Settle).
func NewRedacted(to Output, log *slog.Logger) (*Recorder, error) {
	return newRecorder(to, log, redactedLag)
}

func newRecorder(to Output, log *slog.Logger, lag time.Duration) (*Recorder, error) {
	encoder, err := audio.NewStereoEncoder(rate)
	if err != nil {
		return nil, err
	}
	file, err := oggwriter.NewWriter(to, oggwriter.WithSeekableOutput(to), oggwriter.WithSampleRate(rate), oggwriter.WithChannelCount(2))
	if err != nil {
		return nil, fmt.Errorf("begin recording: %w", err)
	}
	track, err := file.NewTrack(1)
	if err != nil {
		return nil, fmt.Errorf("begin recording: %w", err)
	}
	r := &Recorder{log: log, sound: make(chan *sound, backlog), closed: make(chan struct{}), done: make(chan struct{})}
	m := &mixer{start: time.Now(), lag: lag, redaction: &r.redaction, track: track, encoder: encoder, upward: audio.NewResampler(dialogue.ListenRate, rate)}
	go func() {
		defer close(r.done)
		r.err = errors.Join(r.run(m), file.Close())
	}()
	return r, nil
}

// Record switches the recording on or off; it is silent while off.
func (r *Recorder) Record(on bool) { r.on.Store(on) }

// Hold puts the recording on hold, or resumes it. On hold it is silent and its time goes on, until Close as well.
func (r *Recorder) Hold(held bool) { r.held.Store(held) }

// WriteCaller adds a frame of the caller's audio, 20 ms at dialogue.ListenRate.
func (r *Recorder) WriteCaller(pcm []int16) { r.queue(caller, pcm) }

// WriteAgent adds a frame of the agent's audio, 20 ms at dialogue.SpeakRate, when it is played.
func (r *Recorder) WriteAgent(pcm []int16) { r.queue(agent, pcm) }

func (r *Recorder) queue(from channel, pcm []int16) {
	if !r.on.Load() || r.held.Load() {
		return
	}
	s := sounds.Get().(*sound)
	s.at, s.channel, s.length = time.Now(), from, copy(s.pcm[:], pcm)
	if from == agent {
		s.at = s.at.Add(heardAfter)
	}
	select {
	case r.sound <- s:
	default:
		r.lost.Add(1)
		sounds.Put(s)
	}
}

// Close ends the recording and waits until it is written. It is idempotent. No frame may be added afterwards.
func (r *Recorder) Close() error {
	r.closing.Do(func() { close(r.closed) })
	<-r.done
	if n := r.lost.Swap(0); n > 0 {
		r.log.Warn("recording has gaps: audio was not processed in time", "frames", n)
	}
	return r.err
}

// run mixes and writes until the recording is closed or writing fails.
func (r *Recorder) run(m *mixer) error {
	var failed error
	write := func(s *sound) {
		if failed == nil {
			failed = m.place(s)
		}
		sounds.Put(s)
	}
	silence := time.NewTicker(silenceInterval)
	defer silence.Stop()
	for {
		select {
		case s := <-r.sound:
			write(s)
			continue
		case now := <-silence.C:
			if failed == nil && r.held.Load() && m.begun() {
				failed = m.write(m.moment(now) - samples(m.lag))
			}
			continue
		case <-r.closed:
		}
		for {
			select {
			case s := <-r.sound:
				write(s)
				continue
			default:
			}
			if failed == nil && r.held.Load() && m.begun() {
				m.redaction.end(time.Now())
				failed = m.write(m.moment(time.Now()))
			}
			if failed == nil {
				failed = m.finish()
			}
			return failed
		}
	}
}

// mixer positions frames and writes what is final.
type mixer struct {
	start     time.Time
	lag       time.Duration // how long a position is kept open
	redaction *redaction
	track     *oggwriter.Track
	encoder   *audio.Encoder
	upward    *audio.Resampler // the caller's voice to the recording's rate
	caller    []int16          // resampled

	open   []int16 // both channels in turn, from base on
	base   int     // the moment that open begins with, in samples
	ends   [2]int  // where each voice's last frame ended; 0 before the first
	late   float64 // by how much the caller's frames are later than their places on average, in samples
	quiet  bool    // the caller's last frame
	packet [audio.MaxPacket]byte
	number uint16
}

// place writes a frame at its position.
func (m *mixer) place(s *sound) error {
	at := m.moment(s.at)
	if err := m.write(at - samples(m.lag)); err != nil {
		return err
	}
	pcm := s.pcm[:s.length]
	if s.channel == caller {
		m.caller = m.upward.Process(pcm, m.caller[:0])
		pcm = m.caller
	}
	if end := m.ends[s.channel]; end > 0 && at-end <= samples(jitter) && end-at <= samples(jitter) {
		late := at - end
		at = end
		if s.channel == caller {
			at += m.correction(late, pcm)
		}
	}
	m.ends[s.channel] = at + len(pcm)
	if late := m.base - at; late > 0 {
		pcm, at = pcm[min(late, len(pcm)):], m.base
	}
	if need := 2 * (at - m.base + len(pcm)); need > len(m.open) {
		m.open = append(m.open, make([]int16, need-len(m.open))...)
	}
	for i, sample := range pcm {
		m.open[2*(at-m.base+i)+int(s.channel)] = sample
	}
	return nil
}

// correction returns by how much the caller's frame is moved in a pause: the first frame of a call comes late or early by chance, and those
// after it follow it. late is by how much this one is later than its place.
func (m *mixer) correction(late int, pcm []int16) (samples int) {
	m.late += (float64(late) - m.late) / lateAverage
	wasQuiet := m.quiet
	if m.quiet = audio.Level(pcm) < quietLevel; !m.quiet || !wasQuiet || math.Abs(m.late) < frame/4 {
		return 0
	}
	moved := max(-frame/2, min(int(m.late), frame/2))
	m.late -= float64(moved)
	return moved
}

// begun reports whether a frame was placed.
func (m *mixer) begun() bool { return m.base > 0 || len(m.open) > 0 }

// moment returns a time's position in the recording, in samples.
func (m *mixer) moment(t time.Time) int { return samples(t.Sub(m.start)) }

func samples(d time.Duration) int { return int(d * rate / time.Second) }

// write encodes whole frames up to a moment, or the one from which on it is not known yet what is silenced.
func (m *mixer) write(until int) error {
	spans := m.redaction.spans(m.start)
	for m.base+frame <= until && m.base+frame <= spans.open {
		if short := 2*frame - len(m.open); short > 0 {
			m.open = append(m.open, make([]int16, short)...)
		}
		spans.silence(m.open[:2*frame], m.base)
		n, err := m.encoder.Encode(m.open[:2*frame], m.packet[:])
		if err != nil {
			return err
		}
		m.number++
		// RFC 7587: the clock of Opus in RTP has 48,000 ticks a second.
		err = m.track.WriteRTP(&rtp.Packet{
			Header:  rtp.Header{Version: 2, SSRC: 1, SequenceNumber: m.number, Timestamp: uint32(m.base * 48000 / rate)},
			Payload: m.packet[:n],
		})
		if err != nil {
			return fmt.Errorf("write recording: %w", err)
		}
		m.open = m.open[:copy(m.open, m.open[2*frame:])]
		m.base += frame
	}
	return nil
}

// finish writes the remaining frames.
func (m *mixer) finish() error {
	m.redaction.end(time.Now())
	return m.write(m.base + len(m.open)/2 + frame - 1)
}

// MediaType is the media type of recordings (RFC 7845, section 9).
const MediaType = "audio/ogg; codecs=opus"
