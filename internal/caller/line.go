package caller

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"parley/internal/audio"
	"parley/internal/dialogue"
	"parley/internal/provider/offline"
)

// line is something to be said, cut into frames at dialogue.SpeakRate.
type line struct {
	text   string
	frames [][]int16 // the first and the last hold speech
}

// prepare makes the sound of all that will be said, before a call is started.
func prepare(ctx context.Context, o Options) ([]line, error) {
	var lines []line
	if len(o.Say) > 0 {
		synthesizer := o.Synthesizer
		if synthesizer == nil {
			own, err := offline.NewSynthesizer()
			if err != nil {
				return nil, err
			}
			defer own.Close()
			synthesizer = own
		}
		voice, err := synthesizer.Open(ctx, dialogue.VoiceOptions{VoiceID: o.Voice})
		if err != nil {
			return nil, err
		}
		defer voice.Close()
		for _, text := range o.Say {
			pcm, err := speak(ctx, voice, text)
			if err != nil {
				return nil, fmt.Errorf("speak %q: %w", text, err)
			}
			l, err := newLine(text, pcm)
			if err != nil {
				return nil, err
			}
			lines = append(lines, l)
		}
	}
	if o.WAV != "" {
		pcm, err := readWAV(o.WAV)
		if err != nil {
			return nil, err
		}
		l, err := newLine(filepath.Base(o.WAV), pcm)
		if err != nil {
			return nil, err
		}
		lines = append(lines, l)
	}
	return lines, nil
}

func speak(ctx context.Context, voice dialogue.Voice, text string) ([]int16, error) {
	u, err := voice.Speak(ctx)
	if err != nil {
		return nil, err
	}
	if err := errors.Join(u.Say(text), u.End()); err != nil {
		return nil, err
	}
	var pcm []int16
	for s := range u.Audio() {
		pcm = append(pcm, s.PCM...)
	}
	return pcm, u.Err()
}

func readWAV(path string) ([]int16, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	pcm, err := audio.ReadWAV(f, dialogue.SpeakRate)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return pcm, nil
}

// newLine cuts speech into frames, without the silence around it, so that its first and its last packet hold speech.
func newLine(text string, pcm []int16) (line, error) {
	length := audio.FrameLength(dialogue.SpeakRate)
	l := line{text: text}
	last := 0
	for ; len(pcm) > 0; pcm = pcm[min(length, len(pcm)):] {
		frame := make([]int16, length)
		copy(frame, pcm)
		speech := voiced(frame)
		if speech || len(l.frames) > 0 {
			l.frames = append(l.frames, frame)
		}
		if speech {
			last = len(l.frames)
		}
	}
	if l.frames = l.frames[:last]; last == 0 {
		return line{}, fmt.Errorf("there is no speech in %q", text)
	}
	return l, nil
}
