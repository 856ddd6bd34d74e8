package call_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"parley/internal/call"
	"parley/internal/database"
	"parley/internal/tenant"
)

// What is written of a call whose tenant wants it masked holds no phone number, e-mail address or card number.
func TestRedaction(t *testing.T) {
	each(t, defaults, func(t *testing.T, h *fixture) {
		const phone, mail, card = "+15551234567", "ada@example.com", "4111 1111 1111 1111"
		ctx := t.Context()
		must := func(err error) {
			t.Helper()
			if err != nil {
				t.Fatal(err)
			}
		}
		// talk runs a whole conversation, and returns what is stored, the transcript, and what is published of it.
		talk := func(while func()) (written, transcript, published string) {
			t.Helper()
			c, _, err := h.calls.Dispatch(ctx, call.Request{TenantID: acme, AgentName: "desk", CallType: call.SIP, PhoneNumber: new(phone), UserID: new("5550104711"),
				UserContext: json.RawMessage(`{"email":"` + mail + `"}`), Metadata: json.RawMessage(`{"contact":"` + mail + `","order":7}`)})
			must(err)
			lease := h.claim("w1")
			must(h.calls.Record(ctx, lease, call.Records{
				Entries: []call.TranscriptEntry{
					{Role: "user", Content: "I am " + mail + ", my card is " + card, CreatedAt: time.Now().UTC()},
					{Role: "assistant", ToolCall: json.RawMessage(`{"name":"book","arguments":{"callback":"` + phone + `"},"answer":"booked for ` + phone + `"}`), CreatedAt: time.Now().UTC()},
				},
				Errors: []call.ErrorItem{{Service: "tool", Level: call.LevelWarning, Message: "no customer " + mail, Details: json.RawMessage(`{"number":"` + phone + `"}`), CreatedAt: time.Now().UTC()}},
			}))
			while()
			_, err = h.calls.Finish(ctx, lease, call.NoTrunk)
			must(err)
			must(h.db.Tenant(acme).Read(ctx, func(ctx context.Context, tx database.Tx) error {
				var all []string
				for _, query := range []string{"SELECT CAST(data AS text) FROM events", "SELECT content || COALESCE(CAST(tool_call AS text), '') FROM transcript_entries", "SELECT message || CAST(details AS text) FROM call_errors"} {
					var rows []string
					if err := tx.NewRaw(query+" WHERE tenant_id = ? AND call_id = ?", acme, c.ID).Scan(ctx, &rows); err != nil {
						return err
					}
					if len(rows) == 0 {
						t.Errorf("nothing is written: %s", query)
					}
					all = append(all, rows...)
				}
				written = strings.Join(all, "\n")
				return nil
			}))
			entries, err := h.calls.Transcript(ctx, acme, c.ID)
			must(err)
			for _, e := range entries {
				transcript += e.Content + string(e.ToolCall)
			}
			extras := call.EventExtras{Calls: h.calls}
			lines, err := extras.Transcript(ctx, acme, c.ID)
			must(err)
			given, err := extras.Context(ctx, acme, c.ID)
			must(err)
			user, err := h.calls.UserContext(c)
			if err != nil || user["email"] != mail {
				t.Errorf("the conversation has the context %v, %v", user, err)
			}
			if *c.PhoneNumber != phone {
				t.Errorf("the call goes to %s", *c.PhoneNumber)
			}
			return written, transcript, string(lines) + string(given)
		}
		holds := func(what, text string, want bool) {
			t.Helper()
			for _, secret := range []string{phone, mail, card} {
				if want && what == "told" && secret == phone {
					continue // arguments of functions are not published
				}
				if strings.Contains(text, secret) != want {
					t.Errorf("%s: %s is there: %v\n%s", what, secret, !want, text)
				}
			}
		}
		set := func(redact bool) {
			t.Helper()
			_, err := tenant.Set(ctx, h.db, "acme", tenant.Change{Redact: &redact})
			must(err)
		}

		written, transcript, published := talk(func() {})
		holds("written", written, true)
		holds("transcript", transcript, true)
		holds("told", published, true)

		// A call that begins unmasked is stored unmasked to its end, but published masked.
		written, _, published = talk(func() { set(true) })
		holds("written", written, true)
		holds("told", published, false)

		written, transcript, published = talk(func() {})
		holds("written", written, false)
		holds("transcript", transcript, false)
		holds("told", published, false)
		for _, want := range []string{`"I am [email], my card is [card]"`, `{"email":"[email]"}`} {
			if !strings.Contains(published, want) {
				t.Errorf("told %s, want %s", published, want)
			}
		}
		for _, want := range []string{`"phone_number":"[phone]"`, `"order":7`, `"user_id":"5550104711"`} {
			if !strings.Contains(strings.ReplaceAll(written, `": `, `":`), want) {
				t.Errorf("written %s, want %s", written, want)
			}
		}

		// And the other way around: what began masked is masked to its end.
		written, _, published = talk(func() { set(false) })
		holds("written", written, false)
		holds("told", published, false)

		c, _, err := h.calls.Dispatch(ctx, call.Request{TenantID: acme, AgentName: "desk", CallType: call.VoIP})
		must(err)
		if c.Redact || h.get(c.ID).Redact {
			t.Error("a call is masked that nobody wants so")
		}
	})
}
