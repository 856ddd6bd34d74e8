package call_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"

	"parley/internal/call"
	"parley/internal/database"
)

// A list can be filtered by why calls ended, their number, direction, agent, metadata and creation; the total is of the filter.
func TestListDetails(t *testing.T) {
	each(t, defaults, func(t *testing.T, h *fixture) {
		base := time.Date(2026, 11, 2, 12, 0, 0, 0, time.UTC)
		number, desk, busy := "+4930123456", "desk", call.Busy
		rows := make([]call.Call, 4)
		for i := range rows {
			rows[i] = call.Call{ID: uuid.Must(uuid.NewV7()).String(), TenantID: acme, RoomName: fmt.Sprint("room-", i), CreatedAt: base.Add(time.Duration(i) * time.Hour), JoinBy: base,
				Status: call.Failed, Direction: call.Outbound, CallType: call.SIP, Livemode: true, AgentHistory: []string{}, EndedAt: base.Add(5 * time.Hour)}
		}
		rows[0].StatusReason, rows[0].PhoneNumber = &busy, &number
		rows[1].AgentHistory, rows[1].Metadata = []string{"greeter", "desk"}, json.RawMessage(`{"order":4711,"vip":true,"a.b":"x"}`)
		rows[2].AgentName, rows[2].Metadata = &desk, json.RawMessage(`{"order":"4711","vip":false}`)
		rows[3].Direction = call.Inbound
		err := h.db.System().Write(t.Context(), func(ctx context.Context, tx database.Tx) error {
			if _, err := tx.NewInsert().Model(&rows).Exec(ctx); err != nil {
				return err
			}
			return recount(ctx, tx)
		})
		if err != nil {
			t.Fatal(err)
		}
		for name, tc := range map[string]struct {
			d    call.Details
			want []int
		}{
			"nothing":           {call.Details{}, []int{3, 2, 1, 0}},
			"reason":            {call.Details{Reason: call.Busy}, []int{0}},
			"another reason":    {call.Details{Reason: call.Declined}, nil},
			"number":            {call.Details{PhoneNumber: &number}, []int{0}},
			"direction":         {call.Details{Direction: call.Inbound}, []int{3}},
			"agent":             {call.Details{AgentName: &desk}, []int{2, 1}},
			"metadata":          {call.Details{Metadata: map[string]string{"order": "4711"}}, []int{2, 1}},
			"two of metadata":   {call.Details{Metadata: map[string]string{"order": "4711", "vip": "true"}}, []int{1}},
			"a name with a dot": {call.Details{Metadata: map[string]string{"a.b": "x"}}, []int{1}},
			"created":           {call.Details{CreatedAfter: base.Add(time.Hour), CreatedBefore: base.Add(3 * time.Hour)}, []int{2, 1}},
			"number and reason": {call.Details{PhoneNumber: &number, Reason: call.Busy}, []int{0}},
		} {
			page, total, err := h.calls.List(t.Context(), acme, call.Filter{Details: tc.d}, 10, 0)
			var got []int
			for _, c := range page {
				got = append(got, slices.IndexFunc(rows, func(r call.Call) bool { return r.ID == c.ID }))
			}
			if err != nil || !slices.Equal(got, tc.want) || total != int64(len(tc.want)) {
				t.Errorf("%s: calls %v, total %d, %v; want %v", name, got, total, err, tc.want)
			}
		}
	})
}
