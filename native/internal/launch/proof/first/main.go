// Command first is the first process of the sandboxes that the launcher's tests
// start: it answers on the socket that it was given as descriptor 3, and runs
// what it is told to.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"syscall"
)

// Ask is one line of a request.
type ask struct {
	Argv []string `json:"argv"`
	UID  uint32   `json:"uid"`
	Dir  string   `json:"dir"`
	// Detach leaves the program running.
	Detach bool `json:"detach"`
}

// Answer is one line of an answer.
type answer struct {
	Status int    `json:"status"`
	Output string `json:"output"`
}

func main() {
	listener, err := listen()
	if err != nil {
		fmt.Fprintln(os.Stderr, "first: no socket:", err)
		os.Exit(1)
	}
	fmt.Fprintln(os.Stderr, "first: serving")
	for {
		connection, err := listener.Accept()
		if err != nil {
			fmt.Fprintln(os.Stderr, "first:", err)
			os.Exit(1)
		}
		go serve(connection)
	}
}

// listen binds where the only argument says, else takes descriptor 3.
func listen() (net.Listener, error) {
	if len(os.Args) == 2 {
		return net.Listen("unix", os.Args[1])
	}
	return net.FileListener(os.NewFile(3, "socket"))
}

func serve(connection net.Conn) {
	defer connection.Close()
	if _, err := connection.Write([]byte("R")); err != nil {
		return
	}
	lines := bufio.NewReader(connection)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		var request ask
		if err := json.Unmarshal(line, &request); err != nil {
			return
		}
		if err := json.NewEncoder(connection).Encode(run(request)); err != nil {
			return
		}
	}
}

func run(request ask) answer {
	command := exec.Command(request.Argv[0], request.Argv[1:]...)
	command.Dir = request.Dir
	command.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if request.UID != 0 {
		command.SysProcAttr.Credential = &syscall.Credential{Uid: request.UID, Gid: request.UID}
	}
	if request.Detach {
		return detached(command)
	}
	var output bytes.Buffer
	command.Stdout, command.Stderr = &output, &output
	err := command.Run()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return answer{0, output.String()}
	case errors.As(err, &exit):
		return answer{exit.ExitCode(), output.String()}
	default:
		return answer{127, err.Error()}
	}
}

func detached(command *exec.Cmd) answer {
	if err := command.Start(); err != nil {
		return answer{127, err.Error()}
	}
	go func() { _ = command.Wait() }()
	return answer{0, fmt.Sprint(command.Process.Pid)}
}
