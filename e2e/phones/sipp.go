// Package phones provides phones for tests and benchmarks. Their signalling is that of sipp (Debian's sip-tester), by a Script;
// their audio is sent and received by this process, or echoed by sipp.
package phones

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"parley/e2e/binary"
)

// Options are the calls that phones make.
type Options struct {
	SIPPort int    // of the server, at 127.0.0.1
	Number  string // that is called
	Calls   int    // in all
	AtOnce  int    // at most; further calls wait for one to end
	Rate    int    // new calls a second
	Ports   []int  // of the audio, which are taken in turn; none for one at which sipp echoes
}

// Start starts phones that make calls by a script. The process ends with the last call, with exit code 0 if all of them kept to
// the script. Its files are in dir.
func Start(dir string, script *Script, o Options) (*binary.Process, error) {
	echo, err := binary.FreePortRow(4)
	if err != nil {
		return nil, err
	}
	ports := o.Ports
	if len(ports) == 0 {
		ports = []int{echo + echo%2}
	}
	lines := []string{"SEQUENTIAL"}
	for _, port := range ports {
		lines = append(lines, strconv.Itoa(port)+";")
	}
	scenario, fields := filepath.Join(dir, "phone.xml"), filepath.Join(dir, "phone.csv")
	for path, text := range map[string]string{scenario: script.String(), fields: strings.Join(lines, "\n") + "\n"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			return nil, err
		}
	}
	args := []string{"-sf", scenario, "-inf", fields, "-s", o.Number, "-i", "127.0.0.1", "-mi", "127.0.0.1", "-mp", strconv.Itoa(echo + echo%2), "-t", "u1",
		"-m", strconv.Itoa(o.Calls), "-l", strconv.Itoa(o.AtOnce), "-r", strconv.Itoa(o.Rate), "-nostdin", "-trace_err", "-error_file", filepath.Join(dir, "errors.log"),
		"-buff_size", strconv.Itoa(4 << 20),
		// sipp ends when it has waited for a busy machine's processor ten times for 3 s.
		"-watchdog_minor_maxtriggers", "1000000", "-watchdog_major_maxtriggers", "1000000"}
	if len(o.Ports) == 0 {
		args = append(args, "-rtp_echo")
	}
	p, err := binary.Launch("sipp", nil, append(args, fmt.Sprintf("127.0.0.1:%d", o.SIPPort))...)
	if err != nil {
		return nil, fmt.Errorf("sipp of package sip-tester: %w", err)
	}
	return p, nil
}

var overload = regexp.MustCompile(`[^\n]*?Overload warning: [^.]*trips remaining\.`)

// Errors returns what sipp in dir has against the other side; its waits for the processor are left out.
func Errors(dir string) string {
	text, err := os.ReadFile(filepath.Join(dir, "errors.log"))
	if err != nil {
		return ""
	}
	text = overload.ReplaceAll(text, nil)
	return string(text[:min(len(text), 4000)])
}
