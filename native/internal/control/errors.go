package control

import (
	"context"
	"errors"

	"cortex.dev/native/internal/fault"
	"cortex.dev/native/internal/files"
	"cortex.dev/native/internal/guestpb"
	"github.com/containerd/ttrpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

var grpcCodes = map[fault.Code]codes.Code{
	fault.NotFound:        codes.NotFound,
	fault.AlreadyExists:   codes.AlreadyExists,
	fault.Busy:            codes.Aborted,
	fault.InvalidArgument: codes.InvalidArgument,
	fault.Unauthenticated: codes.Unauthenticated,
	fault.Denied:          codes.PermissionDenied,
	fault.Unsupported:     codes.Unimplemented,
	fault.Capacity:        codes.ResourceExhausted,
	fault.NotReady:        codes.Unavailable,
	fault.Deadline:        codes.DeadlineExceeded,
	fault.DiskFull:        codes.ResourceExhausted,
	fault.OutOfMemory:     codes.ResourceExhausted,
	fault.SessionEvicted:  codes.OutOfRange,
	fault.Internal:        codes.Internal,
}

// FaultOf is any error of the neuron as one of its family.
func FaultOf(err error, doing string) *fault.Error {
	var ofFiles *files.Error
	if errors.As(err, &ofFiles) {
		return &fault.Error{Code: fault.Code(ofFiles.Code), Message: ofFiles.Message, Remedy: ofFiles.Remedy, Cause: err}
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return fault.New(fault.Deadline, "%s took longer than the call allows", doing)
	}
	return fault.Of(err, doing)
}

// intercept admits calls, and turns their errors into statuses that carry an ErrorDetail.
func (g *Guest) intercept(ctx context.Context, unmarshal ttrpc.Unmarshaler, info *ttrpc.UnaryServerInfo, call ttrpc.Method) (any, error) {
	if err := admit(ctx, info.FullMethod); err != nil {
		return nil, statusOf(err)
	}
	if err := g.whileStill(info.FullMethod); err != nil {
		return nil, statusOf(err)
	}
	response, err := call(ctx, unmarshal)
	if err == nil {
		return response, nil
	}
	if _, already := status.FromError(err); already {
		return nil, err
	}
	return nil, statusOf(FaultOf(err, info.FullMethod))
}

func statusOf(f *fault.Error) error {
	s, err := status.New(grpcCodes[f.Code], f.Message).WithDetails(&guestpb.ErrorDetail{
		Code: string(f.Code), Message: f.Message, Remedy: f.Remedy,
	})
	if err != nil {
		return status.Error(grpcCodes[f.Code], f.Message)
	}
	return s.Err()
}
