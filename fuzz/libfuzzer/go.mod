module github.com/nettrace-go/nettrace/fuzz/libfuzzer

go 1.25.0

require (
	github.com/AdamKorcz/go-118-fuzz-build v0.0.0-20250520111509-a70c2aa677fa
	github.com/nettrace-go/nettrace v0.1.0
)

require (
	github.com/AdaLogics/go-fuzz-headers v0.0.0-20230811130428-ced1acdcaa24 // indirect
	github.com/klauspost/compress v1.20.3 // indirect
	github.com/nettrace-go/nettrace/codec v0.1.0 // indirect
)

replace github.com/nettrace-go/nettrace => ../..

replace github.com/nettrace-go/nettrace/codec => ../../codec
