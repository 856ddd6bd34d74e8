package main

import (
	"fmt"
	"strings"
	"time"
	"unicode"

	"parley/client"
)

type callsSIP struct {
	target
	output
	ID   string `arg:"" help:"The call's id."`
	Full bool   `help:"Print the messages, not their first lines only."`
}

// Run prints the SIP messages of a call.
func (c *callsSIP) Run(s signalled) error {
	key, err := c.key()
	if err != nil {
		return err
	}
	messages, err := client.New(c.Server, key).Calls.SIPMessages(s.ctx, c.ID)
	if err != nil {
		return err
	}
	text := "No SIP messages are stored: the server has them stored with PARLEY_SIP_TRACE, for a day."
	if len(messages) > 0 {
		text = strings.Join(sipLines(messages, c.Full), "\n")
	}
	return c.print(messages, text)
}

// sipLines returns a line for each message: time, direction, other side and first line; with full, the message follows.
func sipLines(messages []client.SIPMessage, full bool) (lines []string) {
	for _, m := range messages {
		arrow := "<-"
		if m.Direction == "sent" {
			arrow = "->"
		}
		lines = append(lines, fmt.Sprintf("%s  %s %s %s  %s", m.Timestamp.Local().Format(time.DateOnly+" 15:04:05.000"), arrow, m.Transport, m.Peer, printable(m.StartLine)))
		if full {
			for line := range strings.Lines(strings.TrimRight(m.Message, "\r\n")) {
				lines = append(lines, strings.TrimRight("    "+printable(strings.TrimRight(line, "\r\n")), " "))
			}
			lines = append(lines, "")
		}
	}
	return lines
}

// printable returns text of a peer without characters that a terminal acts on.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if r != '\t' && unicode.IsControl(r) {
			return unicode.ReplacementChar
		}
		return r
	}, text)
}
