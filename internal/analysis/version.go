package analysis

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"parley/internal/database"
	"parley/internal/fault"
	"parley/internal/inflight"
	"parley/internal/mergepatch"
)

const (
	// keptVersions is how many earlier versions of an analysis are kept.
	keptVersions = 100
	// keptVersionBytes limits their configurations together; the latest is kept whatever its size.
	keptVersionBytes = 4 << 20
)

// versionsBeyond selects the earlier versions of an analysis that are too old to fit into keptVersionBytes.
const versionsBeyond = `SELECT version FROM (SELECT version, SUM(octet_length(CAST(config AS text))) OVER (ORDER BY version DESC) AS size
	FROM analysis_versions WHERE tenant_id = ? AND analysis_id = ?) AS sized WHERE size > ? AND version < ?`

// Version is the current or an earlier version of an analysis.
type Version struct {
	bun.BaseModel `bun:"table:analysis_versions,alias:v"`

	TenantID   string    `bun:"tenant_id,pk"`
	AnalysisID string    `bun:"analysis_id,pk"`
	Version    int64     `bun:"version,pk"`
	Config     Config    `bun:"config,type:jsonb"`
	CreatedAt  time.Time `bun:"created_at"` // when this version was created
}

// AfterScanRow counts a version that a request reads.
func (v *Version) AfterScanRow(ctx context.Context) error {
	return inflight.Reserve(ctx, v.Config.size())
}

// size returns about how many bytes a configuration occupies.
func (c Config) size() int {
	size := len(c.Schema) + len(c.Instructions)
	for _, criterion := range c.Criteria {
		size += len(criterion.Name) + len(criterion.Question)
	}
	return size
}

// same reports whether two configurations are the same to those who read them.
func (c Config) same(other Config) (bool, error) {
	var texts [2][]byte
	for i, config := range []Config{c, other} {
		var err error
		if texts[i], err = json.Marshal(config); err != nil { // which compacts the schema
			return false, fmt.Errorf("read analysis: %w", err)
		}
		if texts[i], err = mergepatch.Apply(texts[i], []byte("{}")); err != nil { // which sorts its names
			return false, fmt.Errorf("read analysis: %w", err)
		}
	}
	return bytes.Equal(texts[0], texts[1]), nil
}

// change sets an analysis's configuration; the previous one becomes an earlier version. Without a difference it does nothing.
func change(ctx context.Context, tx database.Tx, a *Analysis, after Config) error {
	if same, err := a.Config.same(after); err != nil || same {
		return err
	}
	before := &Version{TenantID: a.TenantID, AnalysisID: a.ID, Version: a.Version, Config: a.Config, CreatedAt: a.UpdatedAt}
	if _, err := tx.NewInsert().Model(before).Exec(ctx); err != nil {
		return fmt.Errorf("keep version of analysis %s: %w", a.ID, err)
	}
	_, err := tx.NewDelete().Model((*Version)(nil)).Where("tenant_id = ? AND analysis_id = ? AND version <= ?", a.TenantID, a.ID, a.Version-keptVersions).Exec(ctx)
	if err != nil {
		return fmt.Errorf("clear versions of analysis %s: %w", a.ID, err)
	}
	_, err = tx.ExecContext(ctx, "DELETE FROM analysis_versions WHERE tenant_id = ? AND analysis_id = ? AND version IN ("+versionsBeyond+")",
		a.TenantID, a.ID, a.TenantID, a.ID, keptVersionBytes, a.Version)
	if err != nil {
		return fmt.Errorf("clear large versions of analysis %s: %w", a.ID, err)
	}
	a.Config, a.UpdatedAt = after, tx.Now()
	a.Version++
	if _, err := tx.NewUpdate().Model(a).Column("config", "version", "updated_at").WherePK().Exec(ctx); err != nil {
		return fmt.Errorf("change analysis: %w", err)
	}
	return nil
}

// current returns the version that an analysis has now.
func (a *Analysis) current() Version {
	return Version{TenantID: a.TenantID, AnalysisID: a.ID, Version: a.Version, Config: a.Config, CreatedAt: a.UpdatedAt}
}

// Versions lists an analysis's versions, the current one first, and their total.
func (s Store) Versions(ctx context.Context, name string, limit, offset int64) (page []Version, total int64, err error) {
	err = s.scope.Read(ctx, func(ctx context.Context, tx database.Tx) error {
		a, err := Find(ctx, tx, name)
		if err != nil {
			return err
		}
		earlier, err := tx.NewSelect().Model((*Version)(nil)).Where("tenant_id = ? AND analysis_id = ?", a.TenantID, a.ID).Count(ctx)
		if err != nil {
			return fmt.Errorf("count versions of analysis %s: %w", a.ID, err)
		}
		page, total = nil, earlier+1
		if offset == 0 {
			page = append(page, a.current())
			limit--
		}
		if limit <= 0 || earlier == 0 {
			return nil
		}
		var older []Version
		err = tx.NewSelect().Model(&older).Where("tenant_id = ? AND analysis_id = ?", a.TenantID, a.ID).OrderExpr("version DESC").Limit(limit).Offset(max(0, offset-1)).Scan(ctx)
		if err != nil {
			return fmt.Errorf("list versions of analysis %s: %w", a.ID, err)
		}
		page = append(page, older...)
		return nil
	})
	return page, total, err
}

// Version returns a version of an analysis; not_found if it is not kept.
func (s Store) Version(ctx context.Context, name string, version int64) (v *Version, err error) {
	err = s.scope.Read(ctx, func(ctx context.Context, tx database.Tx) error {
		a, err := Find(ctx, tx, name)
		if err != nil {
			return err
		}
		v, err = find(ctx, tx, a, version)
		return err
	})
	return v, err
}

// find returns a version of an analysis; not_found if it is not kept.
func find(ctx context.Context, tx database.Tx, a *Analysis, version int64) (*Version, error) {
	if version == a.Version {
		v := a.current()
		return &v, nil
	}
	v := new(Version)
	err := tx.NewSelect().Model(v).Where("tenant_id = ? AND analysis_id = ? AND version = ?", a.TenantID, a.ID, version).Scan(ctx)
	switch {
	case database.NoRows(err):
		return nil, fault.Missing("version")
	case err != nil:
		return nil, fmt.Errorf("read version of analysis %s: %w", a.ID, err)
	}
	return v, nil
}

// Rollback sets the configuration of an earlier version as a new version. It must be valid as on creation.
func (s Store) Rollback(ctx context.Context, name string, version int64) (a *Analysis, warnings []string, err error) {
	err = s.scope.Write(ctx, func(ctx context.Context, tx database.Tx) error {
		if a, err = findToChange(ctx, tx, name); err != nil {
			return err
		}
		earlier, err := find(ctx, tx, a, version)
		if fault.Is(err, fault.NotFound) {
			return fault.Invalid([]fault.Detail{{Field: "version", Message: fmt.Sprintf("there is no version %d", version)}})
		}
		if err != nil {
			return err
		}
		i := s.validation(ctx)
		i.config(earlier.Config)
		if err := i.found.With(i.Faults); err != nil {
			return err
		}
		warnings = i.Warnings
		return change(ctx, tx, a, earlier.Config)
	})
	if err != nil {
		return nil, nil, err
	}
	return a, warnings, nil
}
