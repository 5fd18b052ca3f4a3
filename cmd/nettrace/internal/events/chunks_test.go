package events_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/testfile"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
	"github.com/nettrace-go/nettrace/internal/tier"
)

// sameWithWorkers compares the lines with one goroutine and with several.
func sameWithWorkers(t *testing.T, path string, flags ...string) {
	t.Helper()
	programtest.SameWithWorkers(t, 16, append([]string{"events", "--format=ndjson", path}, flags...)...)
}

// TestWorkers: the output does not depend on the number of goroutines.
func TestWorkers(t *testing.T) {
	streams, list := 40, []string{"gen-drops.v4", "gen-drops.v6", "net10-counters.v4", "net10-netperf.v3", "onecollect-small.v6"}
	if !tier.Check {
		streams, list = 5, list[:2]
	}
	for _, name := range shared.First(shared.Streams(t), streams) {
		t.Run(name, func(t *testing.T) {
			path := testfile.New(t, name, shared.Stream(t, name))
			sameWithWorkers(t, path, "--fields", "--stacks")
			sameWithWorkers(t, path, "--strict")
		})
	}
	for _, name := range list {
		t.Run(name, func(t *testing.T) {
			path := testfile.New(t, name, shared.Trace(t, name))
			sameWithWorkers(t, path, "--fields", "--stacks", "--payload")
			sameWithWorkers(t, path, "--event=GC*")
			sameWithWorkers(t, path, "--provider=none")
			sameWithWorkers(t, path, "--thread=1")
		})
	}
}

// TestWorkersOverFrames: the output of a compressed file is that of the plain one, with
// one goroutine and with several, also if the file is damaged.
func TestWorkersOverFrames(t *testing.T) {
	encoder, err := zstd.NewWriter(nil)
	expect.NoError(t, err)
	for _, name := range []string{"gen-drops.v4", "gen-drops.v6", "onecollect-small.v6"} {
		t.Run(name, func(t *testing.T) {
			plain := shared.Trace(t, name)
			var frames []byte
			for part := range slices.Chunk(plain, len(plain)/5+1) {
				frames = encoder.EncodeAll(part, frames)
			}
			whole := testfile.New(t, name, plain)
			packed := testfile.New(t, name, frames)
			want := programtest.Run(t, nil, "events", "--format=ndjson", "--fields", "--stacks", whole)
			got := programtest.Run(t, nil, "events", "--format=ndjson", "--fields", "--stacks", "--workers=16", packed)
			expect.Equal(t, "stderr", got.Stderr, strings.ReplaceAll(want.Stderr, whole, packed))
			expect.Equal(t, "output is that of the plain file", got.Out == want.Out, true)
			frames[len(frames)/2] ^= 0x55
			sameWithWorkers(t, testfile.New(t, name, frames))
			sameWithWorkers(t, testfile.New(t, name, frames[:len(frames)/2]))
		})
	}
}

// TestWorkersRefused: flags for which one goroutine reads the file.
func TestWorkersRefused(t *testing.T) {
	path := testfile.New(t, "plain", testfile.Plain(t, "gen-drops.v4"))
	for _, c := range []struct {
		name  string
		flags []string
		want  string
	}{
		{"text", nil, "--workers needs --format ndjson"},
		{"order", []string{"--format=ndjson", "--order=time"}, "--workers needs --order file"},
		{"limit", []string{"--format=ndjson", "--limit=3"}, "--workers and --limit exclude each other"},
		{"rows", []string{"--format=ndjson", "--rows"}, "--workers and --rows exclude each other"},
		{"follow", []string{"--format=ndjson", "--follow"}, "--workers and --follow exclude each other"},
		{"period", []string{"--format=ndjson", "--from=1s"}, "--workers excludes --from and --to"},
		{"negative", []string{"--format=ndjson", "--workers=-1"}, "--workers: a number below 0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := programtest.Run(t, nil, append([]string{"events", path, "--workers=2"}, c.flags...)...)
			expect.Equal(t, "exit code", r.Code, 2)
			expect.Contains(t, "stderr", r.Stderr, c.want)
		})
	}
}

// TestOneWorkerNoted: events says why the goroutines are not used.
func TestOneWorkerNoted(t *testing.T) {
	plain := testfile.Plain(t, "net10-netperf.v3")
	encoder, err := zstd.NewWriter(nil)
	expect.NoError(t, err)
	var damaged []byte
	drops := testfile.Plain(t, "gen-drops.v4")
	for part := range slices.Chunk(drops, len(drops)/2+1) {
		damaged = encoder.EncodeAll(part, damaged)
	}
	damaged[len(damaged)*3/4] ^= 0x55
	for _, c := range []struct {
		name, path string
		stdin      []byte
		want       string
		code       int
	}{
		{"v3", testfile.New(t, "v3", plain), nil, "its format is version 3", 0},
		{"packed v3", testfile.New(t, "v3.gz", testfile.Gzip(t, plain)), nil, `its format is version 3; "nettrace convert" writes a later one`, 0},
		{"gzip", testfile.New(t, "gzip", testfile.Gzip(t, drops)), nil, "nettrace convert --preserve", 0},
		{"pipe", "-", plain, "it is not a regular file", 0},
		{"damaged", testfile.New(t, "damaged", damaged), nil, "the compressed data is damaged", 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := programtest.Run(t, c.stdin, "events", "--format=ndjson", "--workers=2", c.path)
			expect.Equal(t, "exit code", r.Code, c.code)
			expect.Contains(t, "stderr", r.Stderr, "note: one goroutine reads it", c.want)
		})
	}
}
