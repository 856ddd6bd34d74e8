package e2e

import (
	"bufio"
	bits "encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"parley/e2e/binary"
	"parley/internal/audio"
	"parley/internal/dialogue"
)

// softphone is a telephone, played by baresip: it answers, dials, plays the lines that a test gives it, and keeps
// what it receives.
type softphone struct {
	*binary.Process
	address string
	dir     string // of its settings, of what it says and of what it received
	control net.Conn
	said    int // lines
	ended   int // calls whose end a test has awaited

	mu     sync.Mutex
	events []phoneEvent
}

// phoneEvent is what has happened to a telephone's call, such as CALL_INCOMING, CALL_ESTABLISHED and CALL_CLOSED.
type phoneEvent struct {
	kind string
	at   time.Time
}

const (
	// softphoneNumber is every softphone's number.
	softphoneNumber = "+493012345678"
	softphoneRate   = 8000
	wavHeader       = 44 // octets before the sound in the files of baresip; the last four are the sound's length
)

// newSoftphone starts a telephone that answers at once and sends silence, or what the given modules and settings of baresip make it send.
func newSoftphone(t *testing.T, source ...string) *softphone {
	t.Helper()
	return startSoftphone(t, "auto", source...)
}

// startSoftphone is newSoftphone with the way in which it answers: auto, manual, or early, which sends sound before it has answered.
func startSoftphone(t *testing.T, answers string, source ...string) *softphone {
	t.Helper()
	port, err := binary.FreePortRow(2) // baresip uses the next one for TLS
	if err != nil {
		t.Fatal(err)
	}
	control, err := binary.FreePort()
	if err != nil {
		t.Fatal(err)
	}
	h := &softphone{address: net.JoinHostPort("127.0.0.1", strconv.Itoa(port)), dir: t.TempDir()}
	commands := net.JoinHostPort("127.0.0.1", strconv.Itoa(control))
	if len(source) == 0 {
		source = []string{"audio_source aufile," + h.line(t, nil)}
	}
	for name, text := range map[string]string{
		"config": fmt.Sprintf(`sip_listen %s
net_interface 127.0.0.1
%s
module_path /usr/lib/baresip/modules
module g711.so
module aufile.so
module sndfile.so
snd_path %s
module_app account.so
module_app menu.so
module_app ctrl_tcp.so
ctrl_tcp_listen %s
`, h.address, strings.Join(source, "\n"), h.dir, commands),
		"accounts": fmt.Sprintf("<sip:%s@127.0.0.1;transport=udp>;regint=0;answermode=%s;audio_codecs=PCMU\n", softphoneNumber, answers),
		"contacts": "",
	} {
		if err := os.WriteFile(filepath.Join(h.dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if h.Process, err = binary.Launch("baresip", nil, "-f", h.dir); err != nil {
		t.Fatalf("baresip of package baresip-core: %v", err)
	}
	t.Cleanup(func() {
		h.Kill()
		if t.Failed() {
			t.Logf("the softphone:\n%s%s", h.Out.String(), h.Log.String())
		}
	})
	awaitSIP(t, port)
	await(t, "the softphone takes commands", func() bool {
		h.control, err = net.Dial("tcp", commands)
		return err == nil
	})
	t.Cleanup(func() { h.control.Close() })
	go h.readEvents()
	return h
}

// readEvents keeps the events among what the telephone's module ctrl_tcp writes, netstrings of JSON, until the connection is closed.
func (h *softphone) readEvents() {
	messages := bufio.NewReader(h.control)
	for {
		var length int
		if _, err := fmt.Fscanf(messages, "%d:", &length); err != nil {
			return
		}
		text := make([]byte, length+1) // and the comma
		if _, err := io.ReadFull(messages, text); err != nil {
			return
		}
		var event struct{ Type string }
		if json.Unmarshal(text[:length], &event) == nil && event.Type != "" {
			h.mu.Lock()
			h.events = append(h.events, phoneEvent{event.Type, time.Now()})
			h.mu.Unlock()
		}
	}
}

// eventTimes returns when something happened to the telephone's calls.
func (h *softphone) eventTimes(kind string) (times []time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, e := range h.events {
		if e.kind == kind {
			times = append(times, e.at)
		}
	}
	return times
}

// line leaves sound in a file, with a long silence after it, and returns its path.
func (h *softphone) line(t *testing.T, pcm []int16) string {
	t.Helper()
	r := audio.NewResampler(dialogue.ListenRate, softphoneRate)
	pcm = append(r.Flush(r.Process(pcm, nil)), make([]int16, 5*60*softphoneRate)...)
	h.said++
	path := filepath.Join(h.dir, "line-"+strconv.Itoa(h.said)+".wav")
	writeWAV(t, path, pcm, softphoneRate)
	return path
}

// loopback has a telephone send what it receives.
var loopback = []string{"module_path /usr/lib/baresip/modules", "module aubridge.so", "audio_source aubridge,loop", "audio_player aubridge,loop"}

// command has the telephone do something, by a netstring of JSON as its module ctrl_tcp reads it.
func (h *softphone) command(t *testing.T, name, params string) {
	t.Helper()
	text, err := json.Marshal(map[string]string{"command": name, "params": params})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := fmt.Fprintf(h.control, "%d:%s,", len(text), text); err != nil {
		t.Fatalf("the softphone: %v", err)
	}
}

// dial calls a number of a server.
func (h *softphone) dial(t *testing.T, number, sipPort string) {
	t.Helper()
	h.command(t, "dial", "sip:"+number+"@127.0.0.1:"+sipPort)
}

// hangUp ends the call.
func (h *softphone) hangUp(t *testing.T) {
	t.Helper()
	h.command(t, "hangup", "")
}

// say speaks a line in the call at hand. Whoever is not understood, as it happens to offline recognition over a telephone
// line, says it again, until the condition holds.
func (h *softphone) say(t *testing.T, text string, holds func() bool) {
	t.Helper()
	sound := h.line(t, speech(t, "slt", text))
	const tries, pause = 30, 20 * time.Second
	for range tries {
		h.command(t, "ausrc", "aufile,"+sound)
		for end := time.Now().Add(pause); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
			if holds() {
				return
			}
		}
	}
	t.Fatalf("%q, said %d times, has no effect", text, tries)
}

// awaitEnd waits until the telephone's call has ended.
func (h *softphone) awaitEnd(t *testing.T) {
	t.Helper()
	h.ended++
	await(t, fmt.Sprintf("the softphone's call %d has ended", h.ended), func() bool { return h.closed() >= h.ended })
}

// closed returns how many calls that were answered are over. What the telephone prints does not say: it leaves out calls of less
// than a second.
func (h *softphone) closed() (n int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	established := 0
	for _, e := range h.events {
		switch {
		case e.kind == "CALL_ESTABLISHED":
			established++
		case e.kind == "CALL_CLOSED" && n < established:
			n++
		}
	}
	return n
}

// awaitOutput waits until the telephone prints something.
func (h *softphone) awaitOutput(t *testing.T, text string) {
	t.Helper()
	await(t, fmt.Sprintf("the softphone prints %q", text), func() bool { return strings.Contains(h.Out.String()+h.Log.String(), text) })
}

// received is how long the telephone has received something as loud as speech, in its calls that are over.
func (h *softphone) received(t *testing.T) (loud time.Duration) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(h.dir, "dump-*-dec.wav"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		await(t, "the softphone has closed "+file, func() bool { return closedWAV(t, file) })
		const frame = softphoneRate / 50
		for pcm := readWAV(t, file, softphoneRate); len(pcm) >= frame; pcm = pcm[frame:] {
			if audio.Level(pcm[:frame]) > -40 {
				loud += 20 * time.Millisecond
			}
		}
	}
	return loud
}

// closedWAV reports whether the header of a WAV file has the length of its sound, which baresip writes last.
func closedWAV(t *testing.T, path string) bool {
	t.Helper()
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return len(file) >= wavHeader && int(bits.LittleEndian.Uint32(file[wavHeader-4:])) == len(file)-wavHeader
}

// hears reports whether what the telephone has received last, in 40 ms of the call at hand, is a tone.
func (h *softphone) hears(t *testing.T, hertz float64) bool {
	t.Helper()
	const window = softphoneRate / 25
	pcm := h.receiving(t)
	return len(pcm) > window && audio.Level(pcm[len(pcm)-window:]) > -40 && audio.Power(pcm[len(pcm)-window:], hertz, softphoneRate) > 0.8
}

// receiving returns what the telephone has received so far in the call at hand. It receives without a pause, so samples are a
// clock.
func (h *softphone) receiving(t *testing.T) []int16 {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(h.dir, "dump-*-dec.wav"))
	if err != nil || len(files) != 1 {
		t.Fatalf("files of received sound: %q, %v", files, err)
	}
	file, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	pcm := make([]int16, max(0, len(file)-wavHeader)/2)
	for i := range pcm {
		pcm[i] = int16(bits.LittleEndian.Uint16(file[wavHeader+2*i:]))
	}
	return pcm
}
