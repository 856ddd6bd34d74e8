// Package openairealtime is a client of OpenAI's Realtime API: speech to speech over a WebSocket at /v1/realtime.
// https://developers.openai.com/api/reference/resources/realtime/client-events
//
// The vendor's turn detection is off: the session detects turns as in every call, commits what the caller said and
// asks for the answer.
package openairealtime

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"parley/internal/dialogue"
	"parley/internal/provider"
	"parley/internal/provider/llm"
	"parley/internal/provider/realtime"
	"parley/internal/provider/recognition"
	"parley/internal/provider/vendorerror"
)

const (
	vendorURL = "https://api.openai.com"
	vendor    = "OpenAI Realtime"

	defaultModel = "gpt-realtime-2.1"
	// https://developers.openai.com/api/docs/guides/realtime-conversations recommends marin and cedar.
	defaultVoice = "marin"
)

// transcriptionModels transcribe the caller, beside the model that hears them: the first that is not shut down and not refused.
// AudioTranscription in src/resources/realtime/realtime.ts of openai-node 7.57.0 lists both; no page says that the second is taken
// in conversations.
var transcriptionModels = []string{"gpt-4o-mini-transcribe", "gpt-transcribe"}

// Options configures a Model.
type Options struct {
	Key     string
	BaseURL string // "" for OpenAI's own, with or without /v1
	// Client makes the connections; nil for the process's own.
	Client *http.Client
}

// Model is OpenAI Realtime as a dialogue.RealtimeModel.
type Model struct{ o Options }

// New returns a Model. It makes no connection.
func New(o Options) *Model {
	if o.BaseURL == "" {
		o.BaseURL = vendorURL
	}
	return &Model{o}
}

// Converse opens one connection for all turns of a call.
func (m *Model) Converse(ctx context.Context, o dialogue.ConversationOptions) (dialogue.Conversation, error) {
	if o.Model == "" {
		o.Model = defaultModel
	}
	if o.Voice == "" {
		o.Voice = defaultVoice
	}
	for n, transcriber := range transcriptionModels {
		last := n == len(transcriptionModels)-1
		if status, _ := provider.StatusOf("openai", transcriber, time.Now()); status == provider.ShutDown && !last {
			continue
		}
		c, err := m.open(ctx, o, transcriber)
		if errors.Is(err, errTranscription) && !last {
			continue
		}
		return c, err
	}
	panic("unreachable: the last model is always tried")
}

// errTranscription says that the transcription model is refused.
var errTranscription = errors.New("the transcription")

// open opens a connection whose callers are transcribed by a model.
func (m *Model) open(ctx context.Context, o dialogue.ConversationOptions, transcriber string) (dialogue.Conversation, error) {
	address, err := recognition.Endpoint(m.o.BaseURL, "/v1", "/realtime", url.Values{"model": {o.Model}})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", vendor, err)
	}
	link, err := realtime.Dial(ctx, realtime.Target{
		Vendor: vendor, URL: address, Header: http.Header{"Authorization": {"Bearer " + m.o.Key}}, Secret: m.o.Key, Client: m.o.Client,
	})
	if err != nil {
		return nil, err
	}
	c := newConversation(link, m.o.Key, transcriber, o)
	c.instructions, c.tools = o.System, functions(o.Tools)
	if err := link.Exchange(ctx, sessionUpdate(newSession(o, transcriber)), c.accept); err != nil {
		return nil, err
	}
	link.Serve(ctx, c.handle, c.end)
	c.Add(llm.Paired(o.Messages)...)
	return c, nil
}

// accept awaits the answer to the configuration of the session.
func (c *conversation) accept(message []byte) (bool, error) {
	var e event
	if err := json.Unmarshal(message, &e); err != nil {
		return false, fmt.Errorf("%s sent no JSON: %w", vendor, err)
	}
	switch e.Type {
	case "error":
		err := c.errorOf(e.Error)
		if strings.HasPrefix(e.Error.Param, "session.audio.input.transcription") {
			err = fmt.Errorf("%w: %w", errTranscription, err)
		}
		return false, err
	case "session.updated":
		return true, nil
	}
	return false, nil
}

// errorOf returns the error that a tenant reads.
func (c *conversation) errorOf(e wireError) error {
	report := vendorerror.Report{Message: e.Message}
	for _, kind := range []string{e.Type, e.Code} {
		if kind != "" {
			report.Kinds = append(report.Kinds, kind)
		}
	}
	return dialogue.Wrap(vendor, report.Err(c.key))
}

type session struct {
	Type             string     `json:"type"`
	OutputModalities []string   `json:"output_modalities,omitempty"`
	Instructions     string     `json:"instructions"`
	Tools            []function `json:"tools"`
	Reasoning        *reasoning `json:"reasoning,omitempty"`
	Audio            *audioIO   `json:"audio,omitempty"`
}

// reasoning is the least that a model takes: the caller waits.
type reasoning struct {
	Effort string `json:"effort"`
}

type audioIO struct {
	Input struct {
		Format        format        `json:"format"`
		Transcription transcription `json:"transcription"`
		// TurnDetection is null: turns are the session's.
		TurnDetection any `json:"turn_detection"`
	} `json:"input"`
	Output struct {
		Format format `json:"format"`
		Voice  string `json:"voice"`
	} `json:"output"`
}

type format struct {
	Type string `json:"type"`
	Rate int    `json:"rate"`
}

type transcription struct {
	Model     string   `json:"model"`
	Language  string   `json:"language,omitempty"`
	Languages []string `json:"languages,omitempty"` // in place of Language
}

func newTranscription(model, tag string) transcription {
	t := transcription{Model: model, Language: language(tag)}
	if f, _ := provider.FamilyOf(provider.STT, "openai", model); f.ListsLanguages && t.Language != "" {
		t.Language, t.Languages = "", []string{t.Language}
	}
	return t
}

type function struct {
	Type        string          `json:"type"`
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters"`
}

func functions(tools []dialogue.Tool) []function {
	list := make([]function, len(tools))
	for i, t := range tools {
		list[i] = function{"function", t.Name, t.Description, t.Parameters}
	}
	return list
}

// pcm is the only PCM format that the vendor supports.
var pcm = format{"audio/pcm", dialogue.SpeakRate}

func newSession(o dialogue.ConversationOptions, transcriber string) session {
	s := session{Type: "realtime", OutputModalities: []string{"audio"}, Instructions: o.System, Tools: functions(o.Tools), Audio: new(audioIO)}
	s.Audio.Input.Format, s.Audio.Output.Format = pcm, pcm
	s.Audio.Input.Transcription = newTranscription(transcriber, o.Language)
	if f, _ := provider.FamilyOf(provider.Realtime, "openai", o.Model); f.Effort != "" {
		s.Reasoning = &reasoning{f.Effort}
	}
	s.Audio.Output.Voice = o.Voice
	return s
}

// language returns the code of ISO 639-1 that a hint to the transcription has to be; "" where the tag has none.
func language(tag string) string {
	base, _, _ := strings.Cut(strings.ToLower(tag), "-")
	if len(base) != 2 {
		return ""
	}
	return base
}

// sessionUpdateID identifies the configuration in an error that refuses it.
const sessionUpdateID = "session"

func sessionUpdate(s session) any {
	return struct {
		Type    string  `json:"type"`
		EventID string  `json:"event_id"`
		Session session `json:"session"`
	}{"session.update", sessionUpdateID, s}
}
