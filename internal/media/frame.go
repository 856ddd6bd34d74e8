package media

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
)

// Frames of a WebSocket (RFC 6455, section 5.2).
const (
	finalFrame   = 0x80 // of the first byte: the last frame of a message
	reservedBits = 0x70 // of the first byte: set by extensions alone, of which none is negotiated
	opcodeBits   = 0x0f
	controlBit   = 0x08 // of the opcode
	length16     = 126  // the length follows in 16 bits
	length64     = 127  // in 64 bits
	maskedLength = 0x80 // of the second byte: a masking key of four bytes follows, and the payload is masked
	maxControl   = 125  // bytes of a control frame's payload
	maskLength   = 4
)

// Opcodes.
const (
	opContinuation = 0x0
	opText         = 0x1
	opBinary       = 0x2
	opClose        = 0x8
	opPing         = 0x9
	opPong         = 0xa
)

// finalBinary is the first byte of a whole binary message.
const finalBinary = finalFrame | opBinary

// closeError is why a connection is closed: a status code (RFC 6455, section 7.4.1), and a reason of at most 123 bytes.
type closeError struct {
	code   uint16
	reason string
}

const (
	closeProtocol = 1002 // a frame that the protocol forbids
	closeInvalid  = 1007 // a message that is not what its type says
	closePolicy   = 1008
	closeTooBig   = 1009
)

func (e *closeError) Error() string { return fmt.Sprintf("%s (close code %d)", e.reason, e.code) }

// frame returns the close frame of a server.
func (e *closeError) frame() []byte {
	return append(frameHeader(finalFrame|opClose, 2+len(e.reason)), append(binary.BigEndian.AppendUint16(nil, e.code), e.reason...)...)
}

// readFrameHeader reads a frame up to its masking key, or to its payload without one, and returns the length of the payload.
func readFrameHeader(in *bufio.Reader) (header []byte, length uint64, err error) {
	header = make([]byte, 2, 10)
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
	return header, length, nil
}

// frameHeader returns the header of a server's frame.
func frameHeader(first byte, length int) []byte {
	header := []byte{first}
	switch {
	case length < length16:
		return append(header, byte(length))
	case length < 1<<16:
		return binary.BigEndian.AppendUint16(append(header, length16), uint16(length))
	default:
		return binary.BigEndian.AppendUint64(append(header, length64), uint64(length))
	}
}

// binaryFrame returns a whole binary message of a server.
func binaryFrame(payload []byte) []byte {
	return append(frameHeader(finalBinary, len(payload)), payload...)
}

// clientFrame returns a client's frame with a payload, whose masking key is zero: it leaves the payload as it is.
func clientFrame(first byte, payload []byte) []byte {
	header := frameHeader(first, len(payload))
	header[1] |= maskedLength
	return append(append(header, make([]byte, maskLength)...), payload...)
}

// unmask applies a masking key, or removes it.
func unmask(payload, key []byte) {
	for i := range payload {
		payload[i] ^= key[i%maskLength]
	}
}
