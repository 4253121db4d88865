package egress

import (
	"bufio"
	"errors"
	"io"
	"strconv"
	"strings"
)

const (
	headMost   = 64 << 10 // of a request's first line and its fields
	targetMost = 16 << 10
	fieldsMost = 256
	methodMost = 32
	hostMost   = 253
)

// badRequest is a request that the proxy does not carry. Whatever could be read in two ways is one:
// what the proxy decided about must be what the remote sees.
type badRequest struct {
	status int
	reason string
}

func (e *badRequest) Error() string { return e.reason }

func bad(reason string) error { return &badRequest{400, reason} }

// head is a request without its body.
type head struct {
	method  string
	target  string
	version string // HTTP/1.0 or HTTP/1.1
	fields  []field
}

type field struct{ name, value string }

// readHead reads up to and including the empty line. io.EOF means that nothing came at all.
func readHead(r *bufio.Reader) (head, error) {
	left := headMost
	line, err := readLine(r, &left)
	if err != nil {
		return head{}, err
	}
	h, err := parseRequestLine(line)
	if err != nil {
		return head{}, err
	}
	for {
		line, err := readLine(r, &left)
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return head{}, err
		}
		if line == "" {
			return h, nil
		}
		f, err := parseField(line)
		if err != nil {
			return head{}, err
		}
		if len(h.fields) == fieldsMost {
			return head{}, &badRequest{431, "the request has too many fields"}
		}
		h.fields = append(h.fields, f)
	}
}

// readLine reads a line that ends in CR LF, without them.
func readLine(r *bufio.Reader, left *int) (string, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		if *left -= len(part); *left < 0 {
			return "", &badRequest{431, "the request's head is too long"}
		}
		line = append(line, part...)
		if err == nil {
			break
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if err == io.EOF && len(line) > 0 {
			err = io.ErrUnexpectedEOF
		}
		return "", err
	}
	if len(line) < 2 || line[len(line)-2] != '\r' {
		return "", bad("a line of the request does not end in CR LF")
	}
	text := string(line[:len(line)-2])
	for i := range len(text) {
		if c := text[i]; c < ' ' && c != '\t' || c == 0x7f {
			return "", bad("the request's head holds a control character")
		}
	}
	return text, nil
}

func parseRequestLine(line string) (head, error) {
	parts := strings.Split(line, " ")
	if len(parts) != 3 {
		return head{}, bad("this is no HTTP request")
	}
	h := head{method: parts[0], target: parts[1], version: parts[2]}
	switch {
	case h.method == "" || len(h.method) > methodMost || !isToken(h.method):
		return head{}, bad("this is no HTTP method")
	case h.version != "HTTP/1.1" && h.version != "HTTP/1.0":
		return head{}, &badRequest{505, "the proxy speaks HTTP/1.0 and HTTP/1.1"}
	case len(h.target) > targetMost:
		return head{}, &badRequest{414, "the request's address is too long"}
	}
	return h, nil
}

func parseField(line string) (field, error) {
	name, value, found := strings.Cut(line, ":")
	// A line that begins with a blank would continue the one before, to some readers.
	if !found || name == "" || !isToken(name) {
		return field{}, bad("a field of the request has no name that HTTP allows")
	}
	return field{name, strings.Trim(value, " \t")}, nil
}

func isToken(s string) bool {
	for i := range len(s) {
		c := s[i]
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
		if !letter && strings.IndexByte("!#$%&'*+-.^_`|~", c) < 0 {
			return false
		}
	}
	return true
}

// values are those of all fields of a name.
func (h head) values(name string) []string {
	var found []string
	for _, f := range h.fields {
		if strings.EqualFold(f.name, name) {
			found = append(found, f.value)
		}
	}
	return found
}

// authority is where a connection goes.
type authority struct {
	host string // without brackets
	port uint16 // 0: none was named
}

// parseAuthority reads host:port, name or address; without a port it is 0.
func parseAuthority(text string) (authority, error) {
	host, port := text, ""
	if rest, found := strings.CutPrefix(text, "["); found {
		inside, behind, closed := strings.Cut(rest, "]")
		if !closed || strings.Count(inside, ":") < 2 || behind != "" && behind[0] != ':' {
			return authority{}, bad("the address in brackets is none")
		}
		host, port = inside, behind
	} else if at := strings.IndexByte(text, ':'); at >= 0 {
		host, port = text[:at], text[at:]
	}
	bracketed := strings.HasPrefix(text, "[")
	if host == "" || len(host) > hostMost || !isHost(host, bracketed) {
		return authority{}, bad("the request names no host")
	}
	if port == "" {
		return authority{host: host}, nil
	}
	digits := port[1:]
	n, err := strconv.ParseUint(digits, 10, 16)
	if err != nil || n == 0 || len(digits) > 5 || digits[0] == '+' {
		return authority{}, bad("the port is none of 1 to 65535")
	}
	return authority{host: host, port: uint16(n)}, nil
}

// isHost looks only at characters; what is a name, the host decides.
func isHost(s string, address bool) bool {
	for i := range len(s) {
		c := s[i]
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c >= 0x80:
		case c == '-', c == '.', c == '_':
		case c == ':' && address:
		default:
			return false
		}
	}
	return true
}

// String is the authority as a Host field has it.
func (a authority) String() string {
	host := a.host
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	if a.port == 0 {
		return host
	}
	return host + ":" + strconv.Itoa(int(a.port))
}

func (a authority) orPort(port uint16) authority {
	if a.port == 0 {
		a.port = port
	}
	return a
}

func (a authority) same(b authority) bool {
	return strings.EqualFold(a.host, b.host) && a.port == b.port
}
