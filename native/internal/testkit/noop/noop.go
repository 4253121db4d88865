// Package noop holds a guest call that does nothing, made by following "add a guest call" in CONTRIBUTING.md.
package noop

import (
	"context"

	"cortex.dev/native/internal/fault"
	"cortex.dev/native/internal/testkit/noop/nooppb"
)

// nameBytes is the longest name of a file on Linux (NAME_MAX).
const nameBytes = 255

// Guest answers the call.
type Guest struct{}

// Noop answers with what it was given.
func (Guest) Noop(_ context.Context, request *nooppb.NoopRequest) (*nooppb.NoopResponse, error) {
	if len(request.Name) > nameBytes {
		return nil, fault.New(fault.InvalidArgument, "the name has %d bytes; the most is %d", len(request.Name), nameBytes).
			WithRemedy("send a shorter name")
	}
	return &nooppb.NoopResponse{Name: request.Name}, nil
}
