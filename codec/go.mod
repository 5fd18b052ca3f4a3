module github.com/nettrace-go/nettrace/codec

go 1.25.0
