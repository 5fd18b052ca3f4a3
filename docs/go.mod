module github.com/nettrace-go/nettrace/docs

go 1.25.0

require github.com/yuin/goldmark v1.7.13
