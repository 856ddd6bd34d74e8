package database_test

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/uuid"

	"parley/internal/database"
)

// IDs contain the time of their transactions and sort by it, and within one in order of creation.
func TestNewID(t *testing.T) {
	path := filepath.Join(t.TempDir(), "parley.db")
	synctest.Test(t, func(t *testing.T) {
		db, err := database.Open(t.Context(), "", path)
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		var ids []string
		for range 50 {
			if err := db.System().Write(t.Context(), func(_ context.Context, tx database.Tx) error {
				for range 50 {
					ids = append(ids, tx.NewID("dlv_"))
				}
				last, err := uuid.Parse(strings.TrimPrefix(ids[len(ids)-1], "dlv_"))
				if err != nil || last.Version() != 7 || last.Variant() != uuid.RFC4122 {
					t.Errorf("%s: version %d, %s, %v", ids[len(ids)-1], last.Version(), last.Variant(), err)
				}
				if sec, nsec := last.Time().UnixTime(); !time.Unix(sec, nsec).Equal(tx.Now().Truncate(time.Millisecond)) {
					t.Errorf("%s is of %s, want %s", last, time.Unix(sec, nsec), tx.Now())
				}
				return nil
			}); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Microsecond)
		}
		if !slices.IsSorted(ids) || len(slices.Compact(ids)) != 2500 {
			t.Errorf("out of order, or not unique: %v", ids)
		}
	})
}
