package emulator

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"time"

	"parley/internal/audio"
	"parley/internal/dialogue"
)

// Compatible configures a server that imitates OpenAI's protocols.
type Compatible struct {
	Script     Script
	Recognizer RecognizerScript
	// Realtime is the dialect of /v1/realtime: openai, speaches or vllm; "" for a server without.
	Realtime string
	// Groq: the server is Groq, with its path, and WAV alone.
	Groq bool
	// OpenAI: the server is OpenAI's audio API, which rejects unknown parameters.
	OpenAI bool
}

// compatible is a running server.
type compatible struct {
	*Server
	Compatible
}

// NewCompatible runs a server with chat completions, transcriptions, speech and streamed transcription. It is as strict
// as the strictest of those that it emulates; each refusal names its source.
func NewCompatible(report Reporter, o Options, c Compatible) *Server {
	prefix := ""
	if c.Groq {
		prefix = "/openai"
	}
	s := start(report, o, func(s *Server) http.Handler {
		v := &compatible{Server: s, Compatible: c}
		read := readCompatible
		if c.Groq || c.OpenAI { // their templates take system messages anywhere
			read = readOpenAI
		}
		chat := s.serve(c.Script, wire{
			path:       "/v1/chat/completions",
			authorized: func(h http.Header, key string) bool { return authorized(h, key) },
			refuse:     refuseOpenAI,
			read:       read,
			write:      writeOpenAI,
			garbage:    "data: {\"choices\":[{\"index\":0,\"del\n\ndata: <html>\n\n",
			model:      func(name string) any { return map[string]any{"id": name, "object": "model"} },
		})
		mux := http.NewServeMux()
		mux.Handle("POST /v1/chat/completions", chat)
		mux.HandleFunc("GET /v1/models", v.listed)
		mux.Handle("GET /v1/models/", chat)
		mux.HandleFunc("POST /v1/audio/transcriptions", v.transcribe)
		mux.HandleFunc("POST /v1/audio/speech", v.speech)
		mux.HandleFunc("GET /v1/realtime", v.realtime)
		mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
			s.breach("there is no %s %s", r.Method, r.URL.Path)
			http.NotFound(w, r)
		})
		return http.StripPrefix(prefix, mux)
	})
	s.URL += prefix + "/v1"
	return s
}

// authorized reports whether a request has the key; a server without one wants none.
func authorized(h http.Header, key string) bool {
	return key == "" && h.Get("Authorization") == "" || key != "" && h.Get("Authorization") == "Bearer "+key
}

// admit counts the connection, and answers a request that is refused before it is read.
func (v *compatible) admit(w http.ResponseWriter, r *http.Request) bool {
	v.countPeer(r)
	switch {
	case !authorized(r.Header, v.o.Key):
		refuseOpenAI(w, http.StatusUnauthorized, "Incorrect API key provided.")
	case v.Fault() == RateLimit:
		refuseOpenAI(w, http.StatusTooManyRequests, "Rate limit reached.")
	case v.Fault() == Broken:
		refuseOpenAI(w, http.StatusInternalServerError, "The server had an error while processing your request.")
	default:
		return true
	}
	return false
}

func (v *compatible) listed(w http.ResponseWriter, r *http.Request) {
	if v.admit(w, r) {
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, `{"object":"list","data":[]}`) //nolint:errcheck // the client may be gone
	}
}

// readCompatible is readOpenAI with the rules of chat templates.
func readCompatible(h http.Header, body []byte) (p dialogue.Prompt, model string, err error) {
	var r openAIRequest
	if err := json.Unmarshal(body, &r); err != nil {
		return p, "", err
	}
	if err := fitsTemplates(r.Messages); err != nil {
		return p, "", err
	}
	return readOpenAI(h, body)
}

// fitsTemplates checks the order of messages as templates do.
func fitsTemplates(messages []openAIMessage) error {
	last := ""
	for i, m := range messages {
		switch {
		// Qwen: https://github.com/vllm-project/vllm/issues/41114
		case m.Role == "system" && i > 0:
			return fmt.Errorf("System message must be at the beginning.") //nolint:revive // the template's words
		// Gemma: https://github.com/suitenumerique/conversations/issues/197
		case m.Role == "assistant" && (last == "" || last == "system"), m.Role == last && m.Role != "tool":
			return fmt.Errorf("Conversation roles must alternate user/assistant/user/assistant/...") //nolint:revive // the template's words
		}
		last = m.Role
	}
	if last != "user" && last != "tool" {
		return fmt.Errorf("the last message is of the role %q", last)
	}
	return nil
}

// languageCode is ISO 639-1, as OpenAI wants it and Groq demands it:
// https://console.groq.com/docs/speech-to-text.
var languageCode = regexp.MustCompile(`^[a-z]{2,3}$`)

// listsLanguages are OpenAI's models that take lists of languages and keywords in place of a language.
// https://developers.openai.com/cookbook/examples/migrating_from_whisper_to_gpt_transcribe
var listsLanguages = regexp.MustCompile(`^gpt-(live-)?transcribe`)

// tokenTranscribers are OpenAI's models that are billed by tokens.
var tokenTranscribers = regexp.MustCompile(`^gpt-4o-`)

// takesHints reports whether a model takes a language, or lists of languages or keywords.
func takesHints(model string, language, lists bool) bool {
	if listsLanguages.MatchString(model) {
		return !language
	}
	return !lists
}

// nextLine returns the transcript of audio: the next line, or none where there is no speech.
func (s *Server) nextLine(h RecognizerScript, pcm []int16) string {
	if !speaks(pcm) {
		return ""
	}
	if len(h.Lines) == 0 {
		return "hello"
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	line := h.Lines[s.line%len(h.Lines)]
	s.line++
	return line
}

// speaks reports whether audio at hearingRate has speech.
func speaks(pcm []int16) bool {
	var voiced time.Duration
	for size := int(recognizerRate * recognizerFrame / time.Second); len(pcm) >= size; pcm = pcm[size:] {
		if audio.Level(pcm[:size]) >= loud {
			voiced += recognizerFrame
		}
	}
	return voiced >= recognizerOnset
}

// transcribe serves https://platform.openai.com/docs/api-reference/audio/createTranscription.
func (v *compatible) transcribe(w http.ResponseWriter, r *http.Request) {
	if !v.admit(w, r) {
		return
	}
	pcm, err := readTranscription(r)
	if err != nil {
		v.breach("/v1/audio/transcriptions: %v", err)
		refuseOpenAI(w, http.StatusBadRequest, err.Error())
		return
	}
	if !rest(r.Context(), v.o.Delay) {
		return
	}
	switch v.Fault() {
	case Stall:
		<-r.Context().Done()
		return
	case Garbage:
		io.WriteString(w, "<html>502 Bad Gateway") //nolint:errcheck // the client may be gone
		return
	case Drop, DropOnce:
		if v.Fault() == DropOnce {
			v.Fail(None)
		}
		panic(http.ErrAbortHandler) // closes the connection
	}
	w.Header().Set("Content-Type", "application/json")
	// Models of the Whisper family begin with a space.
	text := v.nextLine(v.Recognizer, pcm)
	answer := map[string]any{"text": " " + text}
	switch length := audio.Duration(len(pcm), recognizerRate); {
	case v.OpenAI:
		answer["usage"] = v.transcriptionUsage(r.FormValue("model"), length, len(strings.Fields(text)))
	case v.Groq: // "Minimum Billed Length: 10 seconds", https://console.groq.com/docs/speech-to-text
		v.chargeSeconds(max(length, 10*time.Second))
	default:
		v.chargeSeconds(length)
	}
	json.NewEncoder(w).Encode(answer) //nolint:errcheck,errchkjson // the client may be gone
}

// readTranscription checks a form and returns its audio.
func readTranscription(r *http.Request) ([]int16, error) {
	if err := r.ParseMultipartForm(32 << 20); err != nil {
		return nil, err
	}
	for name, values := range r.MultipartForm.Value {
		switch {
		case name == "model" && strings.HasPrefix(values[0], "gpt-live-"): // https://developers.openai.com/api/docs/models/gpt-live-transcribe
			return nil, fmt.Errorf("%s is not supported at /v1/audio/transcriptions", values[0])
		case name == "model" && values[0] != "":
		case name == "languages[]" && languageCode.MatchString(values[0]), name == "keywords[]":
		case name == "response_format" && values[0] == "json":
		case name == "language" && languageCode.MatchString(values[0]):
		default:
			return nil, fmt.Errorf("invalid value of %s: %q", name, values)
		}
	}
	if len(r.MultipartForm.Value["model"]) == 0 {
		return nil, fmt.Errorf("you must provide a model parameter")
	}
	form := r.MultipartForm.Value
	if !takesHints(form["model"][0], len(form["language"]) > 0, len(form["languages[]"])+len(form["keywords[]"]) > 0) {
		return nil, fmt.Errorf("hints that %s does not take", form["model"][0])
	}
	file, header, err := r.FormFile("file")
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if !strings.HasSuffix(header.Filename, ".wav") { // the name determines the format
		return nil, fmt.Errorf("unrecognized file format %q", header.Filename)
	}
	pcm, err := audio.ReadWAV(file, recognizerRate)
	if err != nil {
		return nil, err
	}
	if audio.Duration(len(pcm), recognizerRate) < 100*time.Millisecond {
		// https://community.openai.com/t/audio-file-is-too-short-minimum-audio-length-is-0-1-seconds/456150
		return nil, fmt.Errorf("audio file is too short. Minimum audio length is 0.1 seconds")
	}
	return pcm, nil
}
