package speechhttp_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"parley/internal/audio"
	"parley/internal/dialogue"
	"parley/internal/provider/speechhttp"
)

// speak returns the speech of a server that answers every text so.
func speak(t *testing.T, contentType string, answer []byte) (pcm []int16, err error) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		if _, err := w.Write(answer); err != nil {
			t.Log(err)
		}
	}))
	defer server.Close()
	voice := speechhttp.NewVoice(t.Context(), speechhttp.Vendor{URL: server.URL, Body: func(string) ([]byte, error) { return []byte("{}"), nil }})
	defer voice.Close()
	u, err := voice.Speak(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(u.Say("Hello."), u.End()); err != nil {
		t.Fatal(err)
	}
	for speech := range u.Audio() {
		pcm = append(pcm, speech.PCM...)
	}
	return pcm, u.Err()
}

// A server that sends MP3 where PCM was asked for is understood; one whose format cannot be played is refused, with the cause, before there
// is any sound.
func TestFormats(t *testing.T) {
	mp3, err := os.ReadFile("../../audio/testdata/tone24000.mp3")
	if err != nil {
		t.Fatal(err)
	}
	pcm, err := speak(t, "audio/pcm", mp3)
	if err != nil || len(pcm) < 11000 || audio.Power(pcm[3000:9000], 440, dialogue.SpeakRate) < 0.9 {
		t.Errorf("MP3: %d samples, %v", len(pcm), err)
	}
	for answer, want := range map[string]string{"fLaC" + strings.Repeat("\x01\x7f", 5000): "FLAC", `{"error":"no quota"}`: "text"} {
		pcm, err := speak(t, "audio/mpeg", []byte(answer))
		if len(pcm) > 0 || !errors.Is(err, dialogue.ErrRefused) || !strings.Contains(dialogue.Summary(err), want) {
			t.Errorf("%s: %d samples, %v", want, len(pcm), err)
		}
	}
}
