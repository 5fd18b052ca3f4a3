package profile

import (
	"sync"
	"sync/atomic"

	"github.com/nettrace-go/nettrace/internal/chunks"
)

// divide calls f with each i from 0 to n-1, in several goroutines if workers is above 1.
// worker numbers them from 0. A panic of f is one of divide, with a *chunks.PanicError.
func divide(workers, n int, f func(worker, i int)) {
	workers = min(workers, n)
	if workers < 2 {
		for i := range n {
			f(0, i)
		}
		return
	}
	var next atomic.Int64
	var wait sync.WaitGroup
	var panicked atomic.Pointer[error]
	for worker := range workers {
		wait.Go(func() {
			var err error
			defer func() {
				if err != nil {
					panicked.Store(&err)
				}
			}()
			defer chunks.Recover(&err)
			for i := next.Add(1); i <= int64(n); i = next.Add(1) {
				f(worker, int(i-1))
			}
		})
	}
	wait.Wait()
	if err := panicked.Load(); err != nil {
		panic(*err)
	}
}
