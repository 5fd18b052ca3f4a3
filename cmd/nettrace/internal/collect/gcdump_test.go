//go:build unix

package collect_test

import (
	"path/filepath"
	"testing"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/testfile"
	"github.com/nettrace-go/nettrace/eventpipe"
	"github.com/nettrace-go/nettrace/eventpipe/eventpipetest"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
)

// TestCollectDump records a dump from a fake runtime, whose session ends only when it is
// stopped.
func TestCollectDump(t *testing.T) {
	r := eventpipetest.Start(t, eventpipetest.Config{Trace: eventpipetest.Trace{Data: testfile.Plain(t, "net10-mix-gcheap.v4")}})
	path := filepath.Join(t.TempDir(), "d.nettrace")
	got := programtest.Run(t, nil, "collect", "--profile", "gcdump", "--port", r.Address()+",connect", "-o", path)
	got.Exits(t, exit.Done)
	got.Complains(t, "until the heap dump is complete\n")
	got.Complains(t, "dump of collection 11: 980 objects of 103.7 kB; the process was paused for ")
	expect.Len(t, "sessions", r.Sessions(), 1)
	expect.Stop(t)
	want := []eventpipe.Provider{{Name: "Microsoft-Windows-DotNETRuntime", Keywords: 0x1980001, Level: 5}}
	cfg := r.Sessions()[0].Config
	expect.Len(t, "providers", cfg.Providers, 1)
	expect.Equal(t, "provider", cfg.Providers[0].Name, want[0].Name)
	expect.Equal(t, "keywords", cfg.Providers[0].Keywords, want[0].Keywords)
	expect.Equal(t, "level", cfg.Providers[0].Level, want[0].Level)
	shown := programtest.Run(t, nil, "heap", path)
	shown.Exits(t, exit.Done)
	expect.Contains(t, "heap", shown.Out, "980 objects")
}

// TestCollectLossyDump: a dump that the buffer of the process did not hold, recorded with its
// GCEnd, is incomplete, also when its file is read.
func TestCollectLossyDump(t *testing.T) {
	for _, runtime := range []string{"net10", "net11"} {
		data := shared.File(t, "heap/traces/large/heap-large-lossy-"+runtime+".v4.nettrace.zst")
		r := eventpipetest.Start(t, eventpipetest.Config{Trace: eventpipetest.Trace{Data: data}})
		path := filepath.Join(t.TempDir(), "d.nettrace")
		got := programtest.Run(t, nil, "collect", "--profile", "gcdump", "--port", r.Address()+",connect", "-o", path)
		got.Exits(t, exit.Broken)
		got.Complains(t, "is incomplete: ")
		got.Complains(t, "(--buffersize sets the limit in MB)")
		shown := programtest.Run(t, nil, "heap", path)
		shown.Exits(t, exit.Broken)
		shown.Complains(t, "nettrace collect --profile gcdump records it with a buffer that holds it")
	}
}

// TestDumpFlags: the profile of a file is refused like that of a flag.
func TestDumpFlags(t *testing.T) {
	config := testfile.New(t, "c.toml", []byte(`profiles = ["gcdump"]`))
	for _, c := range []struct {
		flags []string
		want  string
	}{
		{[]string{"--rotate", "1h"}, "--profile gcdump records a running process, once"},
		{[]string{"--names", "early"}, "--names early reads the names of methods"},
	} {
		t.Run(c.flags[0], func(t *testing.T) {
			got := programtest.Run(t, nil, append([]string{"collect", "-p", "999999999", "--config", config}, c.flags...)...)
			got.Exits(t, exit.Usage)
			got.Complains(t, c.want)
		})
	}
}

// TestCollectNoDump: a recording that ends before there is a dump is an error.
func TestCollectNoDump(t *testing.T) {
	r := eventpipetest.Start(t, eventpipetest.Config{Trace: eventpipetest.Trace{Data: testfile.Plain(t, "net10-mix-gc.v4")}})
	path := filepath.Join(t.TempDir(), "d.nettrace")
	got := programtest.Run(t, nil, "collect", "--profile", "gcdump", "--port", r.Address()+",connect", "-o", path, "--duration", "300ms")
	got.Exits(t, exit.Broken)
	got.Complains(t, "the recording ended before the heap dump was complete")
}

func TestDumpRefused(t *testing.T) {
	for _, args := range [][]string{{"-p", "1", "--ring", "10m"}, {"--", "true"}} {
		t.Run(args[0], func(t *testing.T) {
			got := programtest.Run(t, nil, append([]string{"collect", "--profile", "gcdump"}, args...)...)
			got.Exits(t, exit.Usage)
			got.Complains(t, "--profile gcdump records a running process, once")
		})
	}
}
