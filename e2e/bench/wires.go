package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"parley/client"
	"parley/e2e/binary"
	"parley/e2e/emulated"
	"parley/internal/caller"
	"parley/internal/dialogue"
	"parley/internal/provider/emulator"
)

// Part wires measures voice-to-voice with each provider in turn, beside the same others: Deepgram's Nova-3, Anthropic and Cartesia. All emulators
// have the delays of part talk.
const (
	wireTurns = 8
	// wiresAtOnce are measured at the same time, with a caller each.
	wiresAtOnce = 3
)

var (
	transcripts = emulator.RecognizerScript{Lines: []string{"What are your opening hours?"}, Endpointing: emulated.Endpointing, Lag: emulated.Recognition}
	answers     = emulator.Script{FirstSentence: emulated.FirstSentence, Answer: func(dialogue.Prompt) emulator.Reply {
		return emulator.Reply{Text: "We open at nine. We close at five in the evening."}
	}}
	recognises = emulator.Options{Key: emulated.Key, Delay: emulated.Recognition} // where the recogniser is asked for the text, without a lag
	listens    = emulator.Options{Key: emulated.Key}
	thinks     = emulator.Options{Key: emulated.Key, Delay: emulated.FirstToken}
	speaks     = emulator.Options{Key: emulated.Key, Delay: emulated.FirstAudio}
)

// wire is a provider in one of its kinds.
type wire struct {
	name   string
	choose func(*client.AgentConfig)
	// serve runs its emulator; a nil one is among the others.
	serve func(emulator.Reporter) *emulator.Server
	// vendor is the prefix of its settings, and set are further ones.
	vendor string
	set    map[string]string
	socket bool // its base URL is ws://
}

func hears(provider, model string) func(*client.AgentConfig) {
	return func(c *client.AgentConfig) { c.STT = client.STT{Provider: provider, Model: model, Language: "en"} }
}

func thinksWith(provider, model string) func(*client.AgentConfig) {
	return func(c *client.AgentConfig) { c.LLM = client.LLM{Provider: provider, Model: model} }
}

func speaksWith(provider, model, voice string) func(*client.AgentConfig) {
	return func(c *client.AgentConfig) {
		c.STT.Provider, c.STT.Model = "assemblyai", "universal-streaming-multilingual" // Deepgram's emulator has one delay for both kinds
		c.TTS = client.TTS{Provider: provider, Model: model, VoiceID: voice}
	}
}

// compatible is an emulator of OpenAI's protocols.
func compatible(o emulator.Options, c emulator.Compatible) func(emulator.Reporter) *emulator.Server {
	c.Recognizer, c.Script = transcripts, answers
	return func(r emulator.Reporter) *emulator.Server { return emulator.NewCompatible(r, o, c) }
}

var wires = []wire{
	{name: "stt deepgram nova-3", choose: hears("deepgram", "nova-3")},
	{name: "stt deepgram flux", choose: hears("deepgram", "flux-general-en")},
	{name: "stt assemblyai universal", choose: hears("assemblyai", "universal-streaming-multilingual")},
	{name: "stt assemblyai u3 pro", choose: hears("assemblyai", "universal-3-5-pro")},
	{name: "stt elevenlabs scribe", choose: hears("elevenlabs", "scribe_v2_realtime"), vendor: "ELEVENLABS",
		serve: func(r emulator.Reporter) *emulator.Server {
			return emulator.NewElevenLabsSpeech(r, listens, transcripts)
		}},
	{name: "stt openai, streamed", choose: hears("openai", "gpt-live-transcribe"), vendor: "OPENAI", socket: true, serve: compatible(listens, emulator.Compatible{OpenAI: true, Realtime: "openai"})},
	{name: "stt openai, requests", choose: hears("openai", "gpt-transcribe"), vendor: "OPENAI", serve: compatible(recognises, emulator.Compatible{OpenAI: true})},
	{name: "stt groq", choose: hears("groq", "whisper-large-v3-turbo"), vendor: "GROQ", serve: compatible(recognises, emulator.Compatible{Groq: true})},
	{name: "stt google cloud", choose: hears("google_cloud", "chirp_3"), vendor: "GOOGLE_CLOUD",
		serve: func(r emulator.Reporter) *emulator.Server { return emulator.NewGoogleCloud(r, recognises, transcripts) }},
	{name: "llm anthropic", choose: thinksWith("anthropic", "claude-sonnet-5-5")},
	{name: "llm openai, responses", choose: thinksWith("openai", "gpt-6-luna"), vendor: "OPENAI", set: map[string]string{"OPENAI_API": "responses"},
		serve: func(r emulator.Reporter) *emulator.Server { return emulator.NewOpenAIResponses(r, thinks, answers) }},
	{name: "llm openai, completions", choose: thinksWith("openai", "gpt-4.1-mini"), vendor: "OPENAI",
		serve: func(r emulator.Reporter) *emulator.Server { return emulator.NewOpenAI(r, thinks, answers) }},
	{name: "llm google", choose: thinksWith("google", "gemini-3.5-flash-lite"), vendor: "GOOGLE",
		serve: func(r emulator.Reporter) *emulator.Server { return emulator.NewGoogle(r, thinks, answers) }},
	{name: "llm groq", choose: thinksWith("groq", "openai/gpt-oss-20b"), vendor: "GROQ", serve: compatible(thinks, emulator.Compatible{Groq: true})},
	{name: "tts cartesia", choose: speaksWith("cartesia", "", "f786b574-daa5-4673-aa0c-cbe3e8534c02")},
	{name: "tts elevenlabs", choose: speaksWith("elevenlabs", "", "21m00Tcm4TlvDq8ikWAM"), vendor: "ELEVENLABS",
		serve: func(r emulator.Reporter) *emulator.Server { return emulator.NewElevenLabs(r, speaks) }},
	{name: "tts deepgram aura", choose: speaksWith("deepgram", "", "aura-2-thalia-en"), vendor: "DEEPGRAM",
		serve: func(r emulator.Reporter) *emulator.Server { return emulator.NewDeepgram(r, speaks, transcripts) }},
	{name: "tts openai", choose: speaksWith("openai", "", "ash"), vendor: "OPENAI", serve: compatible(speaks, emulator.Compatible{OpenAI: true})},
	{name: "tts google", choose: speaksWith("google", "", "Kore"), vendor: "GOOGLE",
		serve: func(r emulator.Reporter) *emulator.Server { return emulator.NewGoogle(r, speaks, answers) }},
	{name: "tts groq", choose: speaksWith("groq", "canopylabs/orpheus-v1-english", "hannah"), vendor: "GROQ", serve: compatible(speaks, emulator.Compatible{Groq: true})},
}

// wiresPart measures each wire with its own server.
func wiresPart(path, dir string) error {
	figures, errs := make([]caller.Figures, len(wires)), make([]error, len(wires))
	var work sync.WaitGroup
	room := make(chan struct{}, wiresAtOnce)
	for n, w := range wires {
		room <- struct{}{}
		work.Go(func() {
			defer func() { <-room }()
			figures[n], errs[n] = w.measure(path, filepath.Join(dir, fmt.Sprint(n)))
		})
	}
	work.Wait()
	for n, w := range wires {
		if errs[n] != nil {
			return fmt.Errorf("%s: %w", w.name, errs[n])
		}
		f := figures[n]
		fmt.Printf("voice-to-voice, %-26s %4.0f ms p50, %.0f ms p95; %d turns, %d missed\n", w.name, valueOf(f.VoiceToVoiceMS.P50), valueOf(f.VoiceToVoiceMS.P95), f.Turns, f.MissedTurns)
	}
	return nil
}

// measure has a caller talk over a wire.
func (w wire) measure(path, dir string) (f caller.Figures, err error) {
	wrong := new(emulated.Breaches)
	servers := map[string]*emulator.Server{
		"DEEPGRAM": emulator.NewDeepgram(wrong, listens, transcripts), "ASSEMBLYAI": emulator.NewAssemblyAI(wrong, listens, transcripts),
		"ANTHROPIC": emulator.NewAnthropic(wrong, thinks, answers), "CARTESIA": emulator.NewCartesia(wrong, speaks),
	}
	if w.serve != nil {
		if other := servers[w.vendor]; other != nil {
			other.Close()
		}
		servers[w.vendor] = w.serve(wrong)
	}
	settings := map[string]string{}
	for vendor, server := range servers {
		defer server.Close()
		settings[vendor+"_BASE_URL"], settings[vendor+"_API_KEY"] = server.URL, emulated.Key
	}
	if w.socket {
		settings[w.vendor+"_BASE_URL"] = "ws" + strings.TrimPrefix(servers[w.vendor].URL, "http")
	}
	for name, value := range w.set {
		settings[name] = value
	}
	s, err := binary.Start(path, dir, settings)
	if err != nil {
		return f, err
	}
	defer func() { err = errors.Join(err, s.Stop()) }()
	config := client.AgentConfig{
		Prompt: client.Prompt{System: "You answer the telephone of a shop.", Greeting: "Hello, how can I help you?"},
		STT:    client.STT{Provider: "deepgram", Model: "nova-3", Language: "en"},
		LLM:    client.LLM{Provider: "anthropic", Model: "claude-sonnet-5-5"},
		TTS:    client.TTS{Provider: "cartesia", VoiceID: "f786b574-daa5-4673-aa0c-cbe3e8534c02"},
	}
	w.choose(&config)
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	if _, err := s.API.Agents.Create(ctx, client.NewAgent{Name: emulatedAgent, Config: config}); err != nil {
		return f, err
	}
	p, err := binary.Launch(path, map[string]string{"PARLEY_SERVER": s.URL, "PARLEY_API_KEY": s.Key}, "bench", "--json", "--agent", emulatedAgent,
		"--calls", "1", "--ramp", "0s", "--turns", fmt.Sprint(wireTurns), "--interrupt-every", "0")
	if err != nil {
		return f, err
	}
	if code, err := p.Wait(ctx); err != nil || code != 0 {
		return f, fmt.Errorf("parley bench ends with %d, %w: %s", code, err, p.Log.String())
	}
	if err := json.Unmarshal([]byte(p.Out.String()), &f); err != nil {
		return f, err
	}
	return f, wrong.Err()
}
