package speechcache

import (
	"encoding/binary"
	"encoding/json"
	"errors"

	"parley/internal/dialogue"
)

// An entry is the length of its index (4 bytes, little endian), the index as JSON, and the samples of all segments.

// segment describes a segment of speech in the index.
type segment struct {
	Text    string          `json:"text,omitempty"`
	Words   []dialogue.Word `json:"words,omitempty"`
	Samples int             `json:"samples"`
}

var errFormat = errors.New("not the format of cached speech")

func encode(speech []dialogue.Speech) []byte {
	var segments []segment
	var samples []byte
	for _, s := range speech {
		segments = append(segments, segment{s.Text, s.Words, len(s.PCM)})
		for _, v := range s.PCM {
			samples = binary.LittleEndian.AppendUint16(samples, uint16(v))
		}
	}
	index, err := json.Marshal(segments)
	if err != nil {
		panic(err) // texts and numbers only
	}
	encoded := binary.LittleEndian.AppendUint32(nil, uint32(len(index)))
	return append(append(encoded, index...), samples...)
}

func decode(encoded []byte) (speech []dialogue.Speech, err error) {
	if len(encoded) < 4 {
		return nil, errFormat
	}
	length, rest := int64(binary.LittleEndian.Uint32(encoded)), encoded[4:]
	if length > int64(len(rest)) {
		return nil, errFormat
	}
	var segments []segment
	if err := json.Unmarshal(rest[:length], &segments); err != nil {
		return nil, errFormat
	}
	rest = rest[length:]
	for _, s := range segments {
		if s.Samples < 0 || s.Samples > len(rest)/2 {
			return nil, errFormat
		}
		pcm := make([]int16, s.Samples)
		for i := range pcm {
			pcm[i] = int16(binary.LittleEndian.Uint16(rest[2*i:]))
		}
		rest = rest[2*s.Samples:]
		speech = append(speech, dialogue.Speech{PCM: pcm, Text: s.Text, Words: s.Words})
	}
	return speech, nil
}
