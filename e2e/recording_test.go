package e2e

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"testing"

	"gopkg.in/hraban/opus.v2"

	"parley/client"
	"parley/internal/audio"
	"parley/internal/dialogue"
	"parley/internal/provider/offline"
)

// What is said with an agent that wants it recorded can be heard afterwards: the agent's words on the right, the
// caller's on the left.
func TestRecordingOfACall(t *testing.T) {
	t.Parallel()
	s := shared(t)
	demo, err := s.API.Agents.Get(t.Context(), "demo")
	if err != nil {
		t.Fatal(err)
	}
	demo.Config.Recording = true
	if _, err := s.API.Agents.Create(t.Context(), client.NewAgent{Name: "recorded", Config: demo.Config}); err != nil {
		t.Fatal(err)
	}
	r := call(t, s, 0, "--agent", "recorded", "--say", "what are your opening hours", "--say", "thank you very much goodbye")

	sound, header := fetch(t, s.URL+"/api/v1/calls/"+r.CallID+"/recording", s.Key, "", http.StatusOK)
	if header.Get("Content-Type") != "audio/ogg; codecs=opus" {
		t.Errorf("it comes as %q", header.Get("Content-Type"))
	}
	if same, err := s.API.Calls.Recording(t.Context(), r.CallID); err != nil || !bytes.Equal(same, sound) {
		t.Errorf("through the client come %d bytes of %d, %v", len(same), len(sound), err)
	}
	caller, agent := sides(t, sound)
	heard, err := offline.Transcribe(t.Context(), agent)
	if err != nil {
		t.Fatal(err)
	}
	if share := commonWords(r, heard); share < 0.6 {
		t.Errorf("pocketsphinx recognises %.0f %% of the agent's words on the right, want 60: %q", 100*share, heard)
	}
	if heard, err := offline.Transcribe(t.Context(), caller); err != nil || commonWords(r, heard) > 0.3 {
		t.Errorf("on the left is %q, %v", heard, err)
	}
	if loud := loudness(caller); loud < 100 {
		t.Errorf("the caller's side is silent: mean %d", loud)
	}
	part, header := fetch(t, s.URL+"/api/v1/calls/"+r.CallID+"/recording", s.Key, "bytes=0-3", http.StatusPartialContent)
	if string(part) != "OggS" || header.Get("Content-Range") == "" {
		t.Errorf("the first bytes are %q, %v", part, header)
	}

	unrecorded, err := s.API.Calls.TestAgent(t.Context(), client.TestAgent{AgentName: "demo"})
	if err != nil {
		t.Fatal(err)
	}
	fetch(t, s.URL+"/api/v1/calls/"+unrecorded.CallID+"/recording", s.Key, "", http.StatusNotFound)
}

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

// sides decodes a stereo recording into its two voices, at the rate that recognisers take.
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

// loudness is the mean of the samples' sizes.
func loudness(pcm []int16) int {
	sum := 0
	for _, sample := range pcm {
		sum += max(int(sample), -int(sample))
	}
	return sum / max(1, len(pcm))
}
