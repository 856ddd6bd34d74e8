package useragent

import (
	"context"
	"slices"
	"testing"
	"time"

	"parley/internal/sip/negotiation"
)

// Scripts in which the peer checks all that matters.
func TestInboundScripts(t *testing.T) {
	brief := func(o *CallOptions) { o.MinInterval = 2 * time.Second }
	for _, s := range []struct {
		name    string
		ring    int
		early   bool
		options []func(*CallOptions)
		cause   Cause // "" if there was no call
	}{
		{"in_hold", 180, false, nil, HungUp},
		{"in_codec", 0, false, nil, HungUp},
		{"in_late_offer", 180, false, nil, HungUp},
		{"in_late_offer_no_answer", 180, false, nil, Mismatch},
		{"in_multipart", 0, false, nil, HungUp},
		{"in_no_codec", 0, false, nil, ""},
		{"in_video", 0, false, nil, HungUp},
		{"in_100rel", 180, false, nil, HungUp},
		{"in_early_media", 183, true, nil, HungUp},
		{"in_late_offer_100rel", 183, true, nil, HungUp},
		{"in_require", 0, false, nil, ""},
		{"in_update", 0, false, nil, HungUp},
		{"in_short_interval", 0, false, nil, ""},
		{"in_refresher", 0, false, []func(*CallOptions){brief}, HungUp},
		{"in_expires", 0, false, []func(*CallOptions){brief}, Expired},
		{"in_tel", 0, false, nil, HungUp},
		{"in_methods", 0, false, nil, ""},
		{"in_order", 0, false, nil, HungUp},
	} {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			o := observe()
			a, _ := answering(t, o, s.ring, s.early, s.options...)
			a.calls(t, s.name).content(t)
			if s.cause == "" {
				return
			}
			if e := within(t, o.ended, "the end"); e.Cause != s.cause {
				t.Errorf("the call ended as %+v", e)
			}
			if n := a.Calls(); n != 0 {
				t.Errorf("%d calls are left", n)
			}
		})
	}
}

func TestUserOfAURI(t *testing.T) {
	for text, want := range map[string]string{"sip:+4930123@example.com;user=phone": "+4930123", "sips:a@b": "a", "tel:+49-30-123;phone-context=x": "+49-30-123", "sip:b": ""} {
		u, err := parseAddress("<" + text + ">")
		if err != nil || User(u) != want {
			t.Errorf("%s: %q, %v", text, User(u), err)
		}
	}
}

func TestKeysByINFO(t *testing.T) {
	o := observe()
	a, _ := answering(t, o, 0, false)
	a.calls(t, "in_info").content(t)
	want := []Digit{{'5', 160 * time.Millisecond}, {'#', 0}, {'*', 100 * time.Millisecond}}
	var got []Digit
	for range want {
		got = append(got, within(t, o.digits, "a key"))
	}
	if !slices.Equal(got, want) {
		t.Errorf("keys %v", got)
	}
}

func TestAudioMovesWithTheAnswerInTheACK(t *testing.T) {
	o := observe()
	a, _ := answering(t, o, 0, false)
	a.calls(t, "in_reinvite_late").content(t)
	var last negotiation.Stream
	for len(o.streams) > 0 {
		last = <-o.streams
	}
	if last.Remote.Port() != 6200 {
		t.Errorf("the audio goes to %s", last.Remote)
	}
}

func TestCallerCancels(t *testing.T) {
	o := observe()
	cancelled := make(chan error, 1)
	a := listening(t, Options{OnInvite: func(i *Invitation) {
		c, err := i.Accept(CallOptions{Session: session(), Handler: o.handler()})
		if err == nil {
			err = c.Ring(180, false)
		}
		if err != nil {
			cancelled <- err
			return
		}
		<-c.Done()
		_, err = c.Answer(context.Background())
		cancelled <- err
	}})
	a.calls(t, "in_cancel").content(t)
	if e := within(t, o.ended, "the end"); e.Cause != Cancelled || e.Reason != (Reason{"SIP", 200, "Call completed elsewhere"}) {
		t.Errorf("the call ended as %+v", e)
	}
	if err := within(t, cancelled, "the result of the answer"); err != ErrState {
		t.Errorf("a cancelled call was answered: %v", err)
	}
}

func TestPeerTransfers(t *testing.T) {
	o := observe()
	a, _ := answering(t, o, 0, false)
	phone := a.calls(t, "in_refer")
	r := within(t, o.refers, "the transfer")
	if r.To.User != "300" || r.Replaces != "abc;to-tag=1;from-tag=2" || r.ReferredBy != "<sip:200@127.0.0.1>" {
		t.Errorf("the transfer is to %s, replaces %s, by %s", r.To.String(), r.Replaces, r.ReferredBy)
	}
	r.Accept()
	r.Progress(200)
	phone.content(t)
}
