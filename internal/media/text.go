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

// Topics of LiveKit's text streams, as its agents and clients name them.
const (
	// TopicTranscription carries what is said in the room.
	TopicTranscription = "lk.transcription"
	// TopicChat carries what the caller types.
	TopicChat = "lk.chat"
)

// Attributes of a stream on TopicTranscription.
const (
	segmentAttribute = "lk.segment_id"
	finalAttribute   = "lk.transcription_final"
	trackAttribute   = "lk.transcribed_track_id"
)

// Bounds of the texts that a caller sends.
const (
	maxText     = 8 << 10 // bytes of one text
	maxTexts    = 8       // texts that are not complete
	chunkLength = 15000   // bytes of one packet, as LiveKit's clients have it
)

// Transcript is the text of one segment of speech, as far as it is known.
type Transcript struct {
	Segment string // id of the segment
	Text    string // the whole text so far
	Final   bool   // the text does not change any more
	Peer    bool   // the peer said it, not this participant
}

// SendTranscript publishes a segment's text to the room on TopicTranscription. The peer's text comes as a stream of its own
// each time, the participant's as one stream that grows, as LiveKit's agents have it. It is called from one goroutine at a
// time. The participant has joined with JoinOptions.Data.
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
		return p.sendWhole(TopicTranscription, speaker, t.Text, attributes)
	}
	if said := p.said; said != nil && (said.segment != t.Segment || !strings.HasPrefix(t.Text, said.text)) {
		p.said = nil
		if err := said.close(nil); err != nil {
			return err
		}
	}
	if p.said == nil {
		stream, err := p.openText(TopicTranscription, speaker, nil, attributes)
		if err != nil {
			return err
		}
		stream.segment, p.said = t.Segment, stream
	}
	stream := p.said
	if err := stream.write(t.Text[len(stream.text):]); err != nil || !t.Final {
		return err
	}
	p.said = nil
	return stream.close(map[string]string{finalAttribute: "true"})
}

// SendText sends a text to everybody in the room. The participant has joined with JoinOptions.Data.
func (p *Participant) SendText(topic, text string) error {
	if err := p.sendWhole(topic, p.Identity(), text, nil); err != nil {
		return fmt.Errorf("send text: %w", err)
	}
	return nil
}

// sendWhole sends a text as a stream of its own.
func (p *Participant) sendWhole(topic, speaker, text string, attributes map[string]string) error {
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
	text        string // that was sent
	next        uint64 // index of the chunk that follows
}

// openText begins a text stream in the name of a participant: an agent's may be another's.
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
	return channels.send(packet, o.p.gone)
}

// wholeRunes is the beginning of a text, at most so many bytes of it.
func wholeRunes(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	for limit > 1 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return text[:limit]
}

// incomingText is a text stream that is not complete.
type incomingText struct {
	text []byte
	next uint64 // index of the chunk that follows
}

// received takes a data packet from the room: texts of the peer's on TopicChat. Others' and other packets mean nothing.
func (p *Participant) received(packet *livekit.DataPacket) {
	if p.options.OnText == nil {
		return
	}
	if text := p.gather(packet); text != "" {
		p.options.OnText(text)
	}
}

// gather adds a packet to its stream and returns the text of one that is complete. A stream that is too long, or lacks a
// chunk, is dropped.
func (p *Participant) gather(packet *livekit.DataPacket) (text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.over || packet.GetParticipantIdentity() != p.peer {
		return ""
	}
	switch value := packet.GetValue().(type) {
	case *livekit.DataPacket_StreamHeader:
		h := value.StreamHeader
		if h.GetTopic() != TopicChat || h.GetTextHeader() == nil || h.GetCompression() != livekit.DataStream_NONE {
			return ""
		}
		if inline := h.GetInlineContent(); inline != nil {
			return typed(inline)
		}
		if len(p.texts) >= maxTexts {
			clear(p.texts) // their senders never ended them
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
			return typed(in.text)
		}
	}
	return ""
}

// typed is a text that a caller sent, "" for one that is none.
func typed(content []byte) string {
	if len(content) > maxText || !utf8.Valid(content) {
		return ""
	}
	return strings.TrimSpace(strings.ReplaceAll(string(content), "\x00", ""))
}
