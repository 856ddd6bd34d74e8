package database

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// Server describes a PostgreSQL server and the connection's role.
type Server struct {
	Version  string
	Major    int
	Role     string
	Bypasses bool // row-level security does not apply to the role
	Now      time.Time
}

// Server asks PostgreSQL for its version, role and time.
func (db *DB) Server(ctx context.Context) (s Server, err error) {
	var number int
	if err := db.reader.NewRaw("SELECT current_setting('server_version'), current_setting('server_version_num')::int, clock_timestamp()").Scan(ctx, &s.Version, &number, &s.Now); err != nil {
		return s, fmt.Errorf("ask PostgreSQL for its version: %w", err)
	}
	s.Major = number / 10000
	if s.Bypasses, s.Role, err = db.BypassesRowSecurity(ctx); err != nil {
		return s, err
	}
	if s.Role == "" {
		err = db.reader.NewRaw("SELECT current_user").Scan(ctx, &s.Role)
	}
	return s, err
}

// Installation returns a value of the table installation; nil where there is none, or no such table.
func (db *DB) Installation(ctx context.Context, name string) (value []byte, err error) {
	applied, err := db.Applied(ctx)
	if err != nil || !slices.Contains(applied, 43) { // the migration that makes the table
		return nil, err
	}
	err = db.reader.NewRaw("SELECT value FROM installation WHERE name = ?", name).Scan(ctx, &value)
	if NoRows(err) {
		return nil, nil
	}
	return value, err
}
