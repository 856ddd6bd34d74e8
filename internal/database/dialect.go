package database

import (
	"bytes"

	"github.com/uptrace/bun/dialect/pgdialect"
	"github.com/uptrace/bun/dialect/sqlitedialect"
)

// postgresDialect and sqliteDialect are bun's, except for JSON.
type postgresDialect struct{ *pgdialect.Dialect }

func (postgresDialect) AppendJSON(b, text []byte) []byte { return appendJSON(b, text) }

type sqliteDialect struct{ *sqlitedialect.Dialect }

func (sqliteDialect) AppendJSON(b, text []byte) []byte { return appendJSON(b, text) }

// appendJSON writes JSON as an SQL string. What PostgreSQL's jsonb does not
// store, the character NUL and broken UTF-8, becomes U+FFFD. bun puts a
// backslash before each \u0000, also before one that is a backslash and five
// letters already, and so makes a NUL of it.
func appendJSON(b, text []byte) []byte {
	text = bytes.ToValidUTF8(text, []byte("\ufffd"))
	b = append(b, '\'')
	for i := 0; i < len(text); i++ {
		rest := text[i:]
		switch {
		case rest[0] == '\'':
			b = append(b, `''`...)
		case bytes.HasPrefix(rest, []byte(`\\`)):
			b = append(b, `\\`...)
			i++
		case bytes.HasPrefix(rest, []byte(`\u0000`)):
			b = append(b, `\ufffd`...)
			i += len(`\u0000`) - 1
		default:
			b = append(b, rest[0])
		}
	}
	return append(b, '\'')
}
