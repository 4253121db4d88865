package forward

import (
	"context"
	"errors"
	"fmt"
	"net"
	"testing"

	"cortex.dev/native/internal/fault"
)

func TestAReservedPortIsRefusedWhoeverListensThere(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	port := listener.Addr().(*net.TCPAddr).Port
	p := NewPorts()
	id := fmt.Sprintf("tcp:%d", port)
	conn, err := p.Dial(context.Background(), id)
	if err != nil {
		t.Fatal(err)
	}
	_ = conn.Close()
	p.Reserve(port, "the way out of the sandbox")
	var denied *fault.Error
	if _, err = p.Dial(context.Background(), id); !errors.As(err, &denied) || denied.Code != fault.Denied {
		t.Fatalf("got %v", err)
	}
	if p.open != 0 {
		t.Fatalf("%d connections are counted", p.open)
	}
}
