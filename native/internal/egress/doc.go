// Package egress is the sandbox's end of the way out. On loopback the neuron listens as an HTTP
// proxy; each connection that a program wants becomes a request by name, which the host decides. The
// host refuses it on the events stream, or dials a data stream for it (docs/protocol.md).
package egress
