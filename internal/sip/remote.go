package sip

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"parley/internal/database"
	"parley/internal/event"
	"parley/internal/seal"
)

// Remote dials and transfers through the gateways of other processes with the same database. A request is a row that one of the
// gateways takes, and that gets the result; RemoteServer is the gateways' side.
type Remote struct {
	DB     *database.DB
	Bus    *event.Bus
	Sealer *seal.Sealer
}

const (
	// remotePoll is how often rows are read without a notification.
	remotePoll = time.Second
	// claimTimeout is how long a request waits for a gateway that takes it.
	claimTimeout = 5 * time.Second
	// gatewayRenewal is how often a gateway renews its registration, and gatewayExpiry how long one lasts.
	gatewayRenewal, gatewayExpiry = 5 * time.Second, 15 * time.Second
	// remoteWrite bounds writing a cancellation or a result.
	remoteWrite = 5 * time.Second
	// requestExpiry is how long the row of a request remains whose process has ended.
	requestExpiry = time.Hour
)

// gatewayRequest is a request to the gateways.
type gatewayRequest struct {
	bun.BaseModel `bun:"table:gateway_requests,alias:r"`

	ID        string    `bun:"id,pk"`
	Request   []byte    `bun:"request"` // a remoteRequest in JSON, sealed
	CreatedAt time.Time `bun:"created_at"`
	Gateway   *string   `bun:"gateway"` // that has taken it
	Cancelled bool      `bun:"cancelled"`
	Result    *string   `bun:"result"` // a remoteResult in JSON
}

// remoteRequest is what a gateway is asked to do: one of the fields is set.
type remoteRequest struct {
	Dial     *DialRequest    `json:",omitempty"`
	Transfer *remoteTransfer `json:",omitempty"`
}

type remoteTransfer struct{ Room, Identity, Number string }

// remoteResult is the result of a request; neither field is set for success.
type remoteResult struct {
	DialError *DialError `json:",omitempty"`
	Error     string     `json:",omitempty"`
}

func requestPlace(id string) seal.Place { return seal.Place{Table: "gateway_requests", Row: id} }

var (
	// errNoGateway is returned while no gateway is registered.
	errNoGateway = errors.New("no process of this installation has a SIP gateway that answers")
	// errGatewayLost is returned when the gateway that has taken a request has ended; what became of the phone is not known.
	errGatewayLost = errors.New("the process of the SIP gateway has ended")
)

// Check returns an error when no gateway is registered, although there was one before: an installation without gateways makes no
// phone calls.
func (r *Remote) Check(ctx context.Context) error {
	var known, registered int
	err := r.DB.System().Read(ctx, func(ctx context.Context, tx database.Tx) error {
		return tx.NewRaw("SELECT COUNT(*), COUNT(CASE WHEN renewed_at > ? THEN 1 END) FROM gateways", tx.Now().Add(-gatewayExpiry)).Scan(ctx, &known, &registered)
	})
	switch {
	case err != nil:
		return fmt.Errorf("find SIP gateways: %w", err)
	case known > 0 && registered == 0:
		return errNoGateway
	}
	return nil
}

// Dial behaves as Gateway.Dial. A phone of a process that ends goes on ringing until its ring timeout, or until its room is closed.
func (r *Remote) Dial(ctx context.Context, d DialRequest) error {
	return r.do(ctx, remoteRequest{Dial: &d}, unreachable("No SIP gateway is available to dial with."))
}

// Transfer behaves as Gateway.Transfer, for a phone of any gateway.
func (r *Remote) Transfer(ctx context.Context, room, identity, number string) error {
	return r.do(ctx, remoteRequest{Transfer: &remoteTransfer{room, identity, number}}, errNotOnLine)
}

// do makes a request and waits for its result. It returns notTaken when no gateway takes it.
func (r *Remote) do(ctx context.Context, request remoteRequest, notTaken error) error {
	plain, err := json.Marshal(request)
	if err != nil {
		return err
	}
	id := uuid.Must(uuid.NewV7()).String()
	results, unsubscribe := r.Bus.Subscribe(event.GatewayResults, 16)
	defer unsubscribe()
	err = r.DB.System().Write(ctx, func(ctx context.Context, tx database.Tx) error {
		row := &gatewayRequest{ID: id, Request: r.Sealer.Seal(plain, requestPlace(id)), CreatedAt: tx.Now()}
		_, err := tx.NewInsert().Model(row).Exec(ctx)
		return err
	})
	if err != nil {
		return fmt.Errorf("ask the SIP gateways: %w", err)
	}
	r.Bus.Publish(event.GatewayRequests, "")
	w := &remoteWait{Remote: r, id: id, notTaken: notTaken, began: time.Now()}
	poll := time.NewTicker(remotePoll)
	defer poll.Stop()
	for {
		select {
		case <-ctx.Done():
			r.cancel(id)
			return fmt.Errorf("ask the SIP gateways: %w", context.Cause(ctx))
		case of := <-results:
			if of != id && of != "" {
				continue
			}
		case <-poll.C:
		}
		if result, done := w.look(ctx); done {
			return result
		}
	}
}

// cancel deletes a request, or has the gateway that has taken it cancel its ringing.
func (r *Remote) cancel(id string) {
	ctx, stop := context.WithTimeout(context.Background(), remoteWrite)
	defer stop()
	err := r.DB.System().Write(ctx, func(ctx context.Context, tx database.Tx) error {
		if _, err := tx.NewRaw("DELETE FROM gateway_requests WHERE id = ? AND gateway IS NULL", id).Exec(ctx); err != nil {
			return err
		}
		_, err := tx.NewRaw("UPDATE gateway_requests SET cancelled = ? WHERE id = ?", true, id).Exec(ctx)
		return err
	})
	if err == nil { // otherwise the ring timeout or the end of the room ends the ringing
		r.Bus.Publish(event.GatewayRequests, "")
	}
}

// remoteWait waits for the result of a request.
type remoteWait struct {
	*Remote
	id       string
	notTaken error
	began    time.Time

	renewed   time.Time // the gateway's last renewal, by the database's clock …
	renewedAt time.Time // … and when it was seen, by this machine's
	readAt    time.Time // when the registration was last read
}

// look reads the row, and reports whether the request is done. While the database cannot be read, it is not.
func (w *remoteWait) look(ctx context.Context) (result error, done bool) {
	over := "id = ?" // the row to delete
	err := w.DB.System().Read(ctx, func(ctx context.Context, tx database.Tx) error {
		row := new(gatewayRequest)
		err := tx.NewSelect().Model(row).Where("id = ?", w.id).Scan(ctx)
		switch {
		case database.NoRows(err):
			result, done = errGatewayLost, true
		case err != nil:
			return err
		case row.Result != nil:
			result, done = resultOf(*row.Result), true
		case row.Gateway != nil:
			alive, err := w.isAlive(ctx, tx, *row.Gateway)
			result, done = errGatewayLost, !alive
			return err
		case time.Since(w.began) >= claimTimeout:
			result, done = w.notTaken, true
			over += " AND gateway IS NULL"
		}
		return nil
	})
	if err != nil || !done {
		return nil, false
	}
	err = w.DB.System().Write(ctx, func(ctx context.Context, tx database.Tx) error {
		deleted, err := tx.NewDelete().Model((*gatewayRequest)(nil)).Where(over, w.id).Exec(ctx)
		if err != nil {
			return err
		}
		n, err := deleted.RowsAffected()
		done = n > 0 || errors.Is(result, errGatewayLost) // otherwise a gateway has taken it meanwhile
		return err
	})
	return result, done && err == nil
}

// isAlive reports whether a gateway renews its registration. The time in which it could not be read does not count.
func (w *remoteWait) isAlive(ctx context.Context, tx database.Tx, gateway string) (bool, error) {
	var renewed time.Time
	err := tx.NewRaw("SELECT renewed_at FROM gateways WHERE name = ?", gateway).Scan(ctx, &renewed)
	if database.NoRows(err) {
		return false, nil
	}
	if err != nil {
		return true, err
	}
	now := time.Now()
	if !renewed.Equal(w.renewed) || now.Sub(w.readAt) > gatewayRenewal {
		w.renewed, w.renewedAt = renewed, now
	}
	w.readAt = now
	return now.Sub(w.renewedAt) < gatewayExpiry, nil
}

// resultOf returns the result that a gateway has written.
func resultOf(text string) error {
	var result remoteResult
	if err := json.Unmarshal([]byte(text), &result); err != nil {
		return fmt.Errorf("read the SIP gateway's result: %w", err)
	}
	switch {
	case result.DialError != nil:
		return result.DialError
	case result.Error != "":
		return errors.New(result.Error)
	}
	return nil
}
