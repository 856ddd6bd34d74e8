package speech

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strings"
	"sync"
)

// Network is a trained network: one hidden layer and one output, the probability of speech.
type Network struct {
	Mean   [Inputs]float32   `json:"mean"` // of each feature
	Scale  [Inputs]float32   `json:"scale"`
	Hidden [][Inputs]float32 `json:"hidden"`
	Bias   []float32         `json:"bias"`
	Output []float32         `json:"output"`
	Offset float32           `json:"offset"`
}

//go:embed network.json
var builtIn []byte

// BuiltIn is the network that is compiled in.
var BuiltIn = sync.OnceValue(func() *Network {
	n, err := parse(builtIn)
	if err != nil {
		panic(err)
	}
	return n
})

// maxUnits of the hidden layer keep a call's share of a core small.
const maxUnits = 64

// Load reads a network from a file as tools/hearing writes it.
func Load(path string) (*Network, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read the speech network: %w", err)
	}
	n, err := parse(raw)
	if err != nil {
		return nil, fmt.Errorf("speech network %s: %w", path, err)
	}
	return n, nil
}

func parse(raw []byte) (*Network, error) {
	n := &Network{}
	decoder := json.NewDecoder(strings.NewReader(string(raw)))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(n); err != nil {
		return nil, fmt.Errorf("is no network as tools/hearing writes it: %w", err)
	}
	units := len(n.Hidden)
	if units == 0 || units > maxUnits {
		return nil, fmt.Errorf("has %d hidden units, not 1 to %d", units, maxUnits)
	}
	if len(n.Bias) != units || len(n.Output) != units {
		return nil, fmt.Errorf("has %d hidden units, but %d biases and %d outputs", units, len(n.Bias), len(n.Output))
	}
	for i, s := range n.Scale {
		if s <= 0 {
			return nil, fmt.Errorf("scale of feature %d is %v, not above 0", i, s)
		}
	}
	return n, nil
}

// Probability judges features: 0 to 1.
func (n *Network) Probability(features *[Inputs]float32) float64 {
	var in [Inputs]float32
	for i, v := range features {
		in[i] = (v - n.Mean[i]) / n.Scale[i]
	}
	sum := n.Offset
	for u := range n.Hidden {
		h := n.Bias[u]
		for i, w := range n.Hidden[u] {
			h += w * in[i]
		}
		if h > 0 {
			sum += n.Output[u] * h
		}
	}
	return 1 / (1 + math.Exp(-float64(sum)))
}

// Classifier judges the frames of one call by a network.
type Classifier struct {
	network  *Network
	features *Features
}

// NewClassifier makes a Classifier.
func NewClassifier(n *Network) *Classifier { return &Classifier{n, NewFeatures()} }

// Classify returns the probability that a frame, with those before it, holds speech into the microphone.
func (c *Classifier) Classify(frame []int16) float64 {
	return c.network.Probability(c.features.Push(frame))
}
