package sip

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"parley/internal/database"
	"parley/internal/event"
)

// Phones is a gateway that RemoteServer serves.
type Phones interface {
	Dial(ctx context.Context, d DialRequest) error
	Transfer(ctx context.Context, room, identity, number string) error
	// Has reports whether it has the answered phone of a participant.
	Has(room, identity string) bool
	// Check returns an error when no call can be dialled at present.
	Check(ctx context.Context) error
}

// RemoteServer registers a gateway, and has it do what Remote asks for.
type RemoteServer struct {
	Remote
	Name   string // of the gateway, unique
	Phones Phones
	Log    *slog.Logger

	mu      sync.Mutex
	taken   map[string]context.CancelCauseFunc // by the request's id
	running sync.WaitGroup
}

// errCancelled is why a gateway stops ringing at the request of another process.
var errCancelled = errors.New("the request to dial was cancelled")

// unreadable is one message for all that fails while the database is away: the log has each message once.
const unreadable = "the SIP gateway serves no other process, because the database does not answer"

// Run takes requests until ctx ends, and returns when those that it has taken are answered. When stop ends, the gateway ends them.
func (s *RemoteServer) Run(ctx, stop context.Context) {
	s.taken = map[string]context.CancelCauseFunc{}
	requests, unsubscribe := s.Bus.Subscribe(event.GatewayRequests, 1)
	defer unsubscribe()
	renew, poll := time.NewTicker(gatewayRenewal), time.NewTicker(remotePoll)
	defer renew.Stop()
	defer poll.Stop()
	available := s.register(stop)
	for stop.Err() == nil && (ctx.Err() == nil || s.isBusy()) {
		select {
		case <-stop.Done():
			continue
		case <-renew.C:
			available = s.register(stop)
			continue
		case <-requests:
		case <-poll.C:
		}
		if err := s.look(stop, available && ctx.Err() == nil); err != nil && stop.Err() == nil {
			s.Log.WarnContext(stop, unreadable, "error", fmt.Errorf("read requests: %w", err))
		}
	}
	s.running.Wait()
	s.unregister()
}

// isBusy reports whether it has taken requests that are not answered.
func (s *RemoteServer) isBusy() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.taken) > 0
}

// register renews the registration if the gateway answers, and reports whether it did.
func (s *RemoteServer) register(ctx context.Context) bool {
	limited, cancel := context.WithTimeout(ctx, remoteWrite)
	defer cancel()
	if s.Phones.Check(limited) != nil { // the health check logs it
		return false
	}
	err := s.DB.System().Write(limited, func(ctx context.Context, tx database.Tx) error {
		if _, err := tx.NewRaw("DELETE FROM gateway_requests WHERE created_at < ?", tx.Now().Add(-requestExpiry)).Exec(ctx); err != nil {
			return err
		}
		if _, err := tx.NewRaw("DELETE FROM gateways WHERE renewed_at < ?", tx.Now().Add(-requestExpiry)).Exec(ctx); err != nil {
			return err
		}
		_, err := tx.NewRaw("INSERT INTO gateways (name, renewed_at) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET renewed_at = excluded.renewed_at", s.Name, tx.Now()).Exec(ctx)
		return err
	})
	if err != nil && ctx.Err() == nil {
		s.Log.WarnContext(ctx, unreadable, "error", fmt.Errorf("renew the registration: %w", err))
	}
	return err == nil
}

// unregister has the registration expire. Its row stays, which shows that the installation makes phone calls.
func (s *RemoteServer) unregister() {
	ctx, cancel := context.WithTimeout(context.Background(), remoteWrite)
	defer cancel()
	_ = s.DB.System().Write(ctx, func(ctx context.Context, tx database.Tx) error { // it expires by itself otherwise
		_, err := tx.NewRaw("UPDATE gateways SET renewed_at = ? WHERE name = ?", tx.Now().Add(-gatewayExpiry), s.Name).Exec(ctx)
		return err
	})
}

// look takes requests, if the gateway is available, and cancels those that are cancelled.
func (s *RemoteServer) look(ctx context.Context, available bool) error {
	var rows []gatewayRequest
	err := s.DB.System().Read(ctx, func(ctx context.Context, tx database.Tx) error {
		return tx.NewSelect().Model(&rows).Where("gateway IS NULL OR gateway = ? AND cancelled AND result IS NULL", s.Name).Order("created_at").Scan(ctx)
	})
	if err != nil {
		return err
	}
	for _, row := range rows {
		switch {
		case row.Gateway != nil:
			s.mu.Lock()
			if cancel := s.taken[row.ID]; cancel != nil {
				cancel(errCancelled)
			}
			s.mu.Unlock()
		case available:
			if err := s.take(ctx, row); err != nil {
				return err
			}
		}
	}
	return nil
}

// take takes a request and starts it, unless another gateway has taken it or has its phone.
func (s *RemoteServer) take(ctx context.Context, row gatewayRequest) error {
	var request remoteRequest
	plain, err := s.Sealer.Open(row.Request, requestPlace(row.ID))
	if err == nil {
		err = json.Unmarshal(plain, &request)
	}
	if err != nil {
		return fmt.Errorf("read a request to dial: %w", err)
	}
	if t := request.Transfer; t != nil && !s.Phones.Has(t.Room, t.Identity) {
		return nil
	}
	var taken int64
	err = s.DB.System().Write(ctx, func(ctx context.Context, tx database.Tx) error {
		result, err := tx.NewRaw("UPDATE gateway_requests SET gateway = ? WHERE id = ? AND gateway IS NULL", s.Name, row.ID).Exec(ctx)
		if err != nil {
			return err
		}
		taken, err = result.RowsAffected()
		return err
	})
	if err != nil || taken == 0 {
		return err
	}
	doing, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	s.mu.Lock()
	s.taken[row.ID] = cancel
	s.mu.Unlock()
	s.running.Go(func() {
		defer cancel(nil)
		s.report(row.ID, s.perform(doing, request))
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.taken, row.ID)
	})
	return nil
}

func (s *RemoteServer) perform(ctx context.Context, r remoteRequest) error {
	switch {
	case r.Dial != nil:
		return s.Phones.Dial(ctx, *r.Dial)
	case r.Transfer != nil:
		return s.Phones.Transfer(ctx, r.Transfer.Room, r.Transfer.Identity, r.Transfer.Number)
	}
	return errors.New("this version of the SIP gateway does not know the request")
}

// report writes the result of a request. It tries again while the database is away, until the registration expires.
func (s *RemoteServer) report(id string, err error) {
	var result remoteResult
	if !errors.As(err, &result.DialError) && err != nil {
		result.Error = err.Error()
	}
	text, _ := json.Marshal(result) // strings and numbers
	ctx, cancel := context.WithTimeout(context.Background(), gatewayExpiry)
	defer cancel()
	for {
		err := s.DB.System().Write(ctx, func(ctx context.Context, tx database.Tx) error {
			_, err := tx.NewRaw("UPDATE gateway_requests SET result = ? WHERE id = ?", string(text), id).Exec(ctx)
			return err
		})
		if err == nil {
			s.Bus.Publish(event.GatewayResults, id)
			return
		}
		select {
		case <-ctx.Done():
			s.Log.Warn("the result of a request to the SIP gateway cannot be written", "error", err)
			return
		case <-time.After(remotePoll):
		}
	}
}

// JoinedPhones dials with the gateway of this process, and transfers the phones of any gateway.
type JoinedPhones struct {
	*Gateway
	Others *Remote
}

// Transfer behaves as Gateway.Transfer, for a phone of any gateway.
func (p JoinedPhones) Transfer(ctx context.Context, room, identity, number string) error {
	if p.Has(room, identity) {
		return p.Gateway.Transfer(ctx, room, identity, number)
	}
	return p.Others.Transfer(ctx, room, identity, number)
}
