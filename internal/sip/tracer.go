package sip

import (
	"context"
	"log/slog"
	"regexp"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"parley/internal/sip/useragent"
)

// MessageLog stores the SIP messages of calls.
type MessageLog interface {
	WriteMessages(ctx context.Context, messages []Message) error
	// MessagesDropped counts messages that were not stored, as there were too many or the database was not there.
	MessagesDropped(n int)
}

// Limits of the trace.
const (
	maxTracedMessages = 500       // of a leg
	maxTracedBytes    = 512 << 10 // of a leg
	maxTracedMessage  = 16 << 10  // bytes of a message
	maxTraceQueue     = 2000      // messages that wait to be written
	traceBatch        = 100       // messages written at once
	// maxUnowned is how many legs are kept whose tenant is not known yet; maxUnownedMessages how many messages of each.
	maxUnowned, maxUnownedMessages = 1000, 20
	// traceIdle is how long a leg is kept after its last message, once it has ended or while nobody owns it.
	traceIdle         = 40 * time.Second
	traceTimeout      = 10 * time.Second // of a write
	maxTracedRefusals = 10               // refused calls to a number that are traced in a minute
)

// tracer passes SIP messages on to the log without delaying the signalling: what does not fit its queue is dropped and counted. A nil
// tracer traces nothing.
type tracer struct {
	messages MessageLog
	log      *slog.Logger
	failed   warning

	mu     sync.Mutex
	legs   map[legKey]*tracedLeg
	queue  []Message
	drops  int           // not counted yet
	wake   chan struct{} // receives when there is something to write
	closed chan struct{}
	done   chan struct{}
}

// legKey identifies a leg by its Call-ID and the tag of the side that called.
type legKey struct{ id, tag string }

// legOf returns the key of a leg whose peer calls.
func legOf(i *useragent.Invitation) legKey {
	tag, _ := i.Request.From().Params.Get("tag")
	return legKey{i.Request.CallID().Value(), tag}
}

// tracedLeg is a leg with its messages until an owner is known.
type tracedLeg struct {
	owner    *traceOwner
	secret   *regexp.Regexp // headers whose values are masked; nil for none
	messages []Message      // none once there is an owner
	count    int
	bytes    int
	last     time.Time
	ended    bool
}

// traceOwner is the call, or else the phone number, that the messages of a leg belong to.
type traceOwner struct{ tenantID, callID, numberID string }

// newTracer starts a tracer; nil without a log.
func newTracer(messages MessageLog, log *slog.Logger) *tracer {
	if messages == nil {
		return nil
	}
	t := &tracer{messages: messages, log: log, legs: map[legKey]*tracedLeg{}, wake: make(chan struct{}, 1), closed: make(chan struct{}), done: make(chan struct{})}
	go t.run()
	return t
}

// observe takes a message of the user agent; nil if nothing is traced.
func (t *tracer) observe() func(useragent.TraceEntry) {
	if t == nil {
		return nil
	}
	return t.add
}

func (t *tracer) add(e useragent.TraceEntry) {
	t.mu.Lock()
	defer t.mu.Unlock()
	l := t.legs[legKey{e.CallID, e.FromTag}]
	if l == nil {
		l = t.legs[legKey{e.CallID, e.ToTag}]
	}
	if l == nil {
		if !strings.HasPrefix(e.StartLine, "INVITE ") {
			return
		}
		l = t.begin(legKey{e.CallID, e.FromTag}, e.Time)
	}
	l.last = e.Time
	text := shortened(e.Message)
	if l.owner == nil && len(l.messages) >= maxUnownedMessages || l.count >= maxTracedMessages || l.bytes+len(text) > maxTracedBytes {
		t.drops++
		return
	}
	l.count, l.bytes = l.count+1, l.bytes+len(text)
	m := Message{SIPCallID: e.CallID, Sent: e.Sent, Transport: Transport(strings.ToLower(e.Transport)), Peer: e.Peer.String(), StartLine: shortened(e.StartLine), Text: text, CreatedAt: e.Time.UTC()}
	if l.owner == nil {
		l.messages = append(l.messages, m)
		return
	}
	t.enqueue(l, m)
}

// begin keeps a new leg, in place of the one that nobody has owned for longest if there are too many; t.mu is held.
func (t *tracer) begin(key legKey, now time.Time) *tracedLeg {
	unowned := 0
	var oldest legKey
	for k, l := range t.legs {
		if l.owner != nil {
			continue
		}
		if unowned == 0 || l.last.Before(t.legs[oldest].last) {
			oldest = k
		}
		unowned++
	}
	if unowned >= maxUnowned {
		delete(t.legs, oldest)
	}
	l := &tracedLeg{last: now}
	t.legs[key] = l
	return l
}

// enqueue has a message of an owned leg written; t.mu is held.
func (t *tracer) enqueue(l *tracedLeg, m Message) {
	if len(t.queue) >= maxTraceQueue {
		t.drops++
		return
	}
	if l.secret != nil && m.Sent {
		m.Text = l.secret.ReplaceAllString(m.Text, "$1 ***")
	}
	m.TenantID = l.owner.tenantID
	if l.owner.callID != "" {
		m.CallID = &l.owner.callID
	} else {
		m.PhoneNumberID = &l.owner.numberID
	}
	t.queue = append(t.queue, m)
	select {
	case t.wake <- struct{}{}:
	default:
	}
}

// own has the messages of a leg written for their owner, the past ones as well. The first owner of a leg stays. The values of the headers
// that secret names are masked in messages that are sent.
func (t *tracer) own(key legKey, o traceOwner, secret map[string]string) {
	if t == nil || o.callID == "" && o.numberID == "" {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	l := t.legs[key]
	if l == nil {
		l = t.begin(key, time.Now())
	}
	if l.owner != nil {
		return
	}
	l.owner, l.secret = &o, maskedHeaders(secret)
	for _, m := range l.messages {
		t.enqueue(l, m)
	}
	l.messages = nil
}

// owns reports whether the messages of a leg need no owner.
func (t *tracer) owns(key legKey) bool {
	if t == nil {
		return true
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.legs[key] != nil && t.legs[key].owner != nil
}

// end lets go of a leg once its last messages have come.
func (t *tracer) end(key legKey) {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if l := t.legs[key]; l != nil {
		l.ended, l.last = true, time.Now()
	}
}

// maskedHeaders matches the headers with these names; nil for none.
func maskedHeaders(headers map[string]string) *regexp.Regexp {
	if len(headers) == 0 {
		return nil
	}
	var names []string
	for name := range headers {
		names = append(names, regexp.QuoteMeta(name))
	}
	return regexp.MustCompile(`(?im)^((?:` + strings.Join(names, "|") + `)[ \t]*:)[^\r\n]*`)
}

// shortened returns a message within the limit of its length, as valid text without NUL, which PostgreSQL does not store.
func shortened(text string) string {
	text = strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD")
	if len(text) <= maxTracedMessage {
		return text
	}
	end := maxTracedMessage
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + "…"
}

// run writes until the tracer is stopped, and then what is left.
func (t *tracer) run() {
	defer close(t.done)
	tidy := time.NewTicker(traceIdle / 4)
	defer tidy.Stop()
	for {
		select {
		case <-t.wake:
			t.write()
		case now := <-tidy.C:
			t.forget(now)
			t.write()
		case <-t.closed:
			t.write()
			return
		}
	}
}

func (t *tracer) stop() {
	if t == nil {
		return
	}
	close(t.closed)
	<-t.done
}

// forget lets go of legs that have ended, or that nobody owns.
func (t *tracer) forget(now time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for key, l := range t.legs {
		if (l.ended || l.owner == nil) && now.Sub(l.last) > traceIdle {
			delete(t.legs, key)
		}
	}
}

// write writes what waits.
func (t *tracer) write() {
	for {
		t.mu.Lock()
		n := min(len(t.queue), traceBatch)
		batch, drops := t.queue[:n:n], t.drops
		t.queue, t.drops = t.queue[n:], 0
		t.mu.Unlock()
		if n > 0 {
			ctx, cancel := context.WithTimeout(context.Background(), traceTimeout)
			err := t.messages.WriteMessages(ctx, batch)
			cancel()
			if err != nil {
				drops += n
				if t.failed.due() {
					t.log.Warn("SIP messages cannot be written", "component", "sip", "error", errorText(err))
				}
			}
		}
		if drops > 0 {
			t.messages.MessagesDropped(drops)
		}
		if n == 0 {
			return
		}
	}
}
