package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"parley/internal/backup"
	"parley/internal/config"
	"parley/internal/database"
	"parley/internal/seal"
)

// BackupOptions configures Backup.
type BackupOptions struct {
	File              string // "-" for standard output
	WithoutRecordings bool
	Version           string
}

// Backup writes a backup of the database and this machine's recordings, while servers use them. It neither migrates nor
// needs a key.
func Backup(ctx context.Context, c config.Store, o BackupOptions) (*backup.Manifest, error) {
	if c.DatabaseURL == "" {
		if err := needSQLite(c); err != nil {
			return nil, err
		}
	}
	db, err := database.Open(ctx, c.DatabaseURL, c.DatabaseFile())
	if err != nil {
		return nil, err
	}
	defer db.Close()
	source := backup.Source{DB: db, Version: o.Version}
	if !o.WithoutRecordings {
		source.RecordingDir = c.RecordingDir()
	}
	if o.File == "-" {
		return backup.Write(ctx, os.Stdout, source)
	}
	return writeWhole(o.File, func(out io.Writer) (*backup.Manifest, error) { return backup.Write(ctx, out, source) })
}

// needSQLite returns an error unless the data folder has a SQLite database.
func needSQLite(c config.Store) error {
	if info, err := os.Stat(c.DatabaseFile()); err != nil || info.Size() == 0 {
		return &config.Error{Variable: "PARLEY_DATA_DIR", Problem: fmt.Sprintf("there is no database %s, and DATABASE_URL is not set", c.DatabaseFile())}
	}
	return nil
}

// writeWhole makes a file for its owner alone that appears when it is complete. An existing one is an error.
func writeWhole[T any](path string, write func(io.Writer) (T, error)) (made T, err error) {
	if _, err := os.Lstat(path); err == nil {
		return made, fmt.Errorf("%s exists, choose another file", path)
	}
	file, err := os.CreateTemp(filepath.Dir(path), ".backup-*") // mode 0600
	if err != nil {
		return made, fmt.Errorf("make %s: %w", path, err)
	}
	defer os.Remove(file.Name())
	made, err = write(file)
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		return made, err
	}
	if err := os.Link(file.Name(), path); err != nil {
		return made, fmt.Errorf("make %s: %w", path, err)
	}
	return made, nil
}

// RestoreOptions configures Restore.
type RestoreOptions struct {
	File    string
	Replace bool // data that is there
}

// Restore loads a backup into the configured database, of either kind, and its recordings into the data folder. No
// server may use them. The backup and the key are checked before anything is changed.
func Restore(ctx context.Context, c config.Store, o RestoreOptions) (*backup.Manifest, error) {
	if err := c.Check(); err != nil {
		return nil, err
	}
	archive, err := backup.Open(ctx, o.File)
	if err != nil {
		return nil, err
	}
	defer archive.Close()
	if err := needKey(c); err != nil {
		return nil, err
	}
	secrets, err := c.Prepare()
	if err != nil {
		return nil, err
	}
	if err := checkArchiveKey(ctx, archive, secrets.Sealer); err != nil {
		return nil, err
	}
	unlock, err := lockDataFolder(c)
	if err != nil {
		return nil, err
	}
	defer unlock()
	load := func(ctx context.Context, db *database.DB) error {
		m := archive.Manifest
		if err := db.MigrateLike(ctx, m.Database, m.Schema); err != nil {
			return err
		}
		return importRows(ctx, db, func(ctx context.Context, l *database.Loader) error {
			err := archive.Load(ctx, l)
			if got := l.Loaded(); err == nil && got != m.Rows {
				err = fmt.Errorf("%d rows were read, its manifest has %d", got, m.Rows)
			}
			return err
		}, "database.restore")
	}
	recordings := c.RecordingDir() + ".restoring"
	if err := os.RemoveAll(recordings); err != nil {
		return nil, fmt.Errorf("restore recordings: %w", err)
	}
	defer os.RemoveAll(recordings)
	if _, err := archive.ExtractRecordings(ctx, recordings); err != nil {
		return nil, err
	}
	if c.DatabaseURL == "" {
		err = replaceSQLite(ctx, c, o.Replace, load)
	} else {
		err = replacePostgres(ctx, c, o.Replace, load)
	}
	if err != nil {
		return nil, err
	}
	return &archive.Manifest, replaceFolder(recordings, c.RecordingDir())
}

// needKey returns an error where Prepare would generate a key, which could not open what comes.
func needKey(c config.Store) error {
	if c.EncryptionKey != "" {
		return nil
	}
	if _, err := os.Stat(c.Path("encryption-key")); errors.Is(err, fs.ErrNotExist) {
		return &config.Error{Variable: "ENCRYPTION_KEY", Problem: fmt.Sprintf("is not set, and there is no %s: put the key that belongs to the backup there first", c.Path("encryption-key"))}
	}
	return nil
}

// checkArchiveKey verifies that the key opens the backup's secrets.
func checkArchiveKey(ctx context.Context, a *backup.Archive, sealer *seal.Sealer) error {
	sealed, err := a.Installation(ctx, encryptionCheck)
	if err != nil || sealed == nil {
		return err
	}
	if _, err := sealer.Open(sealed, seal.Place{Table: "installation", Row: encryptionCheck}); err != nil {
		return &config.Error{Variable: "ENCRYPTION_KEY", Problem: "is not the key that the backup was sealed with; set that key, or name it in ENCRYPTION_KEYS_OLD beside a new one"}
	}
	return nil
}

// importRows loads rows into an empty database of their schema, migrates it, and writes an action to the audit logs.
func importRows(ctx context.Context, db *database.DB, load func(context.Context, *database.Loader) error, action string) error {
	if _, err := db.Import(ctx, load); err != nil {
		return err
	}
	if _, err := db.Migrate(ctx); err != nil {
		return err
	}
	return recordForAll(ctx, db, action)
}

// replaceSQLite makes a database file beside the present one and puts it in its place.
func replaceSQLite(ctx context.Context, c config.Store, replace bool, load func(context.Context, *database.DB) error) error {
	path := c.DatabaseFile()
	if info, err := os.Stat(path); err == nil && info.Size() > 0 && !replace {
		return &config.Error{Variable: "PARLEY_DATA_DIR", Problem: fmt.Sprintf("%s exists, and --replace is not given, which deletes it", path)}
	}
	restoring, old := path+".restoring", path+".old"
	removeDatabase := func(path string) error {
		for _, suffix := range []string{"", "-wal", "-shm"} {
			if err := os.Remove(path + suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
		return nil
	}
	if err := errors.Join(removeDatabase(restoring), removeDatabase(old)); err != nil {
		return fmt.Errorf("restore: %w", err)
	}
	db, err := database.Open(ctx, "", restoring)
	if err != nil {
		return err
	}
	err = load(ctx, db)
	db.Close()
	if err != nil {
		return errors.Join(err, removeDatabase(restoring))
	}
	if err := settleLog(ctx, path); err != nil {
		// There is none, or it cannot be opened: what there is of it is renamed, or its log would be applied to the new one.
		for _, suffix := range []string{"-wal", "-shm", ""} {
			if err := os.Rename(path+suffix, old+suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("restore: %w", err)
			}
		}
	}
	if err := os.Rename(restoring, path); err != nil {
		return fmt.Errorf("restore: %w", err)
	}
	return removeDatabase(old)
}

// settleLog writes the log of a database that nobody uses into its file, and removes it: another file can take the
// database's place in one step.
func settleLog(ctx context.Context, path string) error {
	if _, err := os.Stat(path); err != nil {
		return err
	}
	db, err := database.Open(ctx, "", path)
	if err != nil {
		return err
	}
	db.Close()
	if info, err := os.Stat(path + "-wal"); err == nil && info.Size() > 0 {
		return fmt.Errorf("%s-wal is in use", path)
	}
	return nil
}

// transferName is the application name of connections that replace a database.
const transferName = "parley-restore"

// goneAfter bounds how long connections of servers that have ended are waited for.
const goneAfter = 5 * time.Second

// replacePostgres loads rows into the PostgreSQL database of DATABASE_URL, which no server may use.
func replacePostgres(ctx context.Context, c config.Store, replace bool, load func(context.Context, *database.DB) error) error {
	problem := func(format string, args ...any) error {
		return &config.Error{Variable: "DATABASE_URL", Problem: fmt.Sprintf(format, args...)}
	}
	db, err := database.Open(ctx, database.Named(c.DatabaseURL, transferName), "")
	if err != nil {
		return err
	}
	defer db.Close()
	for began := time.Now(); ; time.Sleep(100 * time.Millisecond) {
		others, err := db.OtherConnections(ctx, transferName)
		if err != nil {
			return err
		}
		if others == 0 {
			break
		}
		if time.Since(began) > goneAfter {
			return problem("the database has %d other connections of the same role: end the servers and workers first", others)
		}
	}
	applied, err := db.Applied(ctx)
	if err != nil {
		return err
	}
	interrupted, err := db.InReplacement(ctx)
	if err != nil {
		return err
	}
	if len(applied) > 0 && !replace && !interrupted {
		return problem("the database has tables of parley, and --replace is not given, which deletes them")
	}
	if err := db.StartReplacement(ctx); err != nil {
		return err
	}
	if err := load(ctx, db); err != nil {
		return fmt.Errorf("the database is without data now, and no server starts on it until this succeeds: %w", err)
	}
	return db.FinishReplacement(ctx)
}

// checkReplacement returns an error for a database that a restoration has not filled.
func checkReplacement(ctx context.Context, db *database.DB) error {
	unfinished, err := db.InReplacement(ctx)
	if err == nil && unfinished {
		err = &config.Error{Variable: "DATABASE_URL", Problem: "parley restore or parley copy has not filled this database: wait until it has ended, or repeat it if it was interrupted"}
	}
	return err
}

// replaceFolder puts a folder in the place of another one. Either may be missing.
func replaceFolder(from, to string) error {
	if err := os.RemoveAll(to); err != nil {
		return fmt.Errorf("replace %s: %w", to, err)
	}
	if err := os.Rename(from, to); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("replace %s: %w", to, err)
	}
	return nil
}

// Copy copies the SQLite database of the data folder to PostgreSQL at DATABASE_URL and returns the number of rows. No
// server may use either. The key is that of the data folder.
func Copy(ctx context.Context, c config.Store, replace bool) (rows int64, err error) {
	if c.DatabaseURL == "" {
		return 0, &config.Error{Variable: "DATABASE_URL", Problem: "is required: the PostgreSQL database to copy to"}
	}
	if err := errors.Join(c.Check(), needSQLite(c)); err != nil {
		return 0, err
	}
	unlock, err := lockDataFolder(c)
	if err != nil {
		return 0, err
	}
	defer unlock()
	source := c
	source.DatabaseURL = ""
	_, from, err := openStore(ctx, source)
	if err != nil {
		return 0, err
	}
	defer from.Close()
	err = replacePostgres(ctx, c, replace, func(ctx context.Context, to *database.DB) error {
		if _, err := to.Migrate(ctx); err != nil {
			return err
		}
		rows, err = to.Import(ctx, func(ctx context.Context, l *database.Loader) error { return from.Export(ctx, l) })
		if err != nil {
			return err
		}
		return recordForAll(ctx, to, "database.copy")
	})
	return rows, err
}
