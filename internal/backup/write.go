package backup

import (
	"archive/zip"
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"time"

	"parley/internal/database"
	"parley/internal/recording"
)

// Source is what is backed up.
type Source struct {
	DB *database.DB
	// RecordingDir is the folder of the recordings; "" leaves them out.
	RecordingDir string
	Version      string
}

// Write writes a backup of a database that may be in use.
func Write(ctx context.Context, out io.Writer, s Source) (*Manifest, error) {
	m := &Manifest{Format: format, Version: s.Version, CreatedAt: time.Now().UTC(), Database: s.DB.Kind()}
	var err error
	if m.Schema, err = s.DB.Applied(ctx); err != nil {
		return nil, err
	}
	known, err := database.Migrations(s.DB.Kind())
	if err != nil {
		return nil, err
	}
	for _, version := range m.Schema {
		if !slices.ContainsFunc(known, func(k database.Migration) bool { return k.Version == version }) {
			return nil, fmt.Errorf("the database has schema %d, which this version of parley does not know: back up with the version that the servers have", version)
		}
	}
	archive := zip.NewWriter(out)
	w := &tableWriter{archive: archive, manifest: m}
	if err := s.DB.Export(ctx, w); err != nil {
		return nil, err
	}
	if err := w.end(); err != nil {
		return nil, err
	}
	if s.RecordingDir != "" {
		// After the rows: what a call of theirs recorded is there, or was purged meanwhile.
		if err := writeRecordings(ctx, archive, s.RecordingDir, w.recordings, m); err != nil {
			return nil, err
		}
	}
	entry, err := archive.Create(manifestName)
	if err != nil {
		return nil, fmt.Errorf("write the backup: %w", err)
	}
	encoder := json.NewEncoder(entry)
	encoder.SetIndent("", "  ")
	if err := errors.Join(encoder.Encode(m), archive.Close()); err != nil {
		return nil, fmt.Errorf("write the backup: %w", err)
	}
	return m, nil
}

// tableWriter writes each table to a separate entry: a line that describes it, and a line for each row.
type tableWriter struct {
	archive  *zip.Writer
	manifest *Manifest
	entry    *bufio.Writer // nil before the first table

	// recordings has the names of the recordings that the calls' rows refer to.
	recordings         []string
	tenant, id, number int // columns of the table calls; id is -1 in other tables
}

// Table implements database.RowWriter.
func (w *tableWriter) Table(_ context.Context, t database.TableData) error {
	if err := w.end(); err != nil {
		return err
	}
	entry, err := w.archive.Create(path.Join(tableFolder, t.Name+".jsonl"))
	if err != nil {
		return fmt.Errorf("write the backup: %w", err)
	}
	w.entry = bufio.NewWriterSize(entry, 1<<16)
	w.manifest.Tables = append(w.manifest.Tables, Table{Name: t.Name})
	w.id = -1
	if t.Name == "calls" {
		w.tenant, w.id, w.number = slices.Index(t.Columns, "tenant_id"), slices.Index(t.Columns, "id"), slices.Index(t.Columns, "recordings")
	}
	return json.NewEncoder(w.entry).Encode(t)
}

// Row implements database.RowWriter.
func (w *tableWriter) Row(_ context.Context, row []byte) error {
	if w.id >= 0 && w.number >= 0 {
		if err := w.noteRecordings(row); err != nil {
			return err
		}
	}
	w.manifest.Tables[len(w.manifest.Tables)-1].Rows++
	w.manifest.Rows++
	_, err := w.entry.Write(row)
	return err
}

// noteRecordings notes what a call recorded.
func (w *tableWriter) noteRecordings(row []byte) error {
	var values []any
	if err := json.Unmarshal(row, &values); err != nil {
		return fmt.Errorf("read a call's row: %w", err)
	}
	tenantID, _ := values[w.tenant].(string)
	callID, _ := values[w.id].(string)
	parts, _ := values[w.number].(float64)
	for part := int64(1); part <= int64(parts); part++ {
		w.recordings = append(w.recordings, recording.Name(tenantID, callID, part))
	}
	return nil
}

// end ends the table's entry.
func (w *tableWriter) end() error {
	if w.entry == nil {
		return nil
	}
	return w.entry.Flush()
}

// writeRecordings writes the recordings in the folder that are named. One that is being written is cut off where it is.
func writeRecordings(ctx context.Context, archive *zip.Writer, dir string, names []string, m *Manifest) error {
	for _, name := range names {
		if err := ctx.Err(); err != nil {
			return err
		}
		file, err := os.Open(filepath.Join(dir, filepath.FromSlash(name)))
		if errors.Is(err, fs.ErrNotExist) {
			m.RecordingsElsewhere++
			continue
		}
		if err != nil {
			return fmt.Errorf("read recording: %w", err)
		}
		n, err := writeRecording(archive, name, file)
		file.Close()
		if err != nil {
			return fmt.Errorf("back up recording %s: %w", name, err)
		}
		m.Recordings++
		m.RecordingBytes += n
	}
	return nil
}

func writeRecording(archive *zip.Writer, name string, file *os.File) (int64, error) {
	info, err := file.Stat()
	if err != nil {
		return 0, err
	}
	entry, err := archive.CreateHeader(&zip.FileHeader{Name: path.Join(recordingFolder, name), Method: zip.Store, Modified: info.ModTime()}) // compressed sound
	if err != nil {
		return 0, err
	}
	return io.Copy(entry, io.LimitReader(file, info.Size()))
}
