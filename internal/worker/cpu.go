package worker

import (
	"bufio"
	"context"
	"io"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

const (
	// cpuInterval is how often the machine's load is sampled.
	cpuInterval = 500 * time.Millisecond
	// cpuWindow is the number of samples averaged: 3 s, so that the start of a few calls does not count as load.
	cpuWindow = 6
)

// CPU measures how busy all processors of the machine are.
type CPU struct {
	share atomic.Int64 // of the time, in thousandths
}

// Share returns the busy share of all processors within the window, from 0 to 1; 0 where the system does not report
// it.
func (c *CPU) Share() float64 { return float64(c.share.Load()) / 1000 }

// Run samples until ctx ends.
func (c *CPU) Run(ctx context.Context) {
	ticker := time.NewTicker(cpuInterval)
	defer ticker.Stop()
	var window cpuTimes
	for {
		file, err := os.Open("/proc/stat")
		if err != nil {
			return // not Linux
		}
		at, ok := readCPU(file)
		_ = file.Close()
		if !ok {
			return
		}
		c.share.Store(int64(1000 * window.add(at)))
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// cpuTime is the time of all processors since the machine started, in ticks.
type cpuTime struct{ busy, all uint64 }

// cpuTimes are the last samples, oldest first.
type cpuTimes []cpuTime

// add adds a sample and returns the busy share since the oldest one.
func (w *cpuTimes) add(at cpuTime) float64 {
	*w = append(*w, at)
	if len(*w) > cpuWindow+1 {
		*w = (*w)[1:]
	}
	oldest := (*w)[0]
	if at.all <= oldest.all || at.busy < oldest.busy {
		return 0
	}
	return float64(at.busy-oldest.busy) / float64(at.all-oldest.all)
}

// readCPU parses the first line of /proc/stat, see proc_stat(5): user nice system idle iowait irq softirq steal;
// guest time is part of user and nice.
func readCPU(r io.Reader) (t cpuTime, ok bool) {
	line, err := bufio.NewReader(r).ReadString('\n')
	fields := strings.Fields(line)
	if err != nil || len(fields) < 9 || fields[0] != "cpu" {
		return t, false
	}
	for i, field := range fields[1:9] {
		ticks, err := strconv.ParseUint(field, 10, 64)
		if err != nil {
			return t, false
		}
		t.all += ticks
		if i != 3 && i != 4 {
			t.busy += ticks
		}
	}
	return t, true
}
