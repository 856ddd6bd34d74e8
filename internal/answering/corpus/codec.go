package corpus

import (
	"github.com/gotranspile/g722"
	"github.com/livekit/media-sdk"
	"github.com/livekit/media-sdk/g711"

	"parley/internal/audio"
)

// codecs send sound through a codec and back.
var codecs = map[string]func([]int16) ([]int16, error){"PCMU": throughPCMU, "G722": throughG722, "opus": throughOpus}

func throughPCMU(pcm []int16) ([]int16, error) {
	down := audio.NewResampler(Rate, 8000)
	narrow := down.Flush(down.Process(pcm, nil))
	var coded g711.ULawSample
	coded.Encode(media.PCM16Sample(narrow))
	up := audio.NewResampler(8000, Rate)
	return up.Flush(up.Process(coded.Decode(), nil)), nil
}

func throughG722(pcm []int16) ([]int16, error) {
	return g722.Decode(g722.Encode(pcm, g722.Rate64000, 0), g722.Rate64000, 0), nil
}

func throughOpus(pcm []int16) ([]int16, error) {
	const frame = Rate / 50
	encoder, err := audio.NewEncoder(Rate)
	if err != nil {
		return nil, err
	}
	decoder, err := audio.NewDecoder(Rate)
	if err != nil {
		return nil, err
	}
	packet, decoded := make([]byte, 1500), make([]int16, 0, len(pcm))
	for ; len(pcm) >= frame; pcm = pcm[frame:] {
		n, err := encoder.Encode(pcm[:frame], packet)
		if err != nil {
			return nil, err
		}
		out := make([]int16, frame)
		if n, err = decoder.Decode(packet[:n], out); err != nil {
			return nil, err
		}
		decoded = append(decoded, out[:n]...)
	}
	return decoded, nil
}
