package program_test

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/internal/expect"
)

// TestKilledShard kills a shard that has read some of its files: it leaves no result. Run
// again, it has the result of a shard that was not killed, and so has the merge.
func TestKilledShard(t *testing.T) {
	sums := t.TempDir()
	t.Chdir(traces(t)) // names without a folder belong to the same shards in each run
	_, want := made(t, ".")
	var names []string
	for i := range 3 {
		names = append(names, filepath.Join(sums, fmt.Sprint(i, ".nts")))
	}
	shard := func(i int) []string {
		return []string{"summarize", "--workers", "1", "--shard", fmt.Sprintf("%d/3", i), ".", "-o", names[i]}
	}
	for _, i := range []int{1, 2} {
		programtest.Run(t, nil, shard(i)...).Exits(t, exit.Done)
	}

	const last = "onecollect-small.v6.nettrace.zst" // shard 0 reads its other files before it
	data, err := os.ReadFile(last)
	expect.NoError(t, err)
	expect.NoError(t, os.Remove(last))
	expect.NoError(t, syscall.Mkfifo(last, 0o600))
	killed := programtest.Process(t, shard(0)...)
	expect.NoError(t, killed.Start())
	ended, opened := make(chan error, 1), make(chan error, 1)
	go func() { ended <- killed.Wait() }()
	go func() {
		f, err := os.OpenFile(last, os.O_WRONLY, 0) // returns when the shard opens the file
		opened <- err
		if err != nil {
			return
		}
		<-t.Context().Done() // until then the shard waits for bytes
		f.Close()
	}()
	select {
	case err := <-ended:
		t.Fatalf("the shard ended before it read %s: %v", last, err)
	case err := <-opened:
		expect.NoError(t, err)
	}
	expect.NoError(t, killed.Process.Kill())
	<-ended
	if _, err := os.Stat(names[0]); !os.IsNotExist(err) {
		t.Errorf("the killed shard left %s: %v", names[0], err)
	}

	expect.NoError(t, os.Remove(last))
	expect.NoError(t, os.WriteFile(last, data, 0o600))
	programtest.Run(t, nil, shard(0)...).Exits(t, exit.Done)
	_, merged := made(t, append([]string{"--merge"}, names...)...)
	expect.Bytes(t, "merged shards", merged, want)
}
