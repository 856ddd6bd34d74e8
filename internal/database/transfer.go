package database

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// TableData is what precedes the rows of a table that is moved to another database.
type TableData struct {
	Name    string   `json:"table"`
	Columns []string `json:"columns"`
	// LastID is the last number that the database gave to a row; 0 for none, and where it numbers no rows.
	LastID int64 `json:"last_id,omitempty"`
}

// RowWriter receives the rows of a database, table by table, each table after those that it refers to. A row is a JSON
// array with a value for each column: bytes are in base64, times in RFC 3339. It is valid until the call returns.
type RowWriter interface {
	Table(ctx context.Context, t TableData) error
	Row(ctx context.Context, row []byte) error
}

// Export writes all rows as they are at one moment, while others write.
func (db *DB) Export(ctx context.Context, w RowWriter) error {
	tables, err := db.tables(ctx)
	if err != nil {
		return err
	}
	if len(tables) == 0 {
		return errors.New("the database has no tables of parley")
	}
	unlimited := db.System().With("statement_timeout=0", "idle_in_transaction_session_timeout=0")
	return unlimited.Read(ctx, func(ctx context.Context, tx Tx) error {
		for _, t := range tables {
			if err := export(ctx, tx, t, w); err != nil {
				return fmt.Errorf("read table %s: %w", t.Name, err)
			}
		}
		return nil
	})
}

func export(ctx context.Context, tx Tx, t table, w RowWriter) error {
	data := TableData{Name: t.Name}
	var list []string
	for _, c := range t.columns {
		data.Columns = append(data.Columns, c.name)
		list = append(list, quoted(c.name))
	}
	var err error
	if data.LastID, err = lastID(ctx, tx, t); err != nil {
		return err
	}
	if err := w.Table(ctx, data); err != nil {
		return err
	}
	rows, err := tx.QueryContext(ctx, "SELECT "+strings.Join(list, ", ")+" FROM "+quoted(t.Name))
	if err != nil {
		return err
	}
	defer rows.Close()
	scanned := make([]any, len(t.columns))
	for i, c := range t.columns {
		scanned[i] = c.kind.scanned()
	}
	var line bytes.Buffer
	encoder := json.NewEncoder(&line)
	encoder.SetEscapeHTML(false)
	values := make([]any, len(t.columns))
	for rows.Next() {
		if err := rows.Scan(scanned...); err != nil {
			return err
		}
		for i, s := range scanned {
			values[i] = plain(s)
		}
		line.Reset()
		if err := encoder.Encode(values); err != nil {
			return err
		}
		if err := w.Row(ctx, line.Bytes()); err != nil {
			return err
		}
	}
	return rows.Err()
}

// lastID returns the last number that a table's sequence gave.
func lastID(ctx context.Context, tx Tx, t table) (last int64, err error) {
	switch {
	case t.identity == "":
		return 0, nil
	case tx.Postgres():
		var sequence string
		if err := tx.NewRaw("SELECT pg_get_serial_sequence(?, ?)", quoted(t.Name), t.identity).Scan(ctx, &sequence); err != nil {
			return 0, err
		}
		err = tx.NewRaw("SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM "+sequence).Scan(ctx, &last)
	default:
		err = tx.NewRaw("SELECT seq FROM sqlite_sequence WHERE name = ?", t.Name).Scan(ctx, &last)
	}
	if NoRows(err) {
		return 0, nil
	}
	return last, err
}

// scanned returns what a column's value is scanned into.
func (k columnKind) scanned() any {
	switch k {
	case timeColumn:
		return new(sql.NullTime)
	case bytesColumn:
		return new(sql.Null[[]byte])
	case boolColumn:
		return new(sql.NullBool)
	case intColumn:
		return new(sql.NullInt64)
	case floatColumn:
		return new(sql.NullFloat64)
	default:
		return new(sql.NullString)
	}
}

// plain returns a scanned value for JSON, nil for NULL.
func plain(scanned any) any {
	switch v := scanned.(type) {
	case *sql.NullTime:
		if v.Valid {
			return v.Time.UTC()
		}
	case *sql.Null[[]byte]:
		if v.Valid {
			return append([]byte{}, v.V...) // an empty value may be read as nil, which is none
		}
	case *sql.NullBool:
		if v.Valid {
			return v.Bool
		}
	case *sql.NullInt64:
		if v.Valid {
			return v.Int64
		}
	case *sql.NullFloat64:
		if v.Valid {
			return v.Float64
		}
	case *sql.NullString:
		if v.Valid {
			return v.String
		}
	}
	return nil
}

// value parses a value that plain returned; nil is NULL.
func (k columnKind) value(text json.RawMessage) (any, error) {
	if string(text) == "null" {
		return nil, nil
	}
	var err error
	switch k {
	case timeColumn:
		var v time.Time
		err = json.Unmarshal(text, &v)
		return v.UTC(), err
	case bytesColumn:
		v := []byte{}
		err = json.Unmarshal(text, &v)
		return v, err
	case boolColumn:
		var v bool
		err = json.Unmarshal(text, &v)
		return v, err
	case intColumn:
		var v int64
		err = json.Unmarshal(text, &v)
		return v, err
	case floatColumn:
		var v float64
		err = json.Unmarshal(text, &v)
		return v, err
	default:
		var v string
		err = json.Unmarshal(text, &v)
		return v, err
	}
}

const (
	// batchRows and batchBytes bound what one statement inserts.
	batchRows  = 500
	batchBytes = 1 << 20
)

// Loader loads rows into a database. It implements RowWriter.
type Loader struct {
	tx     Tx
	tables []table

	table   table
	data    TableData
	kinds   []columnKind
	batch   []any // values of rows that are not inserted yet
	rows    int   // of batch
	size    int   // of batch, in bytes
	loaded  int64
	started bool
}

// Import replaces all rows with those that load writes, in one transaction. The schema must be the one that the rows
// were exported from.
func (db *DB) Import(ctx context.Context, load func(ctx context.Context, l *Loader) error) (rows int64, err error) {
	tables, err := db.tables(ctx)
	if err != nil {
		return 0, err
	}
	err = db.System().With("statement_timeout=0").Write(ctx, func(ctx context.Context, tx Tx) error {
		// What the migrations inserted is among the rows that come.
		for _, t := range slices.Backward(tables) {
			if _, err := tx.ExecContext(ctx, "DELETE FROM "+quoted(t.Name)); err != nil {
				return fmt.Errorf("empty table %s: %w", t.Name, err)
			}
		}
		l := &Loader{tx: tx, tables: tables}
		if err := load(ctx, l); err != nil {
			return err
		}
		if err := l.finish(ctx); err != nil {
			return err
		}
		rows = l.loaded
		return nil
	})
	return rows, err
}

// Loaded returns the number of rows so far.
func (l *Loader) Loaded() int64 { return l.loaded + int64(l.rows) }

// Table begins a table.
func (l *Loader) Table(ctx context.Context, data TableData) error {
	if err := l.finish(ctx); err != nil {
		return err
	}
	at := slices.IndexFunc(l.tables, func(t table) bool { return t.Name == data.Name })
	if at < 0 {
		return fmt.Errorf("there is no table %s in this schema", data.Name)
	}
	l.table, l.data, l.kinds, l.started = l.tables[at], data, nil, true
	for _, name := range data.Columns {
		c := slices.IndexFunc(l.table.columns, func(c column) bool { return c.name == name })
		if c < 0 {
			return fmt.Errorf("table %s has no column %s in this schema", data.Name, name)
		}
		l.kinds = append(l.kinds, l.table.columns[c].kind)
	}
	return nil
}

// Row loads a row of the table.
func (l *Loader) Row(ctx context.Context, row []byte) error {
	var values []json.RawMessage
	if err := json.Unmarshal(row, &values); err != nil {
		return fmt.Errorf("table %s: read a row: %w", l.data.Name, err)
	}
	if len(values) != len(l.kinds) {
		return fmt.Errorf("table %s: a row has %d values, want %d", l.data.Name, len(values), len(l.kinds))
	}
	for i, text := range values {
		v, err := l.kinds[i].value(text)
		if err != nil {
			return fmt.Errorf("table %s: read column %s: %w", l.data.Name, l.data.Columns[i], err)
		}
		l.batch = append(l.batch, v)
	}
	l.rows++
	l.size += len(row)
	if l.rows >= batchRows || l.size >= batchBytes {
		return l.flush(ctx)
	}
	return nil
}

// flush inserts the batch.
func (l *Loader) flush(ctx context.Context) error {
	if l.rows == 0 {
		return nil
	}
	var list []string
	for _, name := range l.data.Columns {
		list = append(list, quoted(name))
	}
	statement := "INSERT INTO " + quoted(l.table.Name) + " (" + strings.Join(list, ", ") + ")"
	if l.tx.Postgres() {
		statement += " OVERRIDING SYSTEM VALUE" // the database's own numbers come later
	}
	row := "(" + strings.TrimSuffix(strings.Repeat("?, ", len(list)), ", ") + ")"
	statement += " VALUES " + strings.TrimSuffix(strings.Repeat(row+", ", l.rows), ", ")
	if _, err := l.tx.ExecContext(ctx, statement, l.batch...); err != nil {
		return fmt.Errorf("load table %s: %w", l.table.Name, err)
	}
	l.loaded += int64(l.rows)
	l.batch, l.rows, l.size = l.batch[:0], 0, 0
	return nil
}

// finish ends a table: the database numbers later rows after LastID.
func (l *Loader) finish(ctx context.Context) error {
	if !l.started {
		return nil
	}
	if err := l.flush(ctx); err != nil {
		return err
	}
	l.started = false
	if l.table.identity == "" || l.data.LastID == 0 {
		return nil
	}
	var err error
	if l.tx.Postgres() {
		_, err = l.tx.ExecContext(ctx, "SELECT setval(pg_get_serial_sequence(?, ?), ?)", quoted(l.table.Name), l.table.identity, l.data.LastID)
	} else {
		if _, err = l.tx.ExecContext(ctx, "DELETE FROM sqlite_sequence WHERE name = ?", l.table.Name); err == nil {
			_, err = l.tx.ExecContext(ctx, "INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", l.table.Name, l.data.LastID)
		}
	}
	if err != nil {
		return fmt.Errorf("table %s: set the last number: %w", l.table.Name, err)
	}
	return nil
}
