package google_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"parley/internal/dialogue"
	"parley/internal/provider/emulator"
	"parley/internal/provider/google"
	"parley/internal/provider/providertest"
)

func TestSynthesizer(t *testing.T) {
	providertest.Synthesizer(t, providertest.TextToSpeech{
		Requests: true,
		Serve: func(report emulator.Reporter, o emulator.Options) *emulator.Server {
			return emulator.NewGoogle(report, o, emulator.Script{})
		},
		Connect: func(key, url string) dialogue.Synthesizer {
			return google.NewSynthesizer(google.Options{Key: key, BaseURL: url})
		},
	})
}

// speech returns the error of an utterance of a voice that a server's answer leads to.
func speech(t *testing.T, o dialogue.VoiceOptions, address string) (samples int, err error) {
	t.Helper()
	voice, err := google.NewSynthesizer(google.Options{Key: "key", BaseURL: address}).Open(t.Context(), o)
	if err != nil {
		return 0, err
	}
	defer voice.Close()
	u, err := voice.Speak(t.Context())
	if err == nil {
		err = u.Say("Hello.")
	}
	if err == nil {
		err = u.End()
	}
	if err != nil {
		t.Fatal(err)
	}
	for piece := range u.Audio() {
		samples += len(piece.PCM)
	}
	return samples, u.Err()
}

// A prebuilt voice is sent by name, any other by identifier; a wrong key is noticed before the call.
func TestVoices(t *testing.T) {
	server := emulator.NewGoogle(t, emulator.Options{Key: "key"}, emulator.Script{})
	defer server.Close()
	for _, o := range []dialogue.VoiceOptions{{VoiceID: "Kore"}, {VoiceID: "Zephyr", Model: "gemini-3.8-flash-tts", Language: "de-AT", Speed: 1.2}, {VoiceID: "voices/of-the-library"}} {
		if samples, err := speech(t, o, server.URL+"/v1beta"); err != nil || samples == 0 {
			t.Errorf("%+v: %d samples, %v", o, samples, err)
		}
	}
	if _, err := google.NewSynthesizer(google.Options{Key: "another", BaseURL: server.URL}).Open(t.Context(), dialogue.VoiceOptions{VoiceID: "Kore"}); err == nil || !strings.Contains(err.Error(), "key") {
		t.Errorf("with another key: %v", err)
	}
}

// Answers that are no speech are errors in a sentence each.
func TestSpeechErrors(t *testing.T) {
	part := func(mimeType, data string) string {
		return `data: {"candidates":[{"content":{"parts":[{"inlineData":{"mimeType":"` + mimeType + `","data":"` + data + `"}}]}}]}` + "\n\n"
	}
	for body, want := range map[string]string{
		part("audio/wav", "AAAA"):                                                         "not audio/l16",
		part("audio/l16; rate=16000", "AAAA"):                                             "not audio/l16 with a rate of 24000",
		part("audio/L16;codec=pcm;rate=24000", "%"):                                       "cannot be read",
		part("audio/L16;codec=pcm;rate=24000", "AAAA"):                                    "closed before the end",
		`data: {"promptFeedback":{"blockReason":"PROHIBITED_CONTENT"}}` + "\n\n":          "blocked the text: PROHIBITED_CONTENT",
		`data: {"candidates":[{"finishReason":"OTHER"}]}` + "\n\n":                        "stopped the audio: OTHER",
		`data: {"candidates":[{"finishReason":"STOP"}]}` + "\n\n":                         "no audio",
		`data: {"error":{"code":503,"message":"Busy.","status":"UNAVAILABLE"}}` + "\n\n":  "Busy.",
		`data: {"error":{"code":400,"message":"No key here: key","status":"X"}}` + "\n\n": "[key]",
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodGet {
				return
			}
			w.Header().Set("Content-Type", "text/event-stream")
			io.WriteString(w, body)
		}))
		if _, err := speech(t, dialogue.VoiceOptions{VoiceID: "Kore"}, server.URL); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want one with %q", body, err, want)
		}
		server.Close()
	}
}
