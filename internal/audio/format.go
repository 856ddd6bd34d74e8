package audio

import "bytes"

// Format is how a stream of sound is encoded, as its first bytes say.
type Format string

// The formats that are recognised. Raw PCM has no mark of its own.
const (
	Unmarked Format = ""
	WAV      Format = "WAV"
	MP3      Format = "MP3"
	OggOpus  Format = "Ogg Opus"
	Ogg      Format = "Ogg without Opus"
	FLAC     Format = "FLAC"
	AAC      Format = "AAC"
	MP4      Format = "MP4"
	WebM     Format = "WebM"
	AIFF     Format = "AIFF"
	Text     Format = "text"
)

// MaxHead is how many bytes DetectFormat needs at most: two frames of MP3.
const MaxHead = 2 * 1441

// marks are the first bytes of formats.
var marks = []struct {
	bytes  string
	at     int
	format Format
}{
	{"RIFF", 0, WAV}, {"RF64", 0, WAV}, {"OpusHead", 28, OggOpus}, {"OggS", 0, Ogg}, {"ID3", 0, MP3}, {"fLaC", 0, FLAC}, {"ADIF", 0, AAC}, {"ftyp", 4, MP4},
	{"\x1aE\xdf\xa3", 0, WebM}, {"FORM", 0, AIFF},
}

// DetectFormat returns the format of sound that begins with these bytes; Unmarked for raw PCM and for anything unknown. The frames of
// MP3 and AAC have short marks that PCM may have by chance: two must follow each other.
func DetectFormat(head []byte) Format {
	for _, mark := range marks {
		if len(head) >= mark.at && bytes.HasPrefix(head[mark.at:], []byte(mark.bytes)) {
			return mark.format
		}
	}
	if isText(head) {
		return Text
	}
	if n := mp3FrameSize(head); n > 0 && n < len(head) && mp3FrameSize(head[n:]) > 0 {
		return MP3
	}
	if n := aacFrameSize(head); n > 0 && n < len(head) && aacFrameSize(head[n:]) > 0 {
		return AAC
	}
	return Unmarked
}

// isText reports whether a document in JSON, HTML or XML begins here.
func isText(head []byte) bool {
	if len(head) < 8 || head[0] != '{' && head[0] != '<' {
		return false
	}
	return !bytes.ContainsFunc(head[:8], func(r rune) bool { return r < ' ' && r != '\n' && r != '\r' && r != '\t' || r > '~' })
}

// Bit rates of MPEG-1 and MPEG-2 layer III, in kbit/s, and sample rates of MPEG-1, by their index in a frame's header. ISO/IEC 11172-3,
// 13818-3.
var (
	mp3BitRates1 = [...]int{0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 0}
	mp3BitRates2 = [...]int{0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160, 0}
	mp3Rates     = [...]int{44100, 48000, 32000, 0}
)

// mp3FrameSize returns the size in bytes of the frame of MPEG audio layer III that begins here; 0 if none does.
func mp3FrameSize(b []byte) int {
	if len(b) < 3 || b[0] != 0xFF || b[1]&0xE6 != 0xE2 {
		return 0
	}
	rate, bitRate, samples := mp3Rates[b[2]>>2&3], mp3BitRates2[b[2]>>4], 576
	switch b[1] >> 3 & 3 {
	case 0: // MPEG-2.5
		rate /= 4
	case 1:
		return 0
	case 2: // MPEG-2
		rate /= 2
	case 3:
		bitRate, samples = mp3BitRates1[b[2]>>4], 1152
	}
	if rate == 0 || bitRate == 0 {
		return 0
	}
	return samples/8*bitRate*1000/rate + int(b[2]>>1&1)
}

// aacFrameSize returns the size in bytes of the ADTS frame of AAC that begins here; 0 if none does. ISO/IEC 13818-7.
func aacFrameSize(b []byte) int {
	if len(b) < 6 || b[0] != 0xFF || b[1]&0xF6 != 0xF0 || b[2]>>2&0xF > 12 {
		return 0
	}
	return int(b[3]&3)<<11 | int(b[4])<<3 | int(b[5])>>5
}

// Bytes returns the first bytes of PCM, as many as DetectFormat needs.
func Bytes(pcm []int16) []byte {
	head := make([]byte, 0, MaxHead)
	for _, v := range pcm[:min(len(pcm), MaxHead/2)] {
		head = append(head, byte(v), byte(uint16(v)>>8))
	}
	return head
}
