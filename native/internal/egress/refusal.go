package egress

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"

	"cortex.dev/native/internal/fault"
)

// response is an answer of the proxy itself.
type response struct {
	status int
	text   string // one line for people
	code   string
	remedy string
}

// answerTo turns a failure into what the program is told.
func answerTo(err error) response {
	var malformed *badRequest
	if errors.As(err, &malformed) {
		return response{status: malformed.status, text: "cortex: " + malformed.reason, code: string(fault.InvalidArgument)}
	}
	var f *fault.Error
	if !errors.As(err, &f) {
		return response{status: 502, text: "cortex: the connection failed", code: string(fault.Internal)}
	}
	r := response{status: statusOf(f.Code), code: string(f.Code), remedy: f.Remedy}
	if f.Code == fault.Denied {
		r.text = "denied by cortex: " + f.Message
	} else {
		r.text = "cortex: " + f.Message
	}
	if f.Remedy != "" {
		r.text += " (" + f.Remedy + ")"
	}
	return r
}

func statusOf(code fault.Code) int {
	switch code {
	case fault.Denied:
		return 403
	case fault.InvalidArgument:
		return 400
	case fault.Capacity, fault.NotReady, fault.Busy:
		return 503
	case fault.Deadline:
		return 504
	default:
		return 502
	}
}

// write sends the answer. The whole text is in the first line too: of an answer to CONNECT most
// programs show only that.
func (r response) write(to io.Writer) error {
	var b strings.Builder
	text := oneLine(r.text)
	fmt.Fprintf(&b, "HTTP/1.1 %d %s\r\n", r.status, text)
	fmt.Fprintf(&b, "Content-Type: text/plain; charset=utf-8\r\nContent-Length: %d\r\n", len(text)+1)
	fmt.Fprintf(&b, "Cortex-Error: %s\r\n", oneLine(r.code))
	if r.remedy != "" {
		fmt.Fprintf(&b, "Cortex-Remedy: %s\r\n", oneLine(r.remedy))
	}
	if r.status == 503 {
		b.WriteString("Retry-After: 1\r\n")
	}
	fmt.Fprintf(&b, "Connection: close\r\n\r\n%s\n", text)
	_, err := io.WriteString(to, b.String())
	return err
}

// oneLine is text that cannot end a header field.
func oneLine(text string) string {
	const most = 1 << 10
	clean := strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == unicode.ReplacementChar {
			return ' '
		}
		return r
	}, text)
	if len(clean) > most {
		clean = strings.ToValidUTF8(clean[:most], "")
	}
	return strings.TrimSpace(clean)
}
