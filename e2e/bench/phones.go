package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"

	"parley/e2e/binary"
	"parley/e2e/phones"
	"parley/internal/audio"
)

// benchNumber is the phone number of the agent that is measured.
const benchNumber = "+4930555000"

// Phones call phoneRate a second. The server is measured for phoneMeasure while all are in their calls.
const (
	phoneRate    = 4
	phoneMargin  = 8 * time.Second
	phoneMeasure = 30 * time.Second
)

// phoneCalls are the numbers of concurrent calls in part phone.
var phoneCalls = []int{1, 30}

// phone measures phone calls: processor time, memory, and the pacing of the agent's packets.
func phone(path, dir string) (err error) {
	port, err := binary.FreePort()
	if err != nil {
		return err
	}
	e, err := startEmulated(path, dir, map[string]string{"PARLEY_SIP_PORT": strconv.Itoa(port), "PARLEY_SIP_OPEN_NUMBERS": benchNumber, "PARLEY_SIP_CALLS_PER_NUMBER": "0", "PARLEY_SIP_NEW_CALLS_PER_NUMBER": "0"})
	if err != nil {
		return err
	}
	defer func() { err = e.stop(err) }()
	trunk, err := e.create("/api/v1/sip-trunks", map[string]string{"name": "Carrier", "address": "127.0.0.1:9"})
	if err != nil {
		return err
	}
	if _, err := e.create("/api/v1/phone-numbers", map[string]string{"number": benchNumber, "agent_name": emulatedAgent, "trunk_id": trunk}); err != nil {
		return err
	}
	for _, calls := range phoneCalls {
		if err := e.callPhones(dir, calls, port); err != nil {
			return fmt.Errorf("%d calls: %w", calls, err)
		}
	}
	return nil
}

// callPhones has phones call the agent, speak for 2 s of each 8 s, and measures meanwhile.
func (e *conversing) callPhones(dir string, calls, port int) error {
	idle, err := memory(e.Server)
	if err != nil {
		return err
	}
	var sounds []*phones.Audio
	var ports []int
	for range calls {
		a, err := phones.NewAudio()
		if err != nil {
			return err
		}
		defer a.Close()
		sounds, ports = append(sounds, a), append(ports, a.Port())
	}
	ramp := time.Duration(calls) * time.Second / phoneRate
	p, err := phones.Start(dir, new(phones.Script).Call().Pause(ramp+phoneMeasure+2*phoneMargin).HangUp(),
		phones.Options{SIPPort: port, Number: benchNumber, Calls: calls, AtOnce: calls, Rate: phoneRate, Ports: ports})
	if err != nil {
		return err
	}
	defer p.Kill()
	line := slices.Concat(audio.Tone(300, phones.Rate, 2*time.Second), make([]int16, 6*phones.Rate))
	for range int((ramp + phoneMeasure + phoneMargin) / (8 * time.Second)) {
		for i, a := range sounds {
			a.Play(append(make([]int16, i*phones.Rate/8%phones.Rate), line...)) // not all at once
		}
	}
	time.Sleep(ramp + phoneMargin)
	before, err := processorTime(e.PID())
	if err != nil {
		return err
	}
	time.Sleep(phoneMeasure)
	after, err := processorTime(e.PID())
	if err != nil {
		return err
	}
	full, err := resident(e.Server)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	if code, err := p.Wait(ctx); err != nil || code != 0 {
		return errors.Join(err, fmt.Errorf("sipp exits with %d: %s", code, phones.Errors(dir)))
	}
	var late []float64
	received := phones.Received{}
	for _, a := range sounds {
		r := a.Received()
		received.Packets, received.Missing, received.Skipped = received.Packets+r.Packets, received.Missing+r.Missing, received.Skipped+r.Skipped
		for _, d := range a.Late() {
			late = append(late, float64(d.Microseconds())/1000)
		}
	}
	fmt.Printf("%3d phone calls: %d packets of the agent, %d missing, %d not sent in time\n", calls, received.Packets, received.Missing, received.Skipped)
	fmt.Printf("    a call: server                 %6.4f cores, %.1f MB\n", (after-before)/phoneMeasure.Seconds()/float64(calls), (full-idle)/float64(calls))
	fmt.Printf("    packets after their time       %6.1f ms p50, %.1f ms p99\n", quantile(late, 0.5), quantile(late, 0.99))
	return nil
}

// create creates something that the client has no method for, and returns its id.
func (e *conversing) create(path string, fields map[string]string) (id string, err error) {
	body, err := json.Marshal(fields)
	if err != nil {
		return "", err
	}
	q, err := http.NewRequest(http.MethodPost, e.URL+path, bytes.NewReader(body))
	if err != nil {
		return "", err
	}
	q.Header.Set("X-API-Key", e.Key)
	q.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(q)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, answer.Body.Close()) }()
	var created struct{ ID string }
	if err := json.NewDecoder(answer.Body).Decode(&created); err != nil || created.ID == "" {
		return "", fmt.Errorf("POST %s: %s, %w", path, answer.Status, err)
	}
	return created.ID, nil
}
