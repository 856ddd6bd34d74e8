package media

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/livekit/protocol/livekit"
)

// Topics of LiveKit's text streams.
const (
	// TopicTranscription carries transcripts of the room's speech.
	TopicTranscription = "lk.transcription"
	// TopicChat carries texts that the caller types.
	TopicChat = "lk.chat"
)

// Attributes of a stream on TopicTranscription.
const (
	segmentAttribute = "lk.segment_id"
	finalAttribute   = "lk.transcription_final"
	trackAttribute   = "lk.transcribed_track_id"
)

// Limits of the texts that a caller sends.
const (
	maxText     = 8 << 10 // bytes of one text
	maxTexts    = 8       // incomplete texts
	chunkLength = 15000   // bytes per packet, as in LiveKit's clients
)

// Transcript is the text of one segment of speech, possibly incomplete.
type Transcript struct {
	Segment string // id of the segment
	Text    string // the complete text so far
	Final   bool   // the text will not change
	Peer    bool   // spoken by the peer, not this participant
}

// SendTranscript publishes a segment's text to the room on TopicTranscription. Each text of the peer is a stream of
// its own; the participant's own segment is one stream that grows, as in LiveKit's agents. Call it from one
// goroutine at a time. It requires JoinOptions.Data.
func (p *Participant) SendTranscript(t Transcript) error {
	if err := p.sendTranscript(t); err != nil {
		return fmt.Errorf("send transcript: %w", err)
	}
	return nil
}

func (p *Participant) sendTranscript(t Transcript) error {
	p.mu.Lock()
	speaker, track := p.identity, ""
	if p.connection != nil {
		track = p.connection.publishedTrack()
	}
	if t.Peer {
		speaker, track = p.peer, p.track
	}
	p.mu.Unlock()
	attributes := map[string]string{segmentAttribute: t.Segment, finalAttribute: strconv.FormatBool(t.Final)}
	if track != "" {
		attributes[trackAttribute] = track
	}
	if t.Peer {
		return p.sendTextStream(TopicTranscription, speaker, t.Text, attributes)
	}
	if said := p.transcript; said != nil && (said.segment != t.Segment || !strings.HasPrefix(t.Text, said.text)) {
		p.transcript = nil
		if err := said.close(nil); err != nil {
			return err
		}
	}
	if p.transcript == nil {
		stream, err := p.openText(TopicTranscription, speaker, nil, attributes)
		if err != nil {
			return err
		}
		stream.segment, p.transcript = t.Segment, stream
	}
	stream := p.transcript
	if err := stream.write(t.Text[len(stream.text):]); err != nil || !t.Final {
		return err
	}
	p.transcript = nil
	return stream.close(map[string]string{finalAttribute: "true"})
}

// SendText sends a text to all participants. It requires JoinOptions.Data.
func (p *Participant) SendText(topic, text string) error {
	if err := p.sendTextStream(topic, p.Identity(), text, nil); err != nil {
		return fmt.Errorf("send text: %w", err)
	}
	return nil
}

// sendTextStream sends a text as a separate stream.
func (p *Participant) sendTextStream(topic, speaker, text string, attributes map[string]string) error {
	length := uint64(len(text))
	stream, err := p.openText(topic, speaker, &length, attributes)
	if err != nil {
		return err
	}
	if err := stream.write(text); err != nil {
		return err
	}
	return stream.close(nil)
}

// outgoingText is a text stream that is being sent.
type outgoingText struct {
	p           *Participant
	id, speaker string
	segment     string
	text        string // sent so far
	next        uint64 // index of the next chunk
}

// openText starts a text stream on behalf of a participant; an agent may send on behalf of others.
func (p *Participant) openText(topic, speaker string, length *uint64, attributes map[string]string) (*outgoingText, error) {
	o := &outgoingText{p: p, id: uuid.NewString(), speaker: speaker}
	return o, o.send(&livekit.DataPacket{Value: &livekit.DataPacket_StreamHeader{StreamHeader: &livekit.DataStream_Header{
		StreamId: o.id, Timestamp: time.Now().UnixMilli(), Topic: topic, MimeType: "text/plain", TotalLength: length, Attributes: attributes,
		ContentHeader: &livekit.DataStream_Header_TextHeader{TextHeader: &livekit.DataStream_TextHeader{}},
	}}})
}

func (o *outgoingText) write(text string) error {
	for text != "" {
		chunk := wholeRunes(text, chunkLength)
		text = text[len(chunk):]
		if err := o.send(&livekit.DataPacket{Value: &livekit.DataPacket_StreamChunk{StreamChunk: &livekit.DataStream_Chunk{
			StreamId: o.id, ChunkIndex: o.next, Content: []byte(chunk),
		}}}); err != nil {
			return err
		}
		o.next++
		o.text += chunk
	}
	return nil
}

func (o *outgoingText) close(attributes map[string]string) error {
	return o.send(&livekit.DataPacket{Value: &livekit.DataPacket_StreamTrailer{StreamTrailer: &livekit.DataStream_Trailer{StreamId: o.id, Attributes: attributes}}})
}

func (o *outgoingText) send(packet *livekit.DataPacket) error {
	channels, err := o.p.dataChannels()
	if err != nil {
		return err
	}
	packet.ParticipantIdentity = o.speaker
	return channels.send(packet, o.p.done)
}

// wholeRunes returns the longest prefix of a text with at most limit bytes and no split rune.
func wholeRunes(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	for limit > 1 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return text[:limit]
}

// incomingText is an incomplete text stream.
type incomingText struct {
	text []byte
	next uint64 // index of the next chunk
}

// handleDataPacket handles the peer's keys and its texts on TopicChat; other packets are ignored.
func (p *Participant) handleDataPacket(packet *livekit.DataPacket) {
	p.receiveTone(packet)
	if p.options.OnText == nil {
		return
	}
	if text := p.assembleText(packet); text != "" {
		p.options.OnText(text)
	}
}

// assembleText adds a packet to its stream and returns the text when it is complete. A stream that is too long or lacks
// a chunk is dropped.
func (p *Participant) assembleText(packet *livekit.DataPacket) (text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended || packet.GetParticipantIdentity() != p.peer {
		return ""
	}
	switch value := packet.GetValue().(type) {
	case *livekit.DataPacket_StreamHeader:
		h := value.StreamHeader
		if h.GetTopic() != TopicChat || h.GetTextHeader() == nil || h.GetCompression() != livekit.DataStream_NONE {
			return ""
		}
		if inline := h.GetInlineContent(); inline != nil {
			return validText(inline)
		}
		if len(p.texts) >= maxTexts {
			clear(p.texts) // streams that were never completed
		}
		p.texts[h.GetStreamId()] = new(incomingText)
	case *livekit.DataPacket_StreamChunk:
		c := value.StreamChunk
		in := p.texts[c.GetStreamId()]
		if in == nil {
			return ""
		}
		if c.GetChunkIndex() != in.next || len(in.text)+len(c.GetContent()) > maxText {
			delete(p.texts, c.GetStreamId())
			return ""
		}
		in.text, in.next = append(in.text, c.GetContent()...), in.next+1
	case *livekit.DataPacket_StreamTrailer:
		in := p.texts[value.StreamTrailer.GetStreamId()]
		delete(p.texts, value.StreamTrailer.GetStreamId())
		if in != nil && value.StreamTrailer.GetReason() == "" {
			return validText(in.text)
		}
	}
	return ""
}

// validText returns the content of a caller's text; "" if it is invalid.
func validText(content []byte) string {
	if len(content) > maxText || !utf8.Valid(content) {
		return ""
	}
	return strings.TrimSpace(strings.ReplaceAll(string(content), "\x00", ""))
}
