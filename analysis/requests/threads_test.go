package requests_test

import (
	"slices"
	"testing"

	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
)

// TestThreads: a request has the threads that wrote its events, each once.
func TestThreads(t *testing.T) {
	rows, _, _ := resultsOf(t, shared.TruthFile(t, "aspnet-async.v4.nettrace.zst"))
	several := 0
	for _, r := range rows {
		expect.AtLeast(t, "threads", len(r.Threads), 1)
		expect.Equal(t, "different threads", len(slices.Compact(slices.Sorted(slices.Values(r.Threads)))), len(r.Threads))
		if len(r.Threads) > 1 {
			several++
		}
	}
	expect.AtLeast(t, "requests of several threads", several, 10)
}
