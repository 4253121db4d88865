// Package wire is the codec of what travels before and beside the guest calls: the Hello that
// begins every stream, and the frames of a data stream. docs/protocol.md is its specification.
// Every length is checked before anything is allocated for it.
package wire

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// Sizes of the fixed messages, in bytes.
const (
	HelloSize    = 41
	HelloAckSize = 7
	TokenSize    = 32
)

const magic = 0x43525458 // "CRTX"

// Purpose says what a stream is for.
type Purpose uint8

// The purposes of a stream.
const (
	PurposeControl Purpose = 1
	PurposeData    Purpose = 2
)

// Status is the guest's answer to a Hello.
type Status uint8

// The answers to a Hello.
const (
	StatusOK              Status = 0
	StatusNoCommonVersion Status = 1
	StatusTokenRefused    Status = 2
	StatusUnknownPurpose  Status = 3
)

// Token proves that a stream comes from the host; zero before Initialize.
type Token [TokenSize]byte

// Hello is the host's first message on a stream.
type Hello struct {
	Lowest, Highest uint16
	Purpose         Purpose
	Token           Token
}

// HelloAck is the guest's answer. Version is 0 when the stream is refused.
type HelloAck struct {
	Version uint16
	Status  Status
}

// ErrMalformed is wrapped by every error that tells of bytes which the protocol does not allow.
var ErrMalformed = errors.New("malformed")

// ErrUnknownPurpose is returned, with the Hello, for a purpose that this version does not know.
var ErrUnknownPurpose = fmt.Errorf("%w: unknown purpose", ErrMalformed)

func malformed(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrMalformed, fmt.Sprintf(format, args...))
}

// ReadHello reads the 41 bytes of a Hello.
func ReadHello(r io.Reader) (Hello, error) {
	var b [HelloSize]byte
	if _, err := io.ReadFull(r, b[:]); err != nil {
		return Hello{}, fmt.Errorf("read hello: %w", err)
	}
	return DecodeHello(b[:])
}

// DecodeHello decodes exactly HelloSize bytes.
func DecodeHello(b []byte) (Hello, error) {
	if len(b) != HelloSize {
		return Hello{}, malformed("a hello of %d bytes", len(b))
	}
	if binary.BigEndian.Uint32(b) != magic {
		return Hello{}, malformed("not a hello")
	}
	h := Hello{
		Lowest:  binary.BigEndian.Uint16(b[4:]),
		Highest: binary.BigEndian.Uint16(b[6:]),
		Purpose: Purpose(b[8]),
	}
	copy(h.Token[:], b[9:])
	if h.Lowest > h.Highest {
		return Hello{}, malformed("lowest version %d over highest %d", h.Lowest, h.Highest)
	}
	if h.Purpose != PurposeControl && h.Purpose != PurposeData {
		return h, ErrUnknownPurpose
	}
	return h, nil
}

// Append encodes the Hello behind b.
func (h Hello) Append(b []byte) []byte {
	b = binary.BigEndian.AppendUint32(b, magic)
	b = binary.BigEndian.AppendUint16(b, h.Lowest)
	b = binary.BigEndian.AppendUint16(b, h.Highest)
	b = append(b, byte(h.Purpose))
	return append(b, h.Token[:]...)
}

// DecodeHelloAck decodes exactly HelloAckSize bytes.
func DecodeHelloAck(b []byte) (HelloAck, error) {
	if len(b) != HelloAckSize {
		return HelloAck{}, malformed("a hello answer of %d bytes", len(b))
	}
	if binary.BigEndian.Uint32(b) != magic {
		return HelloAck{}, malformed("not a hello answer")
	}
	ack := HelloAck{Version: binary.BigEndian.Uint16(b[4:]), Status: Status(b[6])}
	if ack.Status > StatusUnknownPurpose {
		return HelloAck{}, malformed("hello answer of unknown status %d", ack.Status)
	}
	if (ack.Status == StatusOK) == (ack.Version == 0) {
		return HelloAck{}, malformed("hello answer of status %d with version %d", ack.Status, ack.Version)
	}
	return ack, nil
}

// Append encodes the answer behind b.
func (a HelloAck) Append(b []byte) []byte {
	b = binary.BigEndian.AppendUint32(b, magic)
	b = binary.BigEndian.AppendUint16(b, a.Version)
	return append(b, byte(a.Status))
}

// Versions of the protocol that this neuron speaks.
const (
	VersionLowest  = 1
	VersionHighest = 1
)

// Choose returns the highest version that both sides speak, and false where there is none.
func (h Hello) Choose() (uint16, bool) {
	version := min(h.Highest, VersionHighest)
	return version, version >= max(h.Lowest, VersionLowest)
}
