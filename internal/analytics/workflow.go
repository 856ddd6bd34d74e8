package analytics

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/uptrace/bun"

	"parley/internal/database"
)

// WorkflowStats holds the totals of one workflow; see Summary.
type WorkflowStats struct {
	ID, Slug                 string
	Name                     string // of a deleted workflow: its last name
	Total, Completed, Failed int64
	SuccessRate              float64
	AvgDurationSeconds       float64
}

// Workflows returns the totals of the limit workflows with the most calls, sorted
// by number of calls, then slug.
func (s *Service) Workflows(ctx context.Context, q Query, limit int) (list []WorkflowStats, err error) {
	type sum struct {
		WorkflowID   string `bun:"workflow_id"`
		WorkflowSlug string `bun:"workflow_slug"`
		counts
		open int64
	}
	found := map[string]*sum{}
	of := func(id, slug *string) *sum {
		if id == nil || slug == nil {
			return &sum{} // a call of a single agent
		}
		if found[*id] == nil {
			found[*id] = &sum{WorkflowID: *id, WorkflowSlug: *slug}
		}
		return found[*id]
	}
	names := map[string]string{}
	err = s.read(ctx, &q, func(ctx context.Context, tx database.Tx) error {
		segments, edges := q.split(day)
		var buckets []sum
		if len(segments) > 0 {
			if err := tx.NewRaw("SELECT workflow_id, MIN(workflow_slug) AS workflow_slug, "+sums(countColumns)+" FROM (?) buckets GROUP BY workflow_id",
				q.rollups("workflow_rollups", "workflow_id, workflow_slug, "+strings.Join(countColumns, ", "), segments)).Scan(ctx, &buckets); err != nil && !database.NoRows(err) {
				return err
			}
		}
		for i := range buckets {
			found[buckets[i].WorkflowID] = &buckets[i]
		}
		calls, err := q.endedCalls(ctx, tx, edges)
		if err != nil {
			return err
		}
		for _, c := range calls {
			of(c.WorkflowID, c.WorkflowSlug).add(c)
		}
		unfinished, err := q.openCalls(ctx, tx)
		if err != nil {
			return err
		}
		for _, o := range unfinished {
			of(o.WorkflowID, o.WorkflowSlug).open++
		}
		most := slices.SortedFunc(maps.Values(found), func(a, b *sum) int {
			return cmp.Or(cmp.Compare(b.ended()+b.open, a.ended()+a.open), strings.Compare(a.WorkflowSlug, b.WorkflowSlug), strings.Compare(a.WorkflowID, b.WorkflowID))
		})
		var ids []string
		for _, w := range most[:min(limit, len(most))] {
			all := w.ended() + w.open
			list = append(list, WorkflowStats{ID: w.WorkflowID, Slug: w.WorkflowSlug, Name: w.WorkflowSlug, Total: all, Completed: w.Completed, Failed: w.Failed,
				SuccessRate: percent(w.Completed, all), AvgDurationSeconds: mean(float64(w.DurationSeconds), w.Answered)})
			ids = append(ids, w.WorkflowID)
		}
		return workflowNames(ctx, tx, q.TenantID, ids, names)
	})
	if err != nil {
		return nil, fmt.Errorf("summarize workflows: %w", err)
	}
	for i := range list {
		list[i].Name = cmp.Or(names[list[i].ID], list[i].Name)
	}
	return list, nil
}

// workflowNames adds the names of workflows to names, by id, including deleted
// workflows.
func workflowNames(ctx context.Context, tx database.Tx, tenantID string, ids []string, names map[string]string) error {
	if len(ids) == 0 {
		return nil
	}
	var found []struct {
		ID   string `bun:"id"`
		Name string `bun:"name"`
	}
	if err := tx.NewRaw("SELECT id, name FROM workflows WHERE tenant_id = ? AND id IN (?) UNION ALL SELECT id, name FROM deleted_workflows WHERE tenant_id = ? AND id IN (?)",
		tenantID, bun.List(ids), tenantID, bun.List(ids)).Scan(ctx, &found); err != nil && !database.NoRows(err) {
		return err
	}
	for _, w := range found {
		names[w.ID] = w.Name
	}
	return nil
}
