package database

import (
	"database/sql"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"
)

// Pool is the current state of a connection pool.
type Pool struct {
	Name  string // main on PostgreSQL; writer and reader on SQLite
	InUse int
	Idle  int
	Max   int
	Waits int64         // how often a caller waited for a connection, or for its tenant's turn
	Wait  time.Duration // total waiting time
}

// Pools returns the connection pools.
func (db *DB) Pools() []Pool { return db.pools() }

func postgresPool(pool *pgxpool.Pool) Pool {
	s := pool.Stat()
	return Pool{Name: "main", InUse: int(s.AcquiredConns()), Idle: int(s.IdleConns()), Max: int(s.MaxConns()), Waits: s.EmptyAcquireCount(), Wait: s.EmptyAcquireWaitTime()}
}

func sqlitePool(name string, s sql.DBStats) Pool {
	return Pool{Name: name, InUse: s.InUse, Idle: s.Idle, Max: s.MaxOpenConnections, Waits: s.WaitCount, Wait: s.WaitDuration}
}
