package main

import (
	"os"
	"strconv"
	"time"
)

// say writes one line of JSON to standard error.
func say(level, message string) {
	line := append([]byte(nil), `{"time":"`...)
	line = time.Now().UTC().AppendFormat(line, "2006-01-02T15:04:05.000Z")
	line = append(line, `","level":"`...)
	line = append(line, level...)
	line = append(line, `","message":"`...)
	for _, c := range message {
		switch {
		case c == '"' || c == '\\':
			line = append(line, '\\', byte(c))
		case c < ' ':
			line = append(line, `\u00`...)
			line = append(line, "0123456789abcdef"[c>>4], "0123456789abcdef"[c&15])
		default:
			line = append(line, string(c)...)
		}
	}
	line = append(line, `","pid":`...)
	line = strconv.AppendInt(line, int64(os.Getpid()), 10)
	_, _ = os.Stderr.Write(append(line, "}\n"...))
}
