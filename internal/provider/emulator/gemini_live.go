package emulator

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/coder/websocket"

	"parley/internal/dialogue"
	"parley/internal/provider"
)

const geminiPath = "/ws/google.ai.generativelanguage.v1beta.GenerativeService.BidiGenerateContent"

// NewGeminiLive emulates Gemini's Live API: https://ai.google.dev/api/live. Names and types of the messages are those of
// @google/genai 2.21.0.
func NewGeminiLive(report Reporter, o Options, h RecognizerScript, script Script) *Server {
	return start(report, o, func(s *Server) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { s.serveGeminiLive(w, r, h, script) })
	})
}

// NewGoogleWithLive is NewGoogle and NewGeminiLive on one server.
func NewGoogleWithLive(report Reporter, o Options, h RecognizerScript, script Script) *Server {
	return start(report, o, func(s *Server) http.Handler {
		generate := s.serveGoogle(script)
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if strings.Contains(r.URL.Path, "/ws/") {
				s.serveGeminiLive(w, r, h, script)
				return
			}
			generate.ServeHTTP(w, r)
		})
	})
}

func (s *Server) serveGeminiLive(w http.ResponseWriter, r *http.Request, h RecognizerScript, script Script) {
	switch {
	case strings.ReplaceAll(r.URL.Path, "//", "/") != geminiPath: // @google/genai writes two slashes
		s.breach("%s %s is not GET %s", r.Method, r.URL.Path, geminiPath)
		http.NotFound(w, r)
	case s.Fault() == Broken:
		http.Error(w, `{"error":{"code":503,"message":"The service is currently unavailable.","status":"UNAVAILABLE"}}`, http.StatusServiceUnavailable)
	case s.Fault() == RateLimit:
		http.Error(w, `{"error":{"code":429,"message":"Resource has been exhausted.","status":"RESOURCE_EXHAUSTED"}}`, http.StatusTooManyRequests)
	default:
		given := r.Header.Get("X-Goog-Api-Key")
		if query := r.URL.Query().Get("key"); query != "" {
			given = query
		}
		s.socket(w, r, func(ctx context.Context, conn *websocket.Conn) {
			conn.SetReadLimit(16 << 20)
			c := &geminiConversation{s: s, script: script, speechDetector: newSpeechDetector(h), pause: h.Endpointing, calls: map[string]string{}}
			c.serve(ctx, conn, given == s.o.Key)
		})
	}
}

// geminiConversation is one connection.
type geminiConversation struct {
	s              *Server
	script         Script
	speechDetector *speechDetector
	messageSender  *messageSender

	mu      sync.Mutex
	pause   time.Duration // shorter ones are within a line
	ended   time.Time     // when activity last did
	rest    bool          // the activity is the rest of a line
	line    string        // that was recognised last
	detects bool          // activity, rather than receiving it from the client
	active  bool          // within activity that the client marked
	prompt  dialogue.Prompt
	shown   string            // of the transcript of the utterance
	calls   map[string]string // names of the functions that were called and not answered, by id
	turn    int               // number of the turn that is being generated; it changes when that is interrupted
	busy    bool              // it is being generated
	said    string            // of it
}

// geminiMessage is a message of the client.
type geminiMessage struct {
	Setup         *geminiSetup `json:"setup"`
	ClientContent *struct {
		Turns        []geminiContent `json:"turns"`
		TurnComplete bool            `json:"turnComplete"`
	} `json:"clientContent"`
	RealtimeInput *geminiInput `json:"realtimeInput"`
	ToolResponse  *struct {
		FunctionResponses []geminiResult `json:"functionResponses"`
	} `json:"toolResponse"`
}

type geminiContent struct {
	Role  string `json:"role"`
	Parts []struct {
		Text string `json:"text"`
	} `json:"parts"`
}

type geminiInput struct {
	Audio *struct {
		MimeType string `json:"mimeType"`
		Data     string `json:"data"`
	} `json:"audio"`
	ActivityStart  *struct{} `json:"activityStart"`
	ActivityEnd    *struct{} `json:"activityEnd"`
	AudioStreamEnd bool      `json:"audioStreamEnd"`
}

type geminiResult struct {
	ID       string         `json:"id"`
	Name     string         `json:"name"`
	Response map[string]any `json:"response"`
}

func (c *geminiConversation) serve(ctx context.Context, conn *websocket.Conn, allowed bool) {
	c.messageSender = newMessageSender(ctx, c.s, conn)
	defer c.messageSender.dropQueue()
	defer c.leave()
	if !allowed {
		c.messageSender.sendClose(websocket.StatusPolicyViolation, "API key not valid. Please pass a valid API key.")
		return
	}
	for first := true; ; first = false {
		_, message, err := conn.Read(ctx)
		if err != nil {
			return
		}
		var m geminiMessage
		decoder := json.NewDecoder(strings.NewReader(string(message)))
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(&m); err != nil {
			c.refuse("%v in %.300s", err, message)
			return
		}
		c.mu.Lock()
		ok := c.handle(m, first)
		c.mu.Unlock()
		if !ok {
			return
		}
	}
}

// handle handles a message and reports whether the connection goes on.
func (c *geminiConversation) handle(m geminiMessage, first bool) bool {
	switch {
	case first != (m.Setup != nil):
		return c.refuse("setup must be the first message and only that")
	case m.Setup != nil:
		return c.setUp(m.Setup)
	case m.ClientContent != nil:
		return c.content(m.ClientContent.Turns, m.ClientContent.TurnComplete)
	case m.RealtimeInput != nil:
		return c.input(m.RealtimeInput)
	case m.ToolResponse != nil:
		return c.results(m.ToolResponse.FunctionResponses)
	}
	return c.refuse("an empty message")
}

// refuse closes the connection as the vendor does on an invalid argument:
// https://discuss.ai.google.dev/t/live-api-1007-request-contains-an-invalid-argument/90318
func (c *geminiConversation) refuse(format string, args ...any) bool {
	c.s.breach("Gemini Live: "+format, args...)
	c.messageSender.sendClose(websocket.StatusInvalidFramePayloadData, "Request contains an invalid argument.")
	return false
}

type geminiSetup struct {
	Model            string `json:"model"`
	GenerationConfig struct {
		ResponseModalities []string `json:"responseModalities"`
		SpeechConfig       *struct {
			VoiceConfig struct {
				PrebuiltVoiceConfig struct {
					VoiceName string `json:"voiceName"`
				} `json:"prebuiltVoiceConfig"`
			} `json:"voiceConfig"`
		} `json:"speechConfig"`
	} `json:"generationConfig"`
	SystemInstruction *geminiContent `json:"systemInstruction"`
	Tools             []struct {
		FunctionDeclarations []struct {
			Name        string `json:"name"`
			Description string `json:"description"`
			// Parameters is a Schema, whose types are in capitals.
			Parameters *geminiSchema `json:"parameters"`
			Behavior   string        `json:"behavior"`
		} `json:"functionDeclarations"`
	} `json:"tools"`
	InputAudioTranscription  *struct{} `json:"inputAudioTranscription"`
	OutputAudioTranscription *struct{} `json:"outputAudioTranscription"`
	ContextWindowCompression *struct {
		SlidingWindow struct{} `json:"slidingWindow"`
	} `json:"contextWindowCompression"`
	// SessionResumption with a handle continues a session; the emulator sends no handles.
	SessionResumption *struct {
		Handle string `json:"handle"`
	} `json:"sessionResumption"`
	RealtimeInputConfig struct {
		AutomaticActivityDetection struct {
			Disabled bool `json:"disabled"`
		} `json:"automaticActivityDetection"`
	} `json:"realtimeInputConfig"`
}

// geminiSchema is https://ai.google.dev/api/caching#Schema, of which additionalProperties is no field.
type geminiSchema struct {
	Type        string                   `json:"type"`
	Description string                   `json:"description"`
	Nullable    bool                     `json:"nullable"`
	Enum        []string                 `json:"enum"`
	Properties  map[string]*geminiSchema `json:"properties"`
	Required    []string                 `json:"required"`
	Items       *geminiSchema            `json:"items"`
	Minimum     *float64                 `json:"minimum"`
	Maximum     *float64                 `json:"maximum"`
}

func (c *geminiConversation) setUp(s *geminiSetup) bool {
	entry, _ := provider.Find(provider.Realtime, "google")
	model, prefixed := strings.CutPrefix(s.Model, "models/")
	if !prefixed || !strings.Contains(model, "live") && !strings.Contains(model, "native-audio") {
		c.messageSender.sendClose(websocket.StatusPolicyViolation, s.Model+" is not found for API version v1beta, or is not supported for bidiGenerateContent.")
		return false
	}
	if speech := s.GenerationConfig.SpeechConfig; speech != nil && !slices.Contains(entry.Voices, speech.VoiceConfig.PrebuiltVoiceConfig.VoiceName) {
		c.messageSender.sendClose(websocket.StatusInvalidFramePayloadData, "Requested voice api_name '"+speech.VoiceConfig.PrebuiltVoiceConfig.VoiceName+"' is not available for model "+s.Model)
		return false
	}
	if !slices.Equal(s.GenerationConfig.ResponseModalities, []string{"AUDIO"}) || s.InputAudioTranscription == nil || s.OutputAudioTranscription == nil {
		return c.refuse("the emulator speaks, and transcribes both sides")
	}
	c.detects = !s.RealtimeInputConfig.AutomaticActivityDetection.Disabled
	c.prompt.Model = model
	if s.SystemInstruction != nil {
		for _, p := range s.SystemInstruction.Parts {
			c.prompt.System += p.Text
		}
	}
	for _, t := range s.Tools {
		for _, f := range t.FunctionDeclarations {
			if !slices.Contains([]string{"", "BLOCKING", "NON_BLOCKING"}, f.Behavior) || f.Parameters != nil && f.Parameters.Type != "OBJECT" {
				return c.refuse("the function %+v", f)
			}
			schema := json.RawMessage(`{}`)
			if f.Parameters != nil {
				schema = json.RawMessage(encode(f.Parameters))
			}
			c.prompt.Tools = append(c.prompt.Tools, dialogue.Tool{Name: f.Name, Description: f.Description, Parameters: schema})
		}
	}
	c.messageSender.greet(`{"setupComplete":{}}`)
	return true
}
