// Package fault is the error family of the guest protocol as the neuron speaks it: each error has
// a code of the project's family, words for a person, and where one is known a remedy.
package fault

import (
	"errors"
	"fmt"
	"syscall"
)

// Code is a name of the project's error family.
type Code string

// The codes that a neuron answers with.
const (
	NotFound        Code = "NOT_FOUND"
	AlreadyExists   Code = "ALREADY_EXISTS"
	Busy            Code = "BUSY"
	InvalidArgument Code = "INVALID_ARGUMENT"
	Unauthenticated Code = "UNAUTHENTICATED"
	Denied          Code = "DENIED"
	Unsupported     Code = "UNSUPPORTED"
	Capacity        Code = "CAPACITY"
	NotReady        Code = "NOT_READY"
	Deadline        Code = "DEADLINE"
	DiskFull        Code = "DISK_FULL"
	OutOfMemory     Code = "OUT_OF_MEMORY"
	SessionEvicted  Code = "SESSION_EVICTED"
	Internal        Code = "INTERNAL" // the sandbox's own system refused: the words are the kernel's
)

// Error is one failure. Cause, if there is one, is kept for errors.Is and is not shown again.
type Error struct {
	Code    Code
	Message string
	Remedy  string
	Cause   error
}

// New makes an error whose message is formatted as by fmt.Sprintf.
func New(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// WithRemedy returns the same error with a remedy.
func (e *Error) WithRemedy(remedy string) *Error {
	e.Remedy = remedy
	return e
}

func (e *Error) Error() string { return string(e.Code) + ": " + e.Message }

func (e *Error) Unwrap() error { return e.Cause }

// Of turns any error into one of the family. Errors of the kernel get the code that fits them;
// doing says what was being done, such as "open /etc/passwd".
func Of(err error, doing string) *Error {
	var known *Error
	if errors.As(err, &known) {
		return known
	}
	code := Internal
	var errno syscall.Errno
	if errors.As(err, &errno) {
		code = codeOf(errno)
	}
	return &Error{Code: code, Message: doing + ": " + cause(err), Cause: err}
}

func cause(err error) string {
	var errno syscall.Errno
	if errors.As(err, &errno) {
		return errno.Error()
	}
	return err.Error()
}

func codeOf(errno syscall.Errno) Code {
	switch errno {
	case syscall.ENOENT, syscall.ESRCH:
		return NotFound
	case syscall.EEXIST, syscall.ENOTEMPTY:
		return AlreadyExists
	case syscall.EACCES, syscall.EPERM, syscall.EROFS:
		return Denied
	case syscall.ENOTDIR, syscall.EISDIR, syscall.EINVAL, syscall.ENAMETOOLONG, syscall.ELOOP, syscall.E2BIG, syscall.EXDEV:
		return InvalidArgument
	case syscall.ENOSPC, syscall.EDQUOT:
		return DiskFull
	case syscall.ENOMEM:
		return OutOfMemory
	case syscall.EAGAIN, syscall.EMFILE, syscall.ENFILE:
		return Capacity
	case syscall.EBUSY, syscall.ETXTBSY:
		return Busy
	case syscall.ENOSYS, syscall.EOPNOTSUPP:
		return Unsupported
	default:
		return Internal
	}
}
