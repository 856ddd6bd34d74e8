package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"parley/internal/config"
	"parley/internal/database"
	"parley/internal/seal"
)

// oldestPostgres is the oldest supported version of PostgreSQL.
const oldestPostgres = 15

// database checks the database: reachable, its version and role, the schema and the encryption key.
func (d *doctor) database(ctx context.Context) {
	c := d.config.Store
	if c.DatabaseURL == "" {
		if info, err := os.Stat(c.DatabaseFile()); errors.Is(err, os.ErrNotExist) || err == nil && info.Size() == 0 {
			d.add("database", OK, c.DatabaseFile()+" is made at the first start", "")
			return
		}
	}
	db, err := database.Open(ctx, c.DatabaseURL, c.DatabaseFile())
	if err != nil {
		d.add("database", Failed, err.Error(), "start the database, or correct its address, role and password")
		return
	}
	defer db.Close()
	found := "SQLite, " + c.DatabaseFile()
	if db.Postgres() {
		server, err := db.Server(ctx)
		if err != nil {
			d.add("database", Failed, err.Error(), "correct DATABASE_URL")
			return
		}
		found = fmt.Sprintf("PostgreSQL %s, role %s", server.Version, server.Role)
		if server.Major < oldestPostgres {
			d.add("database", Failed, found, fmt.Sprintf("install PostgreSQL %d or later", oldestPostgres))
			return
		}
		if server.Bypasses {
			d.add("database", Warned, found+": row-level security does not apply to it", "use a role that owns the database, and is neither superuser nor BYPASSRLS")
		}
		d.clock("PostgreSQL's clock", server.Now)
	}
	if err := checkReplacement(ctx, db); err != nil {
		d.add("database", Failed, err.Error(), "repeat parley restore with the backup, or parley copy")
		return
	}
	pending, err := db.Pending(ctx)
	switch {
	case err != nil:
		d.add("schema", Failed, err.Error(), "install the newer version of parley")
	case len(pending) > 0:
		d.add("schema", Warned, fmt.Sprintf("%d migrations are pending, the first is %d", len(pending), pending[0].Version), "back up, then run parley migrate, or let the next start do it")
	default:
		d.add("schema", OK, "up to date", "")
	}
	d.key(ctx, db)
	d.add("database", OK, found, "")
}

// key checks that the encryption key is that of the data.
func (d *doctor) key(ctx context.Context, db *database.DB) {
	sealer, err := existingSealer(d.config.Store)
	if err != nil {
		d.add("encryption key", Failed, err.Error(), "restore the key that the data was sealed with; nothing else opens it")
		return
	}
	sealed, err := db.Installation(ctx, encryptionCheck)
	if err != nil || sealed == nil {
		return // nothing is sealed yet
	}
	if _, err := sealer.Open(sealed, seal.Place{Table: "installation", Row: encryptionCheck}); err != nil {
		d.add("encryption key", Failed, "ENCRYPTION_KEY is not the key that the database was sealed with", "set that key, or name it in ENCRYPTION_KEYS_OLD beside a new one")
		return
	}
	d.add("encryption key", OK, "opens the data", "")
}

// existingSealer returns the sealer of the configured key, or of the data folder's, without making one.
func existingSealer(c config.Store) (*seal.Sealer, error) {
	if err := needKey(c); err != nil {
		return nil, err
	}
	text := c.EncryptionKey
	if text == "" {
		content, err := os.ReadFile(c.Path("encryption-key"))
		if err != nil {
			return nil, err
		}
		text = strings.TrimSpace(string(content))
	}
	key, err := seal.ParseKey(text)
	if err != nil {
		return nil, &config.Error{Variable: "ENCRYPTION_KEY", Problem: err.Error()}
	}
	var old [][]byte
	for _, text := range c.EncryptionKeysOld {
		parsed, err := seal.ParseKey(text)
		if err != nil {
			return nil, &config.Error{Variable: "ENCRYPTION_KEYS_OLD", Problem: err.Error()}
		}
		old = append(old, parsed)
	}
	return seal.New(key, old...)
}
