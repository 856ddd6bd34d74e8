package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// private are the files and folders of the data folder that only the owner may read.
var private = []string{"jwt-secret", "encryption-key", "livekit-secret", "demo-api-key", "parley.db", "parley.db-wal", "parley.db-shm", "recordings"}

// tighten restricts the data folder and its secrets to the owner: 0700 and 0600. Files of another user, and shared
// folders such as /tmp, are left unchanged with a warning.
func (s *Store) tighten() {
	warn := func(path string, err error) {
		s.Logger().Warn("PARLEY_DATA_DIR: readable by others than the owner", "path", path, "error", err)
	}
	if err := tighten(s.DataDir); err != nil {
		warn(s.DataDir, err)
	}
	for _, name := range private {
		if err := tighten(s.Path(name)); err != nil {
			warn(s.Path(name), err)
		}
	}
}

// tighten skips missing files and links.
func tighten(path string) error {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case info.Mode()&fs.ModeSymlink != 0, info.Mode().Perm()&0o077 == 0:
		return nil
	case info.Mode()&fs.ModeSticky != 0:
		return fmt.Errorf("the folder is shared, mode %v", info.Mode())
	}
	owners := fs.FileMode(0o600)
	if info.IsDir() {
		owners = 0o700
	}
	return os.Chmod(path, info.Mode().Perm()&owners)
}
