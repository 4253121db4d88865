package egress

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
)

func parse(text string) (head, *bufio.Reader, error) {
	rest := bufio.NewReaderSize(strings.NewReader(text), 64)
	h, err := readHead(rest)
	return h, rest, err
}

func TestWhatCouldBeReadInTwoWaysIsRefused(t *testing.T) {
	const host = "Host: a.example\r\n"
	for name, text := range map[string]string{
		"a line feed alone":             "GET http://a.example/ HTTP/1.1\nHost: a.example\r\n\r\n",
		"a carriage return inside":      "GET http://a.example/ HTTP/1.1\r\nA: b\rHost: c\r\n\r\n",
		"a zero byte":                   "GET http://a.example/\x00 HTTP/1.1\r\n\r\n",
		"two blanks":                    "GET  http://a.example/ HTTP/1.1\r\n\r\n",
		"no version":                    "GET http://a.example/\r\n\r\n",
		"another version":               "GET http://a.example/ HTTP/2.0\r\n\r\n",
		"a folded field":                "GET http://a.example/ HTTP/1.1\r\nA: b\r\n c\r\n\r\n",
		"a blank before the colon":      "GET http://a.example/ HTTP/1.1\r\nHost : a.example\r\n\r\n",
		"no colon":                      "GET http://a.example/ HTTP/1.1\r\nHost\r\n\r\n",
		"another Host":                  "GET http://a.example/ HTTP/1.1\r\nHost: b.example\r\n\r\n",
		"another port in Host":          "GET http://a.example/ HTTP/1.1\r\nHost: a.example:81\r\n\r\n",
		"two Hosts":                     "GET http://a.example/ HTTP/1.1\r\n" + host + host + "\r\n",
		"a user in the address":         "GET http://b.example@a.example/ HTTP/1.1\r\n\r\n",
		"a backslash":                   "GET http://a.example\\b.example/ HTTP/1.1\r\n\r\n",
		"a backslash in the path":       "GET http://a.example/\\b HTTP/1.1\r\n\r\n",
		"a fragment":                    "GET http://a.example/#b HTTP/1.1\r\n\r\n",
		"an escaped host":               "GET http://%61.example/ HTTP/1.1\r\n\r\n",
		"a zone":                        "GET http://[fe80::1%25lo]/ HTTP/1.1\r\n\r\n",
		"no host":                       "GET http:///path HTTP/1.1\r\n\r\n",
		"port 0":                        "GET http://a.example:0/ HTTP/1.1\r\n\r\n",
		"port 65536":                    "GET http://a.example:65536/ HTTP/1.1\r\n\r\n",
		"a port with a sign":            "GET http://a.example:+80/ HTTP/1.1\r\n\r\n",
		"no port behind the colon":      "GET http://a.example:/ HTTP/1.1\r\n\r\n",
		"something behind the brackets": "GET http://[::1]b:80/ HTTP/1.1\r\n\r\n",
		"a name in brackets":            "GET http://[a.example]/ HTTP/1.1\r\n\r\n",
		"an IPv6 address without them":  "GET http://::1/ HTTP/1.1\r\n\r\n",
		"https without a tunnel":        "GET https://a.example/ HTTP/1.1\r\n\r\n",
		"another scheme":                "GET ftp://a.example/ HTTP/1.1\r\n\r\n",
		"a request for the proxy":       "GET / HTTP/1.1\r\nHost: a.example\r\n\r\n",
		"length and coding":             "POST http://a.example/ HTTP/1.1\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n",
		"two lengths":                   "POST http://a.example/ HTTP/1.1\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n",
		"a list of lengths":             "POST http://a.example/ HTTP/1.1\r\nContent-Length: 5, 5\r\n\r\n",
		"a negative length":             "POST http://a.example/ HTTP/1.1\r\nContent-Length: -5\r\n\r\n",
		"a length with a sign":          "POST http://a.example/ HTTP/1.1\r\nContent-Length: +5\r\n\r\n",
		"no length":                     "POST http://a.example/ HTTP/1.1\r\nContent-Length:\r\n\r\n",
		"two codings":                   "POST http://a.example/ HTTP/1.1\r\nTransfer-Encoding: gzip, chunked\r\n\r\n",
		"two coding fields":             "POST http://a.example/ HTTP/1.1\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n",
		"chunks in HTTP/1.0":            "POST http://a.example/ HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n",
		"a huge head":                   "GET http://a.example/ HTTP/1.1\r\nA: " + strings.Repeat("b", headMost) + "\r\n\r\n",
		"too many fields":               "GET http://a.example/ HTTP/1.1\r\n" + strings.Repeat("A: b\r\n", fieldsMost+1) + "\r\n",
		"a huge address":                "GET http://a.example/" + strings.Repeat("b", targetMost) + " HTTP/1.1\r\n\r\n",
		"a long name":                   "GET http://" + strings.Repeat("b", hostMost+1) + "/ HTTP/1.1\r\n\r\n",
	} {
		h, rest, err := parse(text)
		if err == nil {
			_, err = plainRequest(h, rest)
		}
		var malformed *badRequest
		if !errors.As(err, &malformed) || malformed.status < 400 {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestAPlainRequestIsSentOnAloneAndWithoutWhatWasForTheProxy(t *testing.T) {
	h, rest, err := parse("POST HTTP://A.example:80?q HTTP/1.1\r\nHost: a.EXAMPLE\r\nProxy-Authorization: Basic x\r\n" +
		"Proxy-Connection: keep-alive\r\nConnection: keep-alive, X-Mine\r\nX-Mine: 1\r\nUpgrade: h2c\r\nTE: trailers\r\n" +
		"Accept:  a \r\nContent-Length: 3\r\n\r\nabcGET http://b.example/ HTTP/1.1\r\n\r\n")
	if err != nil {
		t.Fatal(err)
	}
	r, err := plainRequest(h, rest)
	if err != nil {
		t.Fatal(err)
	}
	want := "POST /?q HTTP/1.1\r\nHost: A.example:80\r\nAccept: a\r\nContent-Length: 3\r\nConnection: close\r\n\r\n"
	if string(r.head) != want || r.to != (authority{"A.example", 80}) {
		t.Fatalf("got %q to %v", r.head, r.to)
	}
	if body, err := io.ReadAll(r.body); string(body) != "abc" || err != nil {
		t.Fatalf("got %q, %v", body, err)
	}
}

func TestABodyInChunksIsSentOnInChunksOfOurOwn(t *testing.T) {
	h, rest, err := parse("POST http://a.example/ HTTP/1.1\r\nTransfer-Encoding: Chunked\r\n\r\n" +
		"3;ext=\"a\"\r\nabc\r\n00000A\r\n0123456789\r\n0\r\nTrailer: b\r\n\r\nGET / HTTP/1.1\r\n\r\n")
	if err != nil {
		t.Fatal(err)
	}
	r, err := plainRequest(h, rest)
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(readerAlone{r.body})
	if want := "00000003\r\nabc\r\n0000000a\r\n0123456789\r\n0\r\n\r\n"; string(body) != want || err != nil {
		t.Fatalf("got %q, %v", body, err)
	}
	if !bytes.Contains(r.head, []byte("\r\nTransfer-Encoding: chunked\r\n")) {
		t.Fatalf("got %q", r.head)
	}
}

type readerAlone struct{ io.Reader }

func TestMalformedChunksEndTheBodyWithAnError(t *testing.T) {
	for name, text := range map[string]string{
		"no length":                "\r\nabc\r\n0\r\n\r\n",
		"a length in no hex":       "x\r\nabc\r\n0\r\n\r\n",
		"a sign":                   "+3\r\nabc\r\n0\r\n\r\n",
		"a prefix":                 "0x3\r\nabc\r\n0\r\n\r\n",
		"a length of 2^64":         "10000000000000003\r\nabc\r\n0\r\n\r\n",
		"a line feed alone":        "3\nabc\r\n0\r\n\r\n",
		"more bytes than told":     "3\r\nabcd\r\n0\r\n\r\n",
		"a huge extension":         "3;" + strings.Repeat("a", chunkHeadMost) + "\r\nabc\r\n0\r\n\r\n",
		"a trailer without a name": "3\r\nabc\r\n0\r\n: b\r\n\r\n",
		"huge trailers":            "0\r\n" + strings.Repeat("A: b\r\n", trailersMost) + "\r\n",
	} {
		body := &rechunked{chunks: chunks{source: bufio.NewReader(strings.NewReader(text))}}
		if _, err := io.ReadAll(readerAlone{body}); !errors.Is(err, errMalformedBody) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	for _, text := range []string{"", "3", "3\r\n", "3\r\nab", "3\r\nabc", "3\r\nabc\r\n", "0\r\n"} {
		body := &rechunked{chunks: chunks{source: bufio.NewReader(strings.NewReader(text))}}
		if _, err := io.ReadAll(readerAlone{body}); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%q that breaks off: got %v", text, err)
		}
	}
}

func TestAShorterBodyThanToldIsAnError(t *testing.T) {
	body := &exactly{source: strings.NewReader("abc"), left: 4}
	if _, err := io.ReadAll(body); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Fatalf("got %v", err)
	}
}

// FuzzPlainRequest holds that what is sent on is read by a second reader as what was decided about.
func FuzzPlainRequest(f *testing.F) {
	f.Add("GET http://a.example/ HTTP/1.1\r\nHost: a.example\r\n\r\n")
	f.Add("POST http://[::1]:8080/x?y HTTP/1.1\r\nContent-Length: 3\r\n\r\nabcd")
	f.Add("POST http://a.example HTTP/1.1\r\nTransfer-Encoding: chunked\r\nConnection: a\r\n\r\n3\r\nabc\r\n0\r\n\r\n")
	f.Fuzz(func(t *testing.T, text string) {
		h, rest, err := parse(text)
		if err != nil {
			return
		}
		r, err := plainRequest(h, rest)
		if err != nil {
			return
		}
		again, behind, err := parse(string(r.head))
		if err != nil || behind.Buffered() != 0 {
			t.Fatalf("%q was sent on as %q: %v", text, r.head, err)
		}
		hosts := again.values("Host")
		if len(hosts) != 1 || again.method != h.method || !strings.HasPrefix(again.target, "/") {
			t.Fatalf("%q was sent on as %q", text, r.head)
		}
		to, err := parseAuthority(hosts[0])
		if err != nil || to.orPort(httpPort) != r.to {
			t.Fatalf("%q was decided about as %v and sent on as %q", text, r.to, r.head)
		}
		if _, err := io.Copy(io.Discard, readerAlone{r.body}); err != nil && !errors.Is(err, errMalformedBody) &&
			!errors.Is(err, io.ErrUnexpectedEOF) {
			t.Fatal(err)
		}
	})
}

// FuzzChunks holds that a body in chunks of our own is one, and the same.
func FuzzChunks(f *testing.F) {
	f.Add("3\r\nabc\r\n0\r\n\r\n", 40)
	f.Add("ffff;a\r\n", 21)
	f.Fuzz(func(t *testing.T, text string, size int) {
		plain, err := io.ReadAll(&chunks{source: bufio.NewReader(strings.NewReader(text))})
		if err != nil {
			return
		}
		var sent bytes.Buffer
		body := &rechunked{chunks: chunks{source: bufio.NewReader(strings.NewReader(text))}}
		if _, err := io.CopyBuffer(&sent, readerAlone{body}, make([]byte, chunkFrame+1+max(0, size%1000))); err != nil {
			t.Fatal(err)
		}
		again, err := io.ReadAll(&chunks{source: bufio.NewReader(&sent)})
		if err != nil || !bytes.Equal(again, plain) {
			t.Fatalf("%q became %q, %v", plain, again, err)
		}
	})
}

func TestAnAnswerCannotBeMadeToHoldAnotherField(t *testing.T) {
	var b bytes.Buffer
	r := response{status: 403, text: "a\r\nSet-Cookie: b\r\n\r\n<c>", code: "D\nE", remedy: "f\x00\r\ng"}
	if err := r.write(&b); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(b.String(), "\nSet-Cookie") || strings.Count(b.String(), "\r\n\r\n") != 1 {
		t.Fatalf("got %q", b.String())
	}
}

func TestALineOfASocketTableIsTheOneOfBothAddresses(t *testing.T) {
	const line = "   1: 0100007F:A1B2 0100007F:0C38 01 00000000:00000000 00:00000000 00000000  1000        0 123456 1 0000"
	if inode, ok := inodeOfLine([]byte(line), "0100007F:A1B2", "0100007F:0C38"); !ok || inode != 123456 {
		t.Fatalf("got %d, %v", inode, ok)
	}
	for _, other := range []string{"", "sl", line[:60], strings.Replace(line, "A1B2", "A1B3", 1), strings.Replace(line, "123456", "x", 1)} {
		if _, ok := inodeOfLine([]byte(other), "0100007F:A1B2", "0100007F:0C38"); ok {
			t.Errorf("%q was taken", other)
		}
	}
}
