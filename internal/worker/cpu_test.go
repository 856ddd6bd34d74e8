package worker

import (
	"strings"
	"testing"
	"time"
)

func TestReadCPU(t *testing.T) {
	got, ok := readCPU(strings.NewReader("cpu  100 10 50 800 40 5 3 2 60 4\ncpu0 1 1 1 1 1 1 1 1 0 0\n"))
	if want := (cpuTime{busy: 170, all: 1010}); !ok || got != want {
		t.Errorf("%+v, %t; want %+v: guests are counted once, waiting for disks is idle", got, ok, want)
	}
	for _, text := range []string{"", "cpu 1 2 3\n", "intr 1 2 3 4 5 6 7 8\n", "cpu a b c d e f g h\n"} {
		if _, ok := readCPU(strings.NewReader(text)); ok {
			t.Errorf("%q was read", text)
		}
	}
}

func TestCPUWindow(t *testing.T) {
	var w cpuTimes
	share := 0.0
	for i := range uint64(cpuWindow) { // idle
		share = w.add(cpuTime{busy: 0, all: 100 * (i + 1)})
	}
	if share != 0 {
		t.Errorf("an idle machine is busy by %v", share)
	}
	share = w.add(cpuTime{busy: 100, all: 700})
	if share < .1 || share > .2 {
		t.Errorf("busy for one look of %d: %v", cpuWindow, share)
	}
	for i := range uint64(cpuWindow) {
		share = w.add(cpuTime{busy: 100 * (i + 2), all: 100 * (i + 8)})
	}
	if share != 1 {
		t.Errorf("busy for the whole window: %v", share)
	}
	if share = w.add(cpuTime{}); share != 0 {
		t.Errorf("counters that begin anew: %v", share)
	}
}

func TestBrake(t *testing.T) {
	now, share := time.Now(), 0.5
	b := brake{cpu: func() float64 { return share }}
	check := func(what string, running, room, want int, again time.Duration) {
		t.Helper()
		n, wait := b.allow(running, room, now)
		if n != want || wait != again {
			t.Errorf("%s: %d calls, again in %v; want %d, %v", what, n, wait, want, again)
		}
		b.took(n, now)
	}
	check("an idle machine", 0, 40, 40, 0)
	check("a full worker", 40, 0, 0, 0)
	share = 0.95
	check("a busy machine, just after a call", 1, 39, 0, brakeInterval)
	check("the first call is never held back", 0, 40, 1, brakeInterval)
	now = now.Add(brakeInterval / 2)
	check("half an interval later", 1, 39, 0, brakeInterval/2)
	now = now.Add(brakeInterval / 2)
	check("an interval later", 1, 39, 1, brakeInterval)
	now = now.Add(time.Hour)
	check("calls that were not taken are not saved up", 2, 38, 1, brakeInterval)
	share = 0.5
	check("idle again", 3, 37, 37, 0)
	if n, again := (&brake{}).allow(1, 5, now); n != 5 || again != 0 {
		t.Errorf("without a measure: %d, %v", n, again)
	}
}

func TestPulse(t *testing.T) {
	now := time.Now()
	var p pulse
	check := func(what string, want bool) {
		t.Helper()
		if p.sound(now) != want {
			t.Errorf("%s: sound is %t", what, !want)
		}
	}
	check("before anything is known", false)
	p.renewed(now)
	check("after a renewal", true)
	now = now.Add(time.Minute) // the process stood still
	check("after a minute without a renewal", false)
	p.renewed(now)
	p.missed(now)
	check("just when the database is back", false)
	now = now.Add(4 * time.Second)
	check("when others had their time to renew", true)
}
