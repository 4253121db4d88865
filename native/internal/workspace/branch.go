package workspace

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"cortex.dev/native/internal/launch"
)

// branch makes a commit on a new branch, on top of the commit that the workspace
// was copied from. Work that was not committed then is a commit of its own below
// it, so that the branch's last commit is what the sandbox did, no less and no more.
// Neither the work tree nor the index is touched.
func (a *application) branch() error {
	repository, err := a.repository()
	if err != nil {
		return err
	}
	index, err := os.MkdirTemp("", "cortex-index-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(index)
	if repository.who != nil {
		if err := os.Chown(index, int(repository.who.Uid), int(repository.who.Gid)); err != nil {
			return err
		}
	}
	c := &committing{checkout: repository, env: []string{"GIT_INDEX_FILE=" + filepath.Join(index, "index")}}
	if err := c.identity(); err != nil {
		return err
	}
	before, err := a.committed(c)
	if err != nil {
		return err
	}
	if err := c.stage(a.changes, func(change Change) State { return change.New }); err != nil {
		return err
	}
	commit, err := c.commit(a.message(), before)
	if err != nil {
		return err
	}
	if _, err := repository.run(nil, "update-ref", "-m", "cortex apply", "refs/heads/"+a.how.Branch, commit, ""); err != nil {
		return launch.Fail(launch.AlreadyExists, err, "the branch %s cannot be made", a.how.Branch).WithRemedy("choose another name: --branch NAME")
	}
	for _, change := range a.changes {
		a.told.Files = append(a.told.Files, summary(change))
	}
	a.told.Branch, a.told.Commit, a.told.Done = a.how.Branch, commit, true
	return nil
}

func (a *application) repository() (*checkout, error) {
	checkout, err := checkoutOf(a.base.Source)
	if err != nil {
		return nil, err
	}
	if checkout == nil || a.base.Commit == "" || checkout.top != a.base.Source {
		return nil, launch.Fail(launch.Unsupported, nil, "%s is no git checkout with a commit, at its top", a.base.Source).
			WithRemedy("apply to the folder: leave --branch out")
	}
	if _, err := checkout.run(nil, "check-ref-format", "--branch", a.how.Branch); err != nil {
		return nil, launch.Fail(launch.InvalidArgument, err, "%q is no name of a branch", a.how.Branch).WithRemedy("choose another name: --branch NAME")
	}
	if _, err := checkout.run(nil, "rev-parse", "--verify", "--quiet", "refs/heads/"+a.how.Branch); err == nil {
		return nil, launch.Fail(launch.AlreadyExists, nil, "there is a branch %s already", a.how.Branch).WithRemedy("choose another name: --branch NAME")
	}
	if len(a.changes) == 0 {
		return nil, launch.Fail(launch.InvalidArgument, nil, "there is nothing to commit: the sandbox changed nothing").WithRemedy("see: cortex diff NAME")
	}
	return checkout, nil
}

func (a *application) message() string {
	if a.how.Message != "" {
		return a.how.Message
	}
	return "Changes of a sandbox\n"
}

// committed is the commit below the sandbox's: the checkout's of then or, where
// there was work on top of it, a commit of that.
func (a *application) committed(c *committing) (string, error) {
	if _, err := c.git("read-tree", a.base.Commit); err != nil {
		return "", launch.Fail(launch.NotFound, err, "the commit %s, which the workspace was copied from, is gone", a.base.Commit).
			WithRemedy("apply to the folder: leave --branch out")
	}
	dirty, err := a.uncommitted(c)
	if err != nil || len(dirty) == 0 {
		return a.base.Commit, err
	}
	if err := c.stage(dirty, func(change Change) State { return change.New }); err != nil {
		return "", err
	}
	return c.commit("Uncommitted work, as the sandbox began with it\n", a.base.Commit)
}

// uncommitted compares the base with the commit, by git's names of contents.
func (a *application) uncommitted(c *committing) ([]Change, error) {
	listed, err := c.git("ls-tree", "-r", "-z", a.base.Commit)
	if err != nil {
		return nil, err
	}
	type blob struct{ mode, name string }
	tree := map[string]blob{}
	for line := range strings.SplitSeq(string(listed), "\x00") {
		head, file, found := strings.Cut(line, "\t")
		if fields := strings.Fields(head); found && len(fields) == 3 {
			tree[file] = blob{fields[0], fields[2]}
		}
	}
	var dirty []Change
	for _, e := range a.base.Entries {
		content, err := a.base.read(e)
		if err != nil {
			return nil, err
		}
		state := State{Kind: e.Kind, Executable: e.Executable, Content: content}
		known, was := tree[string(e.Path)]
		delete(tree, string(e.Path))
		if !was && a.insideSubmodule(string(e.Path), c) {
			continue
		}
		if known.mode != mode(state) || known.name != name(state) {
			dirty = append(dirty, Change{Path: string(e.Path), New: state})
		}
	}
	for file, left := range tree {
		if left.mode != gitlink {
			dirty = append(dirty, Change{Path: file, Old: State{Kind: regular}})
		}
	}
	return dirty, nil
}

const gitlink = "160000"

// insideSubmodule: its files belong to another repository.
func (a *application) insideSubmodule(file string, c *committing) bool {
	if c.submodules == nil {
		c.submodules = []string{}
		listed, err := c.git("ls-tree", "-r", "-z", a.base.Commit)
		if err != nil {
			return false
		}
		for line := range strings.SplitSeq(string(listed), "\x00") {
			if head, name, found := strings.Cut(line, "\t"); found && strings.HasPrefix(head, gitlink) {
				c.submodules = append(c.submodules, name+"/")
			}
		}
	}
	for _, submodule := range c.submodules {
		if strings.HasPrefix(file, submodule) {
			return true
		}
	}
	return false
}

// committing makes commits with an index of its own.
type committing struct {
	*checkout
	env        []string
	submodules []string
}

func (c *committing) git(words ...string) ([]byte, error) { return c.bytes(nil, c.env, words...) }

// identity lends one where the user has none.
func (c *committing) identity() error {
	if _, err := c.git("var", "GIT_COMMITTER_IDENT"); err == nil {
		return nil
	}
	c.env = append(c.env, "GIT_AUTHOR_NAME=cortex", "GIT_AUTHOR_EMAIL=cortex@localhost", "GIT_COMMITTER_NAME=cortex", "GIT_COMMITTER_EMAIL=cortex@localhost")
	_, err := c.git("var", "GIT_COMMITTER_IDENT")
	return err
}

// stage writes states to the index. Contents go in as they are: a filter of the
// repository's would be a program that reads what a sandbox wrote.
func (c *committing) stage(changes []Change, of func(Change) State) error {
	if err := c.refuseFiltered(changes); err != nil {
		return err
	}
	names, err := c.store(changes, of)
	if err != nil {
		return err
	}
	var index bytes.Buffer
	for _, change := range changes {
		if of(change).absent() {
			fmt.Fprintf(&index, "0 %s\t%s\x00", strings.Repeat("0", 40), change.Path)
		}
	}
	for i, change := range changes {
		if state := of(change); !state.absent() {
			fmt.Fprintf(&index, "%s %s\t%s\x00", mode(state), names[i], change.Path)
		}
	}
	_, err = c.bytes(index.Bytes(), c.env, "update-index", "-z", "--index-info")
	return err
}

// refuseFiltered: Git LFS and encryption keep other bytes in the repository than
// in the work tree.
func (c *committing) refuseFiltered(changes []Change) error {
	var paths bytes.Buffer
	for _, change := range changes {
		paths.WriteString(change.Path + "\x00")
	}
	answer, err := c.bytes(paths.Bytes(), c.env, "check-attr", "-z", "--stdin", "filter", "working-tree-encoding")
	if err != nil {
		return err
	}
	fields := strings.Split(string(answer), "\x00")
	for i := 0; i+2 < len(fields); i += 3 {
		if value := fields[i+2]; value != "unspecified" && value != "unset" {
			return launch.Fail(launch.Unsupported, nil, "%s is kept through a filter of git's (%s=%s)", quoted(fields[i]), fields[i+1], value).
				WithRemedy("apply to the folder and commit there: leave --branch out")
		}
	}
	return nil
}

// store writes contents as objects, by one git for all of them.
func (c *committing) store(changes []Change, of func(Change) State) ([]string, error) {
	var stream bytes.Buffer
	count := 0
	for _, change := range changes {
		state := of(change)
		if state.absent() {
			continue
		}
		count++
		fmt.Fprintf(&stream, "blob\nmark :%d\ndata %d\n", count, len(state.Content))
		stream.Write(state.Content)
		stream.WriteByte('\n')
	}
	for mark := 1; mark <= count; mark++ {
		fmt.Fprintf(&stream, "get-mark :%d\n", mark)
	}
	answer, err := c.bytes(stream.Bytes(), c.env, "fast-import", "--quiet", "--cat-blob-fd=1")
	if err != nil {
		return nil, err
	}
	stored := strings.Fields(string(answer))
	if len(stored) != count {
		return nil, launch.Fail(launch.DriverFailed, nil, "git stored %d of %d contents", len(stored), count)
	}
	names := make([]string, len(changes))
	next := 0
	for i, change := range changes {
		if !of(change).absent() {
			names[i], next = stored[next], next+1
		}
	}
	return names, nil
}

func (c *committing) commit(message, parent string) (string, error) {
	tree, err := c.git("write-tree")
	if err != nil {
		return "", err
	}
	commit, err := c.bytes([]byte(message), c.env, "commit-tree", "-p", parent, strings.TrimSpace(string(tree)))
	return strings.TrimSpace(string(commit)), err
}
