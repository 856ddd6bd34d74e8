package analytics

import (
	"testing"
	"testing/synctest"
	"time"

	"parley/internal/database"
	"parley/internal/database/databasetest"
)

// A stretch of time ends by the database's clock, whatever this process's says:
// here it is decades off (a synctest bubble begins in the year 2000).
func TestPastByTheDatabasesClock(t *testing.T) {
	url := databasetest.PostgresURL(t)
	db, err := database.Open(t.Context(), url, "")
	if err != nil {
		t.Fatal(err)
	}
	databasetest.Tenant(t, db, acme, "acme")
	db.Close()
	began := time.Now()
	synctest.Test(t, func(t *testing.T) {
		db, err := database.Open(t.Context(), url, "")
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		points, err := New(db).Volume(t.Context(), Query{TenantID: acme, Past: 24 * time.Hour}, Hourly)
		if err != nil {
			t.Fatal(err)
		}
		if last := points[len(points)-1].Time; len(points) < 24 || len(points) > 25 || last.Before(began.Add(-time.Hour)) {
			t.Errorf("%d intervals, the last at %s", len(points), last)
		}
	})
}
