package e2e

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"testing"

	"gopkg.in/hraban/opus.v2"

	"parley/internal/audio"
	"parley/internal/dialogue"
)

func fetch(t *testing.T, url, key, part string, status int) ([]byte, http.Header) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("X-API-Key", key)
	if part != "" {
		request.Header.Set("Range", part)
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != status {
		t.Fatalf("%s: %s, want %d, %v: %.200s", url, answer.Status, status, err, body)
	}
	return body, answer.Header
}

// sides decodes a stereo recording into its two voices, at the recognisers' sample rate.
func sides(t *testing.T, ogg []byte) (left, right []int16) {
	t.Helper()
	stream, err := opus.NewStream(bytes.NewReader(ogg))
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close()
	one, other := audio.NewResampler(48000, dialogue.ListenRate), audio.NewResampler(48000, dialogue.ListenRate)
	stereo := make([]int16, 2*5760)
	for {
		n, err := stream.Read(stereo)
		var l, r []int16
		for i := range n {
			l, r = append(l, stereo[2*i]), append(r, stereo[2*i+1])
		}
		left, right = one.Process(l, left), other.Process(r, right)
		if errors.Is(err, io.EOF) {
			return left, right
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}
