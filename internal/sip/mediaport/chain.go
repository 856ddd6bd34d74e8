package mediaport

import (
	"fmt"

	"parley/internal/sip/negotiation"
)

// String describes the chain of received audio.
func (r *receiver) String() string {
	s := r.stream
	if !s.Receives {
		return "nothing received"
	}
	rate := codecRate(s.Codec, r.rate)
	text := fmt.Sprintf("RTP(%d) -> Reorder(%v to %v) -> %s(decode, %d Hz)", s.PayloadType, minWait, maxWait, s.Codec, rate)
	if s.EventPayloadType != 0 {
		text += fmt.Sprintf(" -> Events(%d)", s.EventPayloadType)
	} else {
		text += " -> Tones"
	}
	if s.Codec != negotiation.Opus {
		text += " -> Conceal"
	}
	return text + resample(rate, r.rate) + fmt.Sprintf(" -> frames(%d Hz)", r.rate)
}

// String describes the chain of audio that is sent.
func (s *sender) String() string {
	if !s.stream.Sends {
		return "nothing sent"
	}
	return fmt.Sprintf("frames(%d Hz)%s -> %s(encode, %d Hz) -> RTP(%d, %v)", s.rate, resample(s.rate, s.coded), s.stream.Codec, s.coded, s.stream.PayloadType, s.packet)
}

func resample(from, to int) string {
	if from == to {
		return ""
	}
	return fmt.Sprintf(" -> Resample(%d to %d)", from, to)
}
