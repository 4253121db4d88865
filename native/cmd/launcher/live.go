package main

import "cortex.dev/native/internal/launch/live"

// liveVerb is the guard of a live mount; it ends with the mount.
func liveVerb(c call) (any, int, error) {
	return nil, 0, live.Serve(c.arguments)
}
