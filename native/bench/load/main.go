// Command load is both ends of the bench's network measures: a server on loopback
// that answers with as many bytes as the path says, and a client that fetches from
// it through the proxy that http_proxy names, if any. The same client runs on the
// host and in a sandbox.
//
//	load serve                     prints its port
//	load get URL REQUESTS          prints the nanoseconds of each request, a line each
package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"
)

func main() {
	words := os.Args[1:]
	var err error
	switch {
	case len(words) == 1 && words[0] == "serve":
		err = serve()
	case len(words) == 3 && words[0] == "get":
		err = get(words[1], words[2])
	default:
		err = fmt.Errorf("usage: load serve | load get URL REQUESTS")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "load:", err)
		os.Exit(1)
	}
}

// serve ends with its standard input, so that it never outlives the bench.
func serve() error {
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println(listener.Addr().(*net.TCPAddr).Port)
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	return http.Serve(listener, http.HandlerFunc(answer))
}

var zeros = make([]byte, 256<<10)

func answer(writer http.ResponseWriter, request *http.Request) {
	length, err := strconv.ParseInt(strings.TrimPrefix(request.URL.Path, "/"), 10, 64)
	if err != nil || length < 0 {
		http.Error(writer, "the path is the length", http.StatusBadRequest)
		return
	}
	writer.Header().Set("Content-Length", strconv.FormatInt(length, 10))
	for length > 0 {
		n, err := writer.Write(zeros[:min(length, int64(len(zeros)))])
		if err != nil {
			return
		}
		length -= int64(n)
	}
}

// client goes through the proxy for every address: Go's own rule leaves loopback out.
func client() (*http.Client, error) {
	named := os.Getenv("http_proxy")
	if named == "" {
		return &http.Client{Transport: &http.Transport{}}, nil
	}
	proxy, err := url.Parse(named)
	if err != nil {
		return nil, err
	}
	return &http.Client{Transport: &http.Transport{Proxy: http.ProxyURL(proxy)}}, nil
}

func get(address, requests string) error {
	count, err := strconv.Atoi(requests)
	if err != nil {
		return err
	}
	client, err := client()
	if err != nil {
		return err
	}
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	buffer := make([]byte, 256<<10)
	for range count {
		begin := time.Now()
		response, err := client.Get(address)
		if err != nil {
			return err
		}
		_, err = io.CopyBuffer(io.Discard, struct{ io.Reader }{response.Body}, buffer)
		if err != nil {
			return err
		}
		response.Body.Close()
		if response.StatusCode != http.StatusOK {
			return fmt.Errorf("status %s", response.Status)
		}
		fmt.Fprintln(out, time.Since(begin).Nanoseconds())
	}
	return nil
}
