package worker

import (
	"strings"
	"testing"
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
