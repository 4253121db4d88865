package users

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"
)

func database(t *testing.T, passwd, group string) Database {
	t.Helper()
	dir := t.TempDir()
	d := Database{Passwd: filepath.Join(dir, "passwd"), Group: filepath.Join(dir, "group")}
	for path, text := range map[string]string{d.Passwd: passwd, d.Group: group} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return d
}

const (
	passwd = `root:x:0:0:root:/root:/bin/bash
# a comment
broken line
bad:x:many:0::/:/bin/sh
1000:x:77:77::/numeric:/bin/sh
agent:x:1000:100:An agent,,,:/home/agent:
bare:x:5:5:::
`
	group = `root:x:0:
adm:x:4:agent,other
broken
docker:x:999:other,agent
twice:x:4:agent
`
)

func TestUsersAreFoundByNameBeforeNumber(t *testing.T) {
	d := database(t, passwd, group)
	cases := map[string]User{
		"root":  {Name: "root", Home: "/root", Shell: "/bin/bash"},
		"0":     {Name: "root", Home: "/root", Shell: "/bin/bash"},
		"agent": {Name: "agent", UID: 1000, GID: 100, Home: "/home/agent", Shell: "/bin/sh", Groups: []uint32{4, 999}},
		"1000":  {Name: "1000", UID: 77, GID: 77, Home: "/numeric", Shell: "/bin/sh"},
		"bare":  {Name: "bare", UID: 5, GID: 5, Home: "/", Shell: "/bin/sh"},
		"4711":  {Name: "4711", UID: 4711, GID: 4711, Home: "/", Shell: "/bin/sh"},
		// As the USER of an image may be.
		"agent:adm":  {Name: "agent", UID: 1000, GID: 4, Home: "/home/agent", Shell: "/bin/sh"},
		"agent:4711": {Name: "agent", UID: 1000, GID: 4711, Home: "/home/agent", Shell: "/bin/sh"},
		"4711:0":     {Name: "4711", UID: 4711, Home: "/", Shell: "/bin/sh"},
	}
	for who, want := range cases {
		if got, err := d.Find(who); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %+v, %v", who, got, err)
		}
	}
	for _, who := range []string{"", "nobody", "bad", "-1", "4294967295", "4294967296", "root:x", "root:", ":adm", "root:4294967295"} {
		if got, err := d.Find(who); err == nil {
			t.Errorf("%q: got %+v", who, got)
		}
	}
}

func TestAUserIsAddedOnceAndOnlyWhereItIsMissing(t *testing.T) {
	d := database(t, "root:x:0:0::/root:/bin/sh", "root:x:0:")
	u := User{Name: "agent", UID: 1000, GID: 1000, Home: "/home/agent"}
	for range 2 {
		if err := d.Ensure(u); err != nil {
			t.Fatal(err)
		}
	}
	text, _ := os.ReadFile(d.Passwd)
	if want := "root:x:0:0::/root:/bin/sh\nagent:x:1000:1000::/home/agent:/bin/sh\n"; string(text) != want {
		t.Errorf("passwd is %q", text)
	}
	if text, _ = os.ReadFile(d.Group); string(text) != "root:x:0:\nagent:x:1000:\n" {
		t.Errorf("group is %q", text)
	}
	// A uid that has another name keeps it.
	if err := d.Ensure(User{Name: "other", UID: 1000, GID: 1000, Home: "/"}); err != nil {
		t.Fatal(err)
	}
	if text, _ = os.ReadFile(d.Passwd); strings.Contains(string(text), "other") {
		t.Errorf("passwd is %q", text)
	}
}

func TestWhatWouldNotBeOneEntryIsRefused(t *testing.T) {
	d := database(t, "", "")
	for _, u := range []User{
		{Name: "a:b", Home: "/"}, {Name: "a\nroot::0:0", Home: "/"}, {Name: "", Home: "/"},
		{Name: "a", Home: "/x:y"}, {Name: "a", Home: "/x\n"}, {Name: "a", Home: "/", Shell: "/bin/sh\n"},
	} {
		if err := d.Ensure(u); err == nil {
			t.Errorf("%+v was taken", u)
		}
	}
	if text, _ := os.ReadFile(d.Passwd); len(text) > 0 {
		t.Errorf("passwd is %q", text)
	}
}

func TestFilesThatAreMissingOrNoFilesDoNotStopTheNeuron(t *testing.T) {
	dir := t.TempDir()
	missing := Database{Passwd: filepath.Join(dir, "none"), Group: filepath.Join(dir, "none")}
	if u, err := missing.Find("12"); err != nil || u.UID != 12 {
		t.Fatalf("got %+v, %v", u, err)
	}
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := (Database{Passwd: pipe, Group: pipe}).Find("12"); err == nil {
		t.Fatal("a named pipe was read")
	}
}

func FuzzParseUser(f *testing.F) {
	for line := range strings.SplitSeq(passwd, "\n") {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		if u, ok := parseUser(line); ok && (u.Name == "" || u.Home == "" || u.Shell == "") {
			t.Fatalf("%q gave %+v", line, u)
		}
	})
}
