package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"parley/e2e/binary"
	"parley/e2e/emulated"
	"parley/internal/caller"
)

// emulatedAgent is the name of the agent whose calls are measured.
const emulatedAgent = "bench"

// conversing is a server whose providers are the emulators, with an agent that uses them.
type conversing struct {
	*binary.Server
	vendors *emulated.Vendors
}

// startEmulated starts a server with emulated providers and further settings in dir, and an agent that uses them.
func startEmulated(path, dir string, settings map[string]string) (e *conversing, err error) {
	v, err := emulated.Start()
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, v.Stop())
		}
	}()
	if profile != "" {
		if path, err = os.Executable(); err != nil {
			return nil, err
		}
		if v.Settings[profileVariable], err = filepath.Abs(profile); err != nil {
			return nil, err
		}
	}
	maps.Copy(v.Settings, settings)
	s, err := binary.Start(path, filepath.Join(dir, "emulated"), v.Settings)
	if err != nil {
		return nil, err
	}
	_, err = s.API.Agents.Create(context.Background(), emulated.Agent(emulatedAgent))
	if err != nil {
		return nil, errors.Join(err, s.Stop())
	}
	return &conversing{s, v}, nil
}

// stop ends the server, then the emulators, and returns their protocol violations. After a failed measurement it
// prints the server's log.
func (e *conversing) stop(failed error) error {
	err := errors.Join(failed, e.Server.Stop(), e.vendors.Stop())
	if err != nil {
		for line := range strings.Lines(e.Log.String()) {
			if strings.Contains(line, "level=WARN") || strings.Contains(line, "level=ERROR") {
				fmt.Fprint(os.Stderr, line)
			}
		}
	}
	return err
}

// load is the measurement of concurrent callers.
type load struct {
	caller.Figures
	cores  usage   // cores used per call
	memory float64 // MB per call, of the server's resident set
	busy   float64 // cores in use on the whole machine
}

// usage is seconds of a processor, or cores, that each of the processes used.
type usage struct{ server, callers, vendors, machine float64 }

// Callers start rampEach apart, and the server is measured while all talk, after a pause.
const (
	rampEach    = 150 * time.Millisecond
	loadMargin  = 5 * time.Second
	loadMeasure = 45 * time.Second
)

// runCallers runs concurrent callers against an emulated server by the command line tool.
func (e *conversing) runCallers(path string, calls int) (l load, err error) {
	idle, err := memory(e.Server)
	if err != nil {
		return l, err
	}
	ramp := time.Duration(calls) * rampEach
	p, err := binary.Launch(path, map[string]string{"PARLEY_SERVER": e.URL, "PARLEY_API_KEY": e.Key}, "bench", "--json", "--agent", emulatedAgent,
		"--calls", strconv.Itoa(calls), "--ramp", ramp.String(), "--duration", (loadMeasure + 2*loadMargin).String(), "--interrupt-after", "600ms")
	if err != nil {
		return l, err
	}
	time.Sleep(ramp + loadMargin)
	before, err := e.used(p)
	if err != nil {
		return l, err
	}
	time.Sleep(loadMeasure)
	after, err := e.used(p)
	if err != nil {
		return l, err
	}
	full, err := resident(e.Server)
	if err != nil {
		return l, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	if _, err := p.Wait(ctx); err != nil {
		return l, err
	}
	if err := json.Unmarshal([]byte(p.Out.String()), &l.Figures); err != nil {
		return l, fmt.Errorf("parley bench: %w: %s", err, p.Log.String())
	}
	if l.Failed > 0 {
		fmt.Fprint(os.Stderr, p.Log.String())
	}
	per := float64(calls) * loadMeasure.Seconds()
	l.cores = usage{server: (after.server - before.server) / per, callers: (after.callers - before.callers) / per, vendors: (after.vendors - before.vendors) / per}
	l.busy = (after.machine - before.machine) / loadMeasure.Seconds()
	l.memory = (full - idle) / float64(calls)
	return l, nil
}

func (e *conversing) used(callers *binary.Process) (u usage, err error) {
	for _, p := range []struct {
		pid  int
		used *float64
	}{{e.PID(), &u.server}, {callers.PID(), &u.callers}, {e.vendors.PID(), &u.vendors}} {
		if *p.used, err = processorTime(p.pid); err != nil {
			return u, err
		}
	}
	u.machine, err = machineTime()
	return u, err
}

// machineTime is how many seconds all processors were at work (proc(5): all times of cpu in stat but idle and iowait).
func machineTime() (float64, error) {
	stat, err := os.ReadFile("/proc/stat")
	if err != nil {
		return 0, err
	}
	line, _, _ := strings.Cut(string(stat), "\n")
	sum := 0.0
	for i, field := range strings.Fields(line) {
		if i == 0 || i == 4 || i == 5 || i > 8 { // the name, idle, iowait, and guests, who are counted already
			continue
		}
		ticks, err := strconv.ParseFloat(field, 64)
		if err != nil {
			return 0, err
		}
		sum += ticks / 100
	}
	return sum, nil
}

// processorTime is how many seconds of a processor a process has used (proc(5): utime and stime, in ticks of 10 ms).
func processorTime(pid int) (float64, error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
	if len(fields) < 13 {
		return 0, errors.New("/proc has no times of the process")
	}
	user, userErr := strconv.ParseFloat(fields[11], 64)
	system, systemErr := strconv.ParseFloat(fields[12], 64)
	return (user + system) / 100, errors.Join(userErr, systemErr)
}

func (l load) print() {
	fmt.Printf("%3d calls: %d started, %d failed; %d turns, %d missed\n", l.Calls, l.Started, l.Failed, l.Turns, l.MissedTurns)
	fmt.Printf("    voice to voice                 %6.0f ms p50, %.0f ms p95; above the floor of %d ms: %.0f and %.0f ms\n", valueOf(l.VoiceToVoiceMS.P50), valueOf(l.VoiceToVoiceMS.P95),
		emulated.Floor.Milliseconds(), valueOf(l.VoiceToVoiceMS.P50)-float64(emulated.Floor.Milliseconds()), valueOf(l.VoiceToVoiceMS.P95)-float64(emulated.Floor.Milliseconds()))
	fmt.Printf("    interruption                   %6.0f ms p50, %.0f ms p95\n", valueOf(l.InterruptionMS.P50), valueOf(l.InterruptionMS.P95))
	fmt.Printf("    dispatch to track              %6.1f ms p50, %.1f ms p95\n", valueOf(l.DispatchMS.P50), valueOf(l.DispatchMS.P95))
	fmt.Printf("    a call: server                 %6.4f cores, %.1f MB; its synthetic caller %.4f cores, the emulators %.4f\n", l.cores.server, l.memory, l.cores.callers, l.cores.vendors)
	others := l.busy - float64(l.Calls)*(l.cores.server+l.cores.callers+l.cores.vendors)
	fmt.Printf("    the machine                    %6.2f cores in use, %.2f of them by others\n", l.busy, others)
}

// valueOf returns a measurement, NaN for none.
func valueOf(ms *float64) float64 {
	if ms == nil {
		return math.NaN()
	}
	return *ms
}

// talk measures conversations with emulated vendors at several loads.
func talk(path, dir string) (err error) {
	e, err := startEmulated(path, dir, nil)
	if err != nil {
		return err
	}
	defer func() { err = e.stop(err) }()
	if _, err := dispatchToTrack(e.Server, emulatedAgent, 3); err != nil { // what only the first calls cost
		return err
	}
	for _, calls := range loads {
		l, err := e.runCallers(path, calls)
		if err != nil {
			return err
		}
		l.print()
	}
	return nil
}
