package corpus

import (
	"bytes"
	"fmt"
	"os/exec"
	"strings"

	"parley/internal/audio"
)

// Speech returns a text spoken by a voice, at -24 dBFS: one of espeak-ng, such as "en-gb+f2", or "flite slt".
func Speech(text, voice string) (Sound, error) {
	args := []string{"espeak-ng", "-v", voice, "-s", "155", "--stdout", "--", text}
	if name, ok := strings.CutPrefix(voice, "flite "); ok {
		args = []string{"flite", "-voice", name, "-t", text, "-o", "/dev/stdout"}
	}
	out, err := exec.Command(args[0], args[1:]...).Output() //nolint:gosec // arguments of this package
	if err != nil {
		return nil, fmt.Errorf("%s: %w", args[0], err)
	}
	pcm, err := audio.ReadWAV(bytes.NewReader(streamed(out)), Rate)
	if err != nil {
		return nil, fmt.Errorf("speech of %s: %w", args[0], err)
	}
	sound := make(Sound, len(pcm))
	for i, v := range pcm {
		sound[i] = float64(v)
	}
	return trimSpoken(sound.At(-24)), nil
}

// streamed puts the true sizes into the header of a WAV file that was written to a pipe.
func streamed(wav []byte) []byte {
	if len(wav) < 44 {
		return wav
	}
	size := func(at, n int) {
		wav[at], wav[at+1], wav[at+2], wav[at+3] = byte(n), byte(n>>8), byte(n>>16), byte(n>>24)
	}
	size(4, len(wav)-8)
	size(40, len(wav)-44)
	return wav
}

// trimSpoken takes silence off both ends.
func trimSpoken(s Sound) Sound {
	const quiet = 200
	loud := func(v float64) bool { return v > quiet || v < -quiet }
	for len(s) > 0 && !loud(s[0]) {
		s = s[1:]
	}
	for len(s) > 0 && !loud(s[len(s)-1]) {
		s = s[:len(s)-1]
	}
	return s
}
