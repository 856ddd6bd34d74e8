package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"parley/internal/config"
	"parley/internal/database"
	"parley/internal/seal"
)

// encryptionCheck is a name in the table installation.
const encryptionCheck = "encryption_check"

// checkKey verifies the encryption key by decrypting a constant that the first start has encrypted. If a key of
// ENCRYPTION_KEYS_OLD decrypts it, it is encrypted again with the current key.
func checkKey(ctx context.Context, db *database.DB, sealer *seal.Sealer) error {
	place := seal.Place{Table: "installation", Row: encryptionCheck}
	errWrong := &config.Error{Variable: "ENCRYPTION_KEY", Problem: "is not the key that the database was sealed with; set that key, or name it in ENCRYPTION_KEYS_OLD beside a new one"}
	err := db.System().Write(ctx, func(ctx context.Context, tx database.Tx) error {
		_, err := tx.ExecContext(ctx, "INSERT INTO installation (name, value) VALUES (?, ?) ON CONFLICT DO NOTHING", encryptionCheck, sealer.Seal([]byte(encryptionCheck), place))
		if err != nil {
			return err
		}
		var sealed []byte
		if err := tx.NewSelect().Table("installation").Column("value").Where("name = ?", encryptionCheck).Scan(ctx, &sealed); err != nil {
			return err
		}
		if _, err := sealer.Open(sealed, place); err != nil {
			return errWrong
		}
		if sealer.Current(sealed) {
			return nil
		}
		_, err = tx.ExecContext(ctx, "UPDATE installation SET value = ? WHERE name = ?", sealer.Seal([]byte(encryptionCheck), place), encryptionCheck)
		return err
	})
	if err != nil && !errors.Is(err, errWrong) {
		return fmt.Errorf("check the encryption key: %w", err)
	}
	return err
}

// openInstallation is openStore for commands that make no installation: a data folder without a database is an error.
func openInstallation(ctx context.Context, c config.Store) (secrets config.Secrets, db *database.DB, err error) {
	if err := c.Check(); err != nil {
		return secrets, nil, err
	}
	if c.DatabaseURL == "" {
		if _, err := os.Stat(c.DatabaseFile()); errors.Is(err, fs.ErrNotExist) {
			folder, err := filepath.Abs(c.DataDir)
			if err != nil {
				folder = c.DataDir
			}
			return secrets, nil, &config.Error{Variable: "PARLEY_DATA_DIR", Problem: fmt.Sprintf(
				"there is no installation in %s: name its folder with --data-dir, or make one there with parley migrate or parley serve", folder)}
		}
	}
	return openStore(ctx, c)
}

// lockDataFolder locks the data folder against a second server until the returned function is called or this
// process ends.
func lockDataFolder(c config.Store) (unlock func(), err error) {
	problem := func(format string, args ...any) error {
		return &config.Error{Variable: "PARLEY_DATA_DIR", Problem: fmt.Sprintf(format, args...)}
	}
	file, err := os.OpenFile(c.Path("lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, problem("%v", err)
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		file.Close()
		return nil, problem("another server uses %s: end it, or choose another folder", c.DataDir)
	}
	return func() { file.Close() }, nil
}
