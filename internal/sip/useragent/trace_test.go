package useragent

import (
	"context"
	"io"
	"strings"
	"testing"
	"time"

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
	for end := time.Now().Add(10 * time.Second); len(entries) < 10 && time.Now().Before(end); { // the answer to the last BYE
		time.Sleep(5 * time.Millisecond)
	}
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
			if strings.Contains(line, "nonce=") && !strings.Contains(line, `nonce="***"`) {
				t.Errorf("a nonce is shown: %s", line)
			}
		}
	}
	if len(lines) < 10 || masked < 8 || !strings.HasPrefix(lines[0], "INVITE ") {
		t.Errorf("%d secrets are masked in %q", masked, lines)
	}
}

func TestMask(t *testing.T) {
	const head = "Via: SIP/2.0/UDP 192.0.2.1;branch=z9hG4bK1\r\nFrom: <sip:+4930123456@192.0.2.1>;tag=1\r\nTo: <sip:+4930654321@192.0.2.2>\r\nCall-ID: 1\r\nCSeq: 1 "
	for _, test := range []struct{ method, rest, secret, kept string }{
		{"INFO", "Content-Type: application/dtmf-relay\r\nContent-Length: 22\r\n\r\nSignal=7\r\nDuration=160", "Signal=7", "\r\n\r\n***"},
		{"INFO", "Content-Type: application/dtmf\r\nContent-Length: 1\r\n\r\n7", "\r\n7", "\r\n\r\n***"},
		{"INFO", "Content-Type: multipart/mixed;boundary=x\r\nContent-Length: 8\r\n\r\nSignal=7", "Signal=7", "multipart/mixed"},
		{"INVITE", "Proxy-Authorization: Digest username=\"bob\",\r\n response=\"0a4f113b\"\r\nContent-Length: 0\r\n\r\n", "0a4f113b", "Proxy-Authorization: ***"},
		{"INVITE", "Authorization: Basic Ym9iOnBhc3M=\r\nContent-Length: 0\r\n\r\n", "Ym9i", "Authorization: ***"},
		{"INVITE", "Proxy-Authenticate: Digest realm=\"carrier\", nonce=\"84a4cc6f\", opaque=\"5ccc069c\"\r\nContent-Length: 0\r\n\r\n", "84a4cc6f", "realm=\"carrier\""},
		{"INVITE", "Contact: <sip:bob:secret@192.0.2.1:5060>\r\nContent-Length: 0\r\n\r\n", "secret", "<sip:bob:***@192.0.2.1:5060>"},
		{"INVITE", "Content-Type: application/sdp\r\nContent-Length: 133\r\n\r\nv=0\r\nk=clear:abcdef\r\na=crypto:1 AES_CM_128_HMAC_SHA1_80 inline:AAAA|2^20|1:4;inline:BBBB|2^20|2:4\r\na=ice-pwd:cccc\r\na=key-mgmt:mikey dddd\r\n", "BBBB", "inline:***|2^20|1:4;inline:***|2^20|2:4"},
	} {
		m, err := newParser().ParseSIP([]byte(test.method + " sip:+4930654321@192.0.2.2 SIP/2.0\r\n" + head + test.method + "\r\n" + test.rest))
		if err != nil {
			t.Fatalf("%s: %v", test.rest, err)
		}
		got := mask(m)
		if strings.Contains(got, test.secret) || !strings.Contains(got, test.kept) || !strings.Contains(got, "sip:+4930123456@192.0.2.1>;tag=1") {
			t.Errorf("%s: masked as\n%s", test.rest, got)
		}
		for _, secret := range []string{"AAAA", "cccc", "dddd", "abcdef", "5ccc069c"} {
			if strings.Contains(got, secret) {
				t.Errorf("%s is shown in\n%s", secret, got)
			}
		}
	}
}
