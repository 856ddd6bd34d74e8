package sippeer

import (
	bits "encoding/binary"
	"errors"
	"fmt"
	"io"
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

// Linphone is linphonec with files in place of a sound card. It sends a tone and records what it receives.
type Linphone struct {
	*Peer
	Address string // host:port, over UDP
}

// LinphoneTone is the frequency in Hz of the tone that Linphone sends, also on hold.
const LinphoneTone = 500.0

const (
	linphoneRate = 8000
	// linphoneSettings has the places of the SIP port, media_encryption and the RTP port. Port 0 switches a transport off.
	linphoneSettings = `[sip]
sip_port=%d
sip_tcp_port=0
sip_tls_port=0
bind_address=127.0.0.1
use_ipv6=0
media_encryption=%s
[rtp]
bind_address=127.0.0.1
audio_rtp_port=%d
[video]
automatically_initiate=0
automatically_accept=0
`
)

// StartLinphone starts a phone that answers calls by itself, with SRTP (SDES) if it is secure.
func StartLinphone(t *testing.T, secure bool) *Linphone {
	t.Helper()
	port, err := binary.FreePort()
	if err != nil {
		t.Fatal(err)
	}
	audioPort, err := binary.FreePortRow(3)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, ".local/share/linphone"), 0o700); err != nil { // of its database
		t.Fatal(err)
	}
	writeTone(t, filepath.Join(dir, "tone.wav"))
	encryption := "none"
	if secure {
		encryption = "srtp"
	}
	settings := fmt.Sprintf(linphoneSettings, port, encryption, audioPort+audioPort%2)
	p := &Linphone{launch(t, dir, map[string]string{"rc": settings}, "linphonec", "-c", "rc", "-a"), net.JoinHostPort("127.0.0.1", strconv.Itoa(port))}
	p.Await(t, "linphonec>")
	for _, line := range []string{"soundcard use files", "play tone.wav", "record received.wav"} {
		p.Command(t, line)
	}
	return p
}

// Command enters a command of linphonec, such as "call sip:100@127.0.0.1:5060" or "terminate", or presses a key.
func (p *Linphone) Command(t *testing.T, line string) {
	t.Helper()
	if _, err := io.WriteString(p.input, line+"\n"); err != nil {
		t.Fatalf("linphonec, %q: %v", line, err)
	}
}

// AwaitReceived waits until the phone has received a tone of freq Hz since the call began or was resumed.
func (p *Linphone) AwaitReceived(t *testing.T, freq float64) {
	t.Helper()
	p.await(t, fmt.Sprintf("%v Hz in the recording", freq), func() bool {
		data, err := os.ReadFile(filepath.Join(p.dir, "received.wav"))
		const header = 44 // bytes; its lengths are written at the end of the call
		if err != nil || len(data) <= header {
			return false
		}
		pcm := make([]int16, (len(data)-header)/2)
		for i := range pcm {
			pcm[i] = int16(bits.LittleEndian.Uint16(data[header+2*i:]))
		}
		for _, rate := range []int{linphoneRate, 48000} { // of G.711 and Opus; the file's header has that of its beginning
			for rest, n := pcm, audio.FrameLength(rate); len(rest) >= n; rest = rest[n:] {
				if audio.Level(rest[:n]) > -40 && audio.Power(rest[:n], freq, rate) > 0.8 {
					return true
				}
			}
		}
		return false
	})
}

// Hold puts the call on hold.
func (p *Linphone) Hold(t *testing.T) {
	t.Helper()
	p.Command(t, "pause 1")
	p.Await(t, " is now paused")
}

// Resume takes the call off hold.
func (p *Linphone) Resume(t *testing.T) {
	t.Helper()
	const established = "Media streams established"
	before := strings.Count(p.Output.String(), established)
	p.Command(t, "resume 1")
	p.await(t, "the call resumed", func() bool { return strings.Count(p.Output.String(), established) > before })
}

// writeTone writes a minute of LinphoneTone.
func writeTone(t *testing.T, path string) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(audio.WriteWAV(f, audio.Tone(LinphoneTone, linphoneRate, time.Minute), linphoneRate), f.Close()); err != nil {
		t.Fatal(err)
	}
}
