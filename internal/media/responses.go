package media

import (
	"bufio"
	"encoding/binary"
	"io"
	"sync"

	"github.com/livekit/protocol/livekit"
	"google.golang.org/protobuf/proto"
)

// ResponseFilter returns what a client receives in place of a message of the media server; nil leaves the message
// as it is.
type ResponseFilter func(*livekit.SignalResponse) []*livekit.SignalResponse

// filterLimit is the size of a message, in bytes, up to which it is filtered. The messages that filters change are
// smaller.
const filterLimit = 256 << 10

// Frames of a WebSocket (RFC 6455, section 5.2).
const (
	finalBinary  = 0x82 // a whole binary message
	length16     = 126  // the length follows in 16 bits
	length64     = 127  // in 64 bits
	maskedLength = 0x80
)

// filteredConn is an upgraded connection to the media server. It filters the server's messages, and can send others among
// them. Messages of clients that use JSON, and fragmented and large ones, are not filtered. Compression must not be
// negotiated.
type filteredConn struct {
	server io.ReadWriteCloser
	filter ResponseFilter
	reader *io.PipeReader
	writer *io.PipeWriter

	frame sync.Mutex // held while a frame is written
}

func newFilteredConn(server io.ReadWriteCloser, filter ResponseFilter) *filteredConn {
	c := &filteredConn{server: server, filter: filter}
	c.reader, c.writer = io.Pipe()
	go func() { c.writer.CloseWithError(c.forward()) }()
	return c
}

// Read returns what the server and send have sent.
func (c *filteredConn) Read(p []byte) (int, error) { return c.reader.Read(p) }

// Write sends to the server.
func (c *filteredConn) Write(p []byte) (int, error) { return c.server.Write(p) }

// Close closes the connection to the server.
func (c *filteredConn) Close() error {
	_ = c.reader.Close()
	return c.server.Close()
}

// forward forwards frames until the server's end.
func (c *filteredConn) forward() error {
	in := bufio.NewReader(c.server)
	for {
		header, length, err := readFrameHeader(in)
		if err != nil {
			return err
		}
		if header[0] != finalBinary || length > filterLimit || header[1]&maskedLength != 0 {
			err = c.copyFrame(header, in, length)
		} else {
			err = c.filterFrame(header, in, length)
		}
		if err != nil {
			return err
		}
	}
}

// copyFrame forwards a frame unread.
func (c *filteredConn) copyFrame(header []byte, in io.Reader, length uint64) error {
	c.frame.Lock()
	defer c.frame.Unlock()
	if _, err := c.writer.Write(header); err != nil {
		return err
	}
	_, err := io.CopyN(c.writer, in, int64(length))
	return err
}

func (c *filteredConn) filterFrame(header []byte, in io.Reader, length uint64) error {
	payload := make([]byte, length)
	if _, err := io.ReadFull(in, payload); err != nil {
		return err
	}
	response := new(livekit.SignalResponse)
	if proto.Unmarshal(payload, response) == nil {
		if responses := c.filter(response); responses != nil {
			for _, r := range responses {
				if err := c.send(r); err != nil {
					return err
				}
			}
			return nil
		}
	}
	return c.write(append(header, payload...))
}

// send sends a message to the client, in the server's name.
func (c *filteredConn) send(response *livekit.SignalResponse) error {
	payload, err := proto.Marshal(response)
	if err != nil {
		return err
	}
	return c.write(binaryFrame(payload))
}

func (c *filteredConn) write(frame []byte) error {
	c.frame.Lock()
	defer c.frame.Unlock()
	_, err := c.writer.Write(frame)
	return err
}

// readFrameHeader reads a frame up to its payload, and returns the payload's length, with that of the masking key
// that a server's frames do not have.
func readFrameHeader(in *bufio.Reader) (header []byte, length uint64, err error) {
	header = make([]byte, 2, 16)
	if _, err = io.ReadFull(in, header); err != nil {
		return nil, 0, err
	}
	length = uint64(header[1] &^ maskedLength)
	further := 0
	switch length {
	case length16:
		further = 2
	case length64:
		further = 8
	}
	if further > 0 {
		header = header[:2+further]
		if _, err = io.ReadFull(in, header[2:]); err != nil {
			return nil, 0, err
		}
		length = binary.BigEndian.Uint64(append(make([]byte, 8-further, 8), header[2:]...))
	}
	if header[1]&maskedLength != 0 {
		length += 4
	}
	return header, length, nil
}

// binaryFrame returns a whole binary message.
func binaryFrame(payload []byte) []byte {
	frame := []byte{finalBinary}
	switch n := len(payload); {
	case n < length16:
		frame = append(frame, byte(n))
	case n < 1<<16:
		frame = binary.BigEndian.AppendUint16(append(frame, length16), uint16(n))
	default:
		frame = binary.BigEndian.AppendUint64(append(frame, length64), uint64(n))
	}
	return append(frame, payload...)
}
