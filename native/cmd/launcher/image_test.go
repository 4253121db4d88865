package main

import (
	"bytes"
	"strings"
	"testing"
)

func TestAnImportThatIsNotUnderstoodIsRefusedByName(t *testing.T) {
	for request, words := range map[string]string{
		`{}`: "version",
		`{"version":1,"source":"a","layers":"/l/x","staging":"/s/x"}`:              "source",
		`{"version":1,"source":"/a/b","layers":"/l/x","staging":"/s/x","more":1}`:  "more",
		`{"version":1,"source":"/no/such","layers":"/l/x","staging":"/s/x"}`:       "cannot be read",
		`{"version":1,"source":"/dev/null","layers":"/l/x","staging":"/s/x"}`:      "neither a file nor a folder",
		`{"version":1,"source":"/a/b","layers":"/l","staging":"/s","config":"no"}`: "object",
	} {
		var answer bytes.Buffer
		if status := run(call{arguments: []string{"import"}, stdin: strings.NewReader(request), stdout: &answer}); status != 1 {
			t.Error(request, status)
		}
		if !strings.Contains(answer.String(), words) {
			t.Errorf("%s: answered %s", request, answer.String())
		}
	}
}
