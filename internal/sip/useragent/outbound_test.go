package useragent

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/emiago/sipgo/sip"
)

// Scripts of answered calls in which the peer checks all that matters.
func TestOutboundScripts(t *testing.T) {
	for _, s := range []struct {
		name    string
		options func(*script, *DialOptions)
		during  func(*testing.T, *Call)
	}{
		{name: "out_digest", options: func(_ *script, o *DialOptions) { o.Credentials = &Credentials{"user", "secret"} }},
		{name: "out_redirect", options: func(s *script, o *DialOptions) {
			o.Redirect = func(to []sip.Uri) []Target { return []Target{{s.target().Address, UDP, "", &to[0]}} }
		}},
		{name: "out_prack"},
		{name: "out_early"},
		{name: "out_fork"},
		{name: "out_interval"},
		{name: "out_route"},
		{name: "out_strict_route"},
		{name: "out_refer", during: func(t *testing.T, c *Call) {
			var progress []int
			status, err := c.Refer(context.Background(), ReferOptions{To: "sip:300@example.com", By: "sip:100@127.0.0.1",
				Progress: func(status int) { progress = append(progress, status) }})
			if status != 486 || err != nil || len(progress) != 2 || progress[0] != 180 {
				t.Errorf("the transfer ended with %d, %v after %v", status, err, progress)
			}
		}},
		{name: "out_hold", during: func(t *testing.T, c *Call) {
			held, err := c.Hold(context.Background(), true)
			if err != nil || held.Receives || !held.Sends {
				t.Errorf("on hold: %+v, %v", held, err)
			}
			resumed, err := c.Hold(context.Background(), false)
			if err != nil || !resumed.Receives || !resumed.Sends {
				t.Errorf("resumed: %+v, %v", resumed, err)
			}
		}},
	} {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			acks := make(chan string, 8)
			a, o := listening(t, Options{OnTrace: func(e TraceEntry) {
				if e.Sent && strings.HasPrefix(e.StartLine, "ACK ") {
					acks <- e.StartLine
				}
			}}), observe()
			phone := answers(t, s.name)
			c, err := a.Dial(context.Background(), dialling(phone, o, func(d *DialOptions) {
				if s.options != nil {
					s.options(phone, d)
				}
			}))
			if err != nil {
				t.Fatal(err)
			}
			if s.during != nil {
				s.during(t, c)
			}
			if s.name == "out_fork" { // its second 200 and the repetition of its first come in the call
				for range 3 {
					within(t, acks, "an ACK")
				}
			}
			c.Hangup(Reason{})
			phone.content(t)
		})
	}
}

func TestDialErrors(t *testing.T) {
	for name, want := range map[string]struct {
		status int
		err    error
	}{"out_codec": {488, ErrNotUsable}, "out_digest_wrong": {401, nil}, "out_busy": {503, nil}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, phone := listening(t, Options{}), answers(t, name)
			_, err := a.Dial(context.Background(), dialling(phone, observe(), func(o *DialOptions) { o.Credentials = &Credentials{"user", "wrong"} }))
			var e *DialError
			if !errors.As(err, &e) || e.Status != want.status || want.err != nil && !errors.Is(err, want.err) {
				t.Errorf("the error is %v", err)
			}
			phone.content(t)
		})
	}
}

func TestNextTargetAfterA503(t *testing.T) {
	a, busy, phone := listening(t, Options{}), answers(t, "out_busy"), answers(t, "out_basic")
	c, err := a.Dial(context.Background(), dialling(busy, observe(), func(o *DialOptions) { o.Targets = append(o.Targets, phone.target()) }))
	if err != nil {
		t.Fatal(err)
	}
	c.Hangup(Reason{"Q.850", 16, ""})
	busy.content(t)
	phone.content(t)
}

func TestCancelsOnlyARingingCall(t *testing.T) {
	for _, name := range []string{"out_cancel", "out_cancel_answered"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			elsewhere := Reason{"SIP", 200, "Call completed elsewhere"}
			a, o, phone := listening(t, Options{}), observe(), answers(t, name)
			ctx, cancel := context.WithCancelCause(context.Background())
			d := dialling(phone, o)
			if name == "out_cancel" {
				cancel(elsewhere) // before anything is heard
			} else {
				d.Provisional = func(*sip.Response) { cancel(elsewhere) }
			}
			if _, err := a.Dial(ctx, d); !errors.Is(err, elsewhere) {
				t.Errorf("the error is %v", err)
			}
			phone.content(t)
			if e := within(t, o.ended, "the end"); e.Cause != Cancelled {
				t.Errorf("the call ended as %+v", e)
			}
		})
	}
}
