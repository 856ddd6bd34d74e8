package analytics

import (
	"context"
	"fmt"

	"parley/internal/call"
	"parley/internal/database"
)

// ErrorQuery selects a page of the error log. The range applies to the times of
// the errors.
type ErrorQuery struct {
	Query
	Service       string // stt, llm, tts, workflow, tool or webhook; "" for all
	Level         string // error or warning; "" for both
	Limit, Offset int64
}

// Errors returns a page of the error log, newest first, and the total number of
// entries.
func (s *Service) Errors(ctx context.Context, q ErrorQuery) (items []call.ErrorItem, total int64, err error) {
	err = s.read(ctx, &q.Query, func(ctx context.Context, tx database.Tx) (err error) {
		errors := q.logged()
		if total, err = errors.Total(ctx, tx); err != nil || total <= q.Offset {
			return err
		}
		items, err = errors.Page(ctx, tx, q.Limit, q.Offset)
		return err
	})
	if err != nil {
		return nil, 0, fmt.Errorf("read error log: %w", err)
	}
	return items, total, nil
}

// ErrorGroups returns at most q.Limit groups of the error log's entries by cause, those with the newest entries first.
func (s *Service) ErrorGroups(ctx context.Context, q ErrorQuery) (groups []call.ErrorGroup, err error) {
	err = s.read(ctx, &q.Query, func(ctx context.Context, tx database.Tx) (err error) {
		groups, err = q.logged().Groups(ctx, tx, q.Limit)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("group error log: %w", err)
	}
	return groups, nil
}

func (q ErrorQuery) logged() call.LoggedErrors {
	return call.LoggedErrors{TenantID: q.TenantID, Livemode: q.Livemode, From: q.From, To: q.To, Service: q.Service, Level: q.Level}
}
