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
	var made struct{ Open, Minute, Day int }
	err = tx.NewRaw(`SELECT COUNT(*) AS day, COALESCE(SUM(CASE WHEN created_at > ? THEN 1 ELSE 0 END), 0) AS minute,
		COALESCE(SUM(CASE WHEN ended_at IS NULL THEN 1 ELSE 0 END), 0) AS open FROM calls
		WHERE tenant_id = ? AND created_at > ? AND call_type = 'sip' AND direction = 'outbound' AND livemode`,
		tx.Now().Add(-time.Minute), tx.TenantID(), tx.Now().Add(-day)).Scan(ctx, &made)
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
