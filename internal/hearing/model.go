package hearing

import (
	"fmt"
	"os"

	"parley/internal/hearing/rnnoise"
	"parley/internal/hearing/speech"
)

// Model judges whether sound is speech, for any number of calls. The zero Model is the built-in network.
type Model struct {
	network *speech.Network
	rnnoise *rnnoise.Model
}

// maxModel is the size of the largest file that is read as a model.
const maxModel = 8 << 20

// LoadModel reads a file that is a network of tools/hearing, which replaces the built-in one, or an RNNoise model, which
// is a second opinion beside it.
func LoadModel(path string) (m Model, err error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return m, fmt.Errorf("read the model: %w", err)
	case info.Size() > maxModel:
		return m, fmt.Errorf("model %s has %d bytes, more than %d", path, info.Size(), maxModel)
	}
	raw, err := os.ReadFile(path)
	switch {
	case err != nil:
		return m, fmt.Errorf("read the model: %w", err)
	case rnnoise.HasHeader(raw):
		m.rnnoise, err = rnnoise.Parse(raw)
	default:
		m.network, err = speech.Parse(raw)
	}
	if err != nil {
		return m, fmt.Errorf("model %s %w", path, err)
	}
	return m, nil
}

// Options returns the options of a call's Listener that judges by the model.
func (m Model) Options() Options {
	o := Options{Network: m.network}
	if m.rnnoise != nil {
		o.Classifier = m.rnnoise.NewClassifier()
	}
	return o
}
