package launch

import (
	"errors"
	"fmt"

	"golang.org/x/sys/unix"
)

// Code is one of the codes of the daemon's error family.
type Code string

// The codes that the launcher uses.
const (
	InvalidArgument Code = "INVALID_ARGUMENT"
	NotReady        Code = "NOT_READY"
	DriverFailed    Code = "DRIVER_FAILED"
	DiskFull        Code = "DISK_FULL"
	Unsupported     Code = "UNSUPPORTED"
	AlreadyExists   Code = "ALREADY_EXISTS"
	NotFound        Code = "NOT_FOUND"
	Deadline        Code = "DEADLINE"
	Denied          Code = "DENIED"
	Busy            Code = "BUSY"
)

// Failure is an error that the caller can act upon.
type Failure struct {
	Code Code `json:"code"`
	// Message says what happened, with the system's or the runtime's own words.
	Message string `json:"message"`
	// Remedy is the next step in words; may be empty.
	Remedy string `json:"remedy,omitempty"`
	cause  error
}

// Failed is the record that is printed instead of an answer; exit status 1.
type Failed struct {
	Error *Failure `json:"error"`
}

func (f *Failure) Error() string { return f.Message }

func (f *Failure) Unwrap() error { return f.cause }

// Fail makes a failure of a code from an error and what was being done.
func Fail(code Code, cause error, format string, args ...any) *Failure {
	message := fmt.Sprintf(format, args...)
	if cause != nil {
		message += ": " + cause.Error()
	}
	return &Failure{Code: code, Message: message, cause: cause}
}

// WithRemedy is the failure with the next step.
func (f *Failure) WithRemedy(remedy string) *Failure {
	copied := *f
	copied.Remedy = remedy
	return &copied
}

// AsFailure is the failure inside err, with all that err says. A full disk is
// known by its errno wherever it happened; what is no failure is the driver's.
func AsFailure(err error) *Failure {
	var failure *Failure
	if errors.As(err, &failure) {
		copied := *failure
		copied.Message = err.Error()
		return &copied
	}
	if errors.Is(err, unix.ENOSPC) || errors.Is(err, unix.EDQUOT) {
		return Fail(DiskFull, err, "no space left").
			WithRemedy("free space on the disk that holds the home folder")
	}
	return &Failure{Code: DriverFailed, Message: err.Error(), cause: err}
}
