package app

import (
	"os"
	"os/exec"
	"testing"
)

func TestWorkerNames(t *testing.T) {
	host, pid, ok := parseWorker(workerName())
	if !ok || host != hostname() || pid != os.Getpid() {
		t.Errorf("the name of this process's worker says %q, %d, %t", host, pid, ok)
	}
	if host, pid, ok := parseWorker("voice-7.example-42-ABCDEFGH"); !ok || host != "voice-7.example" || pid != 42 {
		t.Errorf("%q, %d, %t", host, pid, ok)
	}
	for _, other := range []string{"", "w1", "voice-ABCDEFGH", "voice-0-ABCDEFGH", "voice-x-ABCDEFGH"} {
		if _, _, ok := parseWorker(other); ok {
			t.Errorf("%q is taken for a worker's name", other)
		}
	}
}

func TestProcessesThatAreGone(t *testing.T) {
	if !alive(os.Getpid()) || !alive(1) {
		t.Error("a process that runs is taken for gone")
	}
	child := exec.Command("true")
	if err := child.Run(); err != nil {
		t.Fatal(err)
	}
	if alive(child.Process.Pid) {
		t.Error("a process that is gone is taken for one that runs")
	}
}
