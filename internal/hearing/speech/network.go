package speech

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"math"
	"slices"
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
	n, err := Parse(builtIn)
	if err != nil {
		panic(err)
	}
	return n
})

// maxUnits of the hidden layer keep a call's share of a core small.
const maxUnits = 64

// file is a network as it is stored.
type file struct {
	Mean   []float32   `json:"mean"`
	Scale  []float32   `json:"scale"`
	Hidden [][]float32 `json:"hidden"`
	Bias   []float32   `json:"bias"`
	Output []float32   `json:"output"`
	Offset float32     `json:"offset"`
}

// Parse reads a network from a file as tools/hearing writes it.
func Parse(raw []byte) (*Network, error) {
	var f file
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&f); err != nil {
		return nil, fmt.Errorf("is neither a network of tools/hearing nor an RNNoise model: %w", err)
	}
	units := len(f.Hidden)
	switch {
	case units == 0 || units > maxUnits:
		return nil, fmt.Errorf("has %d hidden units, not 1 to %d", units, maxUnits)
	case len(f.Bias) != units || len(f.Output) != units:
		return nil, fmt.Errorf("has %d hidden units, but %d biases and %d outputs", units, len(f.Bias), len(f.Output))
	}
	n := &Network{Hidden: make([][Inputs]float32, units), Bias: f.Bias, Output: f.Output, Offset: f.Offset}
	for _, row := range slices.Concat([][]float32{f.Mean, f.Scale}, f.Hidden) {
		if len(row) != Inputs {
			return nil, fmt.Errorf("is for %d features, not the %d of this version", len(row), Inputs)
		}
	}
	copy(n.Mean[:], f.Mean)
	copy(n.Scale[:], f.Scale)
	for u, weights := range f.Hidden {
		copy(n.Hidden[u][:], weights)
	}
	for i, s := range n.Scale {
		if s <= 0 {
			return nil, fmt.Errorf("has the scale %v of feature %d, which is not above 0", s, i)
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
