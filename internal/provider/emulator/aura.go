package emulator

import (
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
	"unicode/utf8"

	"parley/internal/dialogue"
)

// auraQuery is what each query value has to look like: https://developers.deepgram.com/reference/text-to-speech/speak-request,
// https://developers.deepgram.com/docs/tts-models for the names of voices and …/docs/tts-voice-controls for the speed.
var auraQuery = map[string]*regexp.Regexp{
	"model":       regexp.MustCompile(`^aura(-2-[a-z]+-(en|es|de|fr|nl|it|ja)|-[a-z]+-en)$`),
	"encoding":    regexp.MustCompile(`^linear16$`),
	"sample_rate": regexp.MustCompile(`^24000$`), // what the emulator speaks
	"container":   regexp.MustCompile(`^none$`),
	"speed":       regexp.MustCompile(`^(0\.[7-9][0-9]*|1(\.[0-4][0-9]*|\.50*)?)$`),
}

// auraLongest is the most characters of a text: https://developers.deepgram.com/docs/text-to-speech#limits
const auraLongest = 2000

// aura is Deepgram's synthesis.
type aura struct{ *Server }

// admit refuses a request with another key, and by the server's fault.
func (a *aura) admit(w http.ResponseWriter, r *http.Request) bool {
	a.countPeer(r)
	switch fault := a.Fault(); {
	case r.Header.Get("Authorization") != "Token "+a.o.Key:
		refuseDeepgram(w, http.StatusUnauthorized, "INVALID_AUTH", "Invalid credentials.")
	case fault == RateLimit:
		refuseDeepgram(w, http.StatusTooManyRequests, "TOO_MANY_REQUESTS", "Too many requests. Please try again later.")
	case fault == Broken:
		refuseDeepgram(w, http.StatusInternalServerError, "INTERNAL_SERVER_ERROR", "Something went wrong.")
	default:
		return true
	}
	return false
}

func refuseDeepgram(w http.ResponseWriter, status int, code, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(encode(map[string]string{"err_code": code, "err_msg": message, "request_id": deepgramRequest})))
}

// token serves GET /v1/auth/token, the check of a key.
func (a *aura) token(w http.ResponseWriter, r *http.Request) {
	if a.admit(w, r) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"api_key_id":"k","scopes":["usage:write"]}`))
	}
}

// speak serves a request for speech.
func (a *aura) speak(w http.ResponseWriter, r *http.Request) {
	if !a.admit(w, r) {
		return
	}
	var body struct {
		Text string `json:"text"`
	}
	decoder := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<20))
	decoder.DisallowUnknownFields()
	err := decoder.Decode(&body)
	model := r.URL.Query().Get("model")
	switch {
	case err != nil || strings.TrimSpace(body.Text) == "":
		a.breach("Deepgram speaks no %q: %v", body.Text, err)
		refuseDeepgram(w, http.StatusBadRequest, "PAYLOAD_ERROR", "Failed to deserialize JSON payload.")
		return
	case utf8.RuneCountInString(body.Text) > auraLongest:
		a.breach("Deepgram speaks at most %d characters", auraLongest)
		refuseDeepgram(w, http.StatusRequestEntityTooLarge, "PAYLOAD_TOO_LARGE", "Input text exceeds maximum character limit of 2000.")
		return
	case strings.Contains(model, "-"+UnknownVoice+"-"):
		refuseDeepgram(w, http.StatusBadRequest, "INVALID_QUERY_PARAMETER", "No such model/version combination found.")
		return
	}
	if problem := a.badQuery("Deepgram", r.URL.Query(), auraQuery, "model"); problem != "" {
		refuseDeepgram(w, http.StatusBadRequest, "INVALID_QUERY_PARAMETER", problem)
		return
	}
	a.charge("tts characters", utf8.RuneCountInString(body.Text))
	a.streamSpeech(w, r, body.Text)
}

// streamSpeech streams the speech of a text, with the server's fault.
func (s *Server) streamSpeech(w http.ResponseWriter, r *http.Request, text string) {
	switch s.Fault() {
	case Stall:
		<-r.Context().Done()
		return
	case Garbage:
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte("<html>502 Bad Gateway"))
		return
	}
	if !rest(r.Context(), s.o.Delay) {
		s.release()
		return
	}
	sound := s.sound(text)
	w.Header().Set("Content-Type", "audio/l16;rate=24000;channels=1")
	dropped := false
	whole := sound.pieces(r.Context(), int(pieceTime.Seconds()*dialogue.SpeakRate)*2, func(from, to int) bool {
		if _, err := w.Write(sound.pcm[from:to]); err != nil || http.NewResponseController(w).Flush() != nil {
			return false
		}
		dropped = s.Fault() == Drop
		return !dropped
	})
	switch {
	case dropped:
		panic(http.ErrAbortHandler) // closes the connection
	case !whole:
		s.release()
	}
}
