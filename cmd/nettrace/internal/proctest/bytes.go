package proctest

import (
	"fmt"
	"os"
)

// UsedBytes returns the size of all files of a folder at one instant, where files
// only grow and are not written again after they were removed: two equal listings
// one after the other are the state of the time between them.
func UsedBytes(folder string) int64 {
	for last := ""; ; {
		listing, sum := "", int64(0)
		entries, _ := os.ReadDir(folder)
		for _, e := range entries {
			if info, err := e.Info(); err == nil {
				listing += fmt.Sprintln(e.Name(), info.Size())
				sum += info.Size()
			}
		}
		if listing == last || listing == "" {
			return sum
		}
		last = listing
	}
}

// WatchBytes reads UsedBytes of a folder all the time, until the returned function
// is called, which returns the highest number.
func WatchBytes(folder string) (highest func() int64) {
	quit, result := make(chan struct{}), make(chan int64)
	go func() {
		var most int64
		for {
			most = max(most, UsedBytes(folder))
			select {
			case <-quit:
				result <- most
				return
			default:
			}
		}
	}()
	return func() int64 {
		close(quit)
		return <-result
	}
}
