// Command launcher does on the host what a JVM cannot do well: it starts and
// stops sandboxes, looks at them, and works on files of mapped users. It runs
// for one verb and ends; its answer is one JSON record on standard output.
package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"time"

	"cortex.dev/native/internal/launch"
	"cortex.dev/native/internal/launch/live"
	"cortex.dev/native/internal/launch/probe"
	"cortex.dev/native/internal/launch/userns"
	"cortex.dev/native/internal/turns"
	"cortex.dev/native/internal/version"
)

const usage = `usage: launcher VERB

  start [--waiting]   start a sandbox: a request on stdin, now or later, an answer on stdout
  stop                end one and remove all that was made for it
  pause               make one stand still; it keeps its memory
  resume              let it go on
  checkpoint          save the memory of one whose neuron is quiet
  observe             look at many at once
  discover            find what exists under the names of a home
  probe [--tools DIR] [DIR]
                      tell what this host can do, with runtimes of a folder of tools
  extract TAR DIR     unpack an archive
  import              take an image into a home: a request on stdin
  pack DIR            write a folder as a tar to stdout
  unpack DIR          make what a tar on stdin holds beneath a folder
  wipe DIR            remove a folder, whoever its files belong to
  usage DIR           measure one
  pool                make, mount, grow or look at a home's pool of disks
  disks DIR           list a pool's disks with what each takes
  disk                make one, or set its limit
  workspace           copy a folder to a sandbox's disk, compare it, apply changes
  detach [--prompt] -- CMD …
                      start a program in a session of its own, print its pid
                      (--prompt: one that is waited for, with short slices of time)
  version             print the version

wipe, usage, workspace, extract and import take --rootless: inside the caller's user namespace.
`

// call is one verb's surroundings.
type call struct {
	began     time.Time
	arguments []string
	stdin     io.Reader
	stdout    io.Writer
	// staged: this process is root of the user namespace that it made itself.
	staged bool
}

// verbs answer with a record and an exit status.
var verbs = map[string]func(call) (any, int, error){
	"start":          startVerb,
	"stop":           stopVerb,
	"pause":          pauseVerb,
	"resume":         resumeVerb,
	"checkpoint":     checkpointVerb,
	"observe":        observeVerb,
	"discover":       discoverVerb,
	"probe":          probeVerb,
	"extract":        extractVerb,
	"import":         importVerb,
	"pack":           packVerb,
	"unpack":         unpackVerb,
	"wipe":           wipeVerb,
	"usage":          usageVerb,
	"pool":           poolVerb,
	"disks":          disksVerb,
	"disk":           diskVerb,
	"detach":         detachVerb,
	"workspace":      workspaceVerb,
	probe.InsideVerb: probeInsideVerb,
	live.Verb:        liveVerb,
}

// One thread goes into namespaces and control groups: main's.
func init() { runtime.LockOSThread() }

func main() {
	began := time.Now()
	// The longest verb lives for milliseconds to seconds; a collection costs
	// more than the memory.
	debug.SetGCPercent(400)
	// The daemon's are short. Runtimes and what they start inherit from here.
	turns.Usual()
	os.Exit(run(call{began: began, arguments: os.Args[1:], stdin: os.Stdin, stdout: os.Stdout}))
}

func run(c call) int {
	if len(c.arguments) > 0 && c.arguments[0] == userns.Stage {
		if err := userns.Entered(); err != nil {
			return fail(c.stdout, err)
		}
		c.staged, c.arguments = true, c.arguments[1:]
	}
	if len(c.arguments) == 1 && c.arguments[0] == "version" {
		fmt.Fprintln(c.stdout, version.Build)
		return 0
	}
	if len(c.arguments) == 0 || verbs[c.arguments[0]] == nil {
		fmt.Fprint(os.Stderr, usage)
		return 2
	}
	verb := verbs[c.arguments[0]]
	c.arguments = c.arguments[1:]
	answer, status, err := verb(c)
	if err != nil {
		return fail(c.stdout, err)
	}
	if answer != nil {
		if err := json.NewEncoder(c.stdout).Encode(answer); err != nil {
			return fail(os.Stderr, err)
		}
	}
	return status
}

func fail(to io.Writer, err error) int {
	_ = json.NewEncoder(to).Encode(launch.Failed{Error: launch.AsFailure(err)})
	return 1
}
