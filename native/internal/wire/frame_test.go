package wire

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestAnErrorIsCutToWhatTheProtocolAllows(t *testing.T) {
	sent := Error{Code: strings.Repeat("A", 100), Message: strings.Repeat("é", 4_000) + "\xff"}
	got, err := NewReader(bytes.NewReader(sent.Append(nil))).Next()
	if err != nil {
		t.Fatal(err)
	}
	e := got.(Error)
	if len(e.Code) != CodeMost || len(e.Message) > MessageMost || !utf8.ValidString(e.Message) {
		t.Fatalf("got a code of %d and a message of %d bytes", len(e.Code), len(e.Message))
	}
}

func TestAStreamThatEndsInsideAFrameIsNotAnOrderlyEnd(t *testing.T) {
	whole := Exit{Cause: 1, Code: 7}.Append(nil)
	for n := range whole {
		_, err := NewReader(bytes.NewReader(whole[:n])).Next()
		if n == 0 && err != io.EOF || n > 0 && !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("after %d bytes: %v", n, err)
		}
	}
}

func TestAHostileLengthAllocatesNothing(t *testing.T) {
	r := NewReader(bytes.NewReader([]byte{0xff, 0xff, 0xff, 0xff, byte(TypeData)}))
	if _, err := r.Next(); !errors.Is(err, ErrMalformed) || r.buffer != nil {
		t.Fatalf("got %v with a buffer of %d bytes", err, cap(r.buffer))
	}
}

func FuzzDecodeFrame(f *testing.F) {
	g := readGolden(f)
	for _, c := range append(g.Frames, g.FramesBad...) {
		f.Add(c.wire(f))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		r := NewReader(bytes.NewReader(in))
		for rest := in; ; {
			frame, err := r.Next()
			if err != nil {
				return
			}
			out := frame.Append(nil)
			if !bytes.HasPrefix(rest, out) {
				t.Fatalf("%x was read as %+v, which is written %x", rest, frame, out)
			}
			rest = rest[len(out):]
		}
	})
}

func TestADataFrameCanBeLeftOpen(t *testing.T) {
	in := append(Data{TagStderr, []byte("bytes")}.Append(nil), Eof{}.Append(nil)...)
	source := bytes.NewReader(in)
	r := NewReader(source)
	frame, follow, err := r.NextOpen()
	if d, ok := frame.(Data); !ok || d.Tag != TagStderr || len(d.Bytes) != 0 || follow != 5 || err != nil {
		t.Fatalf("got %+v, %d, %v", frame, follow, err)
	}
	text := make([]byte, follow)
	if _, err := io.ReadFull(source, text); err != nil || string(text) != "bytes" {
		t.Fatalf("got %q, %v", text, err)
	}
	if frame, follow, err = r.NextOpen(); frame != (Eof{}) || follow != 0 || err != nil {
		t.Fatalf("got %+v, %d, %v", frame, follow, err)
	}
	for name, bad := range map[string][]byte{"unknown tag": {0, 0, 0, 1, 3, 9}, "too long": {0, 1, 0, 2, 3}, "no tag": {0, 0, 0, 0, 3}} {
		if _, _, err := NewReader(bytes.NewReader(bad)).NextOpen(); !errors.Is(err, ErrMalformed) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func FuzzDecodeHello(f *testing.F) {
	g := readGolden(f)
	for _, c := range append(append(g.Hello, g.HelloBad...), g.HelloAck...) {
		f.Add(c.wire(f))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		if h, err := DecodeHello(in); err == nil && !bytes.Equal(h.Append(nil), in) {
			t.Fatalf("%x was read as %+v", in, h)
		}
		if a, err := DecodeHelloAck(in); err == nil && !bytes.Equal(a.Append(nil), in) {
			t.Fatalf("%x was read as %+v", in, a)
		}
	})
}
