package offline_test

import (
	"testing"

	"parley/internal/audio"
	"parley/internal/dialogue"
	"parley/internal/provider/offline"
	"parley/internal/provider/providertest"
)

func TestScriptKeepsTheContractOfLanguageModels(t *testing.T) {
	providertest.LocalLanguageModel(t, offline.Script{}, dialogue.Prompt{
		System:   "You are a demo.\n- goodbye => Goodbye, and thank you! [end_call]",
		Messages: []dialogue.Message{{Role: dialogue.RoleUser, Content: "Goodbye."}},
		Tools:    []dialogue.Tool{{Name: "end_call"}},
	}, "Goodbye, and thank you!", "end_call")
}

func TestRecognizerKeepsTheContract(t *testing.T) {
	r, err := offline.NewRecognizer()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	s, err := offline.NewSynthesizer()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var lines []providertest.Spoken
	for _, text := range []string{"what are your opening hours", "book a table for four people"} {
		lines = append(lines, providertest.Spoken{Text: text, PCM: spoken(t, s, text)})
	}
	providertest.LocalRecognizer(t, r, lines...)
}

// spoken is a text as a caller's audio.
func spoken(t *testing.T, s *offline.Synthesizer, text string) []int16 {
	t.Helper()
	voice, err := s.Open(t.Context(), dialogue.VoiceOptions{VoiceID: "slt"})
	if err != nil {
		t.Fatal(err)
	}
	defer voice.Close()
	u, err := voice.Speak(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	u.Say(text)
	u.End()
	down := audio.NewResampler(dialogue.SpeakRate, dialogue.ListenRate)
	pcm := make([]int16, dialogue.ListenRate/4)
	for piece := range u.Audio() {
		pcm = down.Process(piece.PCM, pcm)
	}
	return down.Flush(pcm)
}
