package media

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/livekit/protocol/livekit"
	"github.com/livekit/protocol/utils/protojson"
	"google.golang.org/protobuf/proto"
)

const (
	// requestLimit is the size of a client's message, in bytes, in one frame or several. The largest of LiveKit's clients are
	// descriptions of a session, of some kilobytes with a microphone.
	requestLimit = 256 << 10
	// requestTimeout bounds the time between the first and the last byte of a message.
	requestTimeout = 15 * time.Second
)

// forwardRequests forwards the client's messages, each once it is complete, until one side ends or the client exceeds a bound.
func (c *signalConn) forwardRequests() error {
	in := bufio.NewReader(c.requests.PipeReader)
	for {
		opcode, message, err := c.readRequest(in)
		if err == nil {
			err = c.forwardMessage(opcode, message)
		}
		var why *closeError
		if errors.As(err, &why) {
			c.reject(why)
		}
		if err != nil {
			return err
		}
	}
}

// readRequest reads a message, and forwards the control frames before and within it.
func (c *signalConn) readRequest(in *bufio.Reader) (opcode byte, payload []byte, err error) {
	var message bytes.Buffer
	for {
		header, length, err := readFrameHeader(in)
		if err != nil {
			return 0, nil, err
		}
		if err := checkFrame(header, length, opcode != 0); err != nil {
			return 0, nil, err
		}
		if err := c.limits.frames.Wait(c.ctx); err != nil {
			return 0, nil, err
		}
		if header[0]&controlBit != 0 {
			if err := c.forwardControl(header, in, length); err != nil {
				return 0, nil, err
			}
			continue
		}
		if length > requestLimit-uint64(message.Len()) {
			return 0, nil, &closeError{closeTooBig, fmt.Sprintf("a message may have at most %d bytes", requestLimit)}
		}
		if opcode == 0 {
			opcode = header[0] & opcodeBits
			late := time.AfterFunc(requestTimeout, func() {
				c.reject(&closeError{closePolicy, fmt.Sprintf("a message must be complete within %v", requestTimeout)})
			})
			defer late.Stop()
		}
		if err := readPayload(&message, in, length); err != nil {
			return 0, nil, err
		}
		if header[0]&finalFrame != 0 {
			return opcode, message.Bytes(), nil
		}
	}
}

// checkFrame returns the error of a frame that RFC 6455 forbids; continues is whether a message has begun.
func checkFrame(header []byte, length uint64, continues bool) error {
	opcode := header[0] & opcodeBits
	reason := ""
	switch {
	case header[0]&reservedBits != 0:
		reason = "reserved bits must be 0: no extension was negotiated"
	case header[1]&maskedLength == 0:
		reason = "frames of a client must be masked"
	case opcode == opClose || opcode == opPing || opcode == opPong:
		if header[0]&finalFrame == 0 || length > maxControl {
			reason = "a control frame has at most 125 bytes and is not fragmented"
		}
	case opcode > opBinary:
		reason = fmt.Sprintf("opcode %d is not defined", opcode)
	case opcode == opContinuation && !continues:
		reason = "there is no message to continue"
	case opcode != opContinuation && continues:
		reason = "the message before is not complete"
	}
	if reason == "" {
		return nil
	}
	return &closeError{closeProtocol, reason}
}

// forwardControl forwards a control frame as it is.
func (c *signalConn) forwardControl(header []byte, in io.Reader, length uint64) error {
	frame := append(header, make([]byte, maskLength+length)...)
	if _, err := io.ReadFull(in, frame[len(header):]); err != nil {
		return err
	}
	_, err := c.server.Write(frame)
	return err
}

// readPayload adds a frame's payload to a message, which grows as it arrives.
func readPayload(message *bytes.Buffer, in io.Reader, length uint64) error {
	var key [maskLength]byte
	if _, err := io.ReadFull(in, key[:]); err != nil {
		return err
	}
	before := message.Len()
	if _, err := io.CopyN(message, in, int64(length)); err != nil {
		return err
	}
	unmask(message.Bytes()[before:], key[:])
	return nil
}

// forwardMessage forwards a message once the limits allow it.
func (c *signalConn) forwardMessage(opcode byte, payload []byte) error {
	request := new(livekit.SignalRequest)
	parse := proto.Unmarshal
	if opcode == opText {
		parse = protojson.Unmarshal
	}
	if parse(payload, request) != nil {
		return &closeError{closeInvalid, "the message is not a request of LiveKit's signalling"}
	}
	if err := checkRequest(request); err != nil {
		return err
	}
	if err := c.limits.wait(c.ctx, request, len(payload)); err != nil {
		return err
	}
	_, err := c.server.Write(clientFrame(finalFrame|opcode, payload))
	return err
}
