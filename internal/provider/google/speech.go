package google

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"parley/internal/dialogue"
	"parley/internal/provider"
	"parley/internal/provider/llm"
	"parley/internal/provider/speechhttp"
	"parley/internal/provider/vendorerror"
)

// Synthesizer is Gemini's voices as a dialogue.Synthesizer: a request to streamGenerateContent for each text, whose audio is
// streamed. The models of Gemini 3.8 speak the text as it is and detect its language.
// https://ai.google.dev/gemini-api/docs/speech-generation
type Synthesizer struct{ o Options }

// NewSynthesizer returns a Synthesizer. It makes no request.
func NewSynthesizer(o Options) *Synthesizer { return &Synthesizer{o} }

// speechRequest is the body of a request. Temperature and the like are refused.
type speechRequest struct {
	Contents   []speechContent `json:"contents"`
	Generation struct {
		Modalities []string `json:"responseModalities"`
		Speech     struct {
			Voice speechVoice `json:"voiceConfig"`
		} `json:"speechConfig"`
	} `json:"generationConfig"`
}

type speechContent struct {
	Role  string       `json:"role"`
	Parts []speechPart `json:"parts"`
}

type speechPart struct {
	Text string `json:"text"`
}

// speechVoice is a prebuilt voice by name, or one of the library or the account by identifier.
type speechVoice struct {
	Prebuilt *prebuiltVoice `json:"prebuiltVoiceConfig,omitempty"`
	Voice    string         `json:"voice,omitempty"`
}

type prebuiltVoice struct {
	Name string `json:"voiceName"`
}

// Open sends one request to the server, so that a wrong key or address is reported early and a connection is open.
func (s *Synthesizer) Open(ctx context.Context, o dialogue.VoiceOptions) (dialogue.Voice, error) {
	entry, _ := provider.Find(provider.TTS, name)
	if o.VoiceID == "" {
		return nil, dialogue.Errorf("the request is %w: it names no voice", dialogue.ErrRefused)
	}
	if o.Model == "" {
		o.Model = entry.Models[0]
	}
	m := New(s.o)
	address := m.base + "/models/" + url.PathEscape(o.Model)
	attempt, stop := context.WithTimeout(ctx, 5*time.Second)
	defer stop()
	if err := llm.Reach(attempt, m.account, address, m.header); err != nil {
		return nil, err
	}
	voice := speechVoice{Voice: o.VoiceID}
	if slices.Contains(entry.Voices, o.VoiceID) {
		voice = speechVoice{Prebuilt: &prebuiltVoice{o.VoiceID}}
	}
	return speechhttp.NewVoice(ctx, speechhttp.Vendor{
		Account: m.account, URL: address + ":streamGenerateContent?alt=sse", Header: m.header,
		Body: func(text string) ([]byte, error) {
			r := speechRequest{Contents: []speechContent{{Role: "user", Parts: []speechPart{{text}}}}}
			r.Generation.Modalities, r.Generation.Speech.Voice = []string{"AUDIO"}, voice
			return json.Marshal(r)
		},
		Audio: func(response *http.Response) (io.ReadCloser, error) {
			events := &audioEvents{key: s.o.Key}
			return speechhttp.NewEventStream(response, events.parse, func() { o.Used.Report(dialogue.SpeechUsage{Usage: events.used}) })
		},
	}), nil
}

// speechChunk is a part of the streamed audio.
type speechChunk struct {
	Candidates []struct {
		Content struct {
			Parts []struct {
				Inline struct {
					Type string `json:"mimeType"`
					Data string `json:"data"`
				} `json:"inlineData"`
			} `json:"parts"`
		} `json:"content"`
		FinishReason string `json:"finishReason"`
	} `json:"candidates"`
	PromptFeedback struct {
		BlockReason string `json:"blockReason"`
	} `json:"promptFeedback"`
	Usage *speechUsage `json:"usageMetadata"`
}

// speechUsage is the usage up to an event: https://ai.google.dev/api/generate-content#UsageMetadata. What a voice generates is audio.
type speechUsage struct {
	Prompt     int `json:"promptTokenCount"`
	Cached     int `json:"cachedContentTokenCount"`
	Candidates int `json:"candidatesTokenCount"`
	Thoughts   int `json:"thoughtsTokenCount"`
}

func (u *speechUsage) tokens() dialogue.Usage {
	return dialogue.Usage{InputTokens: u.Prompt, CachedTokens: u.Cached, OutputTokens: u.Candidates + u.Thoughts, OutputAudioTokens: u.Candidates}
}

// audioEvents reads the events of one answer.
type audioEvents struct {
	key  string
	used dialogue.Usage // as reported last
}

// parse returns the audio of an event.
func (s *audioEvents) parse(data []byte) (pcm []byte, finished bool, err error) {
	if bytes.Contains(data, []byte(`"error"`)) && vendorerror.IsError(data) {
		return nil, false, vendorerror.Read(0, data).Err(s.key)
	}
	var c speechChunk
	if err := json.Unmarshal(data, &c); err != nil {
		return nil, false, dialogue.Wrap("an event cannot be read", err)
	}
	if c.PromptFeedback.BlockReason != "" {
		return nil, false, vendorerror.Stopped(dialogue.ErrPromptDeclined, "the vendor's content filter blocked the text", c.PromptFeedback.BlockReason)
	}
	if c.Usage != nil {
		s.used = c.Usage.tokens()
	}
	for _, candidate := range c.Candidates {
		for _, part := range candidate.Content.Parts {
			if part.Inline.Data == "" {
				continue
			}
			if err := checkPCM(part.Inline.Type); err != nil {
				return nil, false, err
			}
			piece, err := base64.StdEncoding.DecodeString(part.Inline.Data)
			if err != nil {
				return nil, false, dialogue.Wrap("the audio cannot be read", err)
			}
			pcm = append(pcm, piece...)
		}
		switch reason := candidate.FinishReason; reason {
		case "":
		case "STOP", "MAX_TOKENS":
			finished = true
		default: // SAFETY, PROHIBITED_CONTENT, OTHER and others
			return nil, false, vendorerror.Stopped(dialogue.ErrDeclined, "the vendor stopped the audio", reason)
		}
	}
	return pcm, finished, nil
}

// checkPCM checks that audio is samples of 16 bits at dialogue.SpeakRate, such as audio/l16; rate=24000; channels=1.
func checkPCM(mimeType string) error {
	kind, parameters, err := mime.ParseMediaType(mimeType)
	if err != nil || kind != "audio/l16" || parameters["rate"] != strconv.Itoa(dialogue.SpeakRate) {
		return vendorerror.Unexpected(fmt.Sprintf("the audio is not audio/l16 with a rate of %d", dialogue.SpeakRate), mimeType)
	}
	return nil
}
