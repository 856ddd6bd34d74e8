package caller

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"parley/internal/audio"
	"parley/internal/dialogue"
	"parley/internal/media"
	"parley/internal/provider/offline"
)

// line is a line to speak, encoded once.
type line struct {
	text    string
	packets []media.Packet // the first and the last contain speech
}

// pause is the packet that a microphone sends during silence.
var pause = sync.OnceValue(func() media.Packet {
	silence := make([]int16, audio.FrameLength(dialogue.SpeakRate))
	packets, err := media.Encode([][]int16{silence, silence, silence}) // the first contains the encoder's onset
	if err != nil {
		panic(err) // silence is what any encoder takes
	}
	return packets[2]
})

// prepare synthesises all lines before a call starts.
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

// newLine cuts speech into frames, without surrounding silence, so that its first and last packets contain speech.
func newLine(text string, pcm []int16) (line, error) {
	length := audio.FrameLength(dialogue.SpeakRate)
	var frames [][]int16
	last := 0
	for ; len(pcm) > 0; pcm = pcm[min(length, len(pcm)):] {
		frame := make([]int16, length)
		copy(frame, pcm)
		speech := voiced(frame)
		if speech || len(frames) > 0 {
			frames = append(frames, frame)
		}
		if speech {
			last = len(frames)
		}
	}
	if last == 0 {
		return line{}, fmt.Errorf("there is no speech in %q", text)
	}
	packets, err := media.Encode(frames[:last])
	if err != nil {
		return line{}, fmt.Errorf("encode %q: %w", text, err)
	}
	return line{text, packets}, nil
}
