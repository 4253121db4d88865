package control

import (
	"context"
	"time"

	"cortex.dev/native/internal/boot"
	"cortex.dev/native/internal/guestpb"
	"cortex.dev/native/internal/version"
	"cortex.dev/native/internal/wire"
)

// Info describes the sandbox as it is seen from inside.
func (g *Guest) Info(context.Context, *guestpb.InfoRequest) (*guestpb.InfoResponse, error) {
	info := &guestpb.InfoResponse{
		Version:           version.Build,
		ProtocolLowest:    wire.VersionLowest,
		ProtocolHighest:   wire.VersionHighest,
		UptimeMs:          uint64(time.Since(g.started) / time.Millisecond),
		Processes:         boot.Processes(),
		Load_1M:           boot.Load(),
		NeuronMemoryBytes: boot.Resident(),
	}
	info.MemoryUsedBytes, info.MemoryLimitBytes = g.machine.Memory().Read()
	place := "/"
	if l, err := g.alive(); err == nil {
		running, started := l.sessions.Running()
		info.Initialized, info.Ready, info.Generation = true, true, l.generation
		info.SessionsRunning, info.SessionsStarted = uint32(running), started
		place = l.config.WorkingDirectory
	}
	info.DiskUsedBytes, info.DiskTotalBytes = boot.Disk(place)
	return info, nil
}
