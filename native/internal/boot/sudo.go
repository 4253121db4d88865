package boot

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	"cortex.dev/native/internal/fault"
)

// sudoPlace goes before the image's own sudo in every usual PATH, a login shell's too: that one cannot work, since no
// program inside gains rights by its file's mode.
const sudoPlace = "/usr/local/bin/sudo"

// Program is this program's file as others in the sandbox see it.
func Program() (string, error) {
	program, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("find this program: %w", err)
	}
	return program, nil
}

// OfferSudo makes the program known under the name sudo. Where the usual place cannot be written, it returns a folder
// that must come first in PATH; else nothing.
func (m *Machine) OfferSudo(program string) (folder string, err error) {
	if linkSudo(program, sudoPlace) == nil {
		return "", nil
	}
	folder = runFolder + "/bin"
	if err := linkSudo(program, folder+"/sudo"); err != nil {
		return "", fault.Of(err, "make "+folder+"/sudo")
	}
	return folder, nil
}

func linkSudo(program, link string) error {
	if now, err := os.Readlink(link); err == nil && now == program {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(link), 0o755); err != nil {
		return err
	}
	fresh := link + ".cortex"
	_ = os.Remove(fresh)
	if err := os.Symlink(program, fresh); err != nil {
		return err
	}
	return os.Rename(fresh, link)
}

// savedGroup is a group of which there is no member.
const savedGroup = 65_533

// guardLimits keeps root inside from setting this process's limits (prlimit): the kernel asks that the caller's ids equal
// all three of the target's, and these differ among themselves.
func guardLimits() error {
	if err := syscall.Setresgid(-1, -1, savedGroup); err != nil {
		return fmt.Errorf("set the saved group: %w", err)
	}
	return nil
}
