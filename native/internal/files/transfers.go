package files

import (
	"context"
	"io"
	"sync"
	"time"
)

// Direction is which way a transfer goes, seen from the host.
type Direction int

// The values are those of the protocol's Direction.
const (
	Push Direction = 1 // into the sandbox
	Pull Direction = 2 // out of it
)

// Shape is what a transfer carries.
type Shape int

// The values are those of the protocol's Shape.
const (
	File Shape = 1 // the bytes of one regular file
	Tar  Shape = 2 // what lies beneath a folder
)

// Copy says what is to be transferred; the fields are those of the protocol's CopyRequest.
type Copy struct {
	ID          string
	Direction   Direction
	Shape       Shape
	Path        string
	Offset      uint64
	Length      uint64
	Mode        uint32
	MakeParents bool
	KeepOwners  bool
	ModifiedNs  int64
}

// Bounds of what is prepared and not yet opened.
const (
	// Forgotten is how long a prepared transfer waits for its stream.
	Forgotten = 30 * time.Second
	// PreparedMost is how many wait at once; a client opens its stream within milliseconds.
	PreparedMost = 1024
	idBytesMost  = 128
)

// Transfers holds what was prepared until its stream opens. Safe for concurrent use.
type Transfers struct {
	now      func() time.Time
	mutex    sync.Mutex
	prepared map[string]*Transfer
}

// NewTransfers gives an empty set that reads the time from now, which must not go back
// (time.Now of a running process does not).
func NewTransfers(now func() time.Time) *Transfers {
	return &Transfers{now: now, prepared: map[string]*Transfer{}}
}

// Transfer is one copy that was prepared.
type Transfer struct {
	copy     Copy
	caller   Caller
	path     string
	deadline time.Time
}

// Prepare looks whether a copy can begin, and holds it under its id. For a pull it describes what
// is about to be sent.
func (t *Transfers) Prepare(c Caller, copy Copy) (Info, error) {
	if copy.ID == "" || len(copy.ID) > idBytesMost {
		return Info{}, invalid("", "a transfer id has 1 to %d bytes", idBytesMost)
	}
	if copy.Mode&^modeBits != 0 {
		return Info{}, invalid("give permission bits", "%#o is no mode", copy.Mode)
	}
	path, err := c.absolute(copy.Path)
	if err != nil {
		return Info{}, err
	}
	transfer := &Transfer{copy: copy, caller: c, path: path}
	info, err := transfer.check()
	if err != nil {
		return Info{}, err
	}
	t.mutex.Lock()
	defer t.mutex.Unlock()
	now := t.now()
	for id, waiting := range t.prepared {
		if waiting.deadline.Before(now) {
			delete(t.prepared, id)
		}
	}
	if _, taken := t.prepared[copy.ID]; taken {
		return Info{}, &Error{Code: AlreadyExists, Message: "the transfer " + quoted(copy.ID) + " is prepared already", Remedy: "mint a new id"}
	}
	if len(t.prepared) >= PreparedMost {
		return Info{}, &Error{Code: Capacity, Message: "too many transfers wait for their stream", Remedy: "open or wait for those that were prepared"}
	}
	transfer.deadline = now.Add(Forgotten)
	t.prepared[copy.ID] = transfer
	return info, nil
}

// Open takes a prepared transfer, which is opened once: a second time it is not found.
func (t *Transfers) Open(id string) (*Transfer, error) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	transfer, ok := t.prepared[id]
	delete(t.prepared, id)
	if !ok || transfer.deadline.Before(t.now()) {
		return nil, &Error{
			Code:    NotFound,
			Message: "there is no transfer " + quoted(id),
			Remedy:  "prepare it again, and open its stream within 30 s",
		}
	}
	return transfer, nil
}

func (t *Transfer) check() (Info, error) {
	switch {
	case t.copy.Direction == Push && t.copy.Shape == File:
		return Info{}, t.checkPushFile()
	case t.copy.Direction == Pull && t.copy.Shape == File:
		return t.checkPullFile()
	case t.copy.Direction == Push && t.copy.Shape == Tar:
		return Info{}, t.checkPushTar()
	case t.copy.Direction == Pull && t.copy.Shape == Tar:
		return t.checkPullTar()
	}
	return Info{}, invalid("", "a copy needs a direction and a shape")
}

// Direction tells whether Receive or Send is to be called.
func (t *Transfer) Direction() Direction { return t.copy.Direction }

// Receive takes a push from its stream, which must end with io.EOF only where the host said that
// everything was sent: any other error leaves the file that was there.
func (t *Transfer) Receive(ctx context.Context, from io.Reader) error {
	switch {
	case t.copy.Direction != Push:
		return invalid("", "the transfer is a pull")
	case t.copy.Shape == File:
		return t.receiveFile(ctx, from)
	}
	return t.receiveTar(ctx, from)
}

// Send gives a pull to its stream, in writes of up to 256 KiB. An error of `to` comes back as it is.
func (t *Transfer) Send(ctx context.Context, to io.Writer) error {
	switch {
	case t.copy.Direction != Pull:
		return invalid("", "the transfer is a push")
	case t.copy.Shape == File:
		return t.sendFile(ctx, to)
	}
	return t.sendTar(ctx, to)
}
