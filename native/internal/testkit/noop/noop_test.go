package noop

import (
	"context"
	"net"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cortex.dev/native/internal/control"
	"cortex.dev/native/internal/guestpb"
	"cortex.dev/native/internal/testkit/noop/nooppb"
	"github.com/containerd/ttrpc"
	"google.golang.org/grpc/status"
)

// dial serves the call on a stream of the neuron's own server, trusted or not.
func dial(t *testing.T, trusted bool) nooppb.NoopGuestService {
	t.Helper()
	server, err := control.NewServer(&control.Guest{})
	if err != nil {
		t.Fatal(err)
	}
	nooppb.RegisterNoopGuestService(server, Guest{})
	path := filepath.Join(t.TempDir(), "s")
	listener, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	go func() { _ = server.Serve(control.NewStream(trusted).On(context.Background()), listener) }()
	conn, err := net.Dial("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	client := ttrpc.NewClient(conn)
	t.Cleanup(func() { _ = client.Close(); _ = server.Close() })
	return nooppb.NewNoopGuestClient(client)
}

func TestTheNameComesBackByteForByte(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	name := []byte("a\xff\n")

	response, err := dial(t, true).Noop(ctx, &nooppb.NoopRequest{Name: name})

	if err != nil || string(response.Name) != string(name) {
		t.Fatalf("got %q, %v", response.GetName(), err)
	}
}

func TestRefusalsCarryCodeAndRemedy(t *testing.T) {
	for _, c := range []struct {
		name    string
		trusted bool
		bytes   int
		code    string
	}{
		{"a name that is too long", true, 256, "INVALID_ARGUMENT"},
		{"a stream without the token", false, 1, "NOT_READY"},
	} {
		t.Run(c.name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
			defer cancel()

			_, err := dial(t, c.trusted).Noop(ctx, &nooppb.NoopRequest{Name: []byte(strings.Repeat("x", c.bytes))})

			refused, ok := status.FromError(err)
			if !ok || len(refused.Details()) != 1 {
				t.Fatalf("got %v", err)
			}
			detail, ok := refused.Details()[0].(*guestpb.ErrorDetail)
			if !ok || detail.Code != c.code || detail.Remedy == "" {
				t.Fatalf("got %v", refused.Details())
			}
		})
	}
}
