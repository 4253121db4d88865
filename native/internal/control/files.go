package control

import (
	"context"

	"cortex.dev/native/internal/files"
	"cortex.dev/native/internal/guestpb"
)

// onDisk runs a file call for its caller, when there is a slot for it.
func (g *Guest) onDisk(ctx context.Context, user string, directory []byte, call func(files.Caller) error) error {
	c, err := g.caller(user, directory)
	if err != nil {
		return err
	}
	if err := g.disk.Take(ctx); err != nil {
		return err
	}
	defer g.disk.Give()
	return call(c)
}

// caller is who asks for a file call.
func (g *Guest) caller(user string, directory []byte) (files.Caller, error) {
	l, err := g.alive()
	if err != nil {
		return files.Caller{}, err
	}
	u, err := l.config.UserOf(user)
	if err != nil {
		return files.Caller{}, err
	}
	return files.Caller{
		UID: u.UID, GID: u.GID, Groups: u.Groups, Home: u.Home,
		Cwd: l.config.DirectoryOf(string(directory)), Switch: l.config.SwitchUsers,
	}, nil
}

func infoOf(i files.Info) *guestpb.FileInfo {
	return &guestpb.FileInfo{
		Path: []byte(i.Path), Type: guestpb.FileType(i.Type), Size: i.Size, Mode: i.Mode, ModifiedNs: i.ModifiedNs,
		Uid: i.UID, Gid: i.GID, LinkTarget: []byte(i.LinkTarget),
	}
}

// Watch prepares a watch of a file or folder.
func (g *Guest) Watch(ctx context.Context, r *guestpb.WatchRequest) (*guestpb.WatchResponse, error) {
	err := g.onDisk(ctx, r.User, r.WorkingDirectory, func(c files.Caller) error {
		return g.watches.Prepare(c, files.Watch{ID: r.WatchId, Path: string(r.Path), Recursive: r.Recursive})
	})
	return orError(&guestpb.WatchResponse{}, err)
}

// Copy prepares a transfer.
func (g *Guest) Copy(ctx context.Context, r *guestpb.CopyRequest) (*guestpb.CopyResponse, error) {
	response := &guestpb.CopyResponse{}
	err := g.onDisk(ctx, r.User, r.WorkingDirectory, func(c files.Caller) error {
		info, err := g.transfers.Prepare(c, files.Copy{
			ID: r.TransferId, Direction: files.Direction(r.Direction), Shape: files.Shape(r.Shape), Path: string(r.Path),
			Offset: r.Offset, Length: r.Length, Mode: r.Mode, MakeParents: r.MakeParents, KeepOwners: r.KeepOwners,
			ModifiedNs: r.ModifiedNs,
		})
		if err == nil && r.Direction == guestpb.Direction_DIRECTION_PULL {
			response.File = infoOf(info)
		}
		return err
	})
	return orError(response, err)
}

// Stat describes one path.
func (g *Guest) Stat(ctx context.Context, r *guestpb.StatRequest) (response *guestpb.FileInfo, err error) {
	err = g.onDisk(ctx, r.User, r.WorkingDirectory, func(c files.Caller) error {
		info, err := c.Stat(string(r.Path), r.Follow)
		response = infoOf(info)
		return err
	})
	return orError(response, err)
}

// List describes what lies beneath a folder.
func (g *Guest) List(ctx context.Context, r *guestpb.ListRequest) (*guestpb.ListResponse, error) {
	response := &guestpb.ListResponse{}
	err := g.onDisk(ctx, r.User, r.WorkingDirectory, func(c files.Caller) error {
		entries, truncated, err := c.List(ctx, string(r.Path), r.Depth, r.Most, string(r.After))
		response.Truncated = truncated
		for _, entry := range entries {
			response.Entries = append(response.Entries, infoOf(entry))
		}
		return err
	})
	return orError(response, err)
}

// MakeDirectory makes a folder.
func (g *Guest) MakeDirectory(ctx context.Context, r *guestpb.MakeDirectoryRequest) (*guestpb.MakeDirectoryResponse, error) {
	response := &guestpb.MakeDirectoryResponse{}
	err := g.onDisk(ctx, r.User, r.WorkingDirectory, func(c files.Caller) (err error) {
		response.Created, err = c.MakeDirectory(string(r.Path), r.Parents, r.Mode)
		return err
	})
	return orError(response, err)
}

// Move renames.
func (g *Guest) Move(ctx context.Context, r *guestpb.MoveRequest) (*guestpb.MoveResponse, error) {
	err := g.onDisk(ctx, r.User, r.WorkingDirectory, func(c files.Caller) error {
		return c.Move(ctx, string(r.From), string(r.To), r.Replace)
	})
	return orError(&guestpb.MoveResponse{}, err)
}

// Remove deletes.
func (g *Guest) Remove(ctx context.Context, r *guestpb.RemoveRequest) (*guestpb.RemoveResponse, error) {
	response := &guestpb.RemoveResponse{}
	err := g.onDisk(ctx, r.User, r.WorkingDirectory, func(c files.Caller) (err error) {
		response.Removed, err = c.Remove(ctx, string(r.Path), r.Recursive)
		return err
	})
	return orError(response, err)
}

// ResolvePath says what a path means.
func (g *Guest) ResolvePath(ctx context.Context, r *guestpb.ResolvePathRequest) (*guestpb.ResolvePathResponse, error) {
	response := &guestpb.ResolvePathResponse{}
	err := g.onDisk(ctx, r.User, r.WorkingDirectory, func(c files.Caller) error {
		path, exists, err := c.Resolve(string(r.Path))
		response.Path, response.Exists = []byte(path), exists
		return err
	})
	return orError(response, err)
}

// orError is a call's answer: one or the other.
func orError[R any](response *R, err error) (*R, error) {
	if err != nil {
		return nil, err
	}
	return response, nil
}
