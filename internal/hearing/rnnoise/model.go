// Package rnnoise evaluates the voice activity output of RNNoise models: text files of rnnoise-nu, version 1
// (https://github.com/GregorR/rnnoise-nu), as FFmpeg's arnndn filter loads them. Noise suppression is not evaluated.
package rnnoise

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
)

// header is the first line of a model file.
const header = "rnnoise-nu model file version 1"

const (
	maxUnits    = 128 // of a layer, a limit of the format
	weightScale = 1.0 / 256
)

// Activation functions, numbered as in files.
const (
	tanh = iota
	sigmoid
	relu
	activations
)

// layer is a dense layer, or a gated recurrent unit. Weights are [input][gate][unit]; a dense layer has one gate.
type layer struct {
	inputs, units, activation int
	weights, recurrent, bias  []float32
}

// Model is the part of a model that detects voice activity.
type Model struct{ input, memory, output layer }

// HasHeader reports whether a file begins as an RNNoise model does.
func HasHeader(file []byte) bool { return bytes.HasPrefix(file, []byte("rnnoise-nu model file")) }

// Parse reads a model file.
func Parse(file []byte) (*Model, error) {
	first, rest, _ := bytes.Cut(file, []byte("\n"))
	if got := string(bytes.TrimSpace(first)); got != header {
		return nil, fmt.Errorf("begins with %.60q, not %q", got, header)
	}
	p := parser{fields: bytes.Fields(rest)}
	m := &Model{}
	m.input = p.layer("input_dense", 1)
	m.memory = p.layer("vad_gru", 3)
	p.layer("noise_gru", 3)
	p.layer("denoise_gru", 3)
	p.layer("denoise_output", 1)
	m.output = p.layer("vad_output", 1)
	switch {
	case p.err != nil:
		return nil, p.err
	case len(p.fields) > 0:
		return nil, fmt.Errorf("has %d values after the last layer", len(p.fields))
	case m.input.inputs != features:
		return nil, fmt.Errorf("is for %d features, not %d", m.input.inputs, features)
	case m.memory.inputs != m.input.units || m.output.inputs != m.memory.units || m.output.units != 1:
		return nil, fmt.Errorf("has layers of sizes that do not fit: %d to %d, %d to %d, %d to %d", m.input.inputs, m.input.units, m.memory.inputs,
			m.memory.units, m.output.inputs, m.output.units)
	}
	return m, nil
}

// parser reads whole numbers until the first error.
type parser struct {
	fields [][]byte
	err    error
}

func (p *parser) layer(name string, gates int) (l layer) {
	l.inputs, l.units, l.activation = p.number(name), p.number(name), p.number(name)
	switch {
	case p.err != nil:
		return layer{}
	case l.inputs < 1 || l.inputs > maxUnits || l.units < 1 || l.units > maxUnits:
		p.err = fmt.Errorf("layer %s has %d inputs and %d units, not 1 to %d", name, l.inputs, l.units, maxUnits)
		return layer{}
	case l.activation < 0 || l.activation >= activations:
		p.err = fmt.Errorf("layer %s has the unknown activation function %d", name, l.activation)
		return layer{}
	}
	l.weights = p.weights(name, l.inputs*l.units*gates)
	if gates > 1 {
		l.recurrent = p.weights(name, l.units*l.units*gates)
	}
	l.bias = p.weights(name, l.units*gates)
	return l
}

func (p *parser) weights(name string, n int) []float32 {
	if p.err == nil && len(p.fields) < n {
		p.err = fmt.Errorf("ends within layer %s", name)
	}
	if p.err != nil {
		return nil
	}
	values := make([]float32, n)
	for i := range values {
		values[i] = float32(p.number(name)) * weightScale
	}
	return values
}

func (p *parser) number(name string) int {
	switch {
	case p.err != nil:
		return 0
	case len(p.fields) == 0:
		p.err = fmt.Errorf("ends within layer %s", name)
		return 0
	}
	n, err := strconv.ParseInt(string(p.fields[0]), 10, 16)
	if err != nil {
		p.err = fmt.Errorf("has %.20q in layer %s in place of a whole number", p.fields[0], name)
	}
	p.fields = p.fields[1:]
	return int(n)
}

func activate(function int, v float32) float32 {
	switch function {
	case tanh:
		return float32(math.Tanh(float64(v)))
	case sigmoid:
		return float32(1 / (1 + math.Exp(-float64(v))))
	}
	return max(0, v)
}

// dense evaluates a dense layer into out.
func (l *layer) dense(out, in []float32) {
	copy(out, l.bias)
	accumulate(out[:l.units], l.weights, in)
	for i, v := range out[:l.units] {
		out[i] = activate(l.activation, v)
	}
}

// accumulate adds the weighted inputs to sums.
func accumulate(sums, weights, in []float32) {
	for j, v := range in {
		row := weights[j*len(sums) : (j+1)*len(sums)]
		for i, w := range row {
			sums[i] += w * v
		}
	}
}

// recur evaluates a gated recurrent unit: the gates are update, reset and output. It changes the state.
func (l *layer) recur(state, in []float32) {
	var sums [3 * maxUnits]float32
	n := l.units
	all := sums[:3*n]
	copy(all, l.bias)
	accumulate(all, l.weights, in)
	for j, v := range state {
		for i, w := range l.recurrent[j*3*n : j*3*n+2*n] {
			all[i] += w * v
		}
	}
	update, reset, output := all[:n], all[n:2*n], all[2*n:]
	for i := range n {
		update[i], reset[i] = activate(sigmoid, update[i]), activate(sigmoid, reset[i])
	}
	for j, v := range state {
		v *= reset[j]
		for i, w := range l.recurrent[j*3*n+2*n : (j+1)*3*n] {
			output[i] += w * v
		}
	}
	for i := range n {
		state[i] = update[i]*state[i] + (1-update[i])*activate(l.activation, output[i])
	}
}
