package call_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"parley/internal/call"
	"parley/internal/database"
	"parley/internal/fault"
	"parley/internal/transfer"
	"parley/internal/transferpage"
)

const publicURL = "https://voice.example.com"

// step is a step of a transfer to the nth target, with a page.
func step(phase call.TransferPhase, attempt int) call.TransferStep {
	return call.TransferStep{Phase: phase, Mode: transfer.Consult, To: "+4930123456", Attempt: attempt, Attempts: 2, Page: true}
}

func (h *fixture) transferred(l call.Lease, steps ...call.TransferStep) {
	h.t.Helper()
	if err := h.calls.Record(h.t.Context(), l, call.Records{Transfers: steps}); err != nil {
		h.t.Fatal(err)
	}
}

// page is the page that the last event of a call refers to.
func (h *fixture) page(callID string) (id string, expires time.Time) {
	h.t.Helper()
	all := h.dataOf(callID)
	last := all[len(all)-1]
	return last.PageID, last.PageExpiresAt
}

// link is the link that webhooks carry of a page; "" for none any more.
func (h *fixture) link(pageID string) string {
	h.t.Helper()
	encoded, err := call.EventExtras{Calls: h.calls, PublicURL: publicURL}.PageLink(h.t.Context(), acme, pageID)
	if fault.Is(err, fault.NotFound) {
		return ""
	}
	var link string
	if err == nil {
		err = json.Unmarshal(encoded, &link)
	}
	if err != nil {
		h.t.Fatal(err)
	}
	return link
}

// openPage opens a page with a link.
func (h *fixture) openPage(link string) (id, session string) {
	h.t.Helper()
	id, secret, _ := strings.Cut(strings.TrimPrefix(link, publicURL+transferpage.Path), "#")
	session, err := h.calls.OpenPage(h.t.Context(), id, secret, func(context.Context, database.Tx, *transferpage.Page) error { return nil })
	if err != nil {
		h.t.Fatal(err)
	}
	return id, session
}

// Each person who is dialled has a page of their own, to which the events of their steps refer; it ends when they are not reached.
func TestPagesOfATransfer(t *testing.T) {
	each(t, defaults, func(t *testing.T, h *fixture) {
		l := h.active()
		h.transferred(l, step(call.TransferStarted, 1))
		first, expires := h.page(l.CallID)
		if wait := time.Until(expires); wait < 14*time.Minute || wait > 16*time.Minute {
			t.Errorf("it expires in %v", wait)
		}
		firstLink := h.link(first)
		if !strings.HasPrefix(firstLink, publicURL+"/transfer/"+first+"#") {
			t.Errorf("the link is %s", firstLink)
		}
		h.transferred(l, call.TransferStep{Phase: call.TransferSummarised, Mode: transfer.Consult, Attempt: 1, Attempts: 2, Page: true, Summary: "Ada\x00 wants a refund."})
		before := len(h.events(l.CallID))
		id, session := h.openPage(firstLink)
		p, err := h.calls.Page(t.Context(), id, session)
		if err != nil || p.Summary != "Ada\uFFFD wants a refund." || p.Phase != transferpage.Dialled || !p.Livemode {
			t.Fatalf("%+v, %v", p, err)
		}
		shown, err := h.calls.OfPage(t.Context(), p)
		if err != nil || shown.UserContext == nil {
			t.Errorf("%+v, %v", shown, err)
		}
		if got := h.incidents(l.CallID); fmt.Sprint(got) != "[page_opened]" {
			t.Errorf("the timeline has %v", got)
		}
		if len(h.events(l.CallID)) != before {
			t.Error("the summary has an event")
		}

		h.transferred(l, step(call.TransferBroken, 1))
		if again, _ := h.page(l.CallID); again != "" {
			t.Error("the event of the failure refers to the page")
		}
		if _, err := h.calls.Page(t.Context(), id, session); !fault.Is(err, fault.KeyRevoked) {
			t.Errorf("the page of who was not reached: %v", err)
		}
		h.transferred(l, step(call.TransferStarted, 2), step(call.TransferAnswered, 2))
		second, _ := h.page(l.CallID)
		if second == first || second == "" {
			t.Errorf("the second person's page is %q", second)
		}
		h.transferred(l, step(call.TransferConnected, 2))
		if again, _ := h.page(l.CallID); again != second {
			t.Errorf("connected, the page is %q", again)
		}
		id, session = h.openPage(h.link(second))
		if h.link(second) != "" {
			t.Error("webhooks carry the link that was used")
		}
		if p, err = h.calls.Page(t.Context(), id, session); err != nil || p.Phase != transferpage.Connected {
			t.Errorf("%+v, %v", p, err)
		}
		if _, err := h.calls.Finish(t.Context(), l, call.Transferred); err != nil {
			t.Fatal(err)
		}
		if p, err = h.calls.Page(t.Context(), id, session); err != nil || p.ClosesAt.IsZero() {
			t.Fatalf("after the end: %+v, %v", p, err)
		}
		if _, err := h.calls.OfPage(t.Context(), p); err != nil {
			t.Errorf("after the end: %v", err)
		}
	})
}

// A transfer without pages makes none, and its events are as they were.
func TestTransferWithoutPages(t *testing.T) {
	each(t, defaults, func(t *testing.T, h *fixture) {
		l := h.active()
		without := step(call.TransferStarted, 1)
		without.Page = false
		h.transferred(l, without)
		if page, expires := h.page(l.CallID); page != "" || !expires.IsZero() {
			t.Errorf("the event refers to %s, until %v", page, expires)
		}
	})
}

// When the worker is lost, the person is hung up: their page ends.
func TestPageOfALostWorker(t *testing.T) {
	each(t, defaults, func(t *testing.T, h *fixture) {
		l := h.active()
		h.transferred(l, step(call.TransferStarted, 1), step(call.TransferAnswered, 1))
		page, _ := h.page(l.CallID)
		id, session := h.openPage(h.link(page))
		h.set(l.CallID, "lease_until = ?", time.Now().Add(-time.Hour).UTC())
		h.takeOver("another")
		if _, err := h.calls.Page(t.Context(), id, session); !fault.Is(err, fault.KeyRevoked) {
			t.Errorf("the page: %v", err)
		}
	})
}

// Of tenants with redaction, a page shows summary, number and context masked.
func TestPageIsRedacted(t *testing.T) {
	each(t, defaults, func(t *testing.T, h *fixture) {
		l := h.active()
		h.set(l.CallID, "redact = ?, phone_number = ?, caller_name = ?", true, "+4930123456", "Ada")
		started := step(call.TransferStarted, 1)
		started.Summary = "Ada, ada@example.com, wants a refund."
		h.transferred(l, started)
		page, _ := h.page(l.CallID)
		p, err := h.calls.Page(t.Context(), page, "")
		if !fault.Is(err, fault.Authentication) {
			t.Errorf("without a session: %+v, %v", p, err)
		}
		id, session := h.openPage(h.link(page))
		if p, err = h.calls.Page(t.Context(), id, session); err != nil || strings.Contains(p.Summary, "example.com") {
			t.Fatalf("%+v, %v", p, err)
		}
		if shown, err := h.calls.OfPage(t.Context(), p); err != nil || *shown.PhoneNumber != "[phone]" || shown.CallerName != nil {
			t.Errorf("%+v, %v", shown, err)
		}
	})
}

// Many open a page at once while the transfer goes on: one does, which the timeline says once, and nobody waits for the others forever.
func TestPageIsOpenedWhileTheTransferGoesOn(t *testing.T) {
	each(t, defaults, func(t *testing.T, h *fixture) {
		l := h.active()
		h.transferred(l, step(call.TransferStarted, 1))
		page, _ := h.page(l.CallID)
		id, secret, _ := strings.Cut(strings.TrimPrefix(h.link(page), publicURL+transferpage.Path), "#")
		var opening sync.WaitGroup
		var opened atomic.Int32
		for range 8 {
			opening.Go(func() {
				_, err := h.calls.OpenPage(t.Context(), id, secret, func(context.Context, database.Tx, *transferpage.Page) error { return nil })
				if err == nil {
					opened.Add(1)
				} else if !fault.Is(err, fault.Conflict) {
					t.Error(err)
				}
			})
		}
		for range 20 {
			h.transferred(l, step(call.TransferAnswered, 1))
		}
		opening.Wait()
		if got := h.incidents(l.CallID); opened.Load() != 1 || fmt.Sprint(got) != "[page_opened]" {
			t.Errorf("%d opened it, the timeline has %v", opened.Load(), got)
		}
	})
}
