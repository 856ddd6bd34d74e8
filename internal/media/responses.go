package media

import (
	"bufio"
	"errors"
	"io"

	"github.com/livekit/protocol/livekit"
	"google.golang.org/protobuf/proto"
)

// ResponseFilter returns what a client receives in place of a message of the media server; nil leaves the message
// as it is.
type ResponseFilter func(*livekit.SignalResponse) []*livekit.SignalResponse

// filterLimit is the size of a message, in bytes, up to which it is filtered. The messages that filters change are
// smaller.
const filterLimit = 256 << 10

// forwardResponses forwards frames until the server's end. Messages of clients that use JSON, and fragmented and large ones, are not
// filtered.
func (c *signalConn) forwardResponses() error {
	in := bufio.NewReader(c.server)
	for {
		header, length, err := readFrameHeader(in)
		if err != nil {
			return err
		}
		if header[1]&maskedLength != 0 {
			return errors.New("the media server sent a masked frame")
		}
		if c.filter == nil || header[0] != finalBinary || length > filterLimit {
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
func (c *signalConn) copyFrame(header []byte, in io.Reader, length uint64) error {
	c.frame.Lock()
	defer c.frame.Unlock()
	if _, err := c.responses.PipeWriter.Write(header); err != nil {
		return err
	}
	_, err := io.CopyN(c.responses.PipeWriter, in, int64(length))
	return err
}

func (c *signalConn) filterFrame(header []byte, in io.Reader, length uint64) error {
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
func (c *signalConn) send(response *livekit.SignalResponse) error {
	payload, err := proto.Marshal(response)
	if err != nil {
		return err
	}
	return c.write(binaryFrame(payload))
}
