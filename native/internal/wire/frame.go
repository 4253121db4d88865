package wire

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"unicode/utf8"
)

// Limits of a data stream, in bytes.
const (
	HeaderSize     = 5      // length and type
	DataHeaderSize = 6      // the same and the tag
	PayloadMost    = 65_600 // a longer frame is refused before allocation
	DataMost       = 65_536 // bytes of one Data frame, behind its tag
	IDMost         = 128
	CodeMost       = 64
	MessageMost    = 4_096
	BodyMost       = 16_384 // of an Event or an Answer
	handshakeMin   = 12
	bodyMin        = 9
)

// CursorLive, as a Handshake's cursor, asks only for what comes.
const CursorLive = math.MaxUint64

// Type is the kind of a frame.
type Type uint8

// The types of frames.
const (
	TypeHandshake    Type = 1
	TypeHandshakeAck Type = 2
	TypeData         Type = 3
	TypeWinsize      Type = 4
	TypeStdinClose   Type = 5
	TypeExit         Type = 6
	TypeGap          Type = 7
	TypeError        Type = 8
	TypeEof          Type = 9
	TypeEvent        Type = 10
	TypeAnswer       Type = 11
)

// Kind says what a data stream carries.
type Kind uint8

// The kinds of data streams.
const (
	KindAttach   Kind = 1
	KindTransfer Kind = 2
	KindForward  Kind = 3
	KindWatch    Kind = 4
	KindEvents   Kind = 5
	KindEgress   Kind = 6
)

// Mode says how a client attaches.
type Mode uint8

// The modes of an attach.
const (
	ModeObserve  Mode = 0
	ModeHold     Mode = 1
	ModeTakeOver Mode = 2
)

// State of a session at the time of a HandshakeAck.
type State uint8

// The states of a session.
const (
	StateAlive  State = 0
	StateExited State = 1
)

// Tag names the stream that a Data frame's bytes belong to.
type Tag uint8

// The tags of Data frames.
const (
	TagStdin  Tag = 0
	TagStdout Tag = 1
	TagStderr Tag = 2
)

// Frame is one of the types below.
type Frame interface {
	// Append encodes the whole frame behind b.
	Append(b []byte) []byte
}

// Handshake is the host's first frame.
type Handshake struct {
	Kind   Kind
	Mode   Mode
	Cursor uint64
	ID     string
}

// HandshakeAck is the guest's first frame.
type HandshakeAck struct {
	State          State
	Oldest, Newest uint64
	StdinAccepted  uint64
}

// Data carries bytes. A decoded one shares memory with its Reader until the next frame is read.
type Data struct {
	Tag   Tag
	Bytes []byte
}

// Winsize is the terminal's new size.
type Winsize struct{ Rows, Columns, XPixels, YPixels uint16 }

// StdinClose ends the process's standard input.
type StdinClose struct{}

// Exit is the end of a session or a transfer.
type Exit struct {
	Cause uint8
	Code  int32
}

// Gap tells that the bytes before Cursor are lost.
type Gap struct{ Cursor uint64 }

// Error ends a stream with a code of the error family.
type Error struct {
	Code    string
	Message string
}

// Eof ends the bytes of a transfer or a forward.
type Eof struct{}

// Event is what the guest tells or asks. What Kind and Body mean is beyond this codec. A decoded
// Body shares memory with its Reader until the next frame is read.
type Event struct {
	Number uint64
	Kind   uint8
	Body   []byte
}

// Answer is what the host says to the Event of that number; Kind and Body as of Event.
type Answer struct {
	Number uint64
	Kind   uint8
	Body   []byte
}

const causeMost = 8

// AppendHeader encodes a frame's length and type.
func AppendHeader(b []byte, t Type, payload int) []byte {
	return append(binary.BigEndian.AppendUint32(b, uint32(payload)), byte(t))
}

// AppendDataHeader encodes what stands before the bytes of a Data frame of that many bytes.
func AppendDataHeader(b []byte, tag Tag, bytes int) []byte {
	return append(AppendHeader(b, TypeData, bytes+1), byte(tag))
}

// Append encodes the frame; an id over IDMost bytes is cut.
func (f Handshake) Append(b []byte) []byte {
	id := f.ID[:min(len(f.ID), IDMost)]
	b = AppendHeader(b, TypeHandshake, handshakeMin+len(id))
	b = append(b, byte(f.Kind), byte(f.Mode))
	b = binary.BigEndian.AppendUint64(b, f.Cursor)
	b = binary.BigEndian.AppendUint16(b, uint16(len(id)))
	return append(b, id...)
}

// Append encodes the frame.
func (f HandshakeAck) Append(b []byte) []byte {
	b = append(AppendHeader(b, TypeHandshakeAck, 25), byte(f.State))
	b = binary.BigEndian.AppendUint64(b, f.Oldest)
	b = binary.BigEndian.AppendUint64(b, f.Newest)
	return binary.BigEndian.AppendUint64(b, f.StdinAccepted)
}

// Append encodes the frame; Bytes must not be longer than DataMost.
func (f Data) Append(b []byte) []byte {
	return append(AppendDataHeader(b, f.Tag, len(f.Bytes)), f.Bytes...)
}

// Append encodes the frame.
func (f Winsize) Append(b []byte) []byte {
	b = AppendHeader(b, TypeWinsize, 8)
	for _, v := range [...]uint16{f.Rows, f.Columns, f.XPixels, f.YPixels} {
		b = binary.BigEndian.AppendUint16(b, v)
	}
	return b
}

// Append encodes the frame.
func (StdinClose) Append(b []byte) []byte { return AppendHeader(b, TypeStdinClose, 0) }

// Append encodes the frame.
func (f Exit) Append(b []byte) []byte {
	b = append(AppendHeader(b, TypeExit, 5), f.Cause)
	return binary.BigEndian.AppendUint32(b, uint32(f.Code))
}

// Append encodes the frame.
func (f Gap) Append(b []byte) []byte {
	return binary.BigEndian.AppendUint64(AppendHeader(b, TypeGap, 8), f.Cursor)
}

// Append encodes the frame; code and message are cut to what the protocol allows.
func (f Error) Append(b []byte) []byte {
	code := f.Code[:min(len(f.Code), CodeMost)]
	message := cut(f.Message, MessageMost)
	b = AppendHeader(b, TypeError, 2+len(code)+len(message))
	b = binary.BigEndian.AppendUint16(b, uint16(len(code)))
	return append(append(b, code...), message...)
}

// Append encodes the frame.
func (Eof) Append(b []byte) []byte { return AppendHeader(b, TypeEof, 0) }

// Append encodes the frame; Body must not be longer than BodyMost.
func (f Event) Append(b []byte) []byte { return appendBody(b, TypeEvent, f.Number, f.Kind, f.Body) }

// Append encodes the frame; Body must not be longer than BodyMost.
func (f Answer) Append(b []byte) []byte { return appendBody(b, TypeAnswer, f.Number, f.Kind, f.Body) }

func appendBody(b []byte, t Type, number uint64, kind uint8, body []byte) []byte {
	b = AppendHeader(b, t, bodyMin+len(body))
	b = append(binary.BigEndian.AppendUint64(b, number), kind)
	return append(b, body...)
}

// cut makes the text valid UTF-8 of at most so many bytes.
func cut(text string, most int) string {
	if !utf8.ValidString(text) {
		text = fmt.Sprintf("%q", text)
	}
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most]
}

// bounds holds the shortest and the longest payload of each type.
var bounds = [...]struct{ least, most int }{
	TypeHandshake:    {handshakeMin, handshakeMin + IDMost},
	TypeHandshakeAck: {25, 25},
	TypeData:         {1, 1 + DataMost},
	TypeWinsize:      {8, 8},
	TypeStdinClose:   {0, 0},
	TypeExit:         {5, 5},
	TypeGap:          {8, 8},
	TypeError:        {2, 2 + CodeMost + MessageMost},
	TypeEof:          {0, 0},
	TypeEvent:        {bodyMin, bodyMin + BodyMost},
	TypeAnswer:       {bodyMin, bodyMin + BodyMost},
}

// Reader reads frames. It keeps one buffer, which grows to the longest frame seen.
type Reader struct {
	source io.Reader
	header [HeaderSize]byte
	buffer []byte
}

// NewReader reads frames from a stream; give it a buffered one where frames are small.
func NewReader(source io.Reader) *Reader { return &Reader{source: source} }

// Next reads one frame. It returns io.EOF only where a frame could have begun.
func (r *Reader) Next() (Frame, error) {
	kind, length, err := r.head()
	if err != nil {
		return nil, err
	}
	return r.body(kind, length)
}

// NextOpen reads one frame, but of a Data frame only the tag: how many bytes follow is returned, and
// the caller must read exactly those from the source. It saves a copy where many bytes come.
func (r *Reader) NextOpen() (frame Frame, follow int, err error) {
	kind, length, err := r.head()
	if err != nil {
		return nil, 0, err
	}
	if kind != TypeData {
		frame, err = r.body(kind, length)
		return frame, 0, err
	}
	frame, err = r.body(kind, 1)
	return frame, length - 1, err
}

// head reads a frame's type and the length of its payload, which its type allows.
func (r *Reader) head() (Type, int, error) {
	if _, err := io.ReadFull(r.source, r.header[:]); err != nil {
		if err == io.EOF {
			return 0, 0, err
		}
		return 0, 0, fmt.Errorf("read frame header: %w", err)
	}
	length, kind := binary.BigEndian.Uint32(r.header[:4]), Type(r.header[4])
	return kind, int(length), checkHeader(length, kind)
}

func (r *Reader) body(kind Type, length int) (Frame, error) {
	if length > cap(r.buffer) {
		r.buffer = make([]byte, max(length, 256))
	}
	payload := r.buffer[:length]
	if _, err := io.ReadFull(r.source, payload); err != nil {
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return nil, fmt.Errorf("read frame payload: %w", err)
	}
	return decode(kind, payload)
}

func checkHeader(length uint32, kind Type) error {
	if length > PayloadMost {
		return malformed("a frame of %d bytes", length)
	}
	if kind == 0 || int(kind) >= len(bounds) {
		return malformed("frame of unknown type %d", kind)
	}
	if b := bounds[kind]; int(length) < b.least || int(length) > b.most {
		return malformed("frame of type %d with %d bytes", kind, length)
	}
	return nil
}

func decode(kind Type, p []byte) (Frame, error) {
	switch kind {
	case TypeHandshake:
		return decodeHandshake(p)
	case TypeHandshakeAck:
		if p[0] > byte(StateExited) {
			return nil, malformed("answer of unknown state %d", p[0])
		}
		return HandshakeAck{
			State:         State(p[0]),
			Oldest:        binary.BigEndian.Uint64(p[1:]),
			Newest:        binary.BigEndian.Uint64(p[9:]),
			StdinAccepted: binary.BigEndian.Uint64(p[17:]),
		}, nil
	case TypeData:
		if p[0] > byte(TagStderr) {
			return nil, malformed("data of unknown tag %d", p[0])
		}
		return Data{Tag: Tag(p[0]), Bytes: p[1:]}, nil
	case TypeWinsize:
		return Winsize{
			Rows:    binary.BigEndian.Uint16(p),
			Columns: binary.BigEndian.Uint16(p[2:]),
			XPixels: binary.BigEndian.Uint16(p[4:]),
			YPixels: binary.BigEndian.Uint16(p[6:]),
		}, nil
	case TypeStdinClose:
		return StdinClose{}, nil
	case TypeExit:
		if p[0] > causeMost {
			return nil, malformed("exit of unknown cause %d", p[0])
		}
		return Exit{Cause: p[0], Code: int32(binary.BigEndian.Uint32(p[1:]))}, nil
	case TypeGap:
		return Gap{Cursor: binary.BigEndian.Uint64(p)}, nil
	case TypeError:
		return decodeError(p)
	case TypeEvent:
		return Event{Number: binary.BigEndian.Uint64(p), Kind: p[8], Body: p[bodyMin:]}, nil
	case TypeAnswer:
		return Answer{Number: binary.BigEndian.Uint64(p), Kind: p[8], Body: p[bodyMin:]}, nil
	default:
		return Eof{}, nil
	}
}

func decodeHandshake(p []byte) (Frame, error) {
	f := Handshake{Kind: Kind(p[0]), Mode: Mode(p[1]), Cursor: binary.BigEndian.Uint64(p[2:])}
	length := int(binary.BigEndian.Uint16(p[10:]))
	if length != len(p)-handshakeMin {
		return nil, malformed("handshake with an id of %d bytes in %d", length, len(p)-handshakeMin)
	}
	if f.Kind < KindAttach || f.Kind > KindEgress {
		return nil, malformed("handshake of unknown kind %d", f.Kind)
	}
	if f.Mode > ModeTakeOver {
		return nil, malformed("handshake of unknown mode %d", f.Mode)
	}
	f.ID = string(p[handshakeMin:])
	return f, nil
}

func decodeError(p []byte) (Frame, error) {
	length := int(binary.BigEndian.Uint16(p))
	if length > CodeMost || length > len(p)-2 {
		return nil, malformed("error with a code of %d bytes", length)
	}
	code, message := p[2:2+length], p[2+length:]
	if len(message) > MessageMost {
		return nil, malformed("error with a message of %d bytes", len(message))
	}
	for _, c := range code {
		if c >= utf8.RuneSelf {
			return nil, malformed("error with a code that is not ASCII")
		}
	}
	if !utf8.Valid(message) {
		return nil, malformed("error with a message that is not UTF-8")
	}
	return Error{Code: string(code), Message: string(message)}, nil
}
