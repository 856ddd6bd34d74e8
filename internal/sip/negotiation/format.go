package negotiation

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	minPacketTime     = 10 * time.Millisecond
	maxPacketTime     = 60 * time.Millisecond
	defaultPacketTime = 20 * time.Millisecond
)

// Payload types. Those below 96 are static (RFC 3551); the others are what this side offers by default.
const (
	payloadPCMU         = 0
	payloadPCMA         = 8
	payloadG722         = 9
	payloadComfortNoise = 13
	payloadDynamic      = 96 // the first
	payloadEvent        = 101
	payloadEventWide    = 110
	payloadOpus         = 111
	payloadLast         = 127
)

// format is a payload type with its encoding.
type format struct {
	payload uint8
	name    string // in lower case
	rate    int    // in Hz
}

const (
	nameEvent        = "telephone-event"
	nameComfortNoise = "cn"
)

// static are the formats that need no rtpmap, as far as they are known here.
var static = []format{{payloadPCMU, "pcmu", 8000}, {payloadPCMA, "pcma", 8000}, {payloadG722, "g722", 8000}, {payloadComfortNoise, nameComfortNoise, 8000}}

// formatsOf returns a medium's formats in its order. Formats whose encoding is not named are left out.
func (d description) formatsOf(m media) []format {
	named := map[string]format{}
	for _, a := range m.attributes {
		if a.name != "rtpmap" {
			continue
		}
		payload, encoding, _ := strings.Cut(a.value, " ")
		fields := strings.Split(strings.TrimSpace(encoding), "/")
		if len(fields) < 2 {
			continue
		}
		if rate, err := strconv.Atoi(strings.TrimSpace(fields[1])); err == nil {
			named[payload] = format{name: strings.ToLower(strings.TrimSpace(fields[0])), rate: rate}
		}
	}
	var found []format
	for _, text := range m.formats {
		payload, err := strconv.ParseUint(text, 10, 7)
		if err != nil {
			continue
		}
		f, ok := named[text]
		f.payload = uint8(payload)
		if !ok {
			at := slices.IndexFunc(static, func(s format) bool { return s.payload == f.payload })
			if at < 0 {
				continue
			}
			f = static[at]
		}
		found = append(found, f)
	}
	return found
}

// codec returns the codec of a format; "" if it is none of Parley's.
func (f format) codec() Codec {
	switch {
	case f.name == "pcmu" && f.rate == 8000:
		return PCMU
	case f.name == "pcma" && f.rate == 8000:
		return PCMA
	case f.name == "g722" && (f.rate == 8000 || f.rate == 16000): // some name the sampling rate
		return G722
	case f.name == "opus" && f.rate == 48000:
		return Opus
	}
	return ""
}

// choice is what of an m= line is used.
type choice struct {
	codec               Codec
	payload, event      format // event is zero if there is none
	events, noiseFilled bool
}

// choose returns the first format of a known codec, with the telephone events and the comfort noise that go with it.
func choose(formats []format, codecs []Codec) (c choice, ok bool) {
	at := slices.IndexFunc(formats, func(f format) bool { return slices.Contains(codecs, f.codec()) && f.codec() != "" })
	if at < 0 {
		return c, false
	}
	c.payload, c.codec = formats[at], formats[at].codec()
	for _, f := range formats {
		switch {
		case f.name == nameComfortNoise && f.rate == 8000 && c.codec.ClockRate() == 8000:
			c.noiseFilled = true
		case f.name != nameEvent || f.rate != 8000 && f.rate != 48000:
		case !c.events || f.rate == c.codec.ClockRate() && c.event.rate != f.rate:
			c.events, c.event = true, f
		}
	}
	return c, true
}

// lines are the attributes of a format in a description.
func (f format) lines() []string {
	switch f.name {
	case "opus":
		return []string{fmt.Sprintf("rtpmap:%d opus/48000/2", f.payload), fmt.Sprintf("fmtp:%d minptime=10;useinbandfec=1", f.payload)}
	case nameEvent:
		return []string{fmt.Sprintf("rtpmap:%d telephone-event/%d", f.payload, f.rate), fmt.Sprintf("fmtp:%d 0-16", f.payload)}
	}
	return []string{fmt.Sprintf("rtpmap:%d %s/%d", f.payload, strings.ToUpper(f.name), f.rate)}
}

// formatOf is the format in which a codec is offered at first.
func formatOf(c Codec) format {
	switch c {
	case PCMA:
		return static[1]
	case G722:
		return static[2]
	case Opus:
		return format{payloadOpus, "opus", 48000}
	}
	return static[0]
}

// offered returns the formats of an offer of codecs, with the payload types that known formats have in the session already.
func offered(codecs []Codec, known []format) []format {
	var formats, events []format
	narrow := false
	for _, c := range codecs {
		formats = append(formats, formatOf(c))
		rate, payload := 8000, uint8(payloadEvent)
		if c == Opus {
			rate, payload = 48000, payloadEventWide
		}
		narrow = narrow || rate == 8000
		if !slices.ContainsFunc(events, func(f format) bool { return f.rate == rate }) {
			events = append(events, format{payload, nameEvent, rate})
		}
	}
	formats = append(formats, events...)
	if narrow {
		formats = append(formats, static[3])
	}
	used := map[uint8]bool{}
	for i := range formats {
		at := slices.IndexFunc(known, func(k format) bool { return k.name == formats[i].name && k.rate == formats[i].rate })
		if at >= 0 {
			formats[i].payload = known[at].payload
			used[formats[i].payload] = true
		}
	}
	for _, k := range known {
		used[k.payload] = true
	}
	for i := range formats {
		known := slices.ContainsFunc(known, func(k format) bool { return k.name == formats[i].name && k.rate == formats[i].rate })
		for next := uint8(payloadDynamic); !known && used[formats[i].payload] && next <= payloadLast; next++ {
			formats[i].payload = next
		}
		used[formats[i].payload] = true
	}
	return formats
}
