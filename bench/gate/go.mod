module github.com/nettrace-go/nettrace/bench/gate

go 1.25

require golang.org/x/perf v0.0.0-20250813145418-2f7363a06fe1

require github.com/aclements/go-moremath v0.0.0-20210112150236-f10218a38794 // indirect
