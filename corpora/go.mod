module github.com/nettrace-go/nettrace/corpora

go 1.25.0

require github.com/klauspost/compress v1.20.3
