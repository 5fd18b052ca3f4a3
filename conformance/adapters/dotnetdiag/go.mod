module github.com/nettrace-go/nettrace/conformance/adapters/dotnetdiag

go 1.25.0

require (
	github.com/nettrace-go/nettrace v0.1.0
	github.com/nettrace-go/nettrace/codec v0.1.0
	github.com/pyroscope-io/dotnetdiag v1.2.1
)
