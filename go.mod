module github.com/nettrace-go/nettrace

go 1.25.0

require (
	github.com/BurntSushi/toml v1.5.0
	github.com/DataDog/sketches-go v1.4.8
	github.com/Microsoft/go-winio v0.6.2
	github.com/google/pprof v0.0.0-20260906184651-6331bc6350fe
	github.com/klauspost/compress v1.20.3
	go.yaml.in/yaml/v3 v3.0.4
	golang.org/x/sys v0.35.0
)

require github.com/nettrace-go/nettrace/codec v0.1.0

require google.golang.org/protobuf v1.36.11 // indirect
