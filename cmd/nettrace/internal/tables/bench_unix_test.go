//go:build unix

package tables_test

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/tables"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/longtrace"
	"github.com/nettrace-go/nettrace/internal/shared"
)

// size is the size of the trace of BenchmarkTables.
var size = flag.Int64("size", 100e6, "tables: `bytes` of the trace that the benchmark reads")

// TestMain prints the line with which benchstat knows the better direction.
func TestMain(m *testing.M) {
	flag.Parse()
	if f := flag.Lookup("test.bench"); f != nil && f.Value.String() != "" {
		fmt.Println("Unit events/cpu-s better=higher")
	}
	os.Exit(m.Run())
}

// BenchmarkTables writes tables of a long trace. events/cpu-s are the events of the trace for
// each second of processor time of all goroutines.
func BenchmarkTables(b *testing.B) {
	path, events := longFile(b, *size)
	for _, c := range []struct {
		name    string
		tables  []string
		workers int
	}{{"events", []string{"events"}, 1}, {"events", []string{"events"}, 2}, {"events", []string{"events"}, 4}, {"all", nil, 1}} {
		b.Run(fmt.Sprintf("version=4/table=%s/workers=%d", c.name, c.workers), func(b *testing.B) {
			dir := b.TempDir()
			b.SetBytes(*size)
			before, runs := processorTime(b), 0
			for b.Loop() {
				_, err := tables.Run(b.Context(), &tables.Options{Name: path, Dir: dir, Tables: c.tables, Force: true, Workers: c.workers})
				expect.NoError(b, err)
				runs++
			}
			b.ReportMetric(float64(events*runs)/(processorTime(b)-before).Seconds(), "events/cpu-s")
		})
	}
}

// longFile writes a long trace and returns its path and the number of its events.
func longFile(b *testing.B, size int64) (path string, events int) {
	long, err := longtrace.New(shared.Trace(b, "azmcp-net10-cpu.v4"), size)
	expect.NoError(b, err)
	path = filepath.Join(b.TempDir(), "long.nettrace")
	f, err := os.Create(path)
	expect.NoError(b, err)
	expect.Stop(b)
	defer f.Close()
	r := codec.NewReader(io.TeeReader(io.NewSectionReader(long, 0, long.Size()), f), codec.Options{})
	for _, err := range r.Events() {
		expect.NoError(b, err)
		events++
	}
	return path, events
}

// processorTime returns the processor time that the process has used.
func processorTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	expect.NoError(b, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
