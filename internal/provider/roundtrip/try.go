package roundtrip

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"parley/internal/dialogue"
)

// Sentence is the text of the recording for recognisers, made with Flite's voice slt.
const Sentence = "Good morning, what are your opening hours?"

// recording is Sentence as a WAV file with a header of 44 bytes, 16 kHz mono.
//
//go:embed sentence.wav
var recording []byte

// spoken is what voices speak.
const spoken = "Good morning, this is a test."

// sentence returns the recording's samples.
func sentence() []int16 {
	data := recording[44:]
	pcm := make([]int16, len(data)/2)
	for i := range pcm {
		pcm[i] = int16(uint16(data[2*i]) | uint16(data[2*i+1])<<8)
	}
	return pcm
}

const (
	// silence is the silence after which a final transcript is requested, as in a call.
	silence = 200 * time.Millisecond
	// longestSilence is how long silence is sent while a transcript is awaited.
	longestSilence = 10 * time.Second
)

// recognize writes the sentence to a recogniser at the speed of speech. It returns the time from its end to the final transcript.
func recognize(ctx context.Context, source Source, t Trial) (time.Duration, error) {
	recognizer, err := source.Recognizer(t.Provider)
	if err != nil {
		return 0, err
	}
	stream, err := recognizer.Recognize(ctx, dialogue.RecognizeOptions{Model: t.Model, Language: "en"})
	if err != nil {
		return 0, err
	}
	defer stream.Close()
	const frame = int(dialogue.ListenRate * dialogue.FrameDuration / time.Second)
	pcm := sentence()
	quiet := make([]int16, frame)
	ticker := time.NewTicker(dialogue.FrameDuration)
	defer ticker.Stop()
	var ended time.Time
	finalized := false
	for {
		select {
		case <-ticker.C:
			now := quiet
			if len(pcm) > 0 {
				now, pcm = pcm[:min(frame, len(pcm))], pcm[min(frame, len(pcm)):]
			} else if ended.IsZero() {
				ended = time.Now()
			}
			if err := stream.Write(now); err != nil {
				return 0, err
			}
			if since := time.Since(ended); !ended.IsZero() && since >= silence && !finalized {
				finalized = true
				if err := stream.Finalize(); err != nil {
					return 0, err
				}
			} else if !ended.IsZero() && since > longestSilence {
				return 0, errors.New("the sentence was not understood: no transcript came")
			}
		case transcript, more := <-stream.Transcripts():
			switch {
			case !more:
				if err := stream.Err(); err != nil {
					return 0, err
				}
				return 0, errors.New("the stream ended without a transcript")
			case transcript.Final && strings.TrimSpace(transcript.Text) != "" && !ended.IsZero():
				return time.Since(ended), nil
			}
		case <-ctx.Done():
			return 0, fmt.Errorf("no final transcript: %w", ctx.Err())
		}
	}
}

// speak has a voice speak. It returns the time from the text to the first audio.
func speak(ctx context.Context, source Source, t Trial) (time.Duration, error) {
	synthesizer, err := source.Synthesizer(t.Provider)
	if err != nil {
		return 0, err
	}
	voice, err := synthesizer.Open(ctx, dialogue.VoiceOptions{Model: t.Model, VoiceID: t.VoiceID, Language: "en"})
	if err != nil {
		return 0, err
	}
	defer voice.Close()
	utterance, err := voice.Speak(ctx)
	if err != nil {
		return 0, err
	}
	began := time.Now()
	if err := errors.Join(utterance.Say(spoken), utterance.End()); err != nil {
		return 0, err
	}
	var first time.Duration
	samples := 0
	for speech := range utterance.Audio() {
		if samples == 0 && len(speech.PCM) > 0 {
			first = time.Since(began)
		}
		samples += len(speech.PCM)
	}
	if err := utterance.Err(); err != nil {
		return first, err
	}
	if length := time.Duration(samples) * time.Second / dialogue.SpeakRate; length < 500*time.Millisecond {
		return first, fmt.Errorf("only %v of audio came", length)
	}
	return first, nil
}

// tool is offered to language models.
var tool = dialogue.Tool{Name: "opening_hours", Description: "Returns the opening hours on a day of the week.",
	Parameters: json.RawMessage(`{"type":"object","properties":{"day":{"type":"string","description":"Day of the week, in English."}},"required":["day"]}`)}

// answer has a language model call a tool and answer with its result. It returns the time to the first token or tool call.
func answer(ctx context.Context, source Source, t Trial) (time.Duration, error) {
	model, err := source.LanguageModel(t.Provider)
	if err != nil {
		return 0, err
	}
	p := dialogue.Prompt{Model: t.Model, System: "You answer callers of a shop. Look opening hours up with the tool; never guess them.", Tools: []dialogue.Tool{tool}, MaxTokens: 100,
		Messages: []dialogue.Message{{Role: dialogue.RoleUser, Content: "When do you open on Sunday?"}}}
	first, said, err := generate(ctx, model, p)
	switch {
	case err != nil:
		return first, err
	case len(said.ToolCalls) == 0:
		return first, errors.New("it answered without calling the tool")
	}
	p.Messages = append(p.Messages, said)
	for _, call := range said.ToolCalls {
		p.Messages = append(p.Messages, dialogue.Message{Role: dialogue.RoleTool, ToolCallID: call.ID, Content: `{"opens":"10:00","closes":"16:00"}`})
	}
	_, said, err = generate(ctx, model, p)
	if err == nil && strings.TrimSpace(said.Content) == "" {
		err = errors.New("it gave no answer with the tool's result")
	}
	return first, err
}

// generate returns an answer as the message that it is in the conversation.
func generate(ctx context.Context, model dialogue.LanguageModel, p dialogue.Prompt) (first time.Duration, said dialogue.Message, err error) {
	began := time.Now()
	said.Role = dialogue.RoleAssistant
	for delta, err := range model.Generate(ctx, p) {
		if err != nil {
			return first, said, err
		}
		if first == 0 && (delta.Text != "" || len(delta.ToolCalls) > 0) {
			first = time.Since(began)
		}
		said.Content += delta.Text
		said.ToolCalls = append(said.ToolCalls, delta.ToolCalls...)
	}
	return first, said, nil
}
