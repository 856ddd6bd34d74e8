package attack

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	process "parley/e2e/binary"
	"parley/internal/audio"
)

const largestSound = 5 << 20

// upload sends a file as a sound, and returns the status and the answer.
func upload(t *testing.T, s *process.Server, key, name, kind string, file []byte) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/api/v1/sounds?name="+name, bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("X-API-Key", key)
	r.Header.Set("Content-Type", kind)
	return answerTo(t, r)
}

// wav is a WAV file with a header of a format, as the header says; the size is that of its samples.
func wav(format, channels uint16, rate uint32, bits uint16, size uint32, samples []byte) []byte {
	file := []byte("RIFF\xff\xff\xff\xffWAVEfmt \x10\x00\x00\x00")
	file = binary.LittleEndian.AppendUint16(file, format)
	file = binary.LittleEndian.AppendUint16(file, channels)
	file = binary.LittleEndian.AppendUint32(file, rate)
	file = binary.LittleEndian.AppendUint32(file, rate*uint32(channels)*uint32(bits)/8)
	file = binary.LittleEndian.AppendUint16(file, channels*bits/8)
	file = binary.LittleEndian.AppendUint16(file, bits)
	file = binary.LittleEndian.AppendUint32(append(file, "data"...), size)
	return append(file, samples...)
}

// ogg is a file of Ogg Opus that goes on with the same page until it is as large as is allowed.
func ogg(channels byte, segments, payload []byte) (file []byte) {
	page := func(flags byte, sequence int, segments, payload []byte) {
		at := len(file)
		file = append(file, 'O', 'g', 'g', 'S', 0, flags, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0)
		file = binary.LittleEndian.AppendUint32(file, uint32(sequence))
		file = append(append(append(file, 0, 0, 0, 0, byte(len(segments))), segments...), payload...)
		var sum uint32 // RFC 3533, section 6
		for _, b := range file[at:] {
			sum ^= uint32(b) << 24
			for range 8 {
				sum = sum<<1 ^ sum>>31*0x04c11db7
			}
		}
		binary.LittleEndian.PutUint32(file[at+22:], sum)
	}
	page(2, 0, []byte{19}, []byte("OpusHead\x01"+string([]byte{channels})+"\x38\x01\x80\xbb\x00\x00\x00\x00\x00"))
	page(0, 1, []byte{16}, []byte("OpusTags\x00\x00\x00\x00\x00\x00\x00\x00"))
	for n := 2; len(file) < largestSound-1000; n++ {
		page(0, n, segments, payload)
	}
	return file
}

// Files that claim more than they are, that hold hours, or that consist of what is slow to read are refused within a moment, with what is
// wrong with them, and many large ones at once take a bounded amount of memory and leave the server answering.
func TestHostileSounds(t *testing.T) {
	s := start(t, nil, "--without=worker,media,sip")
	keys := make([]string, 4)
	for n := range keys {
		keys[n] = newTenant(t, s, fmt.Sprintf("tenant%d", n), "*")
	}
	if status, text := upload(t, s, newTenant(t, s, "reader", "sounds:read"), "x", "audio/wav", []byte("RIFF")); status != http.StatusForbidden {
		t.Errorf("a key that reads: %d %s", status, text)
	}
	noise := make([]byte, largestSound-100)
	for n := range noise {
		noise[n] = byte(rand.Uint32())
	}
	long := audio.Bytes(audio.Tone(1000, 8000, time.Second))
	for what, c := range map[string]struct {
		kind   string
		file   []byte
		status int
		words  string
	}{
		"noise":                {"audio/wav", noise, 422, "neither WAV nor Ogg Opus"},
		"nothing":              {"audio/wav", nil, 422, "is empty"},
		"too large":            {"audio/wav", make([]byte, largestSound+1), 413, "larger than 5242880 bytes"},
		"another type":         {"audio/mpeg", long, 415, "Content-Type audio/ogg or audio/wav"},
		"a form":               {"multipart/form-data; boundary=x", long, 415, "Content-Type"},
		"4 GB":                 {"audio/wav", wav(1, 1, 8000, 16, math.MaxUint32, long), 422, "announces 4294967295 bytes"},
		"255 channels":         {"audio/wav", wav(1, 255, 8000, 16, uint32(len(noise)), noise), 422, "255 channels"},
		"1 Hz":                 {"audio/wav", wav(1, 1, 1, 8, uint32(len(noise)), noise), 422, "1 Hz"},
		"a rate of its own":    {"audio/wav", wav(1, 1, 95999, 16, uint32(len(noise)), noise), 422, "95999 Hz"},
		"11 minutes":           {"audio/wav", wav(1, 1, 8000, 8, uint32(len(noise)), noise), 422, "longer than 5 minutes"},
		"empty pages":          {"audio/ogg", ogg(1, nil, nil), 422, "cut off"},
		"hours of silence":     {"audio/ogg", ogg(1, bytes.Repeat([]byte{2}, 255), bytes.Repeat([]byte{0xE3, 48}, 255)), 422, "longer than 5 minutes"},
		"packets of 2.5 ms":    {"audio/ogg", ogg(1, bytes.Repeat([]byte{1}, 255), bytes.Repeat([]byte{0xE0}, 255)), 422, "longer than 5 minutes"},
		"255 channels of Opus": {"audio/ogg", ogg(255, nil, nil), 422, "255 channels"},
	} {
		began := time.Now()
		status, text := upload(t, s, keys[0], "hostile", c.kind, c.file)
		if status != c.status || !strings.Contains(text, c.words) || status == 422 && !strings.Contains(text, `"field":"body"`) || len(text) > 1000 {
			t.Errorf("%s: %d %.500s, want %d and %q", what, status, text, c.status, c.words)
		}
		if took := time.Since(began); took > 3*time.Second {
			t.Errorf("%s: it took %v", what, took)
		}
	}

	before := memory(t, s)
	samples := bytes.Repeat([]byte{0x00, 0x10, 0x00, 0xF0}, 8000*299/2)
	largest := wav(1, 1, 8000, 16, uint32(len(samples)), samples)
	statuses := map[int]int{}
	var mu sync.Mutex
	var uploads sync.WaitGroup
	for n := range 24 {
		uploads.Go(func() {
			status, text := upload(t, s, keys[n%len(keys)], fmt.Sprintf("sound%d", n), "audio/wav", largest)
			mu.Lock()
			defer mu.Unlock()
			if statuses[status]++; status != http.StatusCreated && status != http.StatusTooManyRequests && status != http.StatusServiceUnavailable {
				t.Errorf("one of many: %d %.300s", status, text)
			}
		})
	}
	done := make(chan struct{})
	go func() { uploads.Wait(); close(done) }()
	var most int
	var slowest time.Duration
	for over := false; !over; {
		began := time.Now()
		answer, _ := send(t, s, keys[1], http.MethodGet, "/api/v1/sounds", "")
		if slowest = max(slowest, time.Since(began)); answer.StatusCode != http.StatusOK {
			t.Errorf("meanwhile a list is answered with %d", answer.StatusCode)
		}
		most = max(most, memory(t, s))
		select {
		case <-done:
			over = true
		case <-time.After(50 * time.Millisecond):
		}
	}
	t.Logf("24 uploads: %v; %d MiB before, %d MiB at most; a list took %v at most", statuses, before>>20, most>>20, slowest)
	if statuses[http.StatusCreated] == 0 || most-before > 200<<20 || slowest > 3*time.Second {
		t.Error("that is too much, or too little")
	}
}
