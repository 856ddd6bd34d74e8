package recognition

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// sent describes the items of a queue by lengths and words.
func sent(q *queue) []any {
	var all []any
	for m, ok := q.next(); ok; m, ok = q.next() {
		switch m.kind {
		case audioMessage:
			all = append(all, len(m.audio))
		case finalizeMessage:
			all = append(all, "finalize")
		case farewellMessage:
			all = append(all, "farewell")
		}
	}
	return all
}

func TestQueue(t *testing.T) {
	q := newQueue(Dialect{Piece: 60 * time.Millisecond, Least: 50 * time.Millisecond})
	frame := make([]int16, 320)
	for range 4 {
		q.write(frame)
	}
	q.finalize() // 20 ms are left, and filled up to 50
	q.finalize() // nothing is
	q.write(make([]int16, 16000))
	q.finalize() // 10 of the largest
	want := []any{1920, 1600, "finalize", "finalize"}
	for range 10 {
		want = append(want, 3200)
	}
	want = append(want, "finalize")
	if diff := cmp.Diff(want, sent(q)); diff != "" {
		t.Error(diff)
	}

	q.write(frame)
	q.write(make([]int16, 320*9))
	q.leave()
	if err := q.write(frame); !errors.Is(err, errClosed) {
		t.Errorf("write after leave: %v", err)
	}
	if err := q.finalize(); !errors.Is(err, errClosed) {
		t.Errorf("finalize after leave: %v", err)
	}
	if diff := cmp.Diff([]any{"farewell"}, sent(q)); diff != "" {
		t.Error(diff)
	}
}

func TestQueueKeepsTheSamples(t *testing.T) {
	q := newQueue(Dialect{Piece: 20 * time.Millisecond})
	q.write([]int16{1, -1, 32767, -32768})
	q.finalize()
	m, _ := q.next()
	if diff := cmp.Diff([]byte{1, 0, 255, 255, 255, 127, 0, 128}, m.audio); diff != "" {
		t.Error(diff)
	}
}

func TestQueueIsBounded(t *testing.T) {
	q := newQueue(Dialect{Piece: 20 * time.Millisecond})
	frame := make([]int16, 320)
	for range backlog / (20 * time.Millisecond) {
		if err := q.write(frame); err != nil {
			t.Fatal(err)
		}
	}
	if err := q.write(frame); err == nil || !strings.Contains(err.Error(), "waits for the network") {
		t.Fatalf("write beyond the backlog: %v", err)
	}
	q.next()
	if err := q.write(frame); err != nil {
		t.Errorf("write when there is room again: %v", err)
	}
}
