package offline

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// mortal is the variable that makes the test binary a parent to be killed.
const mortal = "OFFLINE_TEST_PARENT"

// holdProcesses starts a speech process of each kind, prints their ids and
// waits to be killed.
func holdProcesses() {
	model, err := recognizerModel()
	if err != nil {
		panic(err)
	}
	files, err := grammarFiles(model)
	if err != nil {
		panic(err)
	}
	listen, err := startClosed(model, files)
	if err != nil {
		panic(err)
	}
	speak, err := startVoice("slt")
	if err != nil {
		panic(err)
	}
	fmt.Println(listen.self.Pid, speak.self.Pid)
	select {}
}

// gone reports whether a process has ended, reaped or not.
func gone(pid string) bool {
	stat, err := os.ReadFile("/proc/" + pid + "/stat")
	if err != nil {
		return true
	}
	_, state, _ := strings.Cut(string(stat), ") ")
	return strings.HasPrefix(state, "Z")
}

func TestProcessesDieWithTheirParent(t *testing.T) {
	// A process that is stopped cannot see its input close: the kernel alone
	// ends that one.
	for _, stopped := range []bool{false, true} {
		parent := exec.Command(os.Args[0])
		parent.Env = append(os.Environ(), mortal+"=1")
		out, err := parent.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := parent.Start(); err != nil {
			t.Fatal(err)
		}
		line, err := bufio.NewReader(out).ReadString('\n')
		pids := strings.Fields(line)
		if err != nil || len(pids) != 2 {
			parent.Process.Kill()
			t.Fatalf("the parent said %q: %v", line, err)
		}
		for _, pid := range pids {
			if gone(pid) {
				t.Errorf("process %s did not live", pid)
			}
			if n, _ := strconv.Atoi(pid); stopped {
				syscall.Kill(n, syscall.SIGSTOP)
			}
		}
		parent.Process.Kill()
		parent.Wait()
		deadline := time.Now().Add(patience)
		for _, pid := range pids {
			for !gone(pid) && time.Now().Before(deadline) {
				time.Sleep(5 * time.Millisecond)
			}
			if !gone(pid) {
				t.Errorf("process %s outlived its parent (stopped: %v)", pid, stopped)
				kill(t, pid)
			}
		}
	}
}

func TestVariableAloneMakesNoSpeechProcess(t *testing.T) {
	command := exec.Command(os.Args[0], "-test.run=^$")
	command.Env = append(os.Environ(), "PARLEY_SPEECH_PROCESS=listen")
	if out, err := command.Output(); err != nil || !strings.Contains(string(out), "PASS") {
		t.Errorf("the program did not run: %q, %v", out, err)
	}
}

func TestProcessesIgnoreTheStopOfTheirGroup(t *testing.T) {
	p, err := startVoice("slt")
	if err != nil {
		t.Fatal(err)
	}
	defer p.kill()
	for _, s := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		p.self.Signal(s)
	}
	if err := p.send('S', append(make([]byte, 4), "still here"...)); err != nil {
		t.Fatal(err)
	}
	if f, err := p.receive(); err != nil || f.kind != 'W' {
		t.Errorf("got %q, %v", f.kind, err)
	}
}

func TestProcessTellsWhyItCannotStart(t *testing.T) {
	for program, c := range map[string]struct {
		args []string
		want string
	}{
		"speak":  {[]string{"nobody"}, "libflite_cmu_us_nobody.so.1"},
		"listen": {[]string{"-hmm", "/nowhere", "-dict", "/nowhere"}, "model"},
		"sing":   {nil, "ended"},
	} {
		p, err := start(program, c.args)
		if err == nil {
			p.kill()
			t.Fatalf("%s %v started", program, c.args)
		}
		if !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", program, err)
		}
	}
	if c := children(t); len(c) > 0 {
		t.Errorf("processes are left: %v", c)
	}
}

func TestIdleProcessesEnd(t *testing.T) {
	p := newPool(2, 20*time.Millisecond, func() (*process, error) { return startVoice("kal") })
	defer p.close()
	first, err := p.get(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	second, err := p.get(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if _, err := p.get(ctx); err == nil {
		t.Error("a third process was got from a pool of two")
	}
	p.release(first)
	p.release(second)
	for _, process := range []*process{first, second} {
		select {
		case <-process.ended:
		case <-time.After(patience):
			t.Error("an idle process lives on")
		}
	}
	if third, err := p.get(t.Context()); err != nil || !third.alive() {
		t.Errorf("after the idle ones ended: %v", err)
	}
}

func TestCheck(t *testing.T) {
	if err := Check(t.Context()); err != nil {
		t.Fatal(err)
	}
	if c := children(t); len(c) > 0 {
		t.Errorf("Check left processes: %v", c)
	}
	real, err := exec.LookPath("pocketsphinx_continuous")
	if err != nil {
		t.Fatal(err)
	}
	empty, modelless, fliteless := t.TempDir(), t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(modelless, "pocketsphinx_continuous"), nil, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(real, filepath.Join(fliteless, "pocketsphinx_continuous")); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		empty:     "pocketsphinx_continuous is not in PATH: install it with `apt-get install",
		modelless: "pocketsphinx_continuous has no English model",
		fliteless: "flite is not in PATH: install it with `apt-get install",
	} {
		t.Setenv("PATH", path)
		if err := Check(t.Context()); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("got error %v, want one line with %q", err, want)
		}
	}
}
