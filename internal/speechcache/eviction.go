package speechcache

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

const (
	// temporaryPrefix begins the names of files that are being written.
	temporaryPrefix = ".new-"
	// temporaryAge is the age from which such a file was left behind.
	temporaryAge = time.Hour
	// spare is how much of the limit is free after an eviction, as a divisor: a tenth.
	spare = 10
	// useInterval is how exactly the time of the last use is known.
	useInterval = time.Minute
)

// markUsed sets the modification time of a file, which is when it was last used.
func markUsed(file string) {
	now := time.Now()
	if info, err := os.Stat(file); err == nil && now.Sub(info.ModTime()) > useInterval {
		_ = os.Chtimes(file, now, now) // only its turn in evictions depends on it
	}
}

// remove deletes an entry that cannot be read.
func (c *Cache) remove(file string, size int64) {
	if os.Remove(file) == nil {
		c.mu.Lock()
		c.size -= size
		c.mu.Unlock()
	}
}

// stored is a file of the folder.
type stored struct {
	path string
	size int64
	used time.Time
}

// evict measures the folder, and deletes the entries that were used longest ago if it is larger than the limit.
func (c *Cache) evict() {
	c.mu.Lock()
	defer c.mu.Unlock()
	entries := c.list()
	c.size = 0
	for _, e := range entries {
		c.size += e.size
	}
	if c.size <= c.o.Limit {
		return
	}
	slices.SortFunc(entries, func(a, b stored) int { return cmp.Or(a.used.Compare(b.used), strings.Compare(a.path, b.path)) })
	evicted := 0
	for _, e := range entries {
		if c.size <= c.o.Limit-c.o.Limit/spare {
			break
		}
		if err := os.Remove(e.path); err == nil || errors.Is(err, fs.ErrNotExist) {
			c.size -= e.size
			evicted++
		}
	}
	if c.o.Evicted != nil {
		c.o.Evicted(evicted)
	}
}

// list returns the entries of all tenants, and deletes files that were left behind.
func (c *Cache) list() (entries []stored) {
	_ = filepath.WalkDir(c.o.Dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return nil //nolint:nilerr // what cannot be read is not counted
		}
		info, err := d.Info()
		if err != nil {
			return nil //nolint:nilerr // it was deleted meanwhile
		}
		if strings.HasPrefix(d.Name(), temporaryPrefix) {
			if time.Since(info.ModTime()) > temporaryAge {
				_ = os.Remove(path)
			}
			return nil
		}
		entries = append(entries, stored{path, info.Size(), info.ModTime()})
		return nil
	})
	return entries
}

// Sweep deletes the entries of tenants that do not exist any more, and measures the folder, which other processes may use as well.
func (c *Cache) Sweep(exists func(tenantID string) (bool, error)) error {
	folders, err := os.ReadDir(c.o.Dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, folder := range folders {
		found, err := exists(folder.Name())
		if err != nil {
			return err
		}
		if !found {
			if err := os.RemoveAll(filepath.Join(c.o.Dir, folder.Name())); err != nil {
				return err
			}
		}
	}
	c.evict()
	return nil
}
