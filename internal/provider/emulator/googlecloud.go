package emulator

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"time"

	"parley/internal/audio"
)

// GoogleCloudLocation is the path of the emulated project's location.
const GoogleCloudLocation = "/v2/projects/parley-test/locations/eu"

// googleCloudLanguages are codes of Chirp 3, and "auto":
// https://docs.cloud.google.com/speech-to-text/docs/models/chirp-3
var googleCloudLanguages = regexp.MustCompile(`^(auto|ca-ES|cmn-Hans-CN|hr-HR|da-DK|nl-NL|en-(AU|GB|IN|US)|fi-FI|fr-(CA|FR)|de-DE|el-GR|hi-IN|it-IT|ja-JP|` +
	`ko-KR|pl-PL|pt-(BR|PT)|ro-RO|ru-RU|es-(ES|US)|sv-SE|tr-TR|uk-UA|vi-VN)$`)

// googleCloudBody is a request with the fields of
// https://docs.cloud.google.com/speech-to-text/docs/reference/rest/v2/projects.locations.recognizers/recognize
type googleCloudBody struct {
	Config struct {
		Decoding *struct {
			Encoding string `json:"encoding"`
			Rate     int    `json:"sampleRateHertz"`
			Channels int    `json:"audioChannelCount"`
		} `json:"explicitDecodingConfig"`
		Languages []string `json:"languageCodes"`
		Model     string   `json:"model"`
		Features  struct {
			Punctuation bool `json:"enableAutomaticPunctuation"`
		} `json:"features"`
	} `json:"config"`
	Content []byte `json:"content"`
}

func (b *googleCloudBody) problem() string {
	c := b.Config
	length := audio.Duration(len(b.Content)/2, recognizerRate)
	switch {
	case c.Decoding == nil || c.Decoding.Encoding != "LINEAR16" || c.Decoding.Rate != recognizerRate || c.Decoding.Channels != 1:
		return "Audio encoding is not supported."
	case len(c.Languages) != 1 || !googleCloudLanguages.MatchString(c.Languages[0]):
		return fmt.Sprintf("The language %q is not supported by the model %q in the location named \"eu\".", c.Languages, c.Model)
	case !strings.HasPrefix(c.Model, "chirp_"):
		return fmt.Sprintf("The model %q does not exist in the location named \"eu\".", c.Model)
	case len(b.Content) == 0 || len(b.Content)%2 != 0:
		return "Request must contain audio."
	case length > time.Minute:
		return "Audio can be of a maximum of 60 seconds."
	}
	return ""
}

// NewGoogleCloud runs Google Cloud's Speech-to-Text at GoogleCloudLocation, one request an utterance.
func NewGoogleCloud(report Reporter, o Options, h RecognizerScript) *Server {
	s := start(report, o, func(s *Server) http.Handler {
		mux := http.NewServeMux()
		mux.HandleFunc("GET "+GoogleCloudLocation, func(w http.ResponseWriter, r *http.Request) {
			s.countPeer(r)
			if s.admitGoogle(w, r) {
				w.Header().Set("Content-Type", "application/json; charset=UTF-8")
				_, _ = io.WriteString(w, `{"name":"projects/parley-test/locations/eu","locationId":"eu"}`)
			}
		})
		mux.HandleFunc("POST "+GoogleCloudLocation+"/recognizers/_:recognize", func(w http.ResponseWriter, r *http.Request) { s.googleRecognize(w, r, h) })
		mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
			s.breach("Google Cloud has no %s %s", r.Method, r.URL.Path)
			http.NotFound(w, r)
		})
		return mux
	})
	s.URL += GoogleCloudLocation
	return s
}

// admitGoogle answers a request that is refused before it is read.
func (s *Server) admitGoogle(w http.ResponseWriter, r *http.Request) bool {
	switch fault := s.Fault(); {
	case r.Header.Get("X-Goog-Api-Key") != s.o.Key:
		refuseGoogle(w, http.StatusUnauthorized, "")
	case fault == RateLimit:
		refuseGoogle(w, http.StatusTooManyRequests, "Quota exceeded for quota metric 'Recognition requests'.")
	case fault == Broken:
		refuseGoogle(w, http.StatusInternalServerError, "Internal error encountered.")
	case fault == Stall:
		<-r.Context().Done()
	default:
		return true
	}
	return false
}

func (s *Server) googleRecognize(w http.ResponseWriter, r *http.Request, h RecognizerScript) {
	s.countPeer(r)
	body, err := io.ReadAll(r.Body)
	if err != nil || !s.admitGoogle(w, r) {
		return
	}
	var b googleCloudBody
	problem := ""
	if err := strictly(body, &b); err != nil {
		problem = "Invalid JSON payload received. " + err.Error()
	} else {
		problem = b.problem()
	}
	if problem != "" {
		s.breach("recognize: %s", problem)
		refuseGoogle(w, http.StatusBadRequest, problem)
		return
	}
	if !rest(r.Context(), s.o.Delay) {
		return
	}
	switch s.Fault() {
	case Garbage:
		_, _ = io.WriteString(w, "<html>502 Bad Gateway")
		return
	case Drop, DropOnce:
		if s.Fault() == DropOnce {
			s.Fail(None)
		}
		panic(http.ErrAbortHandler) // closes the connection
	}
	pcm := make([]int16, len(b.Content)/2)
	for i := range pcm {
		pcm[i] = int16(binary.LittleEndian.Uint16(b.Content[2*i:]))
	}
	results := []any{}
	if text := s.nextLine(h, pcm); text != "" {
		results = append(results, map[string]any{"alternatives": []any{map[string]any{"transcript": text, "confidence": 0.97}},
			"resultEndOffset": "1.2s", "languageCode": "en-US"})
	}
	// "rounded up to the nearest increment of 1 second": https://cloud.google.com/speech-to-text/pricing
	billed := started(audio.Duration(len(pcm), recognizerRate), time.Second)
	s.chargeSeconds(billed)
	w.Header().Set("Content-Type", "application/json; charset=UTF-8")
	_ = json.NewEncoder(w).Encode(map[string]any{"results": results, "metadata": map[string]any{"totalBilledDuration": fmt.Sprintf("%.0fs", billed.Seconds())}})
}
