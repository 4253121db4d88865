package control

import (
	"context"

	"cortex.dev/native/internal/files"
	"cortex.dev/native/internal/guestpb"
)

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

// Copy prepares a transfer.
func (g *Guest) Copy(_ context.Context, r *guestpb.CopyRequest) (*guestpb.CopyResponse, error) {
	c, err := g.caller(r.User, r.WorkingDirectory)
	if err != nil {
		return nil, err
	}
	info, err := g.transfers.Prepare(c, files.Copy{
		ID: r.TransferId, Direction: files.Direction(r.Direction), Shape: files.Shape(r.Shape), Path: string(r.Path),
		Offset: r.Offset, Length: r.Length, Mode: r.Mode, MakeParents: r.MakeParents, KeepOwners: r.KeepOwners,
		ModifiedNs: r.ModifiedNs,
	})
	if err != nil {
		return nil, err
	}
	if r.Direction == guestpb.Direction_DIRECTION_PULL {
		return &guestpb.CopyResponse{File: infoOf(info)}, nil
	}
	return &guestpb.CopyResponse{}, nil
}

// Stat describes one path.
func (g *Guest) Stat(_ context.Context, r *guestpb.StatRequest) (*guestpb.FileInfo, error) {
	c, err := g.caller(r.User, r.WorkingDirectory)
	if err != nil {
		return nil, err
	}
	info, err := c.Stat(string(r.Path), r.Follow)
	if err != nil {
		return nil, err
	}
	return infoOf(info), nil
}

// List describes what lies beneath a folder.
func (g *Guest) List(ctx context.Context, r *guestpb.ListRequest) (*guestpb.ListResponse, error) {
	c, err := g.caller(r.User, r.WorkingDirectory)
	if err != nil {
		return nil, err
	}
	entries, truncated, err := c.List(ctx, string(r.Path), r.Depth, r.Most, string(r.After))
	if err != nil {
		return nil, err
	}
	response := &guestpb.ListResponse{Truncated: truncated, Entries: make([]*guestpb.FileInfo, len(entries))}
	for i, entry := range entries {
		response.Entries[i] = infoOf(entry)
	}
	return response, nil
}

// MakeDirectory makes a folder.
func (g *Guest) MakeDirectory(_ context.Context, r *guestpb.MakeDirectoryRequest) (*guestpb.MakeDirectoryResponse, error) {
	c, err := g.caller(r.User, r.WorkingDirectory)
	if err != nil {
		return nil, err
	}
	created, err := c.MakeDirectory(string(r.Path), r.Parents, r.Mode)
	if err != nil {
		return nil, err
	}
	return &guestpb.MakeDirectoryResponse{Created: created}, nil
}

// Move renames.
func (g *Guest) Move(ctx context.Context, r *guestpb.MoveRequest) (*guestpb.MoveResponse, error) {
	c, err := g.caller(r.User, r.WorkingDirectory)
	if err != nil {
		return nil, err
	}
	if err := c.Move(ctx, string(r.From), string(r.To), r.Replace); err != nil {
		return nil, err
	}
	return &guestpb.MoveResponse{}, nil
}

// Remove deletes.
func (g *Guest) Remove(ctx context.Context, r *guestpb.RemoveRequest) (*guestpb.RemoveResponse, error) {
	c, err := g.caller(r.User, r.WorkingDirectory)
	if err != nil {
		return nil, err
	}
	removed, err := c.Remove(ctx, string(r.Path), r.Recursive)
	if err != nil {
		return nil, err
	}
	return &guestpb.RemoveResponse{Removed: removed}, nil
}

// ResolvePath says what a path means.
func (g *Guest) ResolvePath(_ context.Context, r *guestpb.ResolvePathRequest) (*guestpb.ResolvePathResponse, error) {
	c, err := g.caller(r.User, r.WorkingDirectory)
	if err != nil {
		return nil, err
	}
	path, exists, err := c.Resolve(string(r.Path))
	if err != nil {
		return nil, err
	}
	return &guestpb.ResolvePathResponse{Path: []byte(path), Exists: exists}, nil
}
