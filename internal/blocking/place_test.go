package blocking_test

import (
	"strings"
	"testing"

	"github.com/nettrace-go/nettrace/codec/clr/symbols"
	"github.com/nettrace-go/nettrace/internal/blocking"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestPlacesOf: the places of methods, of patterns, and of local functions.
func TestPlacesOf(t *testing.T) {
	for _, c := range []struct {
		name string
		want blocking.Places
	}{
		{"System.Threading.Thread.Sleep", blocking.Sleeping},
		{"System.Threading.Thread.SleepInternal", blocking.Sleeping},
		{"System.Threading.Thread.<PollGC>g__PollGCWorker|67_0", blocking.GCPoll},
		{"System.Threading.Lock.TryEnterSlow", blocking.LockWait | blocking.LockLeaf | blocking.HandleLock},
		{"My.Program.<Main>", blocking.AsyncMain},
		{"System.IO.FileSystemWatcher+RunningInstance.<Start>g__WatchForFileSystemEvents|0", blocking.FileWatcher},
		{"My.Monitor.Wait", blocking.Program},
		{"My.Program.<Main>b__0", blocking.Program},
		{"System.IO.FileSystemWatcher.Dispose", 0},
		{"My.FileSystemWatcher.WatchForFileSystemEvents", blocking.Program},
		{"System.Threading.Thread.Start", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			expect.Equal(t, "places", blocking.PlacesOf(framesOf(c.name)[0].Symbol)&^(blocking.Named|blocking.Library), c.want)
		})
	}
	expect.Equal(t, "places of an unnamed frame", blocking.PlacesOf(nil), 0)
}

// TestOnce: the table has each method once, and finds it.
func TestOnce(t *testing.T) {
	const all = ^blocking.Places(0)
	seen := map[string]bool{}
	for _, name := range blocking.MethodsIn(all) {
		expect.Equal(t, name+" is in the table before", seen[name], false)
		seen[name] = true
	}
	expect.AtLeast(t, "methods", len(seen), 60)
	for bit := blocking.Places(1); bit != 0; bit <<= 1 {
		for _, name := range blocking.MethodsIn(bit) {
			dot := strings.LastIndexByte(strings.ReplaceAll(name, "*", "X"), '.')
			found := blocking.PlacesOf(&symbols.Symbol{Namespace: strings.ReplaceAll(name[:dot], "*", "X"), Method: strings.ReplaceAll(name[dot+1:], "*", "X")})
			expect.Equal(t, name+" is in its place", found&bit, bit)
		}
	}
}
