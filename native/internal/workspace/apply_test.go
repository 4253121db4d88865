package workspace

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"testing"

	"cortex.dev/native/internal/launch"
	"golang.org/x/sys/unix"
)

func compare(t *testing.T, p Place, only ...string) []string {
	t.Helper()
	told, err := Compare(p, only)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, f := range told.Files {
		all = append(all, fmt.Sprintf("%s %s +%d -%d", f.Change, f.Path+f.PathB64, f.Added, f.Removed))
	}
	return all
}

func apply(t *testing.T, p Place, how Applying) Applied {
	t.Helper()
	applied, err := Apply(p, how)
	if err != nil {
		t.Fatal(err)
	}
	return applied
}

func patchOf(t *testing.T, p Place) string {
	t.Helper()
	var to bytes.Buffer
	if err := Patch(p, nil, &to); err != nil {
		t.Fatal(err)
	}
	return to.String()
}

func equal(t *testing.T, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Fatalf("got  %q\nwant %q", got, want)
	}
}

// snapshot is everything in a folder but its .git.
func snapshot(t *testing.T, dir string) string {
	t.Helper()
	var all []string
	err := filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
		name, _ := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		if name == ".git" {
			return filepath.SkipDir
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		content := ""
		if info.Mode().IsRegular() {
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			content = string(text)
		} else if info.Mode()&os.ModeSymlink != 0 {
			content, err = os.Readlink(path)
		}
		all = append(all, fmt.Sprintf("%s %s %q", name, info.Mode(), content))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	sort.Strings(all)
	return strings.Join(all, "\n")
}

// worked is a copy in which a sandbox has worked.
func worked(t *testing.T, source string) Place {
	t.Helper()
	p := take(t, source)
	w := p.folder()
	write(t, w+"/src/app.py", "one\nuncommitted\nthree\nfour\n")
	write(t, w+"/src/deep/new.py", "added\n")
	write(t, w+"/blob", "a\x00b\xff")
	write(t, w+"/node_modules/y/index.js", "installed\n")
	write(t, w+"/build.log", "a log\n")
	if err := errors.Join(os.Remove(w+"/untracked"), os.Chmod(w+"/run.sh", 0o644), os.Remove(w+"/link"), os.Symlink("run.sh", w+"/link")); err != nil {
		t.Fatal(err)
	}
	return p
}

func TestNothingChangedIsNoChange(t *testing.T) {
	p := take(t, repository(t))
	equal(t, compare(t, p))
	if got := patchOf(t, p); got != "" {
		t.Fatal(got)
	}
}

func TestEveryChangeIsSeenAndWhatGitIgnoresIsNone(t *testing.T) {
	p := worked(t, repository(t))
	equal(t, compare(t, p),
		"added blob +0 -0", "modified link +1 -1", "mode run.sh +0 -0", "modified src/app.py +1 -0",
		"added src/deep/new.py +1 -0", "deleted untracked +0 -1")
	equal(t, compare(t, p, "src"), "modified src/app.py +1 -0", "added src/deep/new.py +1 -0")
}

func TestAChangeThatKeepsSizeAndTimeIsSeen(t *testing.T) {
	p := take(t, repository(t))
	file := p.folder() + "/src/app.py"
	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	write(t, file, "ONE\nuncommitted\nthree\n")
	if err := os.Chtimes(file, info.ModTime(), info.ModTime()); err != nil {
		t.Fatal(err)
	}
	equal(t, compare(t, p), "modified src/app.py +1 -1")
}

func TestThePatchIsOneThatGitTakes(t *testing.T) {
	source := repository(t)
	p := worked(t, source)
	write(t, p.folder()+"/sp ace \"and\"\ttab\nnewline \xff", "odd\n")
	patch := filepath.Join(t.TempDir(), "patch")
	write(t, patch, patchOf(t, p))
	gitDo(t, source, "apply", patch)
	for _, ignored := range []string{"node_modules", "build.log", "a.log"} {
		_ = os.RemoveAll(source + "/" + ignored)
		_ = os.RemoveAll(p.folder() + "/" + ignored)
	}
	if got, want := snapshot(t, source), snapshot(t, p.folder()); got != want {
		t.Fatalf("got\n%s\nwant\n%s", got, want)
	}
}

func TestApplyBringsEverythingBackAndLaterOnlyWhatIsNew(t *testing.T) {
	source := repository(t)
	p := worked(t, source)
	before := snapshot(t, source)
	checked := apply(t, p, Applying{Check: true})
	if checked.Done || len(checked.Files) != 6 || snapshot(t, source) != before {
		t.Fatal(checked)
	}
	if applied := apply(t, p, Applying{}); !applied.Done || len(applied.Files) != 6 {
		t.Fatal(applied)
	}
	if got := read(t, source+"/src/app.py") + read(t, source+"/blob"); got != "one\nuncommitted\nthree\nfour\na\x00b\xff" {
		t.Fatalf("%q", got)
	}
	info, err := os.Stat(source + "/run.sh")
	if _, gone := os.Lstat(source + "/untracked"); gone == nil || err != nil || info.Mode().Perm()&0o111 != 0 {
		t.Fatal(info, err, gone)
	}
	if _, err := os.Lstat(source + "/node_modules/y"); err == nil {
		t.Fatal("what git ignores came back")
	}
	equal(t, compare(t, p))
	write(t, p.folder()+"/src/app.py", "one\nuncommitted\nthree\nfour\nfive\n")
	equal(t, compare(t, p), "modified src/app.py +1 -0")
	apply(t, p, Applying{})
	if got := read(t, source+"/src/app.py"); !strings.HasSuffix(got, "five\n") {
		t.Fatal(got)
	}
	if left, err := filepath.Glob(source + "/.cortex*"); err != nil || left != nil {
		t.Fatal(left, err)
	}
}

func TestChangesOfBothSidesAreMergedWhereTheyDoNotTouch(t *testing.T) {
	source := repository(t)
	p := worked(t, source)
	write(t, source+"/src/app.py", "ONE\nuncommitted\nthree\n")
	applied := apply(t, p, Applying{})
	equal(t, applied.Merged, "src/app.py")
	if got := read(t, source+"/src/app.py"); got != "ONE\nuncommitted\nthree\nfour\n" {
		t.Fatal(got)
	}
}

func TestWithAConflictNothingIsApplied(t *testing.T) {
	source := repository(t)
	p := worked(t, source)
	write(t, source+"/src/app.py", "one\nuncommitted\nTHREE\n")
	write(t, source+"/blob", "mine\x00")
	write(t, source+"/untracked", "changed here\n")
	if err := errors.Join(os.Remove(source+"/link"), os.Mkdir(source+"/link", 0o755)); err != nil {
		t.Fatal(err)
	}
	before := snapshot(t, source)
	applied := apply(t, p, Applying{})
	var got []string
	for _, c := range applied.Conflicts {
		got = append(got, c.Path+": "+c.Reason)
	}
	equal(t, got,
		"blob: changed in both, and it is no text", "link: is a folder here",
		"src/app.py: changed in both: here line 3", "untracked: deleted in the sandbox, changed here")
	if applied.Done || snapshot(t, source) != before {
		t.Fatal("something was applied")
	}
}

func TestAFolderAndAFileCanChangePlaces(t *testing.T) {
	source := t.TempDir()
	write(t, source+"/becomes-file/a", "a\n")
	write(t, source+"/becomes-folder", "b\n")
	write(t, source+"/becomes-link", "c\n")
	p := take(t, source)
	w := p.folder()
	if err := errors.Join(os.RemoveAll(w+"/becomes-file"), os.Remove(w+"/becomes-folder"), os.Remove(w+"/becomes-link"), os.Symlink("becomes-file", w+"/becomes-link")); err != nil {
		t.Fatal(err)
	}
	write(t, w+"/becomes-file", "file\n")
	write(t, w+"/becomes-folder/x/y", "deep\n")
	apply(t, p, Applying{})
	if got, want := snapshot(t, source), snapshot(t, w); got != want {
		t.Fatalf("got\n%s\nwant\n%s", got, want)
	}
}

func TestLinksOfTheSandboxAreNeitherFollowedNorPlanted(t *testing.T) {
	source, outside := repository(t), t.TempDir()
	write(t, outside+"/secret", "host\n")
	p := take(t, source)
	w := p.folder()
	if err := errors.Join(
		os.RemoveAll(w+"/src"), os.Symlink(outside, w+"/src"), // where files of the base lay
		os.Symlink(outside+"/secret", w+"/stolen"), os.Symlink("../../x", w+"/up"), os.Symlink("run.sh", w+"/fine"),
	); err != nil {
		t.Fatal(err)
	}
	for _, f := range compare(t, p) {
		if strings.Contains(f, "secret") {
			t.Fatal(f)
		}
	}
	if strings.Contains(patchOf(t, p), "host\n") {
		t.Fatal("a file of the host is in the patch")
	}
	before := snapshot(t, source)
	_, err := Apply(p, Applying{})
	var failure *launch.Failure
	if !errors.As(err, &failure) || failure.Code != launch.Denied || !strings.Contains(failure.Message, "stolen") || !strings.Contains(failure.Message, "up (") {
		t.Fatal(err)
	}
	if snapshot(t, source) != before {
		t.Fatal("something was applied")
	}
	apply(t, p, Applying{Only: []string{"fine"}})
}

func TestALinkOnTheHostIsNotWrittenThrough(t *testing.T) {
	source, outside := t.TempDir(), t.TempDir()
	write(t, source+"/dir/file", "one\n")
	p := take(t, source)
	write(t, p.folder()+"/dir/file", "two\n")
	write(t, p.folder()+"/dir/new", "new\n")
	write(t, outside+"/file", "one\n")
	if err := errors.Join(os.RemoveAll(source+"/dir"), os.Symlink(outside, source+"/dir")); err != nil {
		t.Fatal(err)
	}
	applied := apply(t, p, Applying{})
	if len(applied.Conflicts) != 2 || !strings.Contains(applied.Conflicts[0].Reason, "is a link here") {
		t.Fatal(applied)
	}
	if got := read(t, outside+"/file"); got != "one\n" {
		t.Fatal(got)
	}
}

func TestWhatTheHostWouldRunIsAppliedOnlyWhenAskedFor(t *testing.T) {
	source := repository(t)
	p := take(t, source)
	w := p.folder()
	write(t, w+"/.git/hooks/post-commit", "#!/bin/sh\nevil\n")
	write(t, w+"/.git/config", "[core]\n\tfsmonitor = evil\n")
	write(t, w+"/nested/.git/hooks/pre-push", "evil\n")
	write(t, w+"/.envrc", "evil\n")
	write(t, w+"/deep/.VSCode/tasks.json", "{}\n")
	equal(t, compare(t, p), "added .envrc +1 -0", "added deep/.VSCode/tasks.json +1 -0")
	_, err := Apply(p, Applying{})
	var failure *launch.Failure
	if !errors.As(err, &failure) || failure.Code != launch.Denied || !strings.Contains(failure.Message, ".envrc") {
		t.Fatal(err)
	}
	apply(t, p, Applying{AllowRisks: true})
	if got := read(t, source+"/.envrc"); got != "evil\n" {
		t.Fatal(got)
	}
	if hook := read(t, source+"/.git/hooks/pre-commit"); !strings.Contains(hook, "of the host") {
		t.Fatal(hook)
	}
	for _, planted := range []string{"/.git/hooks/post-commit", "/nested/.git"} {
		if _, err := os.Lstat(source + planted); err == nil {
			t.Errorf("%s was planted", planted)
		}
	}
}

func TestRightsAreNotCarriedAndDevicesAreNotRead(t *testing.T) {
	source := repository(t)
	p := take(t, source)
	w := p.folder()
	write(t, w+"/suid", "x")
	if err := errors.Join(os.Chmod(w+"/suid", 0o777|os.ModeSetuid|os.ModeSetgid|os.ModeSticky), unix.Mkfifo(w+"/pipe", 0o666), os.Remove(w+"/run.sh"), unix.Mkfifo(w+"/run.sh", 0o666)); err != nil {
		t.Fatal(err)
	}
	if os.Geteuid() == 0 {
		if err := unix.Mknod(w+"/disk", unix.S_IFBLK|0o666, int(unix.Mkdev(8, 0))); err != nil {
			t.Fatal(err)
		}
	}
	equal(t, compare(t, p), "deleted run.sh +0 -1", "added suid +1 -0")
	apply(t, p, Applying{})
	var stat unix.Stat_t
	if err := unix.Stat(source+"/suid", &stat); err != nil || stat.Mode&0o7000 != 0 {
		t.Fatalf("%o %v", stat.Mode, err)
	}
}

func TestANameCannotLeadOut(t *testing.T) {
	source := t.TempDir()
	write(t, source+"/f", "x\n")
	p := take(t, source)
	for _, name := range []string{"..evil", "a\nb", "-rf", "$(id)", "`id`", "c:\\x", "\x1b]0;x\a"} {
		write(t, p.folder()+"/"+name, "x\n")
	}
	apply(t, p, Applying{})
	if got, want := snapshot(t, source), snapshot(t, p.folder()); got != want {
		t.Fatalf("got\n%s\nwant\n%s", got, want)
	}
}

func TestAnApplyThatWasCutOffIsTakenBackByTheNext(t *testing.T) {
	for cut := range 9 {
		source := repository(t)
		p := worked(t, source)
		before := snapshot(t, source)
		cutOff(t, p, cut)
		if _, err := Apply(p, Applying{Check: true}); err == nil && snapshot(t, source) != before {
			t.Fatalf("cut %d: check says nothing of the half of it", cut)
		}
		applied := apply(t, p, Applying{Only: []string{"nothing"}})
		if !applied.Undone || snapshot(t, source) != before {
			t.Fatalf("cut %d: undone %v\n%s\nwas\n%s", cut, applied.Undone, snapshot(t, source), before)
		}
		if applied := apply(t, p, Applying{}); !applied.Done || len(applied.Files) != 6 {
			t.Fatal(applied)
		}
	}
}

// cutOff applies so many steps and goes away, as a kill does it.
func cutOff(t *testing.T, p Place, steps int) {
	t.Helper()
	base, err := openBase(p)
	if err != nil {
		t.Fatal(err)
	}
	defer base.close()
	s, err := changesOf(p, base, nil)
	if err != nil {
		t.Fatal(err)
	}
	host, err := openTree(base.Source)
	if err != nil {
		t.Fatal(err)
	}
	defer host.close()
	a := &application{base: base, changes: s.changes, host: host}
	j, err := openJournal(base.Source, host)
	if err != nil {
		t.Fatal(err)
	}
	defer j.close()
	if err := errors.Join(a.plan(), j.begin(), j.prepare(a.puts, a.removes), j.write()); err != nil {
		t.Fatal(err)
	}
	for _, step := range j.steps[:min(steps, len(j.steps))] {
		if err := j.forward(step); err != nil {
			t.Fatal(err)
		}
	}
}

func TestAStepThatFailsTakesBackTheOthers(t *testing.T) {
	source := repository(t)
	p := worked(t, source)
	before := snapshot(t, source)
	base, err := openBase(p)
	if err != nil {
		t.Fatal(err)
	}
	defer base.close()
	s, err := changesOf(p, base, nil)
	if err != nil {
		t.Fatal(err)
	}
	host, err := openTree(source)
	if err != nil {
		t.Fatal(err)
	}
	defer host.close()
	a := &application{base: base, changes: s.changes, host: host}
	j, err := openJournal(source, host)
	if err != nil {
		t.Fatal(err)
	}
	defer j.close()
	if err := a.plan(); err != nil {
		t.Fatal(err)
	}
	for i := range a.puts {
		if a.puts[i].path == "src/app.py" {
			a.puts[i].over.Size++ // as if somebody had changed it meanwhile
		}
	}
	var failure *launch.Failure
	if err := j.do(a.puts, a.removes); !errors.As(err, &failure) || failure.Code != launch.Busy {
		t.Fatal(err)
	}
	if got := snapshot(t, source); got != before {
		t.Fatalf("got\n%s\nwant\n%s", got, before)
	}
}

func TestTwoAppliesDoNotMeet(t *testing.T) {
	source := repository(t)
	p := worked(t, source)
	host, err := openTree(source)
	if err != nil {
		t.Fatal(err)
	}
	defer host.close()
	j, err := openJournal(source, host)
	if err != nil {
		t.Fatal(err)
	}
	defer j.close()
	var failure *launch.Failure
	if _, err := Apply(p, Applying{}); !errors.As(err, &failure) || failure.Code != launch.Busy {
		t.Fatal(err)
	}
}

func TestABranchHoldsWhatTheSandboxDidAndTheWorkTreeIsLeftAlone(t *testing.T) {
	source := repository(t)
	p := worked(t, source)
	write(t, source+"/src/app.py", "changed here since\n")
	before, status := snapshot(t, source), gitDo(t, source, "status", "--short")
	applied := apply(t, p, Applying{Branch: "by/sandbox", Message: "Work of api\n"})
	if !applied.Done || applied.Commit == "" {
		t.Fatal(applied)
	}
	if snapshot(t, source) != before || gitDo(t, source, "status", "--short") != status {
		t.Fatal("the work tree was touched")
	}
	if got := gitDo(t, source, "log", "--format=%s", "by/sandbox"); got != "Work of api\nUncommitted work, as the sandbox began with it\nfirst\n" {
		t.Fatal(got)
	}
	if got := gitDo(t, source, "show", "--format=", "--name-status", "by/sandbox"); got != "A\tblob\nM\tlink\nM\trun.sh\nM\tsrc/app.py\nA\tsrc/deep/new.py\nD\tuntracked\n" {
		t.Fatal(got)
	}
	if got := gitDo(t, source, "show", "by/sandbox:src/app.py"); got != "one\nuncommitted\nthree\nfour\n" {
		t.Fatal(got)
	}
	var failure *launch.Failure
	if _, err := Apply(p, Applying{Branch: "by/sandbox"}); !errors.As(err, &failure) || failure.Code != launch.AlreadyExists {
		t.Fatal(err)
	}
	if _, err := Apply(p, Applying{Branch: "-x..y"}); !errors.As(err, &failure) || failure.Code != launch.InvalidArgument {
		t.Fatal(err)
	}
}

func TestOfACleanCheckoutABranchIsOneCommit(t *testing.T) {
	source := t.TempDir()
	gitDo(t, source, "init", "-q", "-b", "main")
	write(t, source+"/f", "x\n")
	gitDo(t, source, "add", ".")
	gitDo(t, source, "commit", "-qm", "first")
	p := take(t, source)
	write(t, p.folder()+"/f", "y\n")
	apply(t, p, Applying{Branch: "b"})
	if got := gitDo(t, source, "log", "--format=%s", "b"); got != "Changes of a sandbox\nfirst\n" {
		t.Fatal(got)
	}
}

func TestNoHookOfTheHostRuns(t *testing.T) {
	source := repository(t)
	p := worked(t, source)
	mark := filepath.Join(t.TempDir(), "ran")
	for _, hook := range []string{"pre-commit", "post-commit", "reference-transaction", "post-index-change", "fsmonitor-watchman"} {
		write(t, source+"/.git/hooks/"+hook, "#!/bin/sh\ntouch "+mark+"\n")
		if err := os.Chmod(source+"/.git/hooks/"+hook, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	gitDo(t, source, "config", "core.fsmonitor", "touch "+mark+" #")
	_ = os.Remove(mark)
	apply(t, p, Applying{Branch: "b"})
	apply(t, p, Applying{})
	take(t, source)
	if _, err := os.Lstat(mark); err == nil {
		t.Fatal("one ran")
	}
}

func TestTheAnswerIsPlainJSON(t *testing.T) {
	p := worked(t, repository(t))
	write(t, p.folder()+"/bad-\xff-name", "x\n")
	text, err := json.Marshal(apply(t, p, Applying{Check: true}))
	if err != nil || !strings.Contains(string(text), `"path_b64":"YmFkLf8tbmFtZQ=="`) {
		t.Fatal(string(text), err)
	}
}

func TestAFolderThatIsGoneAndASandboxWithoutAWorkspaceAreNamed(t *testing.T) {
	source := repository(t)
	p := worked(t, source)
	if err := os.RemoveAll(source); err != nil {
		t.Fatal(err)
	}
	var failure *launch.Failure
	if _, err := Apply(p, Applying{}); !errors.As(err, &failure) || failure.Code != launch.NotFound {
		t.Fatal(err)
	}
	if _, err := Compare(place(t), nil); !errors.As(err, &failure) || failure.Code != launch.NotFound {
		t.Fatal(err)
	}
}

func TestALinkThatWasPutOnTheWayToTheFolderIsNotFollowed(t *testing.T) {
	above, elsewhere := t.TempDir(), t.TempDir()
	write(t, above+"/project/folder/file", "one\n")
	write(t, elsewhere+"/folder/file", "one\n")
	p := take(t, above+"/project/folder")
	write(t, p.folder()+"/file", "two\n")
	if err := errors.Join(os.RemoveAll(above+"/project"), os.Symlink(elsewhere, above+"/project")); err != nil {
		t.Fatal(err)
	}
	var failure *launch.Failure
	if _, err := Apply(p, Applying{}); !errors.As(err, &failure) || failure.Code != launch.Denied {
		t.Fatal(err)
	}
	if got := read(t, elsewhere+"/folder/file"); got != "one\n" {
		t.Fatal(got)
	}
}

func TestTheStageOfAnApplyIsNoChangeOfTheSandbox(t *testing.T) {
	source := repository(t)
	p := take(t, source)
	write(t, p.folder()+"/"+stageName+"/"+journalName, `[{"kind":"remove","path":"LmdpdC9ob29rcy9wb3N0LW1lcmdl","slot":1}]`)
	write(t, p.folder()+"/"+stageName+"/1", "#!/bin/sh\n")
	write(t, p.folder()+"/fine", "x\n")
	apply(t, p, Applying{AllowRisks: true})
	if exists(source+"/"+stageName) || exists(source+"/.git/hooks/post-merge") || !exists(source+"/fine") {
		t.Fatal("the sandbox's stage came to the host")
	}
}

func TestALinkInPlaceOfTheWorkspaceIsNotFollowed(t *testing.T) {
	source := repository(t)
	p := take(t, source)
	if err := errors.Join(os.RemoveAll(p.folder()), os.Symlink("/etc", p.folder())); err != nil {
		t.Fatal(err)
	}
	if _, err := Compare(p, nil); err == nil {
		t.Fatal("it was followed")
	}
}
