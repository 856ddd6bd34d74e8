package audio

import "time"

// Quality is the quality of a phone call's audio between the SIP gateway and the phone. What is not known is nil.
type Quality struct {
	Codec       string           `json:"codec" doc:"Codec of the audio, by its name in SDP." example:"PCMA"`
	Received    DirectionQuality `json:"received" doc:"Audio from the phone, as measured by the SIP gateway."`
	Sent        DirectionQuality `json:"sent" doc:"Audio to the phone, as reported by its RTCP."`
	RoundTripMS *float64         `json:"round_trip_ms" nullable:"true" doc:"Round-trip time to the phone, in milliseconds; null if it sends no RTCP reports." example:"38.2"`
	MeasuredAt  time.Time        `json:"measured_at" doc:"Time of the measurement (UTC)."`
}

// DirectionQuality is the quality of one direction.
type DirectionQuality struct {
	Packets  int64    `json:"packets" doc:"Number of RTP packets that were sent in this direction." example:"3600"`
	Lost     *int64   `json:"packets_lost" nullable:"true" doc:"Number of these packets that did not arrive; null if not reported." example:"9"`
	JitterMS *float64 `json:"jitter_ms" nullable:"true" doc:"Interarrival jitter (RFC 3550), in milliseconds; null if not reported." example:"4.1"`
	MOS      *float64 `json:"mos" nullable:"true" doc:"Estimated mean opinion score (ITU-T G.107), from 1 to 4.5; null if not reported." example:"4.3"`
}

// LossRatio returns the part of the packets that was lost, 0 to 1. It is false if that is not known.
func (d DirectionQuality) LossRatio() (ratio float64, known bool) {
	if d.Lost == nil || d.Packets <= 0 {
		return 0, false
	}
	return min(1, float64(*d.Lost)/float64(d.Packets)), true
}
