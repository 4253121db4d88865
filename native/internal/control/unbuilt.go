package control

import (
	"context"

	"cortex.dev/native/internal/fault"
	"cortex.dev/native/internal/guestpb"
)

// What the protocol names and this neuron cannot do is refused.

func (g *Guest) Quiesce(context.Context, *guestpb.QuiesceRequest) (*guestpb.QuiesceResponse, error) {
	return nil, unbuilt("Quiesce")
}

func (g *Guest) Thaw(context.Context, *guestpb.ThawRequest) (*guestpb.ThawResponse, error) {
	return nil, unbuilt("Thaw")
}

func unbuilt(call string) error {
	return fault.New(fault.Unsupported, "this neuron has no call %s", call)
}
