package userns

import (
	"bufio"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"os/user"
	"strconv"
	"strings"

	"cortex.dev/native/internal/launch"
)

// Span is the number of ids that a sandbox has: 0 to 65535.
const Span = 65536

// Subordinate lists the ranges that /etc/subuid or /etc/subgid gives the user,
// by name or number; if there are none, what getsubids knows from elsewhere.
func Subordinate(file string, owner *user.User) ([]launch.SubRange, error) {
	ranges, err := fromFile(file, owner)
	if err != nil || len(ranges) > 0 {
		return ranges, err
	}
	return fromGetsubids(file, owner), nil
}

func fromFile(file string, owner *user.User) ([]launch.SubRange, error) {
	opened, err := os.Open(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer opened.Close()
	var ranges []launch.SubRange
	lines := bufio.NewScanner(opened)
	for lines.Scan() {
		fields := strings.Split(strings.TrimSpace(lines.Text()), ":")
		if len(fields) == 3 && (fields[0] == owner.Username || fields[0] == owner.Uid) {
			if found, ok := parseRange(fields[1], fields[2]); ok {
				ranges = append(ranges, found)
			}
		}
	}
	return ranges, lines.Err()
}

// fromGetsubids asks the name service. Its lines are "0: ada 100000 65536".
// Where the program is missing or knows nothing, there are no ranges.
func fromGetsubids(file string, owner *user.User) []launch.SubRange {
	program, err := exec.LookPath("getsubids")
	if err != nil {
		return nil
	}
	arguments := []string{owner.Username}
	if strings.HasSuffix(file, "subgid") {
		arguments = []string{"-g", owner.Username}
	}
	output, err := exec.Command(program, arguments...).Output()
	if err != nil {
		return nil
	}
	var ranges []launch.SubRange
	for line := range strings.Lines(string(output)) {
		fields := strings.Fields(line)
		if len(fields) == 4 {
			if found, ok := parseRange(fields[2], fields[3]); ok {
				ranges = append(ranges, found)
			}
		}
	}
	return ranges
}

func parseRange(start, count string) (launch.SubRange, bool) {
	first, err1 := strconv.ParseUint(start, 10, 32)
	many, err2 := strconv.ParseUint(count, 10, 32)
	ok := err1 == nil && err2 == nil && many > 0 && first > 0 && first+many < 1<<32
	return launch.SubRange{Start: uint32(first), Count: uint32(many)}, ok
}

// Own is the mapping of an ordinary user's namespace: 0 is the user, 1 to 65535
// are its first subordinate range that is long enough.
func Own() (launch.Mapping, error) {
	owner, err := user.Current()
	if err != nil {
		return launch.Mapping{}, launch.Fail(launch.NotReady, err, "the name of user %d", os.Getuid())
	}
	uids, err := own("/etc/subuid", owner, os.Getuid())
	if err != nil {
		return launch.Mapping{}, err
	}
	gids, err := own("/etc/subgid", owner, os.Getgid())
	return launch.Mapping{Uids: uids, Gids: gids}, err
}

func own(file string, owner *user.User, id int) ([]launch.IDRange, error) {
	ranges, err := Subordinate(file, owner)
	if err != nil {
		return nil, launch.Fail(launch.NotReady, err, "reading %s", file)
	}
	for _, found := range ranges {
		if found.Count >= Span-1 {
			return []launch.IDRange{
				{ContainerID: 0, HostID: uint32(id), Size: 1},
				{ContainerID: 1, HostID: found.Start, Size: Span - 1},
			}, nil
		}
	}
	option := "--add-subuids"
	if strings.HasSuffix(file, "subgid") {
		option = "--add-subgids"
	}
	return nil, launch.Fail(launch.NotReady, nil, "user %s has no %d subordinate ids in %s", owner.Username, Span-1, file).
		WithRemedy("sudo usermod " + option + " 100000-165535 " + owner.Username + "  (a range that nobody else has)")
}
