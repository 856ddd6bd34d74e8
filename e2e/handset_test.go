package e2e

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"parley/e2e/binary"
	"parley/internal/audio"
)

// handset is a telephone, played by baresip: it picks up when its number rings, says what it has to say, and keeps what
// it hears.
type handset struct {
	*binary.Process
	address string
	heard   string // folder of what it heard
}

// handsetNumber is every handset's number.
const handsetNumber = "+493012345678"

// newHandset starts a telephone that, from the moment that it is picked up, says lines with the pauses before them.
func newHandset(t *testing.T, lines ...spoken) *handset {
	t.Helper()
	port, err := binary.FreePort()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	h := &handset{address: net.JoinHostPort("127.0.0.1", strconv.Itoa(port)), heard: dir}
	says := filepath.Join(dir, "says.wav")
	write(t, says, lines)
	for name, text := range map[string]string{
		"config": fmt.Sprintf(`sip_listen %s
net_interface 127.0.0.1
audio_source aufile,%s
module_path /usr/lib/baresip/modules
module g711.so
module aufile.so
module sndfile.so
snd_path %s
module_app account.so
module_app menu.so
`, h.address, says, dir),
		"accounts": fmt.Sprintf("<sip:%s@127.0.0.1;transport=udp>;regint=0;answermode=auto;audio_codecs=PCMU\n", handsetNumber),
		"contacts": "",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if h.Process, err = binary.Launch("baresip", nil, "-f", dir); err != nil {
		t.Fatalf("baresip of package baresip-core: %v", err)
	}
	t.Cleanup(func() {
		h.Kill()
		if t.Failed() {
			t.Logf("the handset:\n%s%s", h.Out.String(), h.Log.String())
		}
	})
	awaitSIP(t, port)
	return h
}

// spoken is a line, and how long the speaker waits before it.
type spoken struct {
	after time.Duration
	line  string
}

// write leaves what is to be said in a file, at the telephone's 8 kHz, with a long silence at its end.
func write(t *testing.T, path string, lines []spoken) {
	t.Helper()
	const rate = 8000
	quiet := func(d time.Duration) []int16 { return make([]int16, d*rate/time.Second) }
	var pcm []int16
	for i, s := range lines {
		part := filepath.Join(t.TempDir(), strconv.Itoa(i)+".wav")
		speak(t, part, s.line)
		f, err := os.Open(part)
		if err != nil {
			t.Fatal(err)
		}
		said, err := audio.ReadWAV(f, rate)
		f.Close()
		if err != nil {
			t.Fatal(err)
		}
		pcm = append(append(pcm, quiet(s.after)...), said...)
	}
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := audio.WriteWAV(f, append(pcm, quiet(2*time.Minute)...), rate); err != nil {
		t.Fatal(err)
	}
}

// hangsUp waits until the telephone is told that its call is over.
func (h *handset) hangsUp(t *testing.T) {
	t.Helper()
	h.shows(t, " terminated (duration")
}

// shows waits until the telephone prints something.
func (h *handset) shows(t *testing.T, text string) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !strings.Contains(h.Out.String()+h.Log.String(), text); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("the handset does not show %q", text)
		}
	}
}

// hears is how long the telephone has heard something as loud as speech, in all its calls.
func (h *handset) hears(t *testing.T) (loud time.Duration) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(h.heard, "dump-*-dec.wav"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		f, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		const rate, frame = 8000, 20 * time.Millisecond
		pcm, err := audio.ReadWAV(f, rate)
		f.Close()
		if err != nil {
			t.Fatal(err)
		}
		for n := rate / 50; len(pcm) >= n; pcm = pcm[n:] {
			if audio.Level(pcm[:n]) > -40 {
				loud += frame
			}
		}
	}
	return loud
}
