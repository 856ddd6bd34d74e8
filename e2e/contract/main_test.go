// Package contract holds the served API against its own description: a matrix of every operation with every kind of
// credential and of foreign, random and own names, requests generated from the description, valid and broken ones, and
// a search for planted secrets in all that the server writes. It drives the binary over HTTP, on SQLite and on
// PostgreSQL.
package contract

import (
	"flag"
	"os"
	"testing"
	"time"

	"parley/e2e/binary"
)

// patience bounds the wait for a condition, on a busy machine.
const patience = 2 * time.Minute

// program is the binary under test.
var program string

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(binary.RunTests(m, &program))
}
