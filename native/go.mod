module cortex.dev/native

go 1.26.0

require (
	github.com/containerd/log v0.1.0
	github.com/containerd/ttrpc v1.2.10
	github.com/hanwen/go-fuse/v2 v2.12.1
	github.com/klauspost/compress v1.20.4
	golang.org/x/sys v0.50.0
	google.golang.org/grpc v1.81.1
	google.golang.org/protobuf v1.36.12
)

require (
	github.com/sirupsen/logrus v1.9.4 // indirect
	google.golang.org/genproto/googleapis/rpc v0.0.0-20260226221140-a57be14db171 // indirect
)
