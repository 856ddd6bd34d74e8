package sip

import (
	"encoding/json"
	"math"
	"time"

	"parley/internal/audio"
	"parley/internal/media"
	"parley/internal/sip/mediaport"
)

// qualityInterval is how often the room receives the quality of a phone's audio.
const qualityInterval = 5 * time.Second

// publishQuality sets the attribute with the quality of the phone's audio so far.
func (p *phone) publishQuality() {
	encoded, err := json.Marshal(qualityOf(p.current.Load().port.Quality()))
	if err != nil {
		return // its values always encode
	}
	p.setAttribute(media.AttributeQuality, string(encoded))
}

// qualityOf returns a measurement as the room receives it. What is not known is nil.
func qualityOf(q mediaport.Quality) audio.Quality {
	return audio.Quality{
		Codec: string(q.Codec), Received: directionOf(q.Received, q.Received.Packets > 0), Sent: directionOf(q.Sent, q.Sent.MOS > 0),
		RoundTripMS: known(milliseconds(q.RoundTrip), q.RoundTrip > 0),
	}
}

func directionOf(d mediaport.Direction, measured bool) audio.DirectionQuality {
	return audio.DirectionQuality{
		Packets: int64(d.Packets), Lost: known(int64(d.Lost), measured), JitterMS: known(milliseconds(d.Jitter), measured),
		MOS: known(math.Round(100*d.MOS)/100, measured),
	}
}

// known returns a value, or nil if it is not known.
func known[T any](value T, is bool) *T {
	if !is {
		return nil
	}
	return &value
}

// milliseconds returns a duration in milliseconds, with one decimal.
func milliseconds(d time.Duration) float64 {
	return math.Round(10*float64(d)/float64(time.Millisecond)) / 10
}
