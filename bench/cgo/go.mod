module github.com/nettrace-go/nettrace/bench/cgo

go 1.25.0

require (
	github.com/nettrace-go/nettrace v0.0.0
	github.com/nettrace-go/nettrace/codec v0.1.0
)

require github.com/klauspost/compress v1.20.3 // indirect

replace github.com/nettrace-go/nettrace => ../..

replace github.com/nettrace-go/nettrace/codec => ../../codec
