package database

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
	"net"

	"github.com/jackc/pgx/v5/pgconn"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// IsUnavailable reports whether an error means that the database is temporarily unreachable or unable to work, so that a
// retry may succeed. It is false for other errors, including those that every retry would meet.
func IsUnavailable(err error) bool {
	var answered *pgconn.PgError
	var fault *sqlite.Error
	switch {
	case errors.As(err, &answered):
		return isTemporary(answered.Code)
	case errors.As(err, &fault):
		switch fault.Code() & 0xff { // the low byte is the primary code: https://www.sqlite.org/rescode.html
		case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_NOMEM, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_INTERRUPT,
			sqlite3.SQLITE_IOERR, sqlite3.SQLITE_FULL, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PROTOCOL:
			return true
		}
		return false
	}
	for _, lost := range []error{context.DeadlineExceeded, driver.ErrBadConn, sql.ErrConnDone, sql.ErrTxDone, io.EOF, io.ErrUnexpectedEOF, net.ErrClosed} {
		if errors.Is(err, lost) {
			return true
		}
	}
	var unreached *pgconn.ConnectError
	var broken net.Error
	return errors.As(err, &unreached) || errors.As(err, &broken) || pgconn.SafeToRetry(err)
}

// isTemporary reports whether a PostgreSQL error code is temporary:
// https://www.postgresql.org/docs/current/errcodes-appendix.html
func isTemporary(code string) bool {
	switch code[:min(2, len(code))] {
	case "08", // connection exception
		"40", // transaction rollback, such as a deadlock
		"53", // insufficient resources
		"57", // operator intervention: shut down, starting up
		"58": // system error
		return true
	}
	return code == "25006" || // read only: a standby, until it is promoted
		code == "55P03" // lock not available
}
