package runtimes_test

import (
	"fmt"
	"os"

	"github.com/nettrace-go/nettrace"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/model/runtimes"
)

// Print the version of the runtime that wrote a trace.
func Example() {
	f, err := os.Open("../../corpora/net10-mix-locks.v4.nettrace.zst")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer f.Close()
	src, err := nettrace.NewSource(f, nettrace.SourceOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer src.Close()
	threads := runtimes.NewThreads()
	for ev, err := range codec.NewReader(src, codec.Options{}).Events() {
		if err != nil {
			fmt.Println(err)
			return
		}
		if runtimes.IsThread(ev.Metadata()) {
			threads.Add(ev)
		}
	}
	fmt.Println(threads.Version(), threads.Version().HidesLocks())
	// Output: 10 false
}
