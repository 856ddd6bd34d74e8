package analytics

import (
	"fmt"
	"math"

	"github.com/DataDog/sketches-go/ddsketch"
	"github.com/DataDog/sketches-go/ddsketch/mapping"
	"github.com/DataDog/sketches-go/ddsketch/store"
)

const (
	// accuracy is the relative error of percentiles. Stored sketches depend on it.
	accuracy = 0.01
	// maxBins limits the size of a sketch. It covers a ratio of 10^17, so that no
	// bins collapse in practice.
	maxBins = 2048
)

// sketch is a DDSketch of measurements in milliseconds.
type sketch struct{ *ddsketch.DDSketch }

func newSketch() (sketch, error) {
	index, err := mapping.NewLogarithmicMapping(accuracy)
	if err != nil {
		return sketch{}, fmt.Errorf("make sketch: %w", err)
	}
	return sketch{ddsketch.NewDDSketchFromStoreProvider(index, func() store.Store { return store.NewCollapsingLowestDenseStore(maxBins) })}, nil
}

// sketchOf returns a sketch of measurements.
func sketchOf(measurements []float64) (sketch, error) {
	s, err := newSketch()
	if err != nil {
		return s, err
	}
	for _, ms := range measurements {
		if err := s.Add(ms); err != nil {
			return s, fmt.Errorf("add %g ms to sketch: %w", ms, err)
		}
	}
	return s, nil
}

// merge adds an encoded sketch.
func (s sketch) merge(encoded []byte) error {
	if err := s.DecodeAndMergeWith(encoded); err != nil {
		return fmt.Errorf("read sketch: %w", err)
	}
	return nil
}

// encode returns the encoding that merge reads.
func (s sketch) encode() []byte {
	var encoded []byte
	s.Encode(&encoded, true)
	return encoded
}

// percentiles returns the values at quantiles (0–1) by nearest rank; zeros for an
// empty sketch.
func (s sketch) percentiles(quantiles ...float64) ([]float64, error) {
	if s.IsEmpty() {
		return make([]float64, len(quantiles)), nil
	}
	// The library's ranks are 0 to n-1, rounded down; half a rank is added against
	// rounding errors.
	n := s.GetCount()
	ranked := make([]float64, len(quantiles))
	for i, q := range quantiles {
		ranked[i] = min(1, (math.Ceil(q*n)-0.5)/(n-1))
	}
	values, err := s.GetValuesAtQuantiles(ranked)
	if err != nil {
		return nil, fmt.Errorf("percentiles of sketch: %w", err)
	}
	return values, nil
}
