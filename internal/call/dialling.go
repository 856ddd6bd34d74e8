package call

import (
	"context"
	"fmt"
	"time"

	"parley/internal/database"
	"parley/internal/fault"
	"parley/internal/tenant"
)

// checkOutbound rejects an outbound phone call to a number that the tenant may not dial (validation_error) or
// beyond the tenant's limits (rate_limit_exceeded). Calls of test keys are not counted.
func (s *Service) checkOutbound(ctx context.Context, tx database.Tx, r Request) error {
	allowed, err := tenant.PhoneOf(ctx, tx, r.Livemode)
	if err != nil {
		return err
	}
	if why := s.options.Phone.Refuses(allowed, *r.PhoneNumber); why != "" {
		return fault.Invalid([]fault.Detail{{Field: "phone_number", Message: why}})
	}
	if !r.Livemode {
		return nil
	}
	return s.checkOutboundLimits(ctx, tx, allowed)
}

// checkOutboundLimits rejects an outbound phone call beyond the tenant's limits (rate_limit_exceeded). A transfer that a trunk asked for
// counts as a call: it has the gateway dial.
func (s *Service) checkOutboundLimits(ctx context.Context, tx database.Tx, allowed tenant.Phone) error {
	var made struct{ Open, Minute, Day int }
	err := tx.NewRaw(`SELECT COUNT(*) AS day, COALESCE(SUM(CASE WHEN dialled_at > ? THEN 1 ELSE 0 END), 0) AS minute,
		COALESCE(SUM(CASE WHEN ended_at IS NULL THEN 1 ELSE 0 END), 0) AS open FROM (
			SELECT created_at AS dialled_at, ended_at FROM calls
			WHERE tenant_id = ? AND created_at > ? AND call_type = 'sip' AND direction = 'outbound' AND livemode
			UNION ALL SELECT i.created_at, c.ended_at FROM call_incidents i JOIN calls c ON c.tenant_id = i.tenant_id AND c.id = i.call_id
			WHERE i.tenant_id = ? AND i.created_at > ? AND i.type = ?) AS dialled`,
		tx.Now().Add(-time.Minute), tx.TenantID(), tx.Now().Add(-day), tx.TenantID(), tx.Now().Add(-day), TransferRequested).Scan(ctx, &made)
	if err != nil {
		return fmt.Errorf("count outbound calls: %w", err)
	}
	atOnce, perMinute, perDay := s.options.Phone.Limits(allowed)
	for _, limit := range []struct {
		made, most int
		what       string
		wait       time.Duration
	}{
		{made.Day, perDay, "a day", time.Hour}, {made.Minute, perMinute, "a minute", 10 * time.Second}, {made.Open, atOnce, "at once", 10 * time.Second},
	} {
		if limit.most > 0 && limit.made >= limit.most {
			return fault.Later(fault.RateLimitExceeded, limit.wait, "more than %d outbound phone calls %s", limit.most, limit.what)
		}
	}
	return nil
}

// AuthorizeTransfer records in a call's timeline that its trunk asks for it to be transferred to a number, unless the tenant may not dial
// that (validation_error) or is beyond its limits (rate_limit_exceeded). not_found for a call that has ended.
func (s *Service) AuthorizeTransfer(ctx context.Context, tenantID, id, number string) error {
	return s.authorizeTransfer(ctx, tenantID, id, number, "")
}

// AuthorizePerson is AuthorizeTransfer for a person who is dialled into the call. It counts as an outbound call.
func (s *Service) AuthorizePerson(ctx context.Context, tenantID, id, number string) error {
	return s.authorizeTransfer(ctx, tenantID, id, number, PersonDialled)
}

func (s *Service) authorizeTransfer(ctx context.Context, tenantID, id, number string, cause IncidentCause) error {
	return s.db.Tenant(tenantID).Write(ctx, func(ctx context.Context, tx database.Tx) error {
		allowed, err := tenant.PhoneOf(ctx, tx, true)
		if err != nil {
			return err
		}
		if why := s.options.Phone.Refuses(allowed, number); why != "" {
			return fault.New(fault.Validation, "the number %s", why)
		}
		if err := s.checkOutboundLimits(ctx, tx, allowed); err != nil {
			return err
		}
		return s.addTransfer(ctx, tx, id, TransferRequested, cause)
	})
}

// RecordTransfer records in a call's timeline what became of its phone. not_found for a call that has ended.
func (s *Service) RecordTransfer(ctx context.Context, tenantID, id string, outcome IncidentType) error {
	return s.db.Tenant(tenantID).Write(ctx, func(ctx context.Context, tx database.Tx) error { return s.addTransfer(ctx, tx, id, outcome, "") })
}

func (s *Service) addTransfer(ctx context.Context, tx database.Tx, id string, what IncidentType, cause IncidentCause) error {
	var added []Incident
	err := tx.NewRaw(`INSERT INTO call_incidents (tenant_id, call_id, type, cause, fence, created_at)
		SELECT tenant_id, id, ?, ?, fence, ? FROM calls WHERE tenant_id = ? AND id = ? AND ended_at IS NULL RETURNING *`, what, cause, tx.Now(), tx.TenantID(), id).Scan(ctx, &added)
	switch {
	case err != nil && !database.NoRows(err):
		return fmt.Errorf("write a transfer: %w", err)
	case len(added) == 0:
		return fault.Missing("call")
	}
	s.reportIncidents(tx, added)
	return nil
}

// CheckDial returns why a tenant may not dial a number, for transfers; nil if it may.
func (s *Service) CheckDial(ctx context.Context, tenantID, number string) error {
	return s.db.Tenant(tenantID).Read(ctx, func(ctx context.Context, tx database.Tx) error {
		allowed, err := tenant.PhoneOf(ctx, tx, false)
		if err != nil {
			return err
		}
		if why := s.options.Phone.Refuses(allowed, number); why != "" {
			return fmt.Errorf("the number %s", why)
		}
		return nil
	})
}
