package examples

import (
	"encoding/csv"
	"slices"
	"strings"
	"testing"

	"parley/client"
)

// Each contact is called once, though the batch is started twice, and the program prints how each call ended.
func TestBatchDispatch(t *testing.T) {
	sh := newShell(t)
	command := readme(t, "batch-dispatch", "sh")[0]
	rows := func() [][]string {
		found, err := csv.NewReader(strings.NewReader(output(t, sh, command))).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		slices.SortFunc(found, func(a, b []string) int { return strings.Compare(a[0], b[0]) })
		return found
	}
	first, second := rows(), rows()
	if len(first) != 6 || !slices.Equal(first[5], []string{"id", "call_id", "status", "reason", "seconds"}) {
		t.Fatalf("the program prints %q", first)
	}
	for n, row := range first[:5] {
		if !slices.Equal(row, second[n]) || row[2] != client.Failed || row[3] != "no_trunk" {
			t.Errorf("contact %s: %q, then %q; want one call that failed with no_trunk", row[0], row, second[n])
		}
	}
	calls, err := server.API.Calls.List(t.Context(), client.CallQuery{PageSize: 100, UserID: "1001"})
	if err != nil || calls.Total != 1 {
		t.Errorf("contact 1001 was called %+v times, %v", calls, err)
	}
}
