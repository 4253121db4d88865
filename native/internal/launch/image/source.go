package image

import (
	"archive/tar"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"

	"cortex.dev/native/internal/launch"
	"golang.org/x/sys/unix"
)

const (
	// maxNames bounds what is remembered of an archive. 500 layers with the three
	// files that old engines wrote for each are 1,500.
	maxNames = 20_000
	// maxLinks in a row from one name of an archive to another.
	maxLinks = 8
)

// source is what an image is read from: files by name.
type source interface {
	// open finds a regular file; an error that is fs.ErrNotExist when there is none.
	open(name string) (*content, error)
}

// content is one file of a source.
type content struct {
	io.Reader
	size  int64
	close func() error
}

// folderSource is a folder whose maker may be a stranger: no link in it is followed.
type folderSource struct{ folder *os.File }

func (s folderSource) open(name string) (*content, error) {
	fd, err := unix.Openat2(int(s.folder.Fd()), name, &unix.OpenHow{
		// A pipe would wait for its other end.
		Flags:   unix.O_RDONLY | unix.O_NONBLOCK | unix.O_CLOEXEC,
		Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS,
	})
	if errors.Is(err, unix.ELOOP) || errors.Is(err, unix.EXDEV) {
		return nil, launch.Fail(launch.InvalidArgument, nil, "%q in the image's folder is a link", name)
	}
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: name, Err: err}
	}
	file := os.NewFile(uintptr(fd), name)
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = launch.Fail(launch.InvalidArgument, nil, "%q in the image's folder is no file", name)
	}
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return &content{file, info.Size(), file.Close}, nil
}

// archiveSource is a plain tar whose files are read where they lie.
type archiveSource struct {
	file  *os.File
	names map[string]place
	// root: it has a folder of a root file system at its top.
	root bool
}

// place of a file in an archive, or the name that it is a link to.
type place struct {
	at, size int64
	link     string
}

// newArchiveSource reads the headers alone; the file is positioned at its start.
func newArchiveSource(file *os.File) (*archiveSource, error) {
	s := &archiveSource{file: file, names: map[string]place{}}
	archive := tar.NewReader(file)
	for {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return s, nil
		}
		if err != nil {
			return nil, launch.Fail(launch.InvalidArgument, err, "the archive cannot be read").
				WithRemedy("an OCI layout, an archive of docker save or a tar of a root file system is expected")
		}
		if err := s.note(header); err != nil {
			return nil, err
		}
	}
}

func (s *archiveSource) note(header *tar.Header) error {
	name := path.Clean(header.Name)
	top, _, _ := strings.Cut(name, "/")
	switch top {
	case "bin", "usr", "etc", "lib":
		s.root = true
		return nil
	}
	if !wanted(name) || len(s.names) >= maxNames {
		return nil
	}
	switch header.Typeflag {
	case tar.TypeReg:
		at, err := s.file.Seek(0, io.SeekCurrent)
		if err != nil {
			return err
		}
		s.names[name] = place{at: at, size: header.Size}
	case tar.TypeSymlink:
		s.names[name] = place{link: path.Join(path.Dir(name), header.Linkname)}
	case tar.TypeLink:
		s.names[name] = place{link: path.Clean(header.Linkname)}
	}
	return nil
}

// wanted names can be of an image; others are not remembered.
func wanted(name string) bool {
	return strings.HasPrefix(name, "blobs/") || name == "oci-layout" ||
		strings.HasSuffix(name, ".json") || strings.HasSuffix(name, ".tar")
}

func (s *archiveSource) open(name string) (*content, error) {
	found := path.Clean(name)
	for range maxLinks {
		file, known := s.names[found]
		if !known {
			return nil, &os.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
		}
		if file.link == "" {
			return &content{io.NewSectionReader(s.file, file.at, file.size), file.size, func() error { return nil }}, nil
		}
		found = file.link
	}
	return nil, launch.Fail(launch.InvalidArgument, nil, "%q in the archive is a link without an end", name)
}

// has says whether a source has a file of that name.
func has(s source, name string) bool {
	file, err := s.open(name)
	if err != nil {
		return false
	}
	_ = file.close()
	return true
}

// small reads a whole file of at most that many bytes.
func small(s source, name string, most int64) ([]byte, error) {
	file, err := s.open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, missing(name, err)
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.close() }()
	if file.size > most {
		return nil, launch.Fail(launch.InvalidArgument, nil, "%q has %d bytes, where an image has at most %d", name, file.size, most)
	}
	data, err := io.ReadAll(io.LimitReader(file, most))
	if err != nil {
		return nil, fmt.Errorf("reading %q: %w", name, err)
	}
	if int64(len(data)) != file.size {
		return nil, launch.Fail(launch.InvalidArgument, nil, "the source ends within %q", name)
	}
	return data, nil
}

func missing(name string, cause error) error {
	return launch.Fail(launch.InvalidArgument, cause, "%q is missing from the source", name).
		WithRemedy("copy the image again, whole: skopeo copy … oci-archive:image.tar, or docker save")
}
