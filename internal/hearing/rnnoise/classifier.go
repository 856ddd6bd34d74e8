package rnnoise

// Classifier judges the frames of one call by a model.
type Classifier struct {
	model     *Model
	extractor extractor
	state     []float32
	input     []float32
}

// NewClassifier makes a Classifier.
func (m *Model) NewClassifier() *Classifier {
	return &Classifier{model: m, state: make([]float32, m.memory.units), input: make([]float32, m.input.units)}
}

// Classify returns the mean probability of voice activity in a frame of 20 ms at 16 kHz.
func (c *Classifier) Classify(frame []int16) (probability float64) {
	for half := range 2 {
		from := min(half*hop, len(frame))
		probability += c.push(frame[from:min(from+hop, len(frame))]) / 2
	}
	return probability
}

// push returns the probability of voice activity in 10 ms: 0 in silence, which leaves the state as it is.
func (c *Classifier) push(pcm []int16) float64 {
	in := c.extractor.push(pcm)
	if in == nil {
		return 0
	}
	c.model.input.dense(c.input, in[:])
	c.model.memory.recur(c.state, c.input)
	var out [1]float32
	c.model.output.dense(out[:], c.state)
	return float64(out[0])
}
