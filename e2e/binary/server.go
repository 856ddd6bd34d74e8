// Package binary starts and stops the parley binary as a process, for tests and benchmarks.
package binary

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"parley/client"
)

// Server is a running server process.
type Server struct {
	*Process
	Dir     string // data folder
	URL     string
	Key     string // API key of the demo tenant; "" without one
	RTCPort string // signalling of the embedded media server
	API     *client.Client
}

// Start starts a server on free ports and waits until it is ready.
func Start(path, dir string, env map[string]string, flags ...string) (*Server, error) {
	settings, err := FreePorts()
	if err != nil {
		return nil, err
	}
	settings["PARLEY_DATA_DIR"] = dir
	for k, v := range env {
		settings[k] = v
	}
	p, err := Launch(path, settings, append([]string{"serve"}, flags...)...)
	if err != nil {
		return nil, err
	}
	s := &Server{Process: p, Dir: dir, URL: "http://" + settings["PARLEY_ADDR"], RTCPort: settings["PARLEY_RTC_PORT"]}
	if err := s.awaitReady(); err != nil {
		p.Kill()
		return nil, fmt.Errorf("%w\n%s%s", err, p.Out.String(), p.Log.String())
	}
	key, err := os.ReadFile(filepath.Join(dir, "demo-api-key"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	s.Key = strings.TrimSpace(string(key))
	s.API = client.New(s.URL, s.Key)
	return s, nil
}

func (s *Server) awaitReady() error {
	for deadline := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		answer, err := http.Get(s.URL + "/health/ready")
		if err == nil {
			answer.Body.Close()
			if answer.StatusCode == http.StatusOK {
				return nil
			}
			err = fmt.Errorf("/health/ready answers %s", answer.Status)
		}
		select {
		case <-s.ended:
			return fmt.Errorf("the server ended at once: %w", s.err)
		default:
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("the server is not ready: %w", err)
		}
	}
}

// FreePorts returns settings with free ports.
func FreePorts() (map[string]string, error) {
	settings := map[string]string{}
	for _, name := range []string{"PARLEY_ADDR", "PARLEY_RTC_PORT", "PARLEY_RTC_TCP_PORT", "PARLEY_RTC_UDP_PORT", "PARLEY_SIP_PORT"} {
		port, err := FreePort()
		if err != nil {
			return nil, err
		}
		settings[name] = strconv.Itoa(port)
	}
	settings["PARLEY_ADDR"] = "127.0.0.1:" + settings["PARLEY_ADDR"]
	return settings, nil
}
