module github.com/nettrace-go/nettrace/internal/release

go 1.25.0

require golang.org/x/mod v0.29.0
