package main

import (
	"strings"
	"testing"
	"time"

	"parley/client"
)

func TestSIPLines(t *testing.T) {
	at := time.Date(2026, 7, 1, 12, 0, 0, 120_000_000, time.Local)
	messages := []client.SIPMessage{
		{Timestamp: at, Direction: "sent", Transport: "udp", Peer: "192.0.2.1:5060", StartLine: "INVITE sip:+4930123456@192.0.2.1 SIP/2.0", Message: "INVITE sip:+4930123456@192.0.2.1 SIP/2.0\r\nCSeq: 1 INVITE\r\n\r\nv=0\r\n"},
		{Timestamp: at.Add(40 * time.Millisecond), Direction: "received", Transport: "udp", Peer: "192.0.2.1:5060", StartLine: "SIP/2.0 486 Busy\x1b[2J", Message: "SIP/2.0 486 Busy\x1b[2J\r\n\r\n"},
	}
	want := "2026-07-01 12:00:00.120  -> udp 192.0.2.1:5060  INVITE sip:+4930123456@192.0.2.1 SIP/2.0\n2026-07-01 12:00:00.160  <- udp 192.0.2.1:5060  SIP/2.0 486 Busy\uFFFD[2J"
	if got := strings.Join(sipLines(messages, false), "\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	full := strings.Join(sipLines(messages, true), "\n")
	if !strings.Contains(full, "\n    CSeq: 1 INVITE\n\n    v=0\n\n") || strings.Contains(full, "\x1b") {
		t.Errorf("the messages are\n%s", full)
	}
}
