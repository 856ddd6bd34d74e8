package google

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"iter"
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
		Audio: func(response *http.Response) (io.ReadCloser, error) { return newAudioStream(response, s.o.Key) },
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
}

// audioStream reads the PCM in a streamed answer.
type audioStream struct {
	next   func() (llm.Event, error, bool)
	stop   func()
	key    string
	rest   []byte // PCM that was received and not read
	finish string
}

func newAudioStream(response *http.Response, key string) (*audioStream, error) {
	if kind, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type")); kind != "text/event-stream" {
		return nil, vendorerror.Unexpected("the answer is no event stream: is the base URL right?", kind)
	}
	s := &audioStream{key: key}
	s.next, s.stop = iter.Pull2(llm.Events(response.Body))
	return s, nil
}

var errCutOff = dialogue.NewError("the connection was closed before the end")

// Read implements io.Reader.
func (s *audioStream) Read(p []byte) (int, error) {
	for len(s.rest) == 0 {
		event, err, more := s.next()
		switch {
		case err != nil:
			return 0, err
		case event.Done || !more && s.finish != "":
			return 0, io.EOF
		case !more:
			return 0, errCutOff
		}
		if err := s.add(event.Data); err != nil {
			return 0, err
		}
	}
	n := copy(p, s.rest)
	s.rest = s.rest[n:]
	return n, nil
}

// add adds the audio of an event.
func (s *audioStream) add(data []byte) error {
	if bytes.Contains(data, []byte(`"error"`)) && vendorerror.IsError(data) {
		return vendorerror.Read(0, data).Err(s.key)
	}
	var c speechChunk
	if err := json.Unmarshal(data, &c); err != nil {
		return dialogue.Wrap("an event cannot be read", err)
	}
	if c.PromptFeedback.BlockReason != "" {
		return vendorerror.Stopped(dialogue.ErrPromptDeclined, "the vendor's content filter blocked the text", c.PromptFeedback.BlockReason)
	}
	for _, candidate := range c.Candidates {
		for _, part := range candidate.Content.Parts {
			if part.Inline.Data == "" {
				continue
			}
			if err := checkPCM(part.Inline.Type); err != nil {
				return err
			}
			pcm, err := base64.StdEncoding.DecodeString(part.Inline.Data)
			if err != nil {
				return dialogue.Wrap("the audio cannot be read", err)
			}
			s.rest = append(s.rest, pcm...)
		}
		switch reason := candidate.FinishReason; reason {
		case "":
		case "STOP", "MAX_TOKENS":
			s.finish = reason
		default: // SAFETY, PROHIBITED_CONTENT, OTHER and others
			return vendorerror.Stopped(dialogue.ErrDeclined, "the vendor stopped the audio", reason)
		}
	}
	return nil
}

// checkPCM checks that audio is samples of 16 bits at dialogue.SpeakRate, such as audio/l16; rate=24000; channels=1.
func checkPCM(mimeType string) error {
	kind, parameters, err := mime.ParseMediaType(mimeType)
	if err != nil || kind != "audio/l16" || parameters["rate"] != strconv.Itoa(dialogue.SpeakRate) {
		return vendorerror.Unexpected(fmt.Sprintf("the audio is not audio/l16 with a rate of %d", dialogue.SpeakRate), mimeType)
	}
	return nil
}

// Close implements io.Closer.
func (s *audioStream) Close() error {
	s.stop()
	return nil
}
