module github.com/nettrace-go/nettrace/bench/peer

go 1.25.0

require (
	github.com/nettrace-go/nettrace v0.1.0
	github.com/pyroscope-io/dotnetdiag v1.2.1
	gonum.org/v1/gonum v0.16.0
)

require (
	github.com/klauspost/compress v1.20.3
	github.com/nettrace-go/nettrace/codec v0.1.0
)
