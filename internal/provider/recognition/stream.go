package recognition

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/coder/websocket"

	"parley/internal/audio"
	"parley/internal/dialogue"
)

// client follows no redirect, so that the key is sent to the configured host only. It shares the process's
// transport with its proxy settings.
var client = &http.Client{
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

// Stream is a dialogue.Recognition over one connection.
type Stream struct {
	dialect Dialect
	request Request
	conn    *websocket.Conn
	queue   *queue

	io      context.Context // of the connection
	cut     context.CancelFunc
	heard   chan Message
	sent    chan messageKind // what is no audio
	workers sync.WaitGroup

	ending  sync.Once
	err     error // by ending
	leaving sync.Once
	unread  chan struct{} // closed by leave: transcripts are no longer read
	unwatch func() bool   // stops watching the caller's context

	transcripts chan dialogue.Transcript
	done        chan struct{}

	began   time.Time     // when the vendor has accepted the session
	session time.Duration // that was reported as used; of run
}

// Open opens a stream, which also ends with the context. An error for which a retry is useless wraps
// dialogue.ErrRefused.
func Open(ctx context.Context, d Dialect, r Request) (*Stream, error) {
	conn, err := connect(ctx, d, r)
	if err != nil {
		return nil, err
	}
	s := &Stream{
		dialect: d, request: r, conn: conn, queue: newQueue(d),
		heard: make(chan Message), sent: make(chan messageKind), unread: make(chan struct{}),
		transcripts: make(chan dialogue.Transcript), done: make(chan struct{}), began: time.Now(),
	}
	// Not the caller's context, so that the farewell can be sent after its end.
	s.io, s.cut = context.WithCancel(context.WithoutCancel(ctx))
	s.unwatch = context.AfterFunc(ctx, func() { s.leave(context.Cause(ctx)) })
	s.workers.Go(s.read)
	s.workers.Go(s.write)
	s.workers.Go(s.pulse)
	go s.run()
	return s, nil
}

func connect(ctx context.Context, d Dialect, r Request) (*websocket.Conn, error) {
	attempt, cancel := context.WithTimeout(ctx, handshakeWait)
	defer cancel()
	dialer := client
	if r.Client != nil {
		dialer = r.Client
	}
	conn, response, err := websocket.Dial(attempt, r.URL, &websocket.DialOptions{HTTPClient: dialer, HTTPHeader: r.Header}) //nolint:bodyclose // it is the connection, or in memory
	if err != nil {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		return nil, r.handshakeError(d.Vendor, response, err)
	}
	conn.SetReadLimit(longestMessage)
	if err := begin(attempt, conn, d, r); err != nil {
		_ = conn.CloseNow()
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if errors.Is(err, context.DeadlineExceeded) {
			return nil, r.handshakeError(d.Vendor, nil, err)
		}
		return nil, err
	}
	return conn, nil
}

// begin waits for the greeting and configures the session.
func begin(ctx context.Context, conn *websocket.Conn, d Dialect, r Request) error {
	for greeted := !d.Greets; !greeted; {
		message, err := receive(ctx, conn, d, r)
		if err != nil {
			return err
		}
		h, err := d.Parse(message)
		if err != nil {
			return err
		}
		greeted = h.Greeting
	}
	if d.Setup == nil {
		return nil
	}
	for _, text := range d.Setup() {
		if err := conn.Write(ctx, websocket.MessageText, []byte(text)); err != nil {
			return r.endError(d, err)
		}
	}
	return nil
}

// receive reads the next text message.
func receive(ctx context.Context, conn *websocket.Conn, d Dialect, r Request) ([]byte, error) {
	kind, message, err := conn.Read(ctx)
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, r.endError(d, err)
	}
	if kind != websocket.MessageText {
		return nil, dialogue.Errorf("%s sent a binary message of %d bytes, which its protocol does not have", d.Vendor, len(message))
	}
	return message, nil
}

// Write sends audio at dialogue.ListenRate. It fails when the stream has ended, or when backlog is exceeded, which
// ends the stream.
func (s *Stream) Write(pcm []int16) error {
	err := s.queue.write(pcm)
	switch {
	case errors.Is(err, errClosed):
		return s.over()
	case err != nil:
		s.fail(dialogue.Wrap("connection to "+s.dialect.Vendor+" stalls", err))
		return s.over()
	}
	return nil
}

// Finalize requests a final transcript of the audio written so far.
func (s *Stream) Finalize() error {
	if s.queue.finalize() != nil {
		return s.over()
	}
	return nil
}

// Send sends a text message, after the audio written so far.
func (s *Stream) Send(text string) error {
	if s.queue.add(message{kind: textMessage, text: text}) != nil {
		return s.over()
	}
	return nil
}

// FinalizeSpeech is like Finalize, for audio that is known to hold speech, with a different message: the answer is awaited without
// limit.
func (s *Stream) FinalizeSpeech(text string) error {
	if s.queue.add(message{kind: speechMessage, text: text}) != nil {
		return s.over()
	}
	return nil
}

// FinalizeNothing replaces Finalize if no audio was written since the last one: the answer is empty, and nothing is sent to
// the vendor.
func (s *Stream) FinalizeNothing() error {
	if s.queue.add(message{kind: nothingMessage}) != nil {
		return s.over()
	}
	return nil
}

// over returns why the stream accepts nothing more.
func (s *Stream) over() error {
	s.ending.Do(func() {}) // another goroutine that ends it writes err first
	if s.err != nil {
		return s.err
	}
	return errClosed
}

// Pace returns the most audio that the vendor accepts, as a multiple of real time; 0 without a limit.
func (s *Stream) Pace() float64 { return s.dialect.Pace }

// Transcripts returns the transcripts.
func (s *Stream) Transcripts() <-chan dialogue.Transcript { return s.transcripts }

// Err waits for the end of the stream and returns its error, nil after Close.
func (s *Stream) Err() error {
	<-s.done
	return s.err
}

// Close sends the farewell and ends the stream, within farewellWait (sessionWait) and leaveWait if vendor or network do not
// respond.
func (s *Stream) Close() error {
	s.leave(nil)
	<-s.done
	return nil
}

// leave ends the stream in order; run enforces the time limit.
func (s *Stream) leave(why error) {
	s.ending.Do(func() {
		s.err = why
		s.queue.leave()
	})
	s.leaving.Do(func() { close(s.unread) })
}

// fail ends the stream immediately.
func (s *Stream) fail(why error) {
	s.ending.Do(func() {
		s.err = why
		s.queue.leave()
	})
	s.cut()
}

// run tracks results until the stream has ended.
func (s *Stream) run() {
	defer close(s.done)
	defer close(s.transcripts)
	defer s.unwatch()
	defer func() { _ = s.conn.CloseNow() }()
	defer s.workers.Wait()
	defer s.cut()
	var (
		a      = account{keepsInterim: s.dialect.KeepsInterim, lastHeard: time.Now()}
		outbox []dialogue.Transcript
		answer <-chan time.Time // deadline of the last Finalize
		unread = s.unread
		late   <-chan time.Time // deadline for the vendor to end the stream
		billed bool             // the vendor has said how long the session was
	)
	billing := time.NewTicker(billEvery)
	defer billing.Stop()
	for {
		var out chan<- dialogue.Transcript
		var next, news dialogue.Transcript
		var is bool
		if len(outbox) > 0 && unread != nil {
			out, next = s.transcripts, outbox[0]
		}
		select {
		case out <- next:
			outbox = outbox[1:]
		case h := <-s.heard:
			news, is = a.handleMessage(h, time.Now())
			if h.Session > 0 {
				billed = true
				s.reportSession(h.Session)
			}
		case <-billing.C:
			s.reportSession(s.open())
		case kind := <-s.sent:
			if kind == farewellMessage {
				late = time.After(s.dialect.farewellWait())
				continue
			}
			if kind == nothingMessage {
				news, is = dialogue.Transcript{Final: true}, true
				break
			}
			a.recordFinalize()
			a.speech = a.speech || kind == speechMessage
			answer = time.After(answerWait)
		case <-answer:
			news, is = a.answerOverdue()
			if a.stuck(time.Now()) {
				s.fail(dialogue.Errorf("%s has not answered for %v", s.dialect.Vendor, silentFor))
			}
		case <-unread:
			unread = nil
			if late == nil { // the farewell may have been sent already
				late = time.After(leaveWait)
			}
		case <-late:
			s.cut()
		case <-s.io.Done():
			if !billed {
				s.reportSession(s.open())
			}
			s.deliver(outbox)
			return
		}
		if is {
			outbox = append(dropPartial(outbox), news)
		}
		if len(outbox) > longestOutbox {
			s.fail(dialogue.NewError("nobody reads the transcripts"))
		}
	}
}

// open returns for how long the session is open, in whole seconds.
func (s *Stream) open() time.Duration { return time.Since(s.began).Truncate(time.Second) }

// reportSession reports the use of a session that is open for so long, where the vendor bills that.
func (s *Stream) reportSession(open time.Duration) {
	if more := open - s.session; more > 0 && s.dialect.BillsSession {
		s.session = open
		s.dialect.Used.Report(dialogue.SpeechUsage{Audio: more})
	}
}

// longestOutbox limits the transcripts waiting for their reader.
const longestOutbox = 1000

// dropPartial removes an unread interim transcript.
func dropPartial(outbox []dialogue.Transcript) []dialogue.Transcript {
	if n := len(outbox); n > 0 && !outbox[n-1].Final {
		return outbox[:n-1]
	}
	return outbox
}

// deliver delivers the remaining transcripts after the stream has ended.
func (s *Stream) deliver(outbox []dialogue.Transcript) {
	timeout := time.After(time.Second)
	for _, t := range outbox {
		select {
		case s.transcripts <- t:
		case <-s.unread:
			return
		case <-timeout:
			return
		}
	}
}

func (s *Stream) read() {
	for {
		message, err := receive(s.io, s.conn, s.dialect, s.request)
		var h Message
		if err == nil {
			h, err = s.dialect.Parse(message)
		}
		if err != nil {
			s.fail(err)
			return
		}
		select {
		case s.heard <- h:
		case <-s.io.Done():
			return
		}
	}
}

// write sends the queue, and keep-alives when it is empty.
func (s *Stream) write() {
	quiet := time.NewTimer(0)
	defer quiet.Stop()
	if quiet.Stop(); s.dialect.KeepAliveAfter > 0 {
		quiet.Reset(s.dialect.KeepAliveAfter)
	}
	for {
		var err error
		select {
		case <-s.io.Done():
			return
		case <-s.queue.wake:
		case <-quiet.C:
			err = s.keepAlive()
		}
		for m, ok := s.queue.next(); ok && err == nil; m, ok = s.queue.next() {
			err = s.send(m)
		}
		if err != nil {
			// The reader's error is more precise, if the vendor sent one.
			select {
			case <-time.After(time.Second):
				s.fail(dialogue.Wrap("connection to "+s.dialect.Vendor, err))
			case <-s.io.Done():
			}
			return
		}
		if s.dialect.KeepAliveAfter > 0 {
			quiet.Reset(s.dialect.KeepAliveAfter)
		}
	}
}

func (s *Stream) send(m message) error {
	var err error
	switch m.kind {
	case audioMessage:
		return s.sendAudio(m.audio)
	case textMessage:
		return s.sendText(m.text)
	case speechMessage:
		err = s.sendText(m.text)
	case finalizeMessage:
		if s.dialect.Finalize != "" {
			err = s.sendText(s.dialect.Finalize)
		}
	case farewellMessage:
		if s.dialect.Farewell == "" {
			s.cut()
			return nil
		}
		err = s.sendText(s.dialect.Farewell)
	}
	if err == nil {
		select {
		case s.sent <- m.kind:
		case <-s.io.Done():
		}
	}
	return err
}

func (s *Stream) keepAlive() error {
	if s.dialect.KeepAlive == "" {
		return s.sendAudio(make([]byte, bytesOf(s.dialect.Piece)))
	}
	return s.sendText(s.dialect.KeepAlive)
}

func (s *Stream) sendAudio(pcm []byte) (err error) {
	if s.dialect.Encode != nil {
		err = s.sendText(s.dialect.Encode(pcm))
	} else {
		err = s.conn.Write(s.io, websocket.MessageBinary, pcm)
	}
	if err == nil && !s.dialect.BillsSession {
		s.dialect.Used.Report(dialogue.SpeechUsage{Audio: audio.Duration(len(pcm)/2, dialogue.ListenRate)})
	}
	return err
}

func (s *Stream) sendText(text string) error {
	return s.conn.Write(s.io, websocket.MessageText, []byte(text))
}

// pulse detects dead connections by pings.
func (s *Stream) pulse() {
	ticker := time.NewTicker(pulseEvery)
	defer ticker.Stop()
	for {
		select {
		case <-s.io.Done():
			return
		case <-ticker.C:
		}
		late := time.AfterFunc(pulseWait, func() {
			s.fail(dialogue.Errorf("connection to %s is dead: it has not answered for %v", s.dialect.Vendor, pulseWait))
		})
		_ = s.conn.Ping(s.io) // the reader gets the same error
		late.Stop()
	}
}
