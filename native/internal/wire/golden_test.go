package wire

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"reflect"
	"strconv"
	"testing"
)

const goldenFile = "../../../protocol/src/main/resources/dev/cortex/protocol/golden/wire.json"

type goldenCase struct {
	Name          string
	Hex           string
	ZerosBehind   int `json:"zeros_behind"`
	Lowest        uint16
	Highest       uint16
	Purpose       string
	Token         string
	Version       uint16
	Status        uint8
	Type          string
	Kind          string
	Mode          string
	Cursor        string
	ID            string
	State         string
	Oldest        string
	Newest        string
	StdinAccepted string `json:"stdin_accepted"`
	Tag           string
	Bytes         string
	Rows          uint16
	Columns       uint16
	XPixels       uint16 `json:"x_pixels"`
	YPixels       uint16 `json:"y_pixels"`
	Cause         uint8
	Code          json.RawMessage
	Message       string
	Folder        bool
	Path          string
	From          string
	Number        string
	Detail        uint8
}

type golden struct {
	Hello     []goldenCase
	HelloAck  []goldenCase `json:"hello_ack"`
	HelloBad  []goldenCase `json:"hello_bad"`
	Frames    []goldenCase
	FramesBad []goldenCase `json:"frames_bad"`
	Changes   []goldenCase
}

func readGolden(t testing.TB) golden {
	t.Helper()
	text, err := os.ReadFile(goldenFile)
	if err != nil {
		t.Fatal(err)
	}
	var g golden
	if err := json.Unmarshal(text, &g); err != nil {
		t.Fatal(err)
	}
	if len(g.Hello) == 0 || len(g.Frames) == 0 || len(g.FramesBad) == 0 || len(g.HelloBad) == 0 {
		t.Fatal("a part of the golden file is empty")
	}
	return g
}

func (c goldenCase) wire(t testing.TB) []byte {
	t.Helper()
	return append(unhex(t, c.Hex), make([]byte, c.ZerosBehind)...)
}

func unhex(t testing.TB, text string) []byte {
	t.Helper()
	b, err := hex.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func number(t testing.TB, text string) uint64 {
	t.Helper()
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func (c goldenCase) frame(t testing.TB) Frame {
	t.Helper()
	kinds := map[string]Kind{"attach": KindAttach, "transfer": KindTransfer, "forward": KindForward, "watch": KindWatch, "events": KindEvents, "egress": KindEgress}
	modes := map[string]Mode{"observe": ModeObserve, "hold": ModeHold, "take_over": ModeTakeOver}
	states := map[string]State{"alive": StateAlive, "exited": StateExited}
	tags := map[string]Tag{"stdin": TagStdin, "stdout": TagStdout, "stderr": TagStderr}
	switch c.Type {
	case "Handshake":
		return Handshake{kinds[c.Kind], modes[c.Mode], number(t, c.Cursor), c.ID}
	case "HandshakeAck":
		return HandshakeAck{states[c.State], number(t, c.Oldest), number(t, c.Newest), number(t, c.StdinAccepted)}
	case "Data":
		return Data{tags[c.Tag], unhex(t, c.Bytes)}
	case "Winsize":
		return Winsize{c.Rows, c.Columns, c.XPixels, c.YPixels}
	case "StdinClose":
		return StdinClose{}
	case "Exit":
		code, err := strconv.ParseInt(string(c.Code), 10, 32)
		if err != nil {
			t.Fatal(err)
		}
		return Exit{c.Cause, int32(code)}
	case "Gap":
		return Gap{number(t, c.Cursor)}
	case "Error":
		var code string
		if err := json.Unmarshal(c.Code, &code); err != nil {
			t.Fatal(err)
		}
		return Error{code, c.Message}
	case "Eof":
		return Eof{}
	case "Event":
		return Event{number(t, c.Number), c.Detail, unhex(t, c.Bytes)}
	case "Answer":
		return Answer{number(t, c.Number), c.Detail, unhex(t, c.Bytes)}
	}
	t.Fatalf("golden frame of unknown type %q", c.Type)
	return nil
}

func TestGoldenHellosAreReadAndWritten(t *testing.T) {
	purposes := map[string]Purpose{"control": PurposeControl, "data": PurposeData}
	for _, c := range readGolden(t).Hello {
		want := Hello{Lowest: c.Lowest, Highest: c.Highest, Purpose: purposes[c.Purpose]}
		copy(want.Token[:], unhex(t, c.Token))
		got, err := ReadHello(bytes.NewReader(c.wire(t)))
		if err != nil || got != want {
			t.Errorf("%s: got %+v, %v", c.Name, got, err)
		}
		if b := want.Append(nil); !bytes.Equal(b, c.wire(t)) {
			t.Errorf("%s: wrote %x", c.Name, b)
		}
	}
}

func TestGoldenHelloAnswersAreReadAndWritten(t *testing.T) {
	for _, c := range readGolden(t).HelloAck {
		want := HelloAck{c.Version, Status(c.Status)}
		if got, err := DecodeHelloAck(c.wire(t)); err != nil || got != want {
			t.Errorf("%s: got %+v, %v", c.Name, got, err)
		}
		if b := want.Append(nil); !bytes.Equal(b, c.wire(t)) {
			t.Errorf("%s: wrote %x", c.Name, b)
		}
	}
}

func TestBadHellosAreRefused(t *testing.T) {
	for _, c := range readGolden(t).HelloBad {
		if _, err := ReadHello(bytes.NewReader(c.wire(t))); !errors.Is(err, ErrMalformed) {
			t.Errorf("%s: got %v", c.Name, err)
		}
	}
}

func TestGoldenFramesAreReadAndWritten(t *testing.T) {
	for _, c := range readGolden(t).Frames {
		want := c.frame(t)
		got, err := NewReader(bytes.NewReader(c.wire(t))).Next()
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %+v, %v", c.Hex, got, err)
		}
		if b := want.Append(nil); !bytes.Equal(b, c.wire(t)) {
			t.Errorf("%s: wrote %x", c.Hex, b)
		}
	}
}

func TestBadFramesAreRefused(t *testing.T) {
	for _, c := range readGolden(t).FramesBad {
		if f, err := NewReader(bytes.NewReader(c.wire(t))).Next(); !errors.Is(err, ErrMalformed) {
			t.Errorf("%s: got %v, %v", c.Name, f, err)
		}
	}
}

func TestGoldenChangesAreWritten(t *testing.T) {
	kinds := map[string]uint8{"created": 1, "modified": 2, "removed": 3, "moved": 4, "attributes": 5, "rescan": 6}
	changes := readGolden(t).Changes
	if len(changes) == 0 {
		t.Fatal("no golden changes")
	}
	for _, c := range changes {
		change := Change{kinds[c.Kind], c.Folder, string(unhex(t, c.Path)), string(unhex(t, c.From))}
		if b := change.Append(nil); !bytes.Equal(b, c.wire(t)) {
			t.Errorf("%s: wrote %x", c.Name, b)
		}
	}
}
