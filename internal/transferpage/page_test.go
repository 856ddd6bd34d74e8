package transferpage

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/internal/database"
	"parley/internal/database/databasetest"
	"parley/internal/fault"
	"parley/internal/seal"
	"parley/internal/transfer"
)

const (
	acme   = "0193a6f0-0000-7000-8000-000000000001"
	callID = "0193a6f0-0000-7000-8000-0000000000c1"
	later  = "0193a6f0-0000-7000-8000-0000000000c2"
)

type fixture struct {
	*testing.T
	db     *database.DB
	sealer *seal.Sealer
}

func newFixture(t *testing.T, db *database.DB) *fixture {
	databasetest.Tenant(t, db, acme, "acme")
	sealer, err := seal.New(bytes.Repeat([]byte{1}, seal.KeySize))
	if err != nil {
		t.Fatal(err)
	}
	return &fixture{t, db, sealer}
}

// virtual runs f on each database in virtual time.
func virtual(t *testing.T, f func(f *fixture)) {
	databasetest.EachVirtual(t, func(t *testing.T, db *database.DB) { f(newFixture(t, db)) })
}

func (f *fixture) write(do func(ctx context.Context, tx database.Tx) error) {
	f.Helper()
	if err := f.db.Tenant(acme).Write(f.Context(), do); err != nil {
		f.Fatal(err)
	}
}

// create makes the page of a call, and returns it with the secret of its link.
func (f *fixture) create(callID string) (p *Page, secret string) {
	f.Helper()
	f.write(func(ctx context.Context, tx database.Tx) (err error) {
		p, err = Create(ctx, tx, f.sealer, Draft{CallID: callID, Livemode: true, Mode: transfer.Consult})
		return err
	})
	secret, err := Link(f.Context(), f.db.Tenant(acme), f.sealer, p.ID)
	if err != nil || len(secret) != 2*secretBytes {
		f.Fatalf("the link has %q, %v", secret, err)
	}
	return p, secret
}

func (f *fixture) open(id, secret string) (session string, err error) {
	_, session, err = Open(f.Context(), f.db, id, secret, func(context.Context, database.Tx, *Page) error { return nil })
	return session, err
}

func (f *fixture) refused(err error, code fault.Code, message string) {
	f.Helper()
	if !fault.Is(err, code) || !strings.Contains(err.Error(), message) {
		f.Errorf("the error is %v, want %s with %q", err, code, message)
	}
}

func (f *fixture) end() {
	f.write(func(ctx context.Context, tx database.Tx) error { return End(ctx, tx, callID) })
}

// hasLink reports whether webhooks carry the link of a page.
func (f *fixture) hasLink(id string) bool {
	_, err := Link(f.Context(), f.db.Tenant(acme), f.sealer, id)
	return err == nil
}

// A link opens its page once, within 15 minutes; neither its secret nor that of the session is stored as it is.
func TestLinkOpensOnce(t *testing.T) {
	virtual(t, func(f *fixture) {
		p, secret := f.create(callID)
		for _, wrong := range []string{"", strings.ToUpper(secret), secret[1:] + "0"} {
			_, err := f.open(p.ID, wrong)
			f.refused(err, fault.Authentication, "not valid")
		}
		for _, id := range []string{"", "x", strings.ToUpper(p.ID), "0193a6f0-0000-7000-8000-00000000000f", "{" + p.ID + "}"} {
			_, err := f.open(id, secret)
			f.refused(err, fault.Authentication, "not valid")
		}
		time.Sleep(LinkLife - time.Second)
		session, err := f.open(p.ID, secret)
		if err != nil {
			f.Fatal(err)
		}
		if f.hasLink(p.ID) {
			f.Error("webhooks still carry a link that was used")
		}
		_, err = f.open(p.ID, secret)
		f.refused(err, fault.Conflict, "already used")
		for _, wrong := range []string{"", secret, session[1:] + "0"} {
			_, err := Authenticate(f.Context(), f.db, p.ID, wrong)
			f.refused(err, fault.Authentication, "not valid")
		}
		time.Sleep(10 * time.Hour) // the call goes on
		if read, err := Authenticate(f.Context(), f.db, p.ID, session); err != nil || read.CallID != callID {
			f.Errorf("%+v, %v", read, err)
		}
		var stored [][]byte
		if err := f.db.System().Read(f.Context(), func(ctx context.Context, tx database.Tx) error {
			var row Page
			err := tx.NewSelect().Model(&row).Scan(ctx)
			stored = [][]byte{row.Hash, row.SessionHash, row.Secret}
			return err
		}); err != nil {
			f.Fatal(err)
		}
		for _, bytesOf := range stored {
			if bytes.Contains(bytesOf, []byte(secret)) || bytes.Contains(bytesOf, []byte(session)) {
				f.Errorf("a secret is stored: %q", bytesOf)
			}
		}
	})
}

// A link that nobody has opened for 15 minutes opens nothing, and no webhook carries it any more.
func TestLinkExpires(t *testing.T) {
	virtual(t, func(f *fixture) {
		p, secret := f.create(callID)
		time.Sleep(LinkLife)
		_, err := f.open(p.ID, secret)
		f.refused(err, fault.TokenExpired, "expired")
		if f.hasLink(p.ID) {
			f.Error("webhooks carry a link that has expired")
		}
	})
}

// The page of a person who was not reached shows nothing any more, opened or not; the next person has a page of their own.
func TestPageOfAPersonWhoWasNotReached(t *testing.T) {
	virtual(t, func(f *fixture) {
		first, firstSecret := f.create(callID)
		session, err := f.open(first.ID, firstSecret)
		if err != nil {
			f.Fatal(err)
		}
		second, secondSecret := f.create(callID)
		_, err = Authenticate(f.Context(), f.db, first.ID, session)
		f.refused(err, fault.KeyRevoked, "over")
		_, err = Authenticate(f.Context(), f.db, second.ID, session)
		f.refused(err, fault.Authentication, "not valid")
		f.end()
		_, err = f.open(second.ID, secondSecret)
		f.refused(err, fault.KeyRevoked, "over")
		if f.hasLink(second.ID) {
			f.Error("webhooks carry the link of a page that has ended")
		}
	})
}

// After the end of the call the page of a person who was connected can be read for the time of Grace if it was opened; any other page no more,
// even if nothing but the end of the call is recorded.
func TestPageAfterTheCall(t *testing.T) {
	virtual(t, func(f *fixture) {
		opened, secret := f.create(callID)
		session, err := f.open(opened.ID, secret)
		if err != nil {
			f.Fatal(err)
		}
		unopened, unused := f.create(later)
		for _, id := range []string{callID, later} {
			f.write(func(ctx context.Context, tx database.Tx) error {
				if _, err := Advance(ctx, tx, id, Connected); err != nil {
					return err
				}
				return CallEnded(ctx, tx, id)
			})
		}
		_, err = f.open(unopened.ID, unused)
		f.refused(err, fault.KeyRevoked, "over")
		time.Sleep(Grace - time.Second)
		if _, err := Authenticate(f.Context(), f.db, opened.ID, session); err != nil {
			f.Error(err)
		}
		time.Sleep(2 * time.Second)
		_, err = Authenticate(f.Context(), f.db, opened.ID, session)
		f.refused(err, fault.KeyRevoked, "over")
	})
	virtual(t, func(f *fixture) {
		ringing, secret := f.create(callID)
		session, err := f.open(ringing.ID, secret)
		if err != nil {
			f.Fatal(err)
		}
		f.write(func(ctx context.Context, tx database.Tx) error { return CallEnded(ctx, tx, callID) })
		_, err = Authenticate(f.Context(), f.db, ringing.ID, session)
		f.refused(err, fault.KeyRevoked, "over")
	})
}

// A page shows the phase and the summary of its own call.
func TestPhaseAndSummary(t *testing.T) {
	virtual(t, func(f *fixture) {
		p, secret := f.create(callID)
		other, _ := f.create(later)
		session, err := f.open(p.ID, secret)
		if err != nil {
			f.Fatal(err)
		}
		f.write(func(ctx context.Context, tx database.Tx) error {
			if err := Summarise(ctx, tx, callID, "Ada wants a refund."); err != nil {
				return err
			}
			advanced, err := Advance(ctx, tx, callID, Connected)
			if err == nil && advanced.ID != p.ID {
				err = errors.New("another page was advanced")
			}
			return err
		})
		if read, err := Authenticate(f.Context(), f.db, p.ID, session); err != nil || read.Phase != Connected || read.Summary != "Ada wants a refund." {
			f.Errorf("%+v, %v", read, err)
		}
		f.write(func(ctx context.Context, tx database.Tx) error {
			row := &Page{ID: other.ID}
			if err := tx.NewSelect().Model(row).WherePK().Scan(ctx); err != nil || row.Phase != Dialled || row.Summary != "" {
				f.Errorf("the other call's page is %+v, %v", row, err)
			}
			return nil
		})
	})
}

// Of many who open a link at once, exactly one does.
func TestOpenedAtOnce(t *testing.T) {
	databasetest.Each(t, func(t *testing.T, db *database.DB) {
		f := newFixture(t, db)
		p, secret := f.create(callID)
		const many = 8
		var open sync.WaitGroup
		sessions, refusals := make(chan string, many), make(chan error, many)
		for range many {
			open.Go(func() {
				session, err := f.open(p.ID, secret)
				if err != nil {
					refusals <- err
					return
				}
				sessions <- session
			})
		}
		open.Wait()
		if len(sessions) != 1 || len(refusals) != many-1 {
			t.Fatalf("%d opened it", len(sessions))
		}
		for range many - 1 {
			f.refused(<-refusals, fault.Conflict, "already used")
		}
		if _, err := Authenticate(t.Context(), db, p.ID, <-sessions); err != nil {
			t.Error(err)
		}
	})
}

// When what belongs to the opening fails, the link is not used up.
func TestOpeningThatFails(t *testing.T) {
	virtual(t, func(f *fixture) {
		p, secret := f.create(callID)
		failure := errors.New("the audit log is full")
		_, _, err := Open(f.Context(), f.db, p.ID, secret, func(context.Context, database.Tx, *Page) error { return failure })
		if !errors.Is(err, failure) {
			f.Errorf("the error is %v", err)
		}
		if _, err := f.open(p.ID, secret); err != nil {
			f.Errorf("the link was used up: %v", err)
		}
	})
}

func TestPruneAndPurge(t *testing.T) {
	virtual(t, func(f *fixture) {
		f.create(callID)
		time.Sleep(kept - time.Hour)
		if n, err := Prune(f.Context(), f.db); n != 0 || err != nil {
			f.Errorf("%d pages deleted, %v", n, err)
		}
		f.create(later)
		time.Sleep(time.Hour + time.Second)
		if n, err := Prune(f.Context(), f.db); n != 1 || err != nil {
			f.Errorf("%d pages deleted, %v", n, err)
		}
		f.write(func(ctx context.Context, tx database.Tx) error { return Purge(ctx, tx, []string{later}) })
		time.Sleep(kept)
		if n, err := Prune(f.Context(), f.db); n != 0 || err != nil {
			f.Errorf("%d pages remained, %v", n, err)
		}
	})
}
