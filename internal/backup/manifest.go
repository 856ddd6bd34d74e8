// Package backup writes and reads backups: a ZIP file with the rows of all tables, as they were at one moment, and the
// recordings that they refer to. Secrets are in it as the database has them, encrypted; the keys are not.
package backup

import (
	"time"

	"parley/internal/database"
)

// format is the version of the file's layout.
const format = 1

const (
	manifestName    = "manifest.json"
	tableFolder     = "tables/"
	recordingFolder = "recordings/"
)

// Manifest describes a backup. It is the last entry of the file.
type Manifest struct {
	Format    int           `json:"format"`
	Version   string        `json:"version"` // of the parley that wrote it
	CreatedAt time.Time     `json:"created_at"`
	Database  database.Kind `json:"database"`
	Schema    []int64       `json:"schema"` // applied migrations
	Tables    []Table       `json:"tables"`
	// Rows is the number of rows of all tables.
	Rows           int64 `json:"rows"`
	Recordings     int   `json:"recordings"`
	RecordingBytes int64 `json:"recording_bytes"`
	// RecordingsElsewhere is the number of recordings that are not in this machine's folder: in the bucket, or on
	// another machine.
	RecordingsElsewhere int `json:"recordings_elsewhere"`
}

// Table is the number of rows of a table.
type Table struct {
	Name string `json:"name"`
	Rows int64  `json:"rows"`
}
