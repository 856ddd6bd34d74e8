package recording

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/google/uuid"

	"parley/internal/fault"
)

// Shelf is a remote storage of finished recordings, such as Bucket.
type Shelf interface {
	// Put stores a file under a name.
	Put(ctx context.Context, name, file string) error
	// Open returns a stored file, or not_found.
	Open(ctx context.Context, name string) (Content, error)
	// Delete deletes a stored file; a missing one is not an error.
	Delete(ctx context.Context, name string) error
}

// Content is a recording, open for reading.
type Content interface {
	io.ReadSeekCloser
	Size() int64
}

// Store stores recordings. They are written to a local folder and, with a shelf, moved there when the call has
// ended.
type Store struct {
	dir   string
	shelf Shelf // nil for none
	log   *slog.Logger
	// putWait is the wait after the first failure of the shelf; it doubles with each further one.
	putWait time.Duration
}

// putTries is the number of attempts to store a recording.
const putTries = 5

// NewStore returns a store in a folder, which need not exist yet. Shelf may be
// nil.
func NewStore(dir string, shelf Shelf, log *slog.Logger) *Store {
	return &Store{dir: dir, shelf: shelf, log: log, putWait: time.Second}
}

// Name returns the name of a part of a call's recording: a call that another worker took over has several parts.
func Name(tenantID, callID string, part int64) string {
	return fmt.Sprintf("%s/%s-%d.ogg", tenantID, callID, part)
}

// Part is a part of a call's recording.
type Part struct{ Name, TenantID, CallID string }

// Local lists the recordings in the folder, finished or not.
func (s *Store) Local() (parts []Part, err error) {
	files, err := filepath.Glob(filepath.Join(globbed(s.dir), "*", "*.ogg"))
	if err != nil {
		return nil, fmt.Errorf("list recordings: %w", err)
	}
	for _, file := range files {
		name, err := filepath.Rel(s.dir, file)
		if err != nil {
			return nil, fmt.Errorf("list recordings: %w", err)
		}
		tenantID, rest, _ := strings.Cut(filepath.ToSlash(name), "/")
		part := strings.LastIndexByte(rest, '-')
		if part < 0 || uuid.Validate(tenantID) != nil || uuid.Validate(rest[:part]) != nil {
			continue // not a recording
		}
		parts = append(parts, Part{filepath.ToSlash(name), tenantID, rest[:part]})
	}
	return parts, nil
}

// globbed returns a folder's name as part of a pattern that matches it alone.
func globbed(dir string) string {
	return strings.NewReplacer("\\", "\\\\", "*", "\\*", "?", "\\?", "[", "\\[").Replace(dir)
}

// Create creates the file of a recording.
func (s *Store) Create(name string) (Output, error) {
	file := s.file(name)
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return nil, fmt.Errorf("make recording: %w", err)
	}
	f, err := os.OpenFile(file, os.O_CREATE|os.O_RDWR|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, fmt.Errorf("make recording: %w", err)
	}
	// Recover does not consider a locked file left behind.
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		f.Close()
		return nil, fmt.Errorf("make recording: %w", err)
	}
	return f, nil
}

// Keep stores a finished recording. One that the shelf does not accept stays in the folder and is retried by
// Recover.
func (s *Store) Keep(ctx context.Context, name string) error {
	if s.shelf == nil {
		return nil
	}
	var err error
	for attempt := range putTries {
		if err = s.shelf.Put(ctx, name, s.file(name)); err == nil {
			return os.Remove(s.file(name))
		}
		if attempt < putTries-1 {
			select {
			case <-time.After(s.putWait << attempt):
			case <-ctx.Done():
				return fmt.Errorf("keep recording %s: %w", name, err)
			}
		}
	}
	return fmt.Errorf("keep recording %s: %w", name, err)
}

// Recover stores the recordings that a crashed process has left behind.
func (s *Store) Recover(ctx context.Context) {
	if s.shelf == nil {
		return
	}
	err := filepath.WalkDir(s.dir, func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || filepath.Ext(file) != ".ogg" || ctx.Err() != nil {
			return err
		}
		name, err := filepath.Rel(s.dir, file)
		if err != nil || underWay(file) {
			return err
		}
		if err := s.Keep(ctx, filepath.ToSlash(name)); err != nil {
			s.log.ErrorContext(ctx, "failed to store a recovered recording", "error", err)
		}
		return nil
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		s.log.ErrorContext(ctx, "failed to list recordings to recover", "error", err)
	}
}

// underWay reports whether a recording is still being written.
func underWay(file string) bool {
	f, err := os.Open(file)
	if err != nil {
		return true
	}
	defer f.Close()
	return syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB) != nil
}

// Open returns a recording, or not_found.
func (s *Store) Open(ctx context.Context, name string) (Content, error) {
	f, err := os.Open(s.file(name))
	switch {
	case err == nil:
		info, err := f.Stat()
		if err != nil {
			f.Close()
			return nil, fmt.Errorf("open recording: %w", err)
		}
		return file{f, info.Size()}, nil
	case !errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("open recording: %w", err)
	case s.shelf == nil:
		return nil, fault.New(fault.NotFound, "the recording is not on this machine; with several, PARLEY_RECORDING_BUCKET keeps recordings for all of them")
	}
	return s.shelf.Open(ctx, name)
}

// Delete deletes a recording. A missing one is not an error.
func (s *Store) Delete(ctx context.Context, name string) error {
	if err := os.Remove(s.file(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("delete recording: %w", err)
	}
	if s.shelf == nil {
		return nil
	}
	return s.shelf.Delete(ctx, name)
}

// file returns the path to which a recording is written.
func (s *Store) file(name string) string {
	return filepath.Join(s.dir, filepath.FromSlash(strings.TrimPrefix(path.Clean("/"+name), "/")))
}

// file is a recording on this machine.
type file struct {
	*os.File
	size int64
}

func (f file) Size() int64 { return f.size }
