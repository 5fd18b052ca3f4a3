module github.com/nettrace-go/nettrace/conformance/schema

go 1.25.0

require (
	github.com/nettrace-go/nettrace v0.1.0
	github.com/santhosh-tekuri/jsonschema/v6 v6.0.3
)

require (
	github.com/klauspost/compress v1.20.3 // indirect
	github.com/nettrace-go/nettrace/codec v0.1.0 // indirect
	golang.org/x/text v0.14.0 // indirect
)
