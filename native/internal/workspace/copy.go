package workspace

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

const (
	// buffered files are read once and written twice; larger ones the kernel copies.
	buffered = 1 << 20
	// block lets large files share their blocks with the base where the file
	// system can.
	block = 4096
	// batch is how many files, neighbours mostly, one worker takes at a time.
	batch = 64
)

// copying copies files of the host in parallel, to the copy and to its base.
type copying struct {
	place    Place
	from, to *tree
	content  *os.File
	used     atomic.Int64
}

func (c *copying) bytes() int64 { return c.used.Load() }

func (c *copying) copy(l *listing) ([]Entry, error) {
	for _, dir := range l.folders {
		if err := c.folder(c.from, dir); err != nil {
			return nil, err
		}
	}
	entries := make([]Entry, len(l.files))
	err := inParallel(len(l.files), func(i int, buffer []byte) error {
		var err error
		entries[i], err = c.one(c.from, l.files[i], buffer)
		return err
	})
	if err != nil {
		return nil, err
	}
	present := entries[:0]
	for _, e := range entries {
		if e.Kind != "" { // else it went meanwhile
			present = append(present, e)
		}
	}
	return present, nil
}

// inParallel does count things, each with a buffer of its worker's, until one
// fails.
func inParallel(count int, do func(i int, buffer []byte) error) error {
	var next atomic.Int64
	var group sync.WaitGroup
	workers := min(max(2, runtime.NumCPU()), 8)
	failed := make(chan error, workers)
	for range workers {
		group.Go(func() {
			buffer := make([]byte, buffered)
			for {
				begin := int(next.Add(batch)) - batch
				for i := begin; i < min(begin+batch, count); i++ {
					if err := do(i, buffer); err != nil {
						next.Store(int64(count))
						failed <- err
						return
					}
				}
				if begin >= count {
					return
				}
			}
		})
	}
	group.Wait()
	close(failed)
	return <-failed
}

func (c *copying) folder(source *tree, dir string) error {
	mode := uint32(0o755)
	if stat, err := source.stat(dir); err == nil {
		mode = stat.Mode & 0o777
	}
	return c.to.in(dir, func(parent int, base string) error {
		// The owner must be able to work in it.
		if err := unix.Mkdirat(parent, base, 0o700); err != nil {
			return fmt.Errorf("making the folder %s of the copy: %w", dir, err)
		}
		if err := unix.Fchmodat(parent, base, mode|0o700, 0); err != nil {
			return err
		}
		return c.own(parent, base)
	})
}

func (c *copying) own(parent int, base string) error {
	if c.place.Owned == 0 {
		return nil
	}
	return unix.Fchownat(parent, base, c.place.UID, c.place.GID, unix.AT_SYMLINK_NOFOLLOW)
}

func (c *copying) one(source *tree, name string, buffer []byte) (Entry, error) {
	fd, stat, err := source.regular(name)
	switch {
	case errors.Is(err, unix.ENOENT):
		return Entry{}, nil
	case errors.Is(err, unix.ELOOP):
		return c.link(source, name)
	case err != nil:
		return Entry{}, unreadable(err)
	}
	defer unix.Close(fd)
	entry, err := c.file(fd, &stat, name, buffer)
	if err != nil {
		return Entry{}, fmt.Errorf("copying %s: %w", name, err)
	}
	return entry, nil
}

// file copies by one descriptor each, so that what is copied is one file.
func (c *copying) file(from int, stat *unix.Stat_t, name string, buffer []byte) (Entry, error) {
	mode := stat.Mode&0o777 | 0o600
	to, err := c.to.open(name, unix.O_RDWR|unix.O_CREAT|unix.O_EXCL, mode)
	if err != nil {
		return Entry{}, err
	}
	defer unix.Close(to)
	var size, offset int64
	if stat.Size < int64(len(buffer)) {
		size, offset, err = c.small(from, to, buffer[:stat.Size+1])
	} else {
		size, offset, err = c.large(from, to, stat.Size)
	}
	if err != nil {
		return Entry{}, err
	}
	if c.place.Owned > 0 {
		if err := unix.Fchown(to, c.place.UID, c.place.GID); err != nil {
			return Entry{}, err
		}
	}
	// The time tells make, and git inside, that nothing changed. Last: it decides
	// about the time of the change.
	times := []unix.Timespec{stat.Mtim, stat.Mtim}
	if err := unix.UtimesNanoAt(to, "", times, unix.AT_EMPTY_PATH); err != nil {
		return Entry{}, err
	}
	var made unix.Stat_t
	if err := unix.Fstat(to, &made); err != nil {
		return Entry{}, err
	}
	return Entry{
		Path: []byte(name), Kind: regular, Executable: mode&0o100 != 0,
		Size: size, Offset: offset, Inode: made.Ino, Changed: changedAt(&made),
	}, nil
}

func (c *copying) small(from, to int, buffer []byte) (size, offset int64, err error) {
	n, err := filled(from, buffer)
	if err != nil {
		return 0, 0, err
	}
	content := buffer[:n]
	offset = c.used.Add(int64(n)) - int64(n)
	if err := written(to, content); err != nil {
		return 0, 0, err
	}
	if _, err := c.content.WriteAt(content, offset); err != nil {
		return 0, 0, err
	}
	return int64(n), offset, nil
}

// filled reads until the buffer is full or the file ends.
func filled(fd int, buffer []byte) (int, error) {
	have := 0
	for have < len(buffer) {
		n, err := unix.Read(fd, buffer[have:])
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil || n == 0 {
			return have, err
		}
		have += n
	}
	return have, nil
}

func written(fd int, content []byte) error {
	for len(content) > 0 {
		n, err := unix.Write(fd, content)
		if err != nil && !errors.Is(err, unix.EINTR) {
			return err
		}
		content = content[max(n, 0):]
	}
	return nil
}

// large copies to the copy first, and from there to the base: what changes
// meanwhile at the source cannot tell the two apart.
func (c *copying) large(from, to int, size int64) (copied, offset int64, err error) {
	if copied, err = across(from, to, 0, size); err != nil {
		return 0, 0, err
	}
	room := (copied + 2*block - 1) / block * block
	offset = (c.used.Add(room) - room + block - 1) / block * block
	if _, err := across(to, int(c.content.Fd()), offset, copied); err != nil {
		return 0, 0, err
	}
	return copied, offset, nil
}

// across copies from the beginning of one file to a place in another, inside the
// kernel where it can.
func across(from, to int, offset, size int64) (int64, error) {
	var in int64
	for in < size {
		n, err := unix.CopyFileRange(from, &in, to, &offset, int(min(size-in, 1<<30)), 0)
		if errors.Is(err, unix.EXDEV) || errors.Is(err, unix.EINVAL) || errors.Is(err, unix.EOPNOTSUPP) || errors.Is(err, unix.ENOSYS) {
			return byHand(from, to, in, offset, size)
		}
		if err != nil || n == 0 {
			return in, err
		}
	}
	return in, nil
}

func byHand(from, to int, in, offset, size int64) (int64, error) {
	buffer := make([]byte, buffered)
	for in < size {
		n, err := unix.Pread(from, buffer[:min(int64(len(buffer)), size-in)], in)
		if err != nil || n == 0 {
			return in, err
		}
		for done := 0; done < n; {
			m, err := unix.Pwrite(to, buffer[done:n], offset)
			if err != nil {
				return in, err
			}
			done, offset = done+m, offset+int64(m)
		}
		in += int64(n)
	}
	return in, nil
}

func (c *copying) link(source *tree, name string) (Entry, error) {
	target, err := source.link(name)
	if errors.Is(err, unix.ENOENT) || errors.Is(err, unix.EINVAL) {
		return Entry{}, nil
	}
	if err != nil {
		return Entry{}, unreadable(err)
	}
	var made unix.Stat_t
	err = c.to.in(name, func(parent int, base string) error {
		if err := unix.Symlinkat(string(target), parent, base); err != nil {
			return err
		}
		if err := c.own(parent, base); err != nil {
			return err
		}
		return unix.Fstatat(parent, base, &made, unix.AT_SYMLINK_NOFOLLOW)
	})
	if err != nil {
		return Entry{}, fmt.Errorf("copying the link %s: %w", name, err)
	}
	offset := c.used.Add(int64(len(target))) - int64(len(target))
	if _, err := c.content.WriteAt(target, offset); err != nil {
		return Entry{}, fmt.Errorf("writing the base: %w", err)
	}
	return Entry{
		Path: []byte(name), Kind: symlink, Size: int64(len(target)), Offset: offset,
		Inode: made.Ino, Changed: changedAt(&made),
	}, nil
}

// repository gives the copy a .git of its own: the commits, branches and tags,
// the index, and a configuration of ours. Nothing that could be run comes along,
// no remote with a password in its address, no stash, no log of what was.
func (c *copying) repository(from *checkout) error {
	if from.head == "" && !exists(filepath.Join(from.common, "HEAD")) {
		return nil
	}
	files := []copied{}
	for _, name := range []string{"HEAD", "index"} {
		files = append(files, copied{filepath.Join(from.gitDir, name), filepath.Join(gitName, name)})
	}
	for _, name := range []string{"packed-refs", "shallow"} {
		files = append(files, copied{filepath.Join(from.common, name), filepath.Join(gitName, name)})
	}
	folders := []string{gitName, gitName + "/info", gitName + "/hooks"}
	for _, name := range []string{"refs/heads", "refs/tags"} {
		under(&files, &folders, filepath.Join(from.common, name), filepath.Join(gitName, name))
	}
	for _, objects := range from.objects() {
		under(&files, &folders, objects, gitName+"/objects")
	}
	for _, dir := range foldersOf(nil, append(folders, gitName+"/objects", gitName+"/refs")) {
		if err := c.plainFolder(dir); err != nil {
			return err
		}
	}
	err := inParallel(len(files), func(i int, buffer []byte) error { return c.plain(files[i], buffer) })
	if err != nil {
		return err
	}
	for name, text := range map[string]string{
		"config":       from.configuration(),
		"info/exclude": joined(from.excludes()),
		"description":  "the workspace of a sandbox\n",
	} {
		if err := c.write(filepath.Join(gitName, name), text); err != nil {
			return err
		}
	}
	return nil
}

// copied is a file of the host and its place in the copy.
type copied struct{ from, to string }

// under lists regular files beneath a folder. Pointers to other repositories are
// left out: their objects come along themselves.
func under(files *[]copied, folders *[]string, from, to string) {
	_ = filepath.WalkDir(from, func(path string, entry os.DirEntry, err error) error {
		if err != nil {
			return nil // gone meanwhile, or never there
		}
		name, _ := filepath.Rel(from, path)
		switch at := filepath.Join(to, name); {
		case entry.IsDir():
			*folders = append(*folders, at)
		case entry.Type().IsRegular() && entry.Name() != "alternates" && entry.Name() != "http-alternates":
			*files = append(*files, copied{path, at})
		}
		return nil
	})
}

func (c *copying) plainFolder(dir string) error {
	err := c.to.in(dir, func(parent int, base string) error {
		if err := unix.Mkdirat(parent, base, 0o755); err != nil {
			return err
		}
		return c.own(parent, base)
	})
	if errors.Is(err, unix.EEXIST) {
		return nil
	}
	return err
}

// plain copies a file that has no place in the base.
func (c *copying) plain(file copied, buffer []byte) error {
	// Without waiting: a pipe may have come to its place.
	from, err := unix.Open(file.from, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
	if errors.Is(err, unix.ENOENT) {
		return nil
	}
	if err != nil {
		return unreadable(&os.PathError{Op: "open", Path: file.from, Err: err})
	}
	defer unix.Close(from)
	var stat unix.Stat_t
	if err := unix.Fstat(from, &stat); err != nil || stat.Mode&unix.S_IFMT != unix.S_IFREG {
		return unreadable(&os.PathError{Op: "read", Path: file.from, Err: errors.Join(err, unix.EINVAL)})
	}
	to, err := c.to.open(file.to, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL, 0o644)
	if errors.Is(err, unix.EEXIST) {
		return nil // the same object, from another place
	}
	if err != nil {
		return err
	}
	defer unix.Close(to)
	if stat.Size < int64(len(buffer)) {
		n, err := filled(from, buffer)
		if err == nil {
			err = written(to, buffer[:n])
		}
		if err != nil {
			return err
		}
	} else if _, err := across(from, to, 0, stat.Size); err != nil {
		return err
	}
	if c.place.Owned > 0 {
		return unix.Fchown(to, c.place.UID, c.place.GID)
	}
	return nil
}

func (c *copying) write(name, text string) error {
	fd, err := c.to.open(name, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	to := os.NewFile(uintptr(fd), name)
	defer to.Close()
	if _, err := to.WriteString(text); err != nil {
		return err
	}
	if c.place.Owned > 0 {
		return unix.Fchown(fd, c.place.UID, c.place.GID)
	}
	return nil
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

func joined(texts [][]byte) string {
	var all string
	for _, text := range texts {
		all += string(text)
		if len(text) > 0 && text[len(text)-1] != '\n' {
			all += "\n"
		}
	}
	return all
}

// objects are the folders in which the repository's objects lie: its own, and
// those that it borrows from.
func (c *checkout) objects() []string {
	var all []string
	seen := map[string]bool{}
	var note func(dir string, depth int)
	note = func(dir string, depth int) {
		if seen[dir] || depth > 5 { // as deep as git goes
			return
		}
		seen[dir] = true
		all = append(all, dir)
		text, err := os.ReadFile(filepath.Join(dir, "info/alternates"))
		if err != nil {
			return
		}
		for line := range strings.Lines(string(text)) {
			line = strings.TrimRight(line, "\n")
			if line == "" || line[0] == '#' {
				continue
			}
			if !filepath.IsAbs(line) {
				line = filepath.Join(dir, line)
			}
			note(line, depth+1)
		}
	}
	note(filepath.Join(c.common, "objects"), 0)
	return all
}

// configuration of the copy. Times and inodes of a copy are others: only size and
// time of the last change tell git then whether a file is what it was.
func (c *checkout) configuration() string {
	config := "[core]\n\tbare = false\n\tfilemode = true\n\tlogallrefupdates = true\n\tcheckStat = minimal\n\ttrustctime = false\n"
	version := 0
	if format, err := c.run(nil, "rev-parse", "--show-object-format"); err == nil && format != "sha1" && format != "" {
		version, config = 1, config+"[extensions]\n\tobjectFormat = "+format+"\n"
	}
	config += fmt.Sprintf("[core]\n\trepositoryformatversion = %d\n", version)
	return config + "[user]\n\tname = agent\n\temail = agent@cortex.invalid\n"
}
