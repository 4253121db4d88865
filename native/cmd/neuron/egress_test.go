package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"cortex.dev/native/internal/guestpb"
	"cortex.dev/native/internal/wire"
	"google.golang.org/protobuf/proto"
)

// perimeter is a host's end of the events stream: it lets requests out to one server, or refuses them.
type perimeter struct {
	n      *neuron
	conn   net.Conn
	frames *wire.Reader
	server string // of host names that begin with "allowed"
	mu     sync.Mutex
	seen   []*guestpb.ConnectEvent
	gone   []uint64
}

// outlet opens the events stream.
func (n *neuron) outlet(server string) *perimeter {
	n.t.Helper()
	conn, frames := n.stream(wire.Handshake{Kind: wire.KindEvents})
	p := &perimeter{n: n, conn: conn, frames: frames, server: server}
	if f, err := frames.Next(); f != (wire.HandshakeAck{}) || err != nil {
		n.t.Fatalf("got %+v, %v", f, err)
	}
	return p
}

// stream opens a data stream and sends its handshake.
func (n *neuron) stream(h wire.Handshake) (net.Conn, *wire.Reader) {
	n.t.Helper()
	conn, ack := n.dial(wire.PurposeData, n.token)
	if ack.Status != wire.StatusOK {
		n.t.Fatalf("data stream refused: %+v", ack)
	}
	if _, err := conn.Write(h.Append(nil)); err != nil {
		n.t.Fatal(err)
	}
	return conn, wire.NewReader(bufio.NewReader(conn))
}

// serve decides until the stream ends.
func (p *perimeter) serve() {
	for {
		f, err := p.frames.Next()
		if err != nil {
			return
		}
		e := f.(wire.Event)
		if e.Kind == uint8(guestpb.EventKind_EVENT_KIND_WITHDRAWN) {
			p.mu.Lock()
			p.gone = append(p.gone, e.Number)
			p.mu.Unlock()
			continue
		}
		var c guestpb.ConnectEvent
		if proto.Unmarshal(e.Body, &c) != nil {
			return
		}
		p.mu.Lock()
		p.seen = append(p.seen, &c)
		p.mu.Unlock()
		switch {
		case strings.HasPrefix(string(c.Host), "allowed"):
			go p.carry(e.Number)
		case strings.HasPrefix(string(c.Host), "silent"):
		default:
			p.refuse(e.Number, string(c.Host))
		}
	}
}

func (p *perimeter) refuse(number uint64, host string) {
	body, _ := proto.Marshal(&guestpb.ErrorDetail{
		Code: "DENIED", Message: host + " is not allowed", Remedy: "cortex egress set api --allow-host " + host,
	})
	_, _ = p.conn.Write(wire.Answer{Number: number, Kind: uint8(guestpb.AnswerKind_ANSWER_KIND_REFUSED), Body: body}.Append(nil))
}

// carry dials the server, then the neuron, and passes bytes.
func (p *perimeter) carry(number uint64) {
	remote, err := net.Dial("tcp", p.server)
	if err != nil {
		return
	}
	defer remote.Close()
	conn, frames := p.n.stream(wire.Handshake{Kind: wire.KindEgress, ID: fmt.Sprint(number)})
	defer conn.Close()
	if f, err := frames.Next(); f != (wire.HandshakeAck{}) || err != nil {
		return
	}
	go func() {
		b := make([]byte, 20_000)
		for {
			n, err := remote.Read(b)
			if n > 0 {
				_, _ = conn.Write(wire.Data{Tag: wire.TagStdin, Bytes: b[:n]}.Append(nil))
			}
			if err == io.EOF {
				_, _ = conn.Write(wire.Eof{}.Append(nil))
			}
			if err != nil {
				return
			}
		}
	}()
	for {
		f, err := frames.Next()
		if err != nil {
			return
		}
		switch f := f.(type) {
		case wire.Data:
			_, _ = remote.Write(f.Bytes)
		case wire.Eof:
			_ = remote.(*net.TCPConn).CloseWrite()
		default:
			return
		}
	}
}

func (p *perimeter) requests() []*guestpb.ConnectEvent {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]*guestpb.ConnectEvent(nil), p.seen...)
}

// withProxy starts a first process whose sessions have the proxy.
func withProxy(t *testing.T) *neuron {
	return firstProcessIn(t, "", func(r *guestpb.InitializeRequest) { r.EgressProxy = true })
}

func echoServer(t *testing.T) *httptest.Server {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		fmt.Fprintf(w, "%s %s host=%s close=%v body=%d\n", r.Method, r.RequestURI, r.Host, r.Close, len(body))
	}))
	t.Cleanup(s.Close)
	return s
}

func (n *neuron) shell(script string) result {
	n.t.Helper()
	return n.output(&guestpb.ExecRequest{Argv: shell(script)})
}

func TestAPlainRequestGoesOutByNameAndOneThatIsRefusedSaysWhyAtOnce(t *testing.T) {
	n := withProxy(t)
	p := n.outlet(strings.TrimPrefix(echoServer(t).URL, "http://"))
	go p.serve()
	r := n.shell("curl -sS http://allowed.example/path?q -d 12345; curl -sS -D - http://pypi.example/simple/")
	want := "POST /path?q host=allowed.example close=true body=5\n"
	if !strings.HasPrefix(string(r.stdout), want) {
		t.Fatalf("got %q %q", r.stdout, r.stderr)
	}
	told := "denied by cortex: pypi.example is not allowed (cortex egress set api --allow-host pypi.example)"
	for _, part := range []string{"HTTP/1.1 403 " + told + "\r\n", "\r\n\r\n" + told + "\n", "Cortex-Error: DENIED\r\n", "Cortex-Remedy: cortex egress set api --allow-host pypi.example\r\n"} {
		if !strings.Contains(string(r.stdout), part) {
			t.Errorf("no %q in %q", part, r.stdout)
		}
	}
	seen := p.requests()
	if len(seen) != 2 || seen[0].Port != 80 || seen[0].Via != guestpb.Via_VIA_HTTP || seen[0].Method != "POST" {
		t.Fatalf("got %v", seen)
	}
	until(t, func() bool { // a slow machine gives up the search for whose it is, now and then
		n.shell("curl -sS http://allowed.example/")
		seen = p.requests()
		last := seen[len(seen)-1]
		return string(last.Program) == "curl" && strings.HasPrefix(last.Session, "s_")
	}, "nobody knows whose it is")
}

func TestATunnelCarriesBytesBothWaysAndEndsInHalves(t *testing.T) {
	n := withProxy(t)
	echo, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = echo.Close() })
	go func() {
		for {
			c, err := echo.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				n, _ := io.Copy(io.Discard, c) // to the end of the client's half
				fmt.Fprintf(c, "%d bytes", n)
			}()
		}
	}()
	go n.outlet(echo.Addr().String()).serve()
	r := n.shell(`python3 -c "
import socket
s = socket.create_connection(('127.0.0.1', 3128))
s.sendall(b'CONNECT allowed.example:443 HTTP/1.1\r\nHost: allowed.example:443\r\n\r\n')
f = s.makefile('rb')
print(f.readline(), f.readline())
s.sendall(bytes(5_000_000))
s.shutdown(socket.SHUT_WR)
print(f.read())
"`)
	want := "b'HTTP/1.1 200 Connection established\\r\\n' b'\\r\\n'\nb'5000000 bytes'\n"
	if string(r.stdout) != want {
		t.Fatalf("got %q, %q", r.stdout, r.stderr)
	}
}

func TestARequestWaitsForAHostThatIsStartedAgain(t *testing.T) {
	n := withProxy(t)
	first := n.outlet("")
	go first.serve()
	info := n.exec(&guestpb.ExecRequest{Argv: shell("curl -sS http://silent.example/"), Claim: true})
	await(t, func() bool { return len(first.requests()) == 1 })
	_ = first.conn.Close()
	second := n.outlet(strings.TrimPrefix(echoServer(t).URL, "http://"))
	go second.serve()
	await(t, func() bool { return len(second.requests()) == 1 })
	second.refuse(1, "silent.example")
	c := n.attach(info.Id, wire.ModeHold, 0)
	if r := c.finish(); !strings.Contains(string(r.stdout), "denied by cortex: silent.example") {
		t.Fatalf("got %q %q", r.stdout, r.stderr)
	}
}

func TestWithoutAHostAProgramIsToldWithinSeconds(t *testing.T) {
	n := withProxy(t)
	r := n.shell("curl -sS -m 30 -w '%{http_code}' http://pypi.example/")
	if !strings.Contains(string(r.stdout), "no perimeter at the moment") || !strings.HasSuffix(string(r.stdout), "503") {
		t.Fatalf("got %q %q", r.stdout, r.stderr)
	}
}

func TestAHostIsToldWhenTheProgramHasGone(t *testing.T) {
	n := withProxy(t)
	p := n.outlet("")
	go p.serve()
	n.shell("curl -sS -m 1 https://silent.example/; true")
	await(t, func() bool {
		p.mu.Lock()
		defer p.mu.Unlock()
		return len(p.gone) == 1 && p.gone[0] == 1
	})
}

func TestAPlainRequestOfAProgramThatHasGoneGivesItsTurnBack(t *testing.T) {
	n := withProxy(t)
	p := n.outlet("")
	go p.serve()
	n.shell("curl -sS -m 1 http://silent.example/; true")
	await(t, func() bool {
		p.mu.Lock()
		defer p.mu.Unlock()
		return len(p.gone) == 1 && p.gone[0] == 1
	})
}

func TestACutConnectionIsResetAndNotEnded(t *testing.T) {
	n := withProxy(t)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}))
	t.Cleanup(server.Close)
	p := n.outlet(strings.TrimPrefix(server.URL, "http://"))
	go func() {
		f, err := p.frames.Next()
		if err != nil {
			return
		}
		conn, frames := n.stream(wire.Handshake{Kind: wire.KindEgress, ID: fmt.Sprint(f.(wire.Event).Number)})
		_, _ = frames.Next()
		_, _ = conn.Write(wire.Data{Tag: wire.TagStdin, Bytes: []byte("HTTP/1.1 200 OK\r\n\r\nhalf")}.Append(nil))
		time.Sleep(100 * time.Millisecond)
		_ = conn.Close()
	}()
	r := n.shell("curl -sS http://allowed.example/; echo status $?")
	if !strings.Contains(string(r.stdout), "half") || strings.Contains(string(r.stdout), "status 0") {
		t.Fatalf("got %q %q", r.stdout, r.stderr)
	}
}

func TestAStreamForARequestThatNobodyMadeIsRefused(t *testing.T) {
	n := withProxy(t)
	for id, code := range map[string]string{"1": "NOT_FOUND", "": "INVALID_ARGUMENT", "01": "INVALID_ARGUMENT", "-1": "INVALID_ARGUMENT"} {
		_, frames := n.stream(wire.Handshake{Kind: wire.KindEgress, ID: id})
		f, err := frames.Next()
		if e, ok := f.(wire.Error); !ok || e.Code != code {
			t.Errorf("%q: got %+v, %v", id, f, err)
		}
	}
}

func TestANewerEventsStreamTakesThePlaceOfAnOlder(t *testing.T) {
	n := withProxy(t)
	older := n.outlet("")
	newer := n.outlet("")
	if f, err := older.frames.Next(); err != nil || f.(wire.Error).Code != "BUSY" {
		t.Fatalf("got %+v, %v", f, err)
	}
	go newer.serve()
	if r := n.shell("curl -sS http://pypi.example/"); !bytes.Contains(r.stdout, []byte("denied by cortex")) {
		t.Fatalf("got %q", r.stdout)
	}
}

func TestWhatAHostMayNotSayEndsItsEventsStream(t *testing.T) {
	n := withProxy(t)
	for name, f := range map[string]wire.Frame{
		"an answer of no kind": wire.Answer{Number: 1},
		"an answer of garbage": wire.Answer{Number: 1, Kind: 1, Body: []byte{0xff}},
		"an event":             wire.Event{Number: 1, Kind: 1},
		"data":                 wire.Data{},
	} {
		p := n.outlet("")
		if _, err := p.conn.Write(f.Append(nil)); err != nil {
			t.Fatal(err)
		}
		if f, err := p.frames.Next(); err != nil || f.(wire.Error).Code != "INVALID_ARGUMENT" {
			t.Errorf("%s: got %+v, %v", name, f, err)
		}
	}
	p := n.outlet("")
	_, _ = p.conn.Write(wire.Answer{Number: 99, Kind: 1}.Append(nil)) // late, and no fault
	go p.serve()
	if r := n.shell("curl -sS http://pypi.example/"); !bytes.Contains(r.stdout, []byte("denied by cortex")) {
		t.Fatalf("got %q", r.stdout)
	}
}

func TestAFloodOfRequestsIsRefusedBeyondItsBoundAndTheNeuronServesOn(t *testing.T) {
	n := withProxy(t)
	p := n.outlet("")
	go p.serve()
	r := n.shell(`python3 -c "
import socket, select
flood = [socket.create_connection(('127.0.0.1', 3128)) for _ in range(600)]
for s in flood: s.sendall(b'CONNECT silent.example:443 HTTP/1.1\r\n\r\n')
refused = 0
while refused < 344:
    ready = select.select(flood, [], [], 10)[0]
    if not ready: break
    for s in ready:
        refused += b' 503 ' in s.recv(1000)
        flood.remove(s)
refused += len(select.select(flood, [], [], 0.5)[0])
print(refused)
"`)
	if string(r.stdout) != "344\n" {
		t.Fatalf("got %q %q", r.stdout, r.stderr)
	}
	if most := len(p.requests()); most != 256 {
		t.Fatalf("%d requests reached the host", most)
	}
	if r := n.shell("curl -sS http://pypi.example/"); !bytes.Contains(r.stdout, []byte("denied by cortex")) {
		t.Fatalf("got %q %q", r.stdout, r.stderr)
	}
}

func TestProgramsAreLedToTheProxyUnlessTheySayOtherwise(t *testing.T) {
	n := withProxy(t)
	r := n.shell("echo $http_proxy $HTTPS_PROXY $no_proxy")
	if string(r.stdout) != "http://127.0.0.1:3128 http://127.0.0.1:3128 localhost,127.0.0.1,127.0.0.0/8,::1,sandbox-1\n" {
		t.Fatalf("got %q", r.stdout)
	}
	r = n.shell("python3 -m http.server -b 127.0.0.1 8123 >/dev/null 2>&1 & for i in $(seq 100); do curl -sf -o /dev/null http://localhost:8123/ && echo reached && break; sleep 0.1; done; kill %1")
	if string(r.stdout) != "reached\n" {
		t.Fatalf("the sandbox's own loopback: got %q %q", r.stdout, r.stderr)
	}
	plain := firstProcess(t)
	if r := plain.shell("echo $http_proxy; curl -s http://127.0.0.1:3128/; echo $?"); string(r.stdout) != "\n7\n" {
		t.Fatalf("without a proxy: got %q", r.stdout)
	}
	_, frames := plain.stream(wire.Handshake{Kind: wire.KindEvents})
	if f, err := frames.Next(); err != nil || f.(wire.Error).Code != "UNSUPPORTED" {
		t.Fatalf("got %+v, %v", f, err)
	}
}

func await(t *testing.T, done func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !done(); {
		if time.Now().After(end) {
			t.Fatal(errors.New("it did not happen"))
		}
		time.Sleep(5 * time.Millisecond)
	}
}
