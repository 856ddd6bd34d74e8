package app

import (
	"context"
	"errors"
	"io/fs"
	"os"

	"parley/internal/config"
	"parley/internal/database"
)

// Migrate brings the database's schema up to date and returns the migrations that it applied.
func Migrate(ctx context.Context, c config.Store) ([]database.Migration, error) {
	pending, err := PendingMigrations(ctx, c)
	if err != nil {
		return nil, err
	}
	_, db, err := openStore(ctx, c)
	if err != nil {
		return nil, err
	}
	db.Close()
	return pending, nil
}

// PendingMigrations returns the migrations that Migrate would apply. It changes nothing.
func PendingMigrations(ctx context.Context, c config.Store) ([]database.Migration, error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	if c.DatabaseURL == "" {
		if _, err := os.Stat(c.DatabaseFile()); errors.Is(err, fs.ErrNotExist) {
			return database.Migrations(database.KindSQLite)
		}
	}
	db, err := database.Open(ctx, c.DatabaseURL, c.DatabaseFile())
	if err != nil {
		return nil, err
	}
	defer db.Close()
	if err := checkReplacement(ctx, db); err != nil {
		return nil, err
	}
	return db.Pending(ctx)
}
