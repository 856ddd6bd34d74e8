package useragent

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/emiago/sipgo/sip"
)

// subscriptions are those of transfers, in both directions (RFC 3515).
type subscriptions struct {
	transfer *transfer // by this side; nil if none is open
}

// transfer is a REFER of this side whose outcome is awaited.
type transfer struct {
	seq      uint32
	progress func(int)
	done     func(int, error)
	accepted bool
	limit    *time.Timer
}

// transferTimeout is how long the outcome of an accepted transfer is awaited.
const transferTimeout = 3 * time.Minute

func (s *subscriptions) stop() {
	if t := s.transfer; t != nil {
		s.transfer = nil
		t.limit.Stop()
		if t.accepted { // peers hang up when the target answers, often without another word
			t.done(202, nil)
			return
		}
		t.done(0, ErrState)
	}
}

// ReferOptions are those of a transfer of the peer.
type ReferOptions struct {
	To       string // URI of the target, with Replaces as its header for an attended transfer
	By       string // URI for Referred-By; "" for none
	Headers  []sip.Header
	Progress func(status int) // called with each status of the transfer; may be nil
}

// Refer asks the peer to call a target instead (RFC 3515), and returns the status of that call: 200 if it was answered, 202 if the
// peer accepted but reports no outcome. A refusal of the REFER itself is a StatusError. The call goes on until it is hung up.
func (c *Call) Refer(ctx context.Context, o ReferOptions) (status int, err error) {
	type result struct {
		status int
		err    error
	}
	results := make(chan result, 1)
	if !c.post(func() { c.refer(o, func(status int, err error) { results <- result{status, err} }) }) {
		return 0, ErrState
	}
	select {
	case r := <-results:
		return r.status, r.err
	case <-ctx.Done():
		return 0, ctx.Err()
	}
}

func (c *Call) refer(o ReferOptions, done func(int, error)) {
	if c.state() != stateActive || c.subs.transfer != nil {
		done(0, ErrState)
		return
	}
	r := c.newRequest(sip.REFER)
	r.AppendHeader(sip.NewHeader("Refer-To", "<"+o.To+">"))
	if o.By != "" {
		r.AppendHeader(sip.NewHeader("Referred-By", "<"+o.By+">"))
	}
	r.AppendHeader(sip.NewHeader("Supported", supported))
	for _, h := range o.Headers {
		r.AppendHeader(h)
	}
	t := &transfer{seq: r.CSeq().SeqNo, progress: o.Progress, done: done}
	t.limit = c.after(transferTimeout, func() { c.finishTransfer(t, 408, nil) })
	c.subs.transfer = t
	c.request(r, func(res *sip.Response, err error) {
		switch {
		case err != nil:
			c.finishTransfer(t, 0, &StatusError{"REFER", errorStatus(err)})
		case !res.IsSuccess():
			c.finishTransfer(t, 0, &StatusError{"REFER", res.StatusCode})
		case strings.EqualFold(value(res, "Refer-Sub"), "false"):
			c.finishTransfer(t, 202, nil)
		default:
			t.accepted = true
		}
	})
}

func (c *Call) finishTransfer(t *transfer, status int, err error) {
	if c.subs.transfer != t {
		return
	}
	c.subs.transfer = nil
	t.limit.Stop()
	t.done(status, err)
}

// handleNOTIFY takes the progress of a transfer.
func (c *Call) handleNOTIFY(r *sip.Request, t *serverTx) {
	event, _ := splitParams(value(r, "Event"))
	open := c.subs.transfer
	switch {
	case !strings.EqualFold(event, "refer"):
		t.respond(c.responseTo(r, t, 489, nil, sip.NewHeader("Allow-Events", "refer")))
		return
	case open == nil:
		t.respond(c.responseTo(r, t, 481, nil))
		return
	}
	t.respond(c.responseTo(r, t, 200, nil))
	status := fragmentStatus(r.Body())
	if status > 0 && open.progress != nil {
		open.progress(status)
	}
	subscription, _ := splitParams(value(r, "Subscription-State"))
	if status >= 200 || strings.EqualFold(subscription, "terminated") {
		if status < 200 {
			status = 202 // ended without an outcome
		}
		c.finishTransfer(open, status, nil)
	}
}

// fragmentStatus reads the status of a message/sipfrag; 0 if it has none.
func fragmentStatus(body []byte) int {
	fields := strings.Fields(string(body[:min(len(body), 64)]))
	if len(fields) < 2 || !strings.EqualFold(fields[0], "SIP/2.0") {
		return 0
	}
	n, err := strconv.Atoi(fields[1])
	if err != nil || n < 100 || n > 699 {
		return 0
	}
	return n
}

// Referral is the peer's request to call a target instead. It ends with Accept and a final Progress, or with Reject.
type Referral struct {
	To         sip.Uri // the target, without headers
	Replaces   string  // the value of the Replaces header that the call to it has; "" for none
	ReferredBy string

	call    *Call
	request *sip.Request
	tx      *serverTx
	silent  bool // the peer wants no NOTIFY (RFC 4488)
	decided bool // in the call's goroutine
	ended   bool
}

// handleREFER passes a transfer on to the handler.
func (c *Call) handleREFER(r *sip.Request, t *serverTx) {
	targets := r.GetHeaders("Refer-To")
	if len(targets) != 1 {
		t.respond(c.responseTo(r, t, 400, nil))
		return
	}
	to, err := parseAddress(targets[0].Value())
	switch {
	case err != nil:
		t.respond(c.responseTo(r, t, 400, nil))
		return
	case to.Scheme != "sip" && to.Scheme != "sips" && to.Scheme != "tel":
		t.respond(c.responseTo(r, t, 416, nil))
		return
	case c.options.Handler.Refer == nil || !c.confirmed() || !isInvite(to):
		t.respond(c.responseTo(r, t, 603, nil))
		return
	}
	f := &Referral{To: to, ReferredBy: value(r, "Referred-By"), call: c, request: r, tx: t, silent: strings.EqualFold(value(r, "Refer-Sub"), "false")}
	for _, h := range to.Headers {
		if strings.EqualFold(h.K, "Replaces") {
			f.Replaces = unescape(h.V)
		}
	}
	if strings.ContainsFunc(f.Replaces, unicode.IsControl) { // it would be more than one header
		t.respond(c.responseTo(r, t, 400, nil))
		return
	}
	f.To.Headers = nil
	c.options.Handler.Refer(f)
}

// isInvite reports whether a target is to be called, rather than to be sent another request.
func isInvite(target sip.Uri) bool {
	method, given := target.UriParams.Get("method")
	return !given || strings.EqualFold(method, "INVITE")
}

// unescape decodes %XX.
func unescape(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '%' && i+2 < len(text) {
			if n, err := strconv.ParseUint(text[i+1:i+3], 16, 8); err == nil {
				b.WriteByte(byte(n))
				i += 2
				continue
			}
		}
		b.WriteByte(text[i])
	}
	return b.String()
}

// Reject declines the transfer. An empty reason stands for the status's own phrase.
func (f *Referral) Reject(status int, reason string) {
	f.call.post(func() {
		if f.decided {
			return
		}
		f.decided, f.ended = true, true
		res := f.call.responseTo(f.request, f.tx, status, nil)
		if reason != "" {
			res.Reason = reason
		}
		f.tx.respond(res)
	})
}

// Accept promises to try: 202, and a first report.
func (f *Referral) Accept() {
	f.call.post(func() {
		if f.decided {
			return
		}
		f.decided = true
		var headers []sip.Header
		if f.silent {
			headers = append(headers, sip.NewHeader("Refer-Sub", "false"))
		}
		f.tx.respond(f.call.responseTo(f.request, f.tx, 202, nil, headers...))
		f.notify(100)
	})
}

// Progress reports the status of the call to the target: provisional ones, and at last a final one.
func (f *Referral) Progress(status int) {
	f.call.post(func() {
		if f.decided && !f.ended {
			f.ended = status >= 200
			f.notify(status)
		}
	})
}

func (f *Referral) notify(status int) {
	c := f.call
	if f.silent || !c.confirmed() {
		return
	}
	r := c.newRequest(sip.NOTIFY)
	r.AppendHeader(sip.NewHeader("Event", fmt.Sprintf("refer;id=%d", f.request.CSeq().SeqNo)))
	subscription := "active;expires=180"
	if status >= 200 {
		subscription = "terminated;reason=noresource"
	}
	r.AppendHeader(sip.NewHeader("Subscription-State", subscription))
	r.AppendHeader(sip.NewHeader("Content-Type", "message/sipfrag;version=2.0"))
	r.SetBody(fmt.Appendf(nil, "SIP/2.0 %d %s\r\n", status, Phrase(status)))
	c.request(r, func(*sip.Response, error) {})
}
