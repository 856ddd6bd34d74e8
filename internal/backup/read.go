package backup

import (
	"archive/zip"
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"parley/internal/database"
)

// Archive is a backup that is open for reading. Its content is undamaged.
type Archive struct {
	Manifest Manifest
	file     *zip.ReadCloser
}

// Open opens a backup and reads all of it once: a file that is damaged or incomplete is an error.
func Open(ctx context.Context, name string) (*Archive, error) {
	file, err := zip.OpenReader(name)
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("there is no file %s", name)
	}
	if err != nil {
		return nil, fmt.Errorf("%s is no complete backup: %w", name, err)
	}
	a := &Archive{file: file}
	if err := a.check(ctx); err != nil {
		file.Close()
		return nil, fmt.Errorf("%s is no complete backup: %w", name, err)
	}
	return a, nil
}

// Close closes the file.
func (a *Archive) Close() error { return a.file.Close() }

// check reads the manifest, and every entry to its end, where ZIP compares its checksum.
func (a *Archive) check(ctx context.Context) error {
	manifest, err := a.file.Open(manifestName)
	if err != nil {
		return err
	}
	defer manifest.Close()
	if err := json.NewDecoder(manifest).Decode(&a.Manifest); err != nil {
		return fmt.Errorf("read %s: %w", manifestName, err)
	}
	if a.Manifest.Format != format {
		return fmt.Errorf("its format is %d, this version of parley reads format %d", a.Manifest.Format, format)
	}
	for _, entry := range a.file.File {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := read(entry, func(r io.Reader) error {
			_, err := io.Copy(io.Discard, r)
			return err
		}); err != nil {
			return fmt.Errorf("%s: %w", entry.Name, err)
		}
	}
	for _, t := range a.Manifest.Tables {
		if !slices.ContainsFunc(a.file.File, func(f *zip.File) bool { return f.Name == tableFolder+t.Name+".jsonl" }) {
			return fmt.Errorf("table %s is missing", t.Name)
		}
	}
	return nil
}

func read(entry *zip.File, f func(io.Reader) error) error {
	content, err := entry.Open()
	if err != nil {
		return err
	}
	defer content.Close()
	return f(content)
}

// Load writes all rows.
func (a *Archive) Load(ctx context.Context, w database.RowWriter) error {
	for _, entry := range a.file.File {
		if !strings.HasPrefix(entry.Name, tableFolder) {
			continue
		}
		if err := read(entry, func(r io.Reader) error { return loadTable(ctx, r, w) }); err != nil {
			return fmt.Errorf("%s: %w", entry.Name, err)
		}
	}
	return nil
}

func loadTable(ctx context.Context, r io.Reader, w database.RowWriter) error {
	lines := bufio.NewReaderSize(r, 1<<16)
	first, err := lines.ReadBytes('\n')
	if err != nil {
		return err
	}
	var t database.TableData
	if err := json.Unmarshal(first, &t); err != nil {
		return err
	}
	if err := w.Table(ctx, t); err != nil {
		return err
	}
	for {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) && len(line) == 0 {
			return nil
		}
		if err != nil {
			return err
		}
		if err := w.Row(ctx, bytes.TrimRight(line, "\n")); err != nil {
			return err
		}
	}
}

// Installation returns a value of the table installation; nil for none.
func (a *Archive) Installation(ctx context.Context, name string) ([]byte, error) {
	found := &installation{name: name}
	for _, entry := range a.file.File {
		if entry.Name == tableFolder+"installation.jsonl" {
			if err := read(entry, func(r io.Reader) error { return loadTable(ctx, r, found) }); err != nil {
				return nil, fmt.Errorf("%s: %w", entry.Name, err)
			}
		}
	}
	return found.value, nil
}

// installation finds a value of the table installation.
type installation struct {
	name  string
	value []byte
	at    [2]int // of the columns name and value
}

func (i *installation) Table(_ context.Context, t database.TableData) error {
	i.at = [2]int{slices.Index(t.Columns, "name"), slices.Index(t.Columns, "value")}
	if slices.Contains(i.at[:], -1) {
		return fmt.Errorf("it has the columns %v", t.Columns)
	}
	return nil
}

func (i *installation) Row(_ context.Context, row []byte) error {
	var values []json.RawMessage
	var name string
	if err := json.Unmarshal(row, &values); err != nil || len(values) <= max(i.at[0], i.at[1]) {
		return fmt.Errorf("it has the row %s", row)
	}
	if err := json.Unmarshal(values[i.at[0]], &name); err != nil || name != i.name {
		return err
	}
	return json.Unmarshal(values[i.at[1]], &i.value)
}

// ExtractRecordings writes the recordings into a folder and returns how many there are.
func (a *Archive) ExtractRecordings(ctx context.Context, dir string) (n int, err error) {
	for _, entry := range a.file.File {
		name, ok := strings.CutPrefix(entry.Name, recordingFolder)
		if !ok {
			continue
		}
		if err := ctx.Err(); err != nil {
			return n, err
		}
		local, err := filepath.Localize(name)
		if err != nil {
			return n, fmt.Errorf("recording %q: %w", name, err)
		}
		if err := read(entry, func(r io.Reader) error { return extract(r, filepath.Join(dir, local)) }); err != nil {
			return n, fmt.Errorf("restore recording %s: %w", name, err)
		}
		n++
	}
	return n, nil
}

func extract(r io.Reader, path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(file, r)
	return errors.Join(err, file.Close())
}
