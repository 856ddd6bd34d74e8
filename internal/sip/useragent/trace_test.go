package useragent

import (
	"context"
	"io"
	"strings"
	"testing"

	"parley/internal/sip/negotiation"
)

func readCloser(r io.ReadSeeker) func() (io.ReadCloser, error) {
	return func() (io.ReadCloser, error) {
		_, err := r.Seek(0, io.SeekStart)
		return io.NopCloser(r), err
	}
}

func TestTraceMasksSecrets(t *testing.T) {
	entries := make(chan TraceEntry, 64)
	a := listening(t, Options{OnTrace: func(e TraceEntry) { entries <- e }})
	phone := answers(t, "out_digest")
	c, err := a.Dial(context.Background(), dialling(phone, observe(), func(o *DialOptions) {
		o.Credentials = &Credentials{"user", "secret"}
		o.Session = negotiation.New(negotiation.Options{Local: a.address, Encryption: negotiation.Allow})
	}))
	if err != nil {
		t.Fatal(err)
	}
	c.Hangup(Reason{})
	phone.content(t)
	lines, masked := []string{}, 0
	for len(entries) > 0 {
		e := <-entries
		lines = append(lines, e.StartLine)
		if e.CallID != c.ID() || e.Peer != phone.target().Address || e.Transport != UDP || e.Time.IsZero() {
			t.Errorf("%+v", e)
		}
		masked += strings.Count(e.Message, "***")
		if strings.Contains(e.Message, "response=") || strings.Contains(e.Message, "username=") {
			t.Errorf("credentials are shown:\n%s", e.Message)
		}
		for line := range strings.SplitSeq(e.Message, "\r\n") {
			if strings.HasPrefix(line, "a=crypto:") && !strings.HasSuffix(line, "inline:***") {
				t.Errorf("a key is shown: %s", line)
			}
		}
	}
	if len(lines) < 10 || masked < 8 || !strings.HasPrefix(lines[0], "INVITE ") {
		t.Errorf("%d secrets are masked in %q", masked, lines)
	}
}
