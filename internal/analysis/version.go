package analysis

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/uptrace/bun"

	"parley/internal/database"
	"parley/internal/inflight"
	"parley/internal/mergepatch"
)

// Version is the current or an earlier version of an analysis.
type Version struct {
	bun.BaseModel `bun:"table:analysis_versions,alias:v"`

	TenantID   string    `bun:"tenant_id,pk"`
	AnalysisID string    `bun:"analysis_id,pk"`
	Version    int64     `bun:"version,pk"`
	Config     Config    `bun:"config,type:jsonb"`
	CreatedAt  time.Time `bun:"created_at"` // when this version was created
}

var versions = database.Versions[Version]{Kind: "analysis", Record: "analysis_id", Content: []string{"config"}}

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
	before := a.present()
	if err := versions.Keep(ctx, tx, a.ID, a.Version, &before); err != nil {
		return err
	}
	a.Config, a.UpdatedAt = after, tx.Now()
	a.Version++
	if _, err := tx.NewUpdate().Model(a).Column("config", "version", "updated_at").WherePK().Exec(ctx); err != nil {
		return fmt.Errorf("change analysis: %w", err)
	}
	return nil
}

// present returns the version that an analysis has now.
func (a *Analysis) present() Version {
	return Version{TenantID: a.TenantID, AnalysisID: a.ID, Version: a.Version, Config: a.Config, CreatedAt: a.UpdatedAt}
}

// Versions lists an analysis's versions, the present one first, and how many there are in all.
func (s Store) Versions(ctx context.Context, name string, limit, offset int64) (page []Version, total int64, err error) {
	err = s.scope.Read(ctx, func(ctx context.Context, tx database.Tx) error {
		a, err := Find(ctx, tx, name)
		if err != nil {
			return err
		}
		page, total, err = versions.List(ctx, tx, a.ID, a.present(), limit, offset)
		return err
	})
	return page, total, err
}

// Version returns a version of an analysis; not_found if it is not kept.
func (s Store) Version(ctx context.Context, name string, number int64) (v *Version, err error) {
	err = s.scope.Read(ctx, func(ctx context.Context, tx database.Tx) error {
		a, err := Find(ctx, tx, name)
		if err != nil {
			return err
		}
		if present := a.present(); present.Version == number {
			v = &present
			return nil
		}
		v, err = versions.Get(ctx, tx, a.ID, number)
		return err
	})
	return v, err
}

// Rollback sets the configuration of an earlier version as a new version. It must be valid as on creation.
func (s Store) Rollback(ctx context.Context, name string, number int64) (a *Analysis, warnings []string, err error) {
	err = s.scope.Write(ctx, func(ctx context.Context, tx database.Tx) error {
		if a, err = findToChange(ctx, tx, name); err != nil || a.Version == number {
			return err
		}
		earlier, err := versions.ToRestore(ctx, tx, a.ID, number)
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
