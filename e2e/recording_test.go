package e2e

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"path/filepath"
	"testing"
	"time"

	"gopkg.in/hraban/opus.v2"

	"parley/client"
	"parley/e2e/callers"
	"parley/internal/audio"
	"parley/internal/dialogue"
	"parley/internal/media"
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

// The recording has what the agent says when the caller hears it: what a caller sends back at once is at the same place on both sides.
func TestSidesOfARecordingMatch(t *testing.T) {
	t.Parallel()
	defer acquireLine()()
	s := serve(t, filepath.Join(t.TempDir(), "data"), nil)
	ask(t, s, http.MethodPost, "/api/v1/agents", json.RawMessage(`{"name": "desk", "config": {`+offlineSpeech+`, "recording": true, "prompt": {
		"greeting": "Good morning, this is the front desk of the city hospital.", "system": "- hello => Hello."}}}`), nil)
	undisturbed(t, func() string {
		d := beginWith(t, s, "desk")
		caller, err := joiner.Join(t.Context(), media.JoinOptions{URL: d.URL, Token: d.Token})
		if err != nil {
			t.Fatal(err)
		}
		defer caller.Leave()
		go callers.Echo(caller, 0, 0.5)
		entries(t, s, d.CallID, 1)
		caller.Leave()
		awaitEnd(t, s, d.CallID, client.Completed, "caller_hangup")
		body, _ := fetch(t, s.URL+"/api/v1/calls/"+d.CallID+"/recording", s.Key, "", http.StatusOK)
		left, right := sides(t, body)
		if early := delayOf(left, right); early < -20*time.Millisecond || early > 20*time.Millisecond {
			return fmt.Sprintf("the right side is %v early", early)
		}
		return ""
	})
}

// delayOf returns how much later a sound is in one recording than in another, by their loudness in steps of a millisecond.
func delayOf(later, earlier []int16) time.Duration {
	loudness := func(pcm []int16) (all []float64) {
		const step = dialogue.ListenRate / 1000
		for ; len(pcm) >= step; pcm = pcm[step:] {
			sum := 0.0
			for _, v := range pcm[:step] {
				sum += math.Abs(float64(v))
			}
			all = append(all, sum)
		}
		return all
	}
	one, other := loudness(later), loudness(earlier)
	best, delay := 0.0, 0
	for shift := -300; shift <= 300; shift++ {
		sum := 0.0
		for i := range other {
			if at := i + shift; at >= 0 && at < len(one) {
				sum += one[at] * other[i]
			}
		}
		if sum > best {
			best, delay = sum, shift
		}
	}
	return time.Duration(delay) * time.Millisecond
}
