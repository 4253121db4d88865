package egress

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

const httpPort = 80

// plain is an HTTP request with the whole address in it, as it is sent on: alone on its connection,
// so that nothing behind it reaches the remote undecided.
type plain struct {
	to   authority
	head []byte
	body io.Reader
}

// hopByHop are fields that are meant for the proxy, or that the proxy writes itself.
var hopByHop = []string{
	"connection", "content-length", "host", "keep-alive", "proxy-authenticate", "proxy-authorization",
	"proxy-connection", "te", "transfer-encoding", "upgrade",
}

// plainRequest reads where the request goes and what is sent there.
func plainRequest(h head, rest *bufio.Reader) (plain, error) {
	to, path, err := absolute(h.target)
	if err != nil {
		return plain{}, err
	}
	if err := agree(h, to); err != nil {
		return plain{}, err
	}
	framing, body, err := framed(h, rest)
	if err != nil {
		return plain{}, err
	}
	dropped := map[string]bool{}
	for _, name := range hopByHop {
		dropped[name] = true
	}
	for _, value := range h.values("Connection") {
		for name := range strings.SplitSeq(value, ",") {
			dropped[strings.ToLower(strings.TrimSpace(name))] = true
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s %s\r\nHost: %s\r\n", h.method, path, h.version, to)
	for _, f := range h.fields {
		if !dropped[strings.ToLower(f.name)] {
			fmt.Fprintf(&b, "%s: %s\r\n", f.name, f.value)
		}
	}
	b.WriteString(framing)
	b.WriteString("Connection: close\r\n\r\n")
	return plain{to: to.orPort(httpPort), head: []byte(b.String()), body: body}, nil
}

// absolute takes http://authority/path apart.
func absolute(target string) (to authority, path string, err error) {
	const scheme = "http://"
	if len(target) < len(scheme) || !strings.EqualFold(target[:len(scheme)], scheme) {
		switch {
		case strings.HasPrefix(target, "/") || target == "*":
			return to, "", bad("this is the sandbox's proxy, and no server")
		case strings.Contains(target, "://"):
			return to, "", bad("the proxy carries http:// and, by CONNECT, what is inside a tunnel")
		default:
			return to, "", bad("the request names no address")
		}
	}
	rest := target[len(scheme):]
	path = "/"
	if at := strings.IndexAny(rest, "/?#"); at >= 0 {
		if rest[at] == '/' {
			path = rest[at:]
		} else {
			path = "/" + rest[at:]
		}
		rest = rest[:at]
	}
	if strings.ContainsAny(path, "#\\") {
		return to, "", bad("the request's path holds a character that must be written as %23 or %5C")
	}
	to, err = parseAuthority(rest)
	return to, path, err
}

// agree refuses a request whose Host names another place than its address does.
func agree(h head, to authority) error {
	hosts := h.values("Host")
	if len(hosts) > 1 {
		return bad("the request has two Host fields")
	}
	if len(hosts) == 0 {
		return nil
	}
	host, err := parseAuthority(hosts[0])
	if err != nil || !host.orPort(httpPort).same(to.orPort(httpPort)) {
		return bad("the request's Host is not the host of its address")
	}
	return nil
}

// framed finds the request's body, and the field that says how long it is.
func framed(h head, rest *bufio.Reader) (framing string, body io.Reader, err error) {
	lengths, codings := h.values("Content-Length"), h.values("Transfer-Encoding")
	switch {
	case len(lengths) == 0 && len(codings) == 0:
		return "", strings.NewReader(""), nil
	case len(lengths) > 0 && len(codings) > 0:
		return "", nil, bad("the request's length is told in two ways")
	case len(codings) > 0:
		if len(codings) > 1 || !strings.EqualFold(codings[0], "chunked") || h.version != "HTTP/1.1" {
			return "", nil, &badRequest{501, "the proxy knows no transfer coding but chunked"}
		}
		return "Transfer-Encoding: chunked\r\n", &rechunked{chunks: chunks{source: rest}}, nil
	case len(lengths) > 1:
		return "", nil, bad("the request's length is told twice")
	}
	const digitsMost = 18 // fit into an int64
	n, err := strconv.ParseUint(lengths[0], 10, 63)
	if err != nil || len(lengths[0]) > digitsMost || lengths[0][0] == '+' {
		return "", nil, bad("the request's length is no number")
	}
	return "Content-Length: " + lengths[0] + "\r\n", &exactly{source: rest, left: int64(n)}, nil
}

// errMalformedBody is wrapped by errors about bytes that are no body.
var errMalformedBody = errors.New("the request's body is malformed")

// exactly is so many bytes; fewer are an error.
type exactly struct {
	source io.Reader
	left   int64
}

func (e *exactly) Read(p []byte) (int, error) {
	if e.left == 0 {
		return 0, io.EOF
	}
	n, err := e.source.Read(p[:min(int64(len(p)), e.left)])
	e.left -= int64(n)
	if err == io.EOF && e.left > 0 {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}
