package sudo

import (
	"reflect"
	"slices"
	"strings"
	"testing"
)

func TestTheCommandLineIsReadAsSudoDoes(t *testing.T) {
	for line, want := range map[string]options{
		"id -u":                          {command: []string{"id", "-u"}},
		"-u www id":                      {user: "www", command: []string{"id"}},
		"-uwww -nH id":                   {user: "www", setHome: true, command: []string{"id"}},
		"-nu www id":                     {user: "www", command: []string{"id"}},
		"--user=www --group g id":        {user: "www", group: "g", command: []string{"id"}},
		"-E A=1 B=2 id C=3":              {keepAll: true, set: []string{"A=1", "B=2"}, command: []string{"id", "C=3"}},
		"--preserve-env=A,B id":          {keep: []string{"A", "B"}, command: []string{"id"}},
		"-- -x":                          {command: []string{"-x"}},
		"-i":                             {login: true, command: []string{}},
		"-s echo":                        {shell: true, command: []string{"echo"}},
		"-D /x -p ask -S -A -B -b sleep": {directory: "/x", background: true, command: []string{"sleep"}},
		"-v":                             {validate: true, command: []string{}},
		"-l ls":                          {list: true, command: []string{"ls"}},
		"/a=b":                           {command: []string{"/a=b"}},
	} {
		got, err := parse(strings.Fields(line))
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: read %+v, %v", line, got, err)
		}
	}
	for _, line := range []string{"", "-u", "-u www", "-i -s", "-e file", "--no-such id", "--login=x", "-C 3 id", "--user"} {
		if got, err := parse(strings.Fields(line)); err == nil {
			t.Errorf("%q: read %+v", line, got)
		}
	}
}

func TestOnlyWhatShowsTextAndWindowsPassesUnasked(t *testing.T) {
	environment := []string{"LANG=C", "LC_TIME=C", "TERM=x", "LD_PRELOAD=/x", "PATH=/x", "A=1", "HOME=/home/agent"}
	text := func(o options) string {
		var all []string
		for _, entry := range o.passed(environment) {
			all = append(all, string(entry))
		}
		return strings.Join(all, " ")
	}
	if got := text(options{}); got != "LANG=C LC_TIME=C TERM=x" {
		t.Errorf("unasked: %s", got)
	}
	if got := text(options{keep: []string{"A"}}); got != "LANG=C LC_TIME=C TERM=x A=1" {
		t.Errorf("by name: %s", got)
	}
	if got := text(options{keepAll: true}); got != strings.Join(environment, " ") {
		t.Errorf("all: %s", got)
	}
}

func TestWordsForAShellStayWords(t *testing.T) {
	for word, want := range map[string]string{"a b": `a\ b`, "$HOME": "$HOME", "x;y": `x\;y`, "é-_9": "é-_9", "'": `\'`} {
		if got := quote(word); got != want {
			t.Errorf("%q became %q", word, got)
		}
	}
}

func TestLaterVariablesLieOverEarlierOnes(t *testing.T) {
	v := &variables{}
	for _, entry := range []string{"A=1", "B=2", "A=3"} {
		v.set(entry)
	}
	if !slices.Equal(v.entries, []string{"A=3", "B=2"}) || v.get("A") != "3" || v.get("C") != "" {
		t.Errorf("got %q", v.entries)
	}
}
