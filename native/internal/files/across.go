package files

import (
	"context"
	"errors"
	"io"

	"golang.org/x/sys/unix"
)

// moveAcross copies source into a staging folder beside target, renames it to target, and removes
// source. Until the rename nothing of it is seen at target.
func (c Caller) moveAcross(ctx context.Context, source, target string, replace bool) error {
	folder, name := splitLast(source)
	if name == "" || name == "." || name == ".." {
		return invalid("name the file itself", "%s cannot be moved", quoted(source))
	}
	place, _ := splitLast(target)
	staging := place + temporaryName()
	if !replace {
		if _, err := c.Stat(target, false); err == nil {
			return unix.EEXIST
		}
	}
	if err := c.as(func() error { return unix.Mkdir(staging, 0o700) }); err != nil {
		return err
	}
	err := c.copyEntry(ctx, folder, name, staging)
	if err == nil {
		err = c.as(func() error { return rename(staging+"/"+name, target, replace) })
	}
	// The staging folder goes whether or not the caller has given up.
	if _, cleaning := c.Remove(context.WithoutCancel(ctx), staging, true); err == nil {
		err = cleaning
	}
	if err != nil {
		return err
	}
	_, err = c.Remove(ctx, source, true)
	return err
}

// copyEntry copies one entry of a folder, with all beneath it, into another folder.
func (c Caller) copyEntry(ctx context.Context, folder, name, into string) error {
	reader, writer := io.Pipe()
	packed := make(chan error, 1)
	go func() {
		err := c.as(func() error { return packEntry(ctx, folder, name, writer) })
		packed <- err
		writer.CloseWithError(err)
	}()
	err := c.as(func() error {
		dir, err := open(unix.AT_FDCWD, into, unix.O_PATH|unix.O_DIRECTORY|unix.O_NOFOLLOW, 0)
		if err != nil {
			return err
		}
		defer unix.Close(dir)
		_, err = Unpack(ctx, dir, reader, Unpacking{Owners: c.root(), Special: true})
		return err
	})
	reader.CloseWithError(errAbandoned)
	if packing := <-packed; packing != nil && !errors.Is(packing, errAbandoned) {
		return packing
	}
	return err
}

var errAbandoned = errors.New("the other side gave up")

// root tells whether the caller may give files away.
func (c Caller) root() bool {
	if c.Switch {
		return c.UID == 0
	}
	return unix.Geteuid() == 0
}

// packEntry packs one entry by itself. What an archive cannot hold is an error here: the original
// is about to be removed.
func packEntry(ctx context.Context, folder, name string, to io.Writer) error {
	dir, err := open(unix.AT_FDCWD, folder, openFolder, 0)
	if err != nil {
		return err
	}
	defer unix.Close(dir)
	p := newPacker(ctx, dir, to)
	if err := p.entry(dir, dirent{name: name, kind: unix.DT_UNKNOWN}, name); err != nil {
		return err
	}
	if err := p.folders(); err != nil {
		return err
	}
	if p.report.Skipped > 0 {
		return &Error{
			Code:    Unsupported,
			Message: quoted(name) + " lies on another file system, and is or holds a socket, a FIFO or a device",
			Remedy:  "move the files by themselves",
		}
	}
	if p.report.Entries == 0 {
		return unix.ENOENT
	}
	_, err = p.end()
	return err
}
