package database

import (
	"errors"
	"slices"
	"strconv"

	"github.com/jackc/pgx/v5/pgconn"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// PermanentCode returns the database's code of a permanent error: a value that it cannot store, an invalid statement. It
// returns "" for any other error, in particular when the database is unreachable or busy. The error's text may
// contain what was to be written.
func PermanentCode(err error) (code string) {
	var lite *sqlite.Error
	if errors.As(err, &lite) && slices.Contains(permanentSQLite, lite.Code()&0xff) {
		return "SQLite " + strconv.Itoa(lite.Code())
	}
	var pg *pgconn.PgError
	if errors.As(err, &pg) && len(pg.Code) == 5 && slices.Contains(permanentPostgres, pg.Code[:2]) {
		return "SQLSTATE " + pg.Code
	}
	return ""
}

// https://www.sqlite.org/rescode.html, primary codes.
var permanentSQLite = []int{sqlite3.SQLITE_ERROR, sqlite3.SQLITE_TOOBIG, sqlite3.SQLITE_CONSTRAINT, sqlite3.SQLITE_MISMATCH, sqlite3.SQLITE_RANGE}

// https://www.postgresql.org/docs/current/errcodes-appendix.html, classes: data
// exception, integrity constraint violation, syntax error or access rule
// violation, program limit exceeded.
var permanentPostgres = []string{"22", "23", "42", "54"}
