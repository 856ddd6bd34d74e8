package mediaport

import (
	"slices"
	"testing"
	"time"
)

// order is what a reorder buffer returns for packets that arrive at given times: sequence numbers, with the number of missing
// ones before them as negative numbers.
func order(b *reorderBuffer, arrivals []arrivalAt, until time.Duration) (got []int, kinds []arrival) {
	at := beginning
	pop := func() {
		for {
			s, missing, ok := b.pop(at)
			if !ok {
				return
			}
			if missing > 0 {
				got = append(got, -missing)
			}
			got = append(got, int(s.timestamp))
		}
	}
	for _, a := range arrivals {
		for ; at.Before(beginning.Add(a.at)); at = at.Add(time.Millisecond) {
			pop()
		}
		kinds = append(kinds, b.push(at, uint16(a.seq), uint32(a.seq), pcmuPayload, []byte{1}))
		pop()
	}
	for ; at.Before(beginning.Add(until)); at = at.Add(time.Millisecond) {
		pop()
	}
	return got, kinds
}

type arrivalAt struct {
	at  time.Duration
	seq int
}

func TestReorderBuffer(t *testing.T) {
	const ms = time.Millisecond
	for name, test := range map[string]struct {
		arrivals []arrivalAt
		want     []int
		kinds    []arrival
	}{
		"in order":          {[]arrivalAt{{0, 1}, {20 * ms, 2}, {40 * ms, 3}}, []int{1, 2, 3}, []arrival{buffered, buffered, buffered}},
		"swapped":           {[]arrivalAt{{0, 1}, {20 * ms, 3}, {40 * ms, 2}, {60 * ms, 4}}, []int{1, 2, 3, 4}, nil},
		"over the wrap":     {[]arrivalAt{{0, 65534}, {20 * ms, 0}, {25 * ms, 65535}, {40 * ms, 1}}, []int{65534, 65535, 0, 1}, nil},
		"lost":              {[]arrivalAt{{0, 1}, {40 * ms, 3}, {60 * ms, 4}}, []int{1, -1, 3, 4}, nil},
		"two holes":         {[]arrivalAt{{0, 1}, {40 * ms, 3}, {80 * ms, 5}}, []int{1, -1, 3, -1, 5}, nil},
		"doubled":           {[]arrivalAt{{0, 1}, {1 * ms, 1}, {20 * ms, 3}, {21 * ms, 3}, {22 * ms, 2}}, []int{1, 2, 3}, []arrival{buffered, duplicate, buffered, duplicate, buffered}},
		"late":              {[]arrivalAt{{0, 1}, {40 * ms, 3}, {200 * ms, 2}, {201 * ms, 2}}, []int{1, -1, 3}, []arrival{buffered, buffered, late, duplicate}},
		"a new beginning":   {[]arrivalAt{{0, 1}, {20 * ms, 1000}}, []int{1}, []arrival{buffered, distant}},
		"a far older one":   {[]arrivalAt{{0, 20000}, {20 * ms, 10000}}, []int{20000}, []arrival{buffered, distant}},
		"begins anew, near": {[]arrivalAt{{0, 500}, {20 * ms, 100}, {40 * ms, 101}, {60 * ms, 102}, {80 * ms, 103}, {100 * ms, 104}}, []int{500}, []arrival{buffered, late, late, late, late, distant}},
	} {
		var b reorderBuffer
		got, kinds := order(&b, test.arrivals, time.Second)
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: %v, want %v", name, got, test.want)
		}
		if test.kinds != nil && !slices.Equal(kinds, test.kinds) {
			t.Errorf("%s: arrivals %v, want %v", name, kinds, test.kinds)
		}
	}
}

// A missing packet is waited for at most 100 ms; less where the network keeps the order.
func TestWaitFollowsTheNetwork(t *testing.T) {
	var b reorderBuffer
	missing := func(start time.Duration, seq int) time.Duration { // how long the packet after a missing one waits
		at := beginning.Add(start)
		b.push(at, uint16(seq+1), 0, pcmuPayload, nil)
		for waited := time.Duration(0); ; waited += time.Millisecond {
			if _, _, ok := b.pop(at.Add(waited)); ok {
				return waited
			}
		}
	}
	b.push(beginning, 0, 0, pcmuPayload, nil)
	b.pop(beginning)
	if got := missing(0, 1); got != firstWait {
		t.Errorf("first %v", got)
	}
	b.push(beginning.Add(150*time.Millisecond), 1, 0, pcmuPayload, nil) // late
	if got := missing(time.Second, 3); got != maxWait {
		t.Errorf("after a packet that was 150 ms late: %v", got)
	}
	for at := time.Second; at < time.Minute; at += time.Second {
		b.relax(beginning.Add(at))
	}
	if got := missing(time.Minute, 5); got != minWait {
		t.Errorf("after a minute in order: %v", got)
	}
	b.push(beginning.Add(2*time.Minute), 8, 0, pcmuPayload, nil)
	b.push(beginning.Add(2*time.Minute+40*time.Millisecond), 7, 0, pcmuPayload, nil)
	for range 2 {
		b.pop(beginning.Add(3 * time.Minute))
	}
	if got := missing(3*time.Minute, 9); got != 60*time.Millisecond {
		t.Errorf("after a packet that came 40 ms after its successor: %v", got)
	}
}
