package speech_test

import (
	"encoding/json"
	"strings"
	"testing"

	"parley/internal/hearing/speech"
)

func TestParse(t *testing.T) {
	n := speech.Network{Bias: []float32{0}, Output: []float32{1}, Hidden: make([][speech.Inputs]float32, 1), Offset: 2}
	for i := range n.Scale {
		n.Scale[i] = 1
	}
	raw, err := json.Marshal(n)
	if err != nil {
		t.Fatal(err)
	}
	small := string(raw)
	parsed, err := speech.Parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	if p := speech.NewClassifier(parsed).Classify(make([]int16, 320)); p < 0.88 || p > 0.89 {
		t.Errorf("probability %v, not that of the offset 2", p)
	}
	for content, want := range map[string]string{
		"\x08\x07\x12\x07pytorch": "is neither a network of tools/hearing nor an RNNoise model",
		"{}":                      "0 hidden units",
		strings.Replace(small, `"bias":[0]`, `"bias":[]`, 1):           "0 biases",
		strings.Replace(small, `"mean":[0,`, `"mean":[`, 1):            "is for 33 features, not the 34 of this version",
		strings.Replace(small, `"mean":[0,`, `"mean":[0,0,`, 1):        "is for 35 features, not the 34 of this version",
		strings.Replace(small, `"scale":[1,`, `"scale":[0,`, 1):        "the scale 0 of feature 0",
		strings.Replace(small, `"offset":2`, `"offset":2,"more":3`, 1): `unknown field "more"`,
	} {
		if _, err := speech.Parse([]byte(content)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q is refused with %v, not %q", content, err, want)
		}
	}
}
