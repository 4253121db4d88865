// Command stopwatch times processes for the bench. A JVM takes milliseconds to
// start a process, which would favour whoever needs none: this small program does
// it for all alike. It reads requests as JSON lines and answers each with one.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
	"time"
)

// request is a process to be timed.
type request struct {
	Argv []string `json:"argv"`
	// Env is the whole environment; absent: the stopwatch's own.
	Env []string `json:"env"`
	// Input is a file for its standard input, fed through a pipe; absent: /dev/null.
	Input string `json:"input"`
	// Seconds are the longest it may take.
	Seconds int `json:"seconds"`
}

// answer is how it went. Times are nanoseconds from before the fork.
type answer struct {
	// First is when the first byte of its output was read, 0 where none came.
	First int64 `json:"first"`
	// Exit is when it had ended and its output had been read.
	Exit int64 `json:"exit"`
	// Status is its exit status, -1 where it could not be started or was killed.
	Status int    `json:"status"`
	Bytes  int64  `json:"bytes"`
	Output string `json:"output"`
	Error  string `json:"error"`
}

// kept is how much of each stream an answer quotes.
const kept = 64 << 10

func main() {
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	out := json.NewEncoder(os.Stdout)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return
		}
		var asked request
		if err := json.Unmarshal(line, &asked); err != nil {
			fmt.Fprintln(os.Stderr, "stopwatch:", err)
			os.Exit(2)
		}
		if err := out.Encode(run(asked)); err != nil {
			return
		}
	}
}

func run(asked request) answer {
	failed := func(err error) answer { return answer{Status: -1, Error: err.Error()} }
	command := exec.Command(asked.Argv[0], asked.Argv[1:]...)
	command.Env = asked.Env
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	words := &head{}
	command.Stderr = words
	output, err := command.StdoutPipe()
	if err != nil {
		return failed(err)
	}
	if asked.Input != "" {
		file, err := os.Open(asked.Input)
		if err != nil {
			return failed(err)
		}
		defer file.Close()
		// A reader that is no file goes through a pipe.
		command.Stdin = struct{ io.Reader }{file}
	}
	begin := time.Now()
	if err := command.Start(); err != nil {
		return failed(err)
	}
	timer := time.AfterFunc(time.Duration(asked.Seconds)*time.Second, func() {
		_ = syscall.Kill(-command.Process.Pid, syscall.SIGKILL)
	})
	defer timer.Stop()
	var took answer
	said := &head{}
	buffer := make([]byte, 256<<10)
	for {
		n, err := output.Read(buffer)
		if n > 0 {
			if took.First == 0 {
				took.First = time.Since(begin).Nanoseconds()
			}
			took.Bytes += int64(n)
			_, _ = said.Write(buffer[:n])
		}
		if err != nil {
			break
		}
	}
	err = command.Wait()
	took.Exit = time.Since(begin).Nanoseconds()
	took.Output, took.Error = string(said.bytes), string(words.bytes)
	took.Status = command.ProcessState.ExitCode()
	var ended *exec.ExitError
	if err != nil && !errors.As(err, &ended) {
		took.Status, took.Error = -1, err.Error()
	}
	return took
}

// head keeps the first bytes that are written to it.
type head struct{ bytes []byte }

func (h *head) Write(p []byte) (int, error) {
	room := min(len(p), kept-len(h.bytes))
	h.bytes = append(h.bytes, p[:room]...)
	return len(p), nil
}
