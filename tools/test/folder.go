package main

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
)

// folderPrefix begins the names of the folders of runs, in the system's temporary folder.
const folderPrefix = "parley-test-"

// folder is a run's own folder for temporary files, so that nothing is left of tests and builds that were killed.
type folder struct {
	path string
	lock *os.File // locked while the run lasts
}

// newFolder makes a run's folder and removes those of runs that were killed.
func newFolder() (*folder, error) {
	removeLeftFolders()
	path, err := os.MkdirTemp("", folderPrefix)
	if err != nil {
		return nil, err
	}
	f := &folder{path: path}
	if f.lock, err = lockFolder(path); err == nil {
		err = os.Chmod(path, 0o711) // PostgreSQL runs as another user
	}
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(path))
	}
	return f, nil
}

func (f *folder) close() {
	_ = os.RemoveAll(f.path)
	_ = f.lock.Close()
}

func removeLeftFolders() {
	left, _ := filepath.Glob(filepath.Join(os.TempDir(), folderPrefix+"*"))
	for _, path := range left {
		if lock, err := lockFolder(path); err == nil {
			_ = os.RemoveAll(path)
			_ = lock.Close()
		}
	}
}

// lockFolder locks a run's folder; it fails while another process has the lock.
func lockFolder(path string) (*os.File, error) {
	lock, err := os.OpenFile(filepath.Join(path, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	return lock, nil
}
