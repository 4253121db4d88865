package sudo

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"

	"golang.org/x/sys/unix"
)

// kind is the first byte of a frame; a big-endian length of 4 bytes and the payload follow.
type kind byte

const (
	kindHello    kind = 'H' // the session is there and waits for the ask
	kindRefusal  kind = 'R' // Refusal; nothing follows
	kindAsk      kind = 'A' // Ask, with the descriptors that it counts
	kindTerminal kind = 'T' // with the terminal's master
	kindStopped  kind = 'P' // one byte: the signal that stopped the command
	kindEnded    kind = 'X' // Ended; nothing follows
	kindSignal   kind = 'S' // one byte: for the command's process group
)

const (
	headerSize = 5
	// frameMost is above what Linux takes for arguments and environment, in bytes, as JSON.
	frameMost = 8 << 20
	// descriptorsMost is the working directory and three streams.
	descriptorsMost = 4
)

// Ask is a command that a program asks for.
type Ask struct {
	Check       bool // only whether it would be allowed
	Argv        [][]byte
	User, Group string // empty: root, and the user's own
	Login       bool   // a login shell in the user's home
	Shell       string // empty: none, or the user's own with Login
	Keep        [][]byte
	Set         [][]byte
	KeepsHome   bool
	Directory   string // empty: the directory's descriptor
	Umask       uint32
	// Streams says of each of 0, 1 and 2 whether it is the terminal; else its descriptor follows the
	// directory's, if there is that one.
	Terminal     bool
	Background   bool // the command goes on when the caller leaves
	Streams      [3]bool
	HasDirectory bool
	Rows, Cols   uint16
	XPix, YPix   uint16
	Settings     *unix.Termios
}

// Ended is how the command ended.
type Ended struct {
	Status  int
	Signal  int    // 0: it exited
	Message string // why it never ran
}

// Refusal is a door that stays closed.
type Refusal struct{ Code, Message, Remedy string }

type frame struct {
	kind        kind
	payload     []byte
	descriptors []int
}

func (f frame) close() {
	for _, fd := range f.descriptors {
		_ = unix.Close(fd)
	}
}

// into reads the payload as JSON.
func (f frame) into(value any) error {
	if err := json.Unmarshal(f.payload, value); err != nil {
		return fmt.Errorf("read a message of kind %c: %w", f.kind, err)
	}
	return nil
}

func send(conn *net.UnixConn, k kind, value any, descriptors ...int) error {
	var payload []byte
	switch v := value.(type) {
	case nil:
	case []byte:
		payload = v
	default:
		var err error
		if payload, err = json.Marshal(v); err != nil {
			return fmt.Errorf("write a message of kind %c: %w", k, err)
		}
	}
	if len(payload) > frameMost {
		return errors.New("the command and its environment are too long")
	}
	header := [headerSize]byte{byte(k)}
	binary.BigEndian.PutUint32(header[1:], uint32(len(payload)))
	var rights []byte
	if len(descriptors) > 0 {
		rights = unix.UnixRights(descriptors...)
	}
	if n, _, err := conn.WriteMsgUnix(header[:], rights, nil); err != nil || n != headerSize {
		return fmt.Errorf("send a message: %w", errors.Join(err, io.ErrShortWrite))
	}
	if _, err := conn.Write(payload); err != nil {
		return fmt.Errorf("send a message: %w", err)
	}
	return nil
}

// receive reads one frame. More descriptors than an ask has are closed by the kernel.
func receive(conn *net.UnixConn) (f frame, err error) {
	var header [headerSize]byte
	rights := make([]byte, unix.CmsgSpace(descriptorsMost*4))
	for read := 0; read < headerSize; {
		n, oob, _, _, err := conn.ReadMsgUnix(header[read:], rights)
		if err == nil && n == 0 {
			err = io.EOF
		}
		f.descriptors = append(f.descriptors, descriptorsIn(rights[:max(oob, 0)])...)
		if err != nil {
			f.close()
			return frame{}, err
		}
		read += n
	}
	f.kind = kind(header[0])
	size := binary.BigEndian.Uint32(header[1:])
	if size > frameMost {
		f.close()
		return frame{}, fmt.Errorf("a message of %d bytes is too long", size)
	}
	f.payload = make([]byte, size)
	if _, err := io.ReadFull(conn, f.payload); err != nil {
		f.close()
		return frame{}, fmt.Errorf("read a message: %w", err)
	}
	return f, nil
}

func descriptorsIn(rights []byte) (found []int) {
	messages, err := unix.ParseSocketControlMessage(rights)
	if err != nil {
		return nil
	}
	for i := range messages {
		if fds, err := unix.ParseUnixRights(&messages[i]); err == nil {
			found = append(found, fds...)
		}
	}
	return found
}
