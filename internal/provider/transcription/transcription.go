// Package transcription recognises speech with an HTTP request for each utterance, cut where the caller falls silent. There are
// no interim transcripts.
package transcription

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"parley/internal/audio"
	"parley/internal/dialogue"
	"parley/internal/provider/llm"
	"parley/internal/provider/recognition"
)

const (
	// longestUtterance is the audio after which an utterance without a pause is cut. OpenAI accepts 25 MB, which is 13 minutes, Google
	// less than one minute.
	longestUtterance = 55 * time.Second
	// shortestUtterance is OpenAI's minimum, https://community.openai.com/t/audio-file-is-too-short-minimum-audio-length-is-0-1-seconds/456150.
	shortestUtterance = 100 * time.Millisecond
	// transcribeTimeout bounds one request.
	transcribeTimeout = 10 * time.Second
	// maxTranscript limits an answer, in bytes.
	maxTranscript = 1 << 20
	// maxRefused is how many utterances in a row may be refused for what they are before the recogniser counts as failed.
	maxRefused = 2
	// maxUtterances limits those waiting for their transcript.
	maxUtterances = 16
)

// Vendor is where and how utterances are transcribed.
type Vendor struct {
	Account llm.Account
	URL     string // of the requests
	Probe   string // address of a GET request that opens a connection and checks the key
	Header  http.Header
	// Body returns the body of the request for an utterance, and its type.
	Body func(pcm []int16) (contentType string, body []byte, err error)
	// Text returns the text in an answer, and what the vendor reports to have billed for it; nothing for the duration of the audio.
	Text func(answer []byte) (string, dialogue.SpeechUsage, error)
	// Used receives what the vendor bills; BilledDuration returns the duration that it bills for audio of a duration, nil for the same.
	Used           dialogue.UsageFunc
	BilledDuration func(time.Duration) time.Duration
}

// stream is a dialogue.Recognition with a request for each utterance, one at a time.
type stream struct {
	vendor Vendor

	ctx    context.Context
	cancel context.CancelFunc

	mu     sync.Mutex
	gate   *recognition.Gate
	pcm    []int16 // of the utterance
	closed bool

	utterances  chan []int16 // nil for one in which nothing was said
	transcripts chan dialogue.Transcript
	done        chan struct{}
	err         error // by done
}

var (
	errClosed  = dialogue.NewError("the recogniser is closed")
	errStalled = dialogue.NewError("the server is too slow: too many utterances wait for their transcript")
)

// Open sends one request to the server, so that a wrong key or address is reported before the caller speaks.
func Open(ctx context.Context, v Vendor) (dialogue.Recognition, error) {
	attempt, stop := context.WithTimeout(ctx, 5*time.Second)
	defer stop()
	if err := llm.Reach(attempt, v.Account, v.Probe, v.Header); err != nil {
		return nil, err
	}
	t := &stream{
		vendor: v, gate: recognition.NewGate(),
		utterances: make(chan []int16, maxUtterances), transcripts: make(chan dialogue.Transcript), done: make(chan struct{}),
	}
	t.ctx, t.cancel = context.WithCancel(ctx)
	go t.run()
	return t, nil
}

// Write implements dialogue.Recognition.
func (t *stream) Write(pcm []int16) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed || t.ctx.Err() != nil {
		return t.over()
	}
	spoken, _ := t.gate.Push(pcm)
	t.pcm = append(t.pcm, spoken...)
	if audio.Duration(len(t.pcm), dialogue.ListenRate) >= longestUtterance {
		return t.enqueueUtterance()
	}
	return nil
}

// Finalize implements dialogue.Recognition.
func (t *stream) Finalize() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.closed || t.ctx.Err() != nil {
		return t.over()
	}
	t.gate.End()
	return t.enqueueUtterance()
}

// enqueueUtterance hands the utterance to run. The lock is held.
func (t *stream) enqueueUtterance() error {
	pcm := t.pcm
	t.pcm = nil
	if len(pcm) > 0 {
		if missing := int(shortestUtterance.Seconds()*dialogue.ListenRate) - len(pcm); missing > 0 {
			pcm = append(pcm, make([]int16, missing)...)
		}
	}
	select {
	case t.utterances <- pcm:
		return nil
	default:
		t.cancel()
		return errStalled
	}
}

// over returns why nothing more is accepted.
func (t *stream) over() error {
	select {
	case <-t.done:
		if t.err != nil {
			return t.err
		}
	default:
	}
	return errClosed
}

// Transcripts implements dialogue.Recognition.
func (t *stream) Transcripts() <-chan dialogue.Transcript { return t.transcripts }

// Err implements dialogue.Recognition.
func (t *stream) Err() error {
	<-t.done
	return t.err
}

// Close implements dialogue.Recognition.
func (t *stream) Close() error {
	t.mu.Lock()
	t.closed = true
	t.mu.Unlock()
	t.cancel()
	<-t.done
	return nil
}

func (t *stream) run() {
	defer close(t.done)
	defer close(t.transcripts)
	defer t.cancel()
	proven, refused := false, 0 // an utterance was transcribed; utterances refused since then
	for {
		select {
		case pcm := <-t.utterances:
			text := ""
			if len(pcm) > 0 {
				var err error
				text, err = t.transcribe(pcm)
				switch {
				case err == nil:
					proven, refused = true, 0
				case proven && refused < maxRefused && errors.Is(err, dialogue.ErrRequestRefused):
					refused++ // a judgement on this utterance: nothing was understood
				default:
					t.end(err)
					return
				}
			}
			select {
			case t.transcripts <- dialogue.Transcript{Text: text, Final: true, EndOfTurn: recognition.IsComplete(text)}:
			case <-t.ctx.Done():
				t.end(t.ctx.Err())
				return
			}
		case <-t.ctx.Done():
			t.end(t.ctx.Err())
			return
		}
	}
}

// end records why the stream ends; nothing after Close.
func (t *stream) end(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.closed {
		t.err = err
	}
}

// transcribe asks for the transcript of an utterance, a second time if the first failed: the audio is still there.
func (t *stream) transcribe(pcm []int16) (string, error) {
	contentType, body, err := t.vendor.Body(pcm)
	if err != nil {
		return "", err
	}
	length := audio.Duration(len(pcm), dialogue.ListenRate)
	text, err := t.request(contentType, body, length)
	if err != nil && t.ctx.Err() == nil && !errors.Is(err, dialogue.ErrRefused) {
		text, err = t.request(contentType, body, length)
	}
	return text, err
}

func (t *stream) request(contentType string, body []byte, length time.Duration) (string, error) {
	ctx, cancel := context.WithTimeout(t.ctx, transcribeTimeout)
	defer cancel()
	response, err := llm.Post(ctx, t.vendor.Account, t.vendor.URL, t.vendor.Header, contentType, body)
	if err != nil {
		if t.ctx.Err() == nil && ctx.Err() != nil {
			return "", dialogue.Errorf("no transcript within %v", transcribeTimeout)
		}
		return "", err
	}
	defer response.Body.Close()
	data, err := io.ReadAll(io.LimitReader(response.Body, maxTranscript))
	if err != nil {
		return "", dialogue.Wrap("the transcript was cut off", err)
	}
	text, used, err := t.vendor.Text(data)
	if err == nil {
		t.report(used, length)
	}
	return strings.TrimSpace(text), err // models of the Whisper family put a space before it
}

// report reports what a request has used.
func (t *stream) report(used dialogue.SpeechUsage, length time.Duration) {
	if used.Usage == (dialogue.Usage{}) && used.Audio == 0 {
		if used.Audio = length; t.vendor.BilledDuration != nil {
			used.Audio = t.vendor.BilledDuration(length)
		}
	}
	t.vendor.Used.Report(used)
}
