package files

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// Code names a kind of failure; the values are those of the project's error family.
type Code string

// The codes that this package answers with.
const (
	NotFound        Code = "NOT_FOUND"
	AlreadyExists   Code = "ALREADY_EXISTS"
	InvalidArgument Code = "INVALID_ARGUMENT"
	Denied          Code = "DENIED"
	DiskFull        Code = "DISK_FULL"
	Busy            Code = "BUSY"
	Capacity        Code = "CAPACITY"
	Unsupported     Code = "UNSUPPORTED"
	Internal        Code = "INTERNAL"
)

// Error is a failure that a person can act on. Every error that this package returns is one, or
// wraps one, unless it came from the reader or writer of a transfer.
type Error struct {
	Code    Code
	Message string // names the path
	Remedy  string // may be empty
	cause   error
}

func (e *Error) Error() string { return e.Message }

// Unwrap gives the system's error, where there was one.
func (e *Error) Unwrap() error { return e.cause }

// CodeOf is the code of err, Internal when it has none.
func CodeOf(err error) Code {
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return Internal
}

func invalid(remedy, format string, args ...any) *Error {
	return &Error{Code: InvalidArgument, Message: fmt.Sprintf(format, args...), Remedy: remedy}
}

// failure says in the project's words why doing something to path ended with a system error.
func failure(doing, path string, err error) error {
	if err == nil {
		return nil
	}
	var already *Error
	if errors.As(err, &already) {
		return err
	}
	e := &Error{Code: Internal, cause: err}
	why := err.Error()
	switch {
	case errors.Is(err, unix.ENOENT):
		e.Code, why = NotFound, "no such file or folder"
	case errors.Is(err, unix.EEXIST):
		e.Code, why = AlreadyExists, "it exists already"
	case errors.Is(err, unix.ENOTEMPTY):
		e.Code, why = AlreadyExists, "the folder is not empty"
	case errors.Is(err, unix.EACCES), errors.Is(err, unix.EPERM):
		e.Code, why = Denied, "permission denied"
		e.Remedy = "act as a user who may, such as root"
	case errors.Is(err, unix.EROFS):
		e.Code, why = Denied, "the file system is read-only"
		e.Remedy = "choose a place on the sandbox's disk, such as the home folder"
	case errors.Is(err, unix.EDQUOT):
		e.Code, why = DiskFull, "the limit of the disk is reached"
		e.Remedy = "remove files, or give the sandbox a larger disk"
	case errors.Is(err, unix.ENOSPC):
		e.Code, why = DiskFull, "no space is left on the disk"
		e.Remedy = "remove files, or give the sandbox a larger disk"
	case errors.Is(err, unix.ENOTDIR):
		e.Code, why = InvalidArgument, "a part of the path is not a folder"
	case errors.Is(err, unix.EISDIR):
		e.Code, why = InvalidArgument, "it is a folder"
	case errors.Is(err, unix.ELOOP):
		e.Code, why = InvalidArgument, "too many symbolic links, or a link where none may be"
	case errors.Is(err, unix.ENAMETOOLONG):
		e.Code, why = InvalidArgument, "the name is too long"
	case errors.Is(err, unix.EFBIG):
		e.Code, why = InvalidArgument, "the file is larger than the file system allows"
	case errors.Is(err, unix.EXDEV):
		e.Code, why = Unsupported, "it lies on another file system"
		e.Remedy = "copy it and remove the old one"
	case errors.Is(err, unix.EINVAL):
		e.Code, why = InvalidArgument, "the system refuses it"
	case errors.Is(err, unix.EBUSY), errors.Is(err, unix.ETXTBSY):
		e.Code, why = Busy, "it is in use"
	case errors.Is(err, unix.EMFILE), errors.Is(err, unix.ENFILE), errors.Is(err, unix.ENOMEM), errors.Is(err, unix.EMLINK):
		e.Code, why = Capacity, "the system has no room for it: "+err.Error()
	}
	e.Message = fmt.Sprintf("cannot %s %s: %s", doing, quoted(path), why)
	return e
}

// quoted shows a path in a message: as it is when it is plain, else with its odd bytes escaped.
func quoted(path string) string {
	for i := 0; i < len(path); i++ {
		if path[i] < ' ' || path[i] == 0x7f || path[i] >= 0x80 {
			return fmt.Sprintf("%q", path)
		}
	}
	if path == "" {
		return `""`
	}
	const most = 512
	if len(path) > most {
		return path[:most] + "…"
	}
	return path
}
