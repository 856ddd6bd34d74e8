package e2e

import (
	"errors"
	"os"
	"testing"

	"parley/internal/audio"
	"parley/internal/dialogue"
	"parley/internal/provider/offline"
)

// speech is what an offline voice says of a text, at 16 kHz.
func speech(t *testing.T, voiceID, text string) []int16 {
	t.Helper()
	synthesizer, err := offline.NewSynthesizer()
	if err != nil {
		t.Fatal(err)
	}
	defer synthesizer.Close()
	voice, err := synthesizer.Open(t.Context(), dialogue.VoiceOptions{VoiceID: voiceID})
	if err != nil {
		t.Fatal(err)
	}
	defer voice.Close()
	u, err := voice.Speak(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(u.Say(text), u.End()); err != nil {
		t.Fatal(err)
	}
	var pcm []int16
	for s := range u.Audio() {
		pcm = append(pcm, s.PCM...)
	}
	r := audio.NewResampler(dialogue.SpeakRate, dialogue.ListenRate)
	return r.Flush(r.Process(pcm, nil))
}

// speak leaves a spoken line in a file, at 16 kHz.
func speak(t *testing.T, path, text string) {
	t.Helper()
	writeWAV(t, path, speech(t, "slt", text), dialogue.ListenRate)
}

func writeWAV(t *testing.T, path string, pcm []int16, rate int) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(audio.WriteWAV(f, pcm, rate), f.Close()); err != nil {
		t.Fatal(err)
	}
}

func readWAV(t *testing.T, path string, rate int) []int16 {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	pcm, err := audio.ReadWAV(f, rate)
	if err != nil {
		t.Fatal(err)
	}
	return pcm
}
