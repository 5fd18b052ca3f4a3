module github.com/nettrace-go/nettrace/conformance/adapters/dotnetdiag

go 1.25.0

require (
	github.com/nettrace-go/nettrace v0.0.0
	github.com/pyroscope-io/dotnetdiag v1.2.1
)

replace github.com/nettrace-go/nettrace => ../../..
