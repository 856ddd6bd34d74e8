package useragent

import (
	"context"
	"testing"

	"parley/internal/sip/negotiation"
)

func TestAnswersACall(t *testing.T) {
	o := observe()
	a, _ := answering(t, o, 180, false)
	phone := a.calls(t, "in_basic")
	phone.content(t)
	if s := within(t, o.streams, "the stream"); s.Codec != negotiation.PCMU || !s.Sends || !s.Receives || s.Remote.Port() != 6000 {
		t.Errorf("the stream is %+v", s)
	}
	if e := within(t, o.ended, "the end"); e.Cause != HungUp {
		t.Errorf("the call ended as %+v", e)
	}
}

func TestDials(t *testing.T) {
	o := observe()
	a := listening(t, Options{Name: "Parley"})
	phone := answers(t, "out_basic")
	c, err := a.Dial(context.Background(), dialling(phone, o))
	if err != nil {
		t.Fatal(err)
	}
	c.Hangup(Reason{"Q.850", 16, ""})
	phone.content(t)
	if e := within(t, o.ended, "the end"); e.Cause != HungUpHere {
		t.Errorf("the call ended as %+v", e)
	}
}
