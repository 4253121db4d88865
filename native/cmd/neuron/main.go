// Command neuron is the guest agent of a sandbox.
//
//	neuron serve --listen-fd 3 [--mark N] [--plain]
//	neuron serve --listen PATH [--mark N] [--plain]
//	neuron version
//	sudo [OPTION...] COMMAND [ARGUMENT...]
//
// Under the name sudo it is that program; neuron root-session is what the neuron starts for it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"time"

	"cortex.dev/native/internal/boot"
	"cortex.dev/native/internal/control"
	"cortex.dev/native/internal/mark"
	"cortex.dev/native/internal/reap"
	"cortex.dev/native/internal/seal"
	"cortex.dev/native/internal/serve"
	"cortex.dev/native/internal/session"
	"cortex.dev/native/internal/sudo"
	"cortex.dev/native/internal/version"
)

const usage = `Usage: neuron serve (--listen-fd N | --listen PATH) [--mark N] [--plain]
                    [--own-kernel [--memory BYTES] [--processes N]]
       neuron version
`

func main() {
	os.Exit(run(os.Args))
}

func run(words []string) int {
	if len(words) > 0 && filepath.Base(words[0]) == "sudo" {
		return sudo.Main(words[1:])
	}
	args := words[min(1, len(words)):]
	if len(args) == 0 {
		fmt.Fprint(os.Stderr, usage)
		return 2
	}
	switch args[0] {
	case "version":
		fmt.Println(version.Build)
		return 0
	case sudo.SessionVerb:
		return sudo.Session()
	case "serve":
		o, err := parse(args[1:])
		if err != nil {
			return 2
		}
		if err := serveGuest(o); err != nil {
			say("error", err.Error())
			return 1
		}
		return 0
	default:
		fmt.Fprint(os.Stderr, usage)
		return 2
	}
}

type options struct {
	descriptor int
	path       string
	mark       uint64
	plain      bool
	limits     *boot.Limits
}

func parse(args []string) (o options, err error) {
	flags := flag.NewFlagSet("neuron serve", flag.ContinueOnError)
	flags.IntVar(&o.descriptor, "listen-fd", -1, "serve on this inherited listening socket")
	flags.StringVar(&o.path, "listen", "", "serve on a Unix socket made at this path")
	flags.Uint64Var(&o.mark, "mark", 0, "the sandbox's number in the marks of its processes")
	flags.BoolVar(&o.plain, "plain", false, "a child on somebody's machine: switch no users, change no system files")
	limits := boot.Limits{}
	own := flags.Bool("own-kernel", false, "the sandbox has a kernel of its own, in whose control groups limits are set")
	flags.Uint64Var(&limits.Memory, "memory", 0, "the sandbox's memory in bytes")
	flags.Uint64Var(&limits.Processes, "processes", 0, "how many processes and threads the sandbox may have")
	if err := flags.Parse(args); err != nil {
		return o, err
	}
	if *own {
		o.limits = &limits
	}
	if flags.NArg() > 0 || (o.path == "") == (o.descriptor < 0) {
		fmt.Fprint(os.Stderr, usage)
		return o, errors.New("usage")
	}
	return o, nil
}

func serveGuest(o options) error {
	if err := boot.ClearSignalMask(); err != nil {
		return err
	}
	inherited, err := inherit(o)
	if err != nil {
		return err
	}
	machine, children, terminated, err := boot.Enter(o.plain, o.limits)
	if err != nil {
		return err
	}
	marker, err := mark.NewMarker(o.mark)
	if err != nil {
		return err
	}
	reaper := reap.New(children)
	go reaper.Run()
	ofRoot := seal.MarksAndPriorities
	if o.limits != nil {
		ofRoot = seal.MarksPrioritiesAndFirst
	}
	spawner := session.NewSpawner(reaper, marker, machine.Groups(), ofRoot)
	if err := machine.Seal(); err != nil {
		return err
	}
	leaving := make(chan struct{}, 1)
	channel := serve.NewChannel(o.path, inherited)
	guest := control.NewGuest(machine, spawner, session.SystemClock{}, channel, func() {
		select {
		case leaving <- struct{}{}:
		default:
		}
	})
	listener, err := serve.NewListener(guest)
	if err != nil {
		return err
	}
	// Only now: whoever waits for this socket to appear may believe that it is served.
	if err := channel.Open(); err != nil {
		return err
	}
	say("info", "neuron "+version.Build+" serving")
	failed := make(chan error, 1)
	go func() { failed <- listener.Run(context.Background(), channel) }()
	return wait(guest, failed, leaving, terminated)
}

// wait returns when the neuron is to end. A first process is told so by Shutdown alone: a signal may
// come from inside.
func wait(guest *control.Guest, failed <-chan error, leaving <-chan struct{}, terminated <-chan os.Signal) error {
	const answerTakes = 100 * time.Millisecond
	for {
		select {
		case err := <-failed:
			return err
		case <-leaving:
			time.Sleep(answerTakes)
			return nil
		case <-terminated:
			if os.Getpid() != 1 {
				_, err := guest.Shutdown(context.Background(), nil)
				return err
			}
		}
	}
}

// inherit duplicates the descriptor before all that was inherited is marked as closed on exec.
func inherit(o options) (net.Listener, error) {
	if o.path != "" {
		return nil, nil
	}
	file := os.NewFile(uintptr(o.descriptor), "listener")
	if file == nil {
		return nil, fmt.Errorf("descriptor %d is not open", o.descriptor)
	}
	defer file.Close()
	socket, err := net.FileListener(file)
	if err != nil {
		return nil, fmt.Errorf("serve on descriptor %d: %w", o.descriptor, err)
	}
	return socket, nil
}
