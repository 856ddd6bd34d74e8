package prompt

import (
	"context"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"parley/internal/database"
	"parley/internal/fault"
	"parley/internal/inflight"
)

const (
	// keptVersions is how many earlier versions of a template are kept.
	keptVersions = 100
	// keptVersionBytes limits their texts together; the latest is kept whatever its size. A change of one field copies all texts.
	keptVersionBytes = 4 << 20
)

// versionsBeyond selects the earlier versions of a template that are too old to fit into keptVersionBytes.
const versionsBeyond = `SELECT version FROM (SELECT version,
	SUM(octet_length(CAST(content AS text)) + octet_length(CAST(variables AS text)) + octet_length(CAST(metadata AS text))) OVER (ORDER BY version DESC) AS size
	FROM prompt_versions WHERE tenant_id = ? AND prompt_id = ?) AS sized WHERE size > ? AND version < ?`

// Version is a current or earlier version of a template.
type Version struct {
	bun.BaseModel `bun:"table:prompt_versions,alias:v"`

	TenantID string `bun:"tenant_id,pk"`
	PromptID string `bun:"prompt_id,pk"`
	Version  int64  `bun:"version,pk"`
	Body
	CreatedAt time.Time `bun:"created_at"` // when this version was created
}

// change sets a template's body; the previous body becomes an earlier version.
func change(ctx context.Context, tx database.Tx, t *Template, after Body) error {
	before := &Version{TenantID: tx.TenantID(), PromptID: t.ID, Version: t.Version, Body: t.Body, CreatedAt: t.UpdatedAt}
	if _, err := tx.NewInsert().Model(before).Exec(ctx); err != nil {
		return fmt.Errorf("keep version of prompt %s: %w", t.ID, err)
	}
	_, err := tx.NewDelete().Model((*Version)(nil)).Where("tenant_id = ? AND prompt_id = ? AND version <= ?", tx.TenantID(), t.ID, t.Version-keptVersions).Exec(ctx)
	if err != nil {
		return fmt.Errorf("clear versions of prompt %s: %w", t.ID, err)
	}
	_, err = tx.ExecContext(ctx, "DELETE FROM prompt_versions WHERE tenant_id = ? AND prompt_id = ? AND version IN ("+versionsBeyond+")",
		tx.TenantID(), t.ID, tx.TenantID(), t.ID, keptVersionBytes, t.Version)
	if err != nil {
		return fmt.Errorf("clear large versions of prompt %s: %w", t.ID, err)
	}
	t.Body, t.UpdatedAt = after, tx.Now()
	t.Version++
	_, err = tx.NewUpdate().Model(t).Column("name", "description", "category", "content", "variables", "metadata", "version", "updated_at").
		Where("tenant_id = ? AND id = ?", tx.TenantID(), t.ID).Exec(ctx)
	if err != nil {
		return fmt.Errorf("change prompt %s: %w", t.ID, err)
	}
	return nil
}

// AfterScanRow counts a version that a request reads.
func (v *Version) AfterScanRow(ctx context.Context) error {
	size := metadataSize(v.Metadata)
	for _, text := range v.Content {
		size += len(text)
	}
	return inflight.Reserve(ctx, size)
}

// Versions lists a template's versions, the present one first, and how many
// there are in all.
func (s Store) Versions(ctx context.Context, slug string, limit, offset int64) (page []Version, total int64, err error) {
	err = s.scope.Read(ctx, func(ctx context.Context, tx database.Tx) error {
		t, err := find(ctx, tx, slug)
		if err != nil {
			return err
		}
		earlier := int64(0)
		if !t.IsSystem() {
			if earlier, err = tx.NewSelect().Model((*Version)(nil)).Where("tenant_id = ? AND prompt_id = ?", tx.TenantID(), t.ID).Count(ctx); err != nil {
				return fmt.Errorf("count versions of prompt %s: %w", t.ID, err)
			}
		}
		page, total = nil, earlier+1
		if offset == 0 {
			page = append(page, Version{PromptID: t.ID, Version: t.Version, Body: t.Body, CreatedAt: t.UpdatedAt})
			limit--
		}
		if limit <= 0 || earlier == 0 {
			return nil
		}
		var older []Version
		err = tx.NewSelect().Model(&older).Where("tenant_id = ? AND prompt_id = ?", tx.TenantID(), t.ID).OrderExpr("version DESC").Limit(limit).Offset(max(0, offset-1)).Scan(ctx)
		if err != nil {
			return fmt.Errorf("list versions of prompt %s: %w", t.ID, err)
		}
		page = append(page, older...)
		return nil
	})
	return page, total, err
}

// Rollback sets the body of an earlier version as a new version.
func (s Store) Rollback(ctx context.Context, slug string, version int64) (t *Template, err error) {
	err = s.scope.Write(ctx, func(ctx context.Context, tx database.Tx) error {
		if t, err = findOwn(ctx, tx, slug); err != nil || t.Version == version {
			return err
		}
		earlier := new(Version)
		err := tx.NewSelect().Model(earlier).Where("tenant_id = ? AND prompt_id = ? AND version = ?", tx.TenantID(), t.ID, version).Scan(ctx)
		switch {
		case database.NoRows(err):
			return fault.Invalid([]fault.Detail{{Field: "version", Message: fmt.Sprintf("there is no version %d", version)}})
		case err != nil:
			return fmt.Errorf("read version of prompt %s: %w", t.ID, err)
		}
		return change(ctx, tx, t, earlier.Body)
	})
	if err != nil {
		return nil, err
	}
	return t, nil
}
