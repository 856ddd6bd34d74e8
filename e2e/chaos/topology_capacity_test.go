package chaos

import (
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"parley/client"
	"parley/e2e/binary"
	"parley/internal/caller"
	"parley/internal/dialogue"
	"parley/internal/provider/emulator"
)

// The processor time that each part of an installation spends on a call, and how conversations go at several loads:
// docs/performance.md has the figures. Only at full size.
func TestTopologyCapacity(t *testing.T) {
	if !full {
		return
	}
	const key = "capacity-key"
	hear := emulator.NewDeepgram(t, emulator.Options{Key: key}, emulator.RecognizerScript{
		Lines: []string{"What are your opening hours?"}, Endpointing: 300 * time.Millisecond, Lag: 50 * time.Millisecond,
	})
	think := emulator.NewOpenAI(t, emulator.Options{Key: key, Delay: 100 * time.Millisecond}, emulator.Script{
		Answer: func(dialogue.Prompt) emulator.Reply {
			return emulator.Reply{Text: "We open at nine. We close at five in the evening."}
		},
		FirstSentence: 50 * time.Millisecond,
	})
	speak := emulator.NewCartesia(t, emulator.Options{Key: key, Delay: 50 * time.Millisecond})
	for _, stop := range []func(){hear.Close, think.Close, speak.Close} {
		t.Cleanup(stop)
	}
	x := newTopology(t, map[string]string{
		"DEEPGRAM_BASE_URL": hear.URL, "DEEPGRAM_API_KEY": key, "OPENAI_BASE_URL": think.URL, "OPENAI_API_KEY": key, "CARTESIA_BASE_URL": speak.URL, "CARTESIA_API_KEY": key,
	})
	_, err := x.api.Agents.Create(t.Context(), client.NewAgent{Name: "capacity", Config: client.AgentConfig{
		Prompt: client.Prompt{System: "You answer the telephone of a shop.", Greeting: "Hello, how can I help you?"},
		STT:    client.STT{Provider: "deepgram", Model: "nova-3", Language: "en"},
		LLM:    client.LLM{Provider: "openai", Model: "gpt-4.1-mini"},
		TTS:    client.TTS{Provider: "cartesia", VoiceID: "f786b574-daa5-4673-aa0c-cbe3e8534c02"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	for _, calls := range []int{10, 20, 30, 40} {
		x.bench(calls)
	}
}

// bench makes conversations at once, and logs how they went and what each part spent on them.
func (x *topology) bench(calls int) {
	x.t.Helper()
	const measure, margin = 30 * time.Second, 5 * time.Second
	ramp := time.Duration(calls) * 150 * time.Millisecond
	p, err := binary.Launch(program, map[string]string{"PARLEY_SERVER": x.front, "PARLEY_API_KEY": x.Key}, "bench", "--json", "--agent", "capacity",
		"--calls", strconv.Itoa(calls), "--ramp", ramp.String(), "--duration", (measure + 2*margin).String(), "--interrupt-after", "600ms")
	if err != nil {
		x.t.Fatal(err)
	}
	x.t.Cleanup(p.Kill)
	time.Sleep(ramp + margin)
	before := x.spent()
	time.Sleep(measure)
	after := x.spent()
	if _, err := p.Wait(x.t.Context()); err != nil {
		x.t.Fatal(err)
	}
	var figures caller.Figures
	if err := json.Unmarshal([]byte(p.Out.String()), &figures); err != nil {
		x.t.Fatalf("parley bench: %v: %s", err, p.Log.String())
	}
	x.t.Logf("%d calls: %s", calls, p.Out.String())
	for _, part := range []string{"servers", "workers", "LiveKit", "PostgreSQL", "machine"} {
		cores := (after[part] - before[part]) / measure.Seconds()
		x.t.Logf("%s: %.2f cores, %.4f a call", part, cores, cores/float64(calls))
	}
	if figures.Started < calls || figures.Failed > 0 {
		x.t.Errorf("%d of %d calls were accepted, %d failed", figures.Started, calls, figures.Failed)
	}
}

// spent returns the seconds of a processor that each part has used, and the whole machine.
func (x *topology) spent() map[string]float64 {
	x.t.Helper()
	spent := map[string]float64{}
	for _, s := range x.servers {
		spent["servers"] += x.processorTime(s.PID())
	}
	for _, w := range x.workers {
		spent["workers"] += x.processorTime(w.PID())
	}
	for _, n := range x.nodes {
		spent["LiveKit"] += x.processorTime(n.PID())
	}
	postmaster := x.postmaster()
	spent["PostgreSQL"] = x.processorTime(postmaster)
	children, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", postmaster, postmaster))
	if err != nil {
		x.t.Fatal(err)
	}
	for child := range strings.FieldsSeq(string(children)) {
		pid, err := strconv.Atoi(child)
		if err != nil {
			x.t.Fatal(err)
		}
		spent["PostgreSQL"] += x.processorTime(pid)
	}
	spent["machine"] = x.machineTime()
	return spent
}

func (x *topology) postmaster() int {
	x.t.Helper()
	text, err := os.ReadFile(x.postgres.Dir + "/data/postmaster.pid")
	if err != nil {
		x.t.Fatal(err)
	}
	first, _, _ := strings.Cut(string(text), "\n")
	pid, err := strconv.Atoi(first)
	if err != nil {
		x.t.Fatal(err)
	}
	return pid
}

// processorTime returns the seconds of a processor that a process has used (proc(5)); 0 for one that has ended.
func (x *topology) processorTime(pid int) float64 {
	x.t.Helper()
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	_, after, _ := strings.Cut(string(stat), ") ")
	return x.sum(strings.Fields(after)[11:13])
}

// machineTime returns the seconds in which the machine's processors worked.
func (x *topology) machineTime() float64 {
	x.t.Helper()
	stat, err := os.ReadFile("/proc/stat")
	if err != nil {
		x.t.Fatal(err)
	}
	line, _, _ := strings.Cut(string(stat), "\n")
	fields := strings.Fields(line)
	return x.sum(append(fields[1:4:4], fields[6:9]...)) // without idle and iowait
}

// sum adds clock ticks of proc(5) and returns seconds.
func (x *topology) sum(ticks []string) (seconds float64) {
	x.t.Helper()
	for _, text := range ticks {
		n, err := strconv.ParseFloat(text, 64)
		if err != nil {
			x.t.Fatal(err)
		}
		seconds += n / 100
	}
	return seconds
}
