package speechhttp

import (
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"

	"parley/internal/audio"
	"parley/internal/dialogue"
	"parley/internal/provider/vendorerror"
)

// sound is the streamed speech of an answer, at dialogue.SpeakRate.
type sound struct {
	*audio.Source
	stream io.Closer
}

func (s *sound) close() { _, _ = s.Source.Close(), s.stream.Close() }

// newSound begins to read the speech of an answer. Its format is what its bytes say, whatever its media type; sound that cannot be played
// is an error that no retry mends.
func (v *Vendor) newSound(response *http.Response) (*sound, error) {
	kind, stream := response.Header.Get("Content-Type"), response.Body
	if v.Audio != nil {
		pcm, err := v.Audio(response)
		if err != nil {
			return nil, err
		}
		kind, stream = "", pcm
	}
	media, _, _ := mime.ParseMediaType(kind)
	if media != "" && media != "application/octet-stream" && media != "binary/octet-stream" && !strings.HasPrefix(media, "audio/") {
		return nil, vendorerror.Unexpected("the answer is no audio: is the base URL right?", media)
	}
	source, err := audio.NewSource(stream, kind, dialogue.SpeakRate)
	if err != nil {
		return nil, soundError(err)
	}
	return &sound{source, stream}, nil
}

// soundError returns the error of speech that cannot be read, with its cause.
func soundError(err error) error {
	if errors.Is(err, audio.ErrFormat) {
		return dialogue.ErrorOf(dialogue.ErrRefused, err.Error())
	}
	return dialogue.Wrap("the audio was cut off", err)
}
