module github.com/nettrace-go/nettrace/deploy

go 1.25.0

require (
	github.com/google/go-containerregistry v0.21.7
	github.com/nettrace-go/nettrace v0.1.0
	golang.org/x/crypto/x509roots/fallback v0.0.0-20260709184058-243e02a382f8
)

require (
	github.com/klauspost/compress v1.18.6 // indirect
	github.com/opencontainers/go-digest v1.0.0 // indirect
	github.com/opencontainers/image-spec v1.1.1 // indirect
	golang.org/x/sync v0.21.0 // indirect
)
