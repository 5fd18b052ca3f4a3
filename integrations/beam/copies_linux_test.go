package tracebeam_test

import (
	"bytes"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
	"github.com/klauspost/compress/zstd"

	tracebeam "github.com/nettrace-go/nettrace/integrations/beam"
	"github.com/nettrace-go/nettrace/internal/shared"
	"github.com/nettrace-go/nettrace/internal/tier"
	"github.com/nettrace-go/nettrace/summary"
)

// copyBytes is the size of the largest trace that is copied, without compression.
const copyBytes = 600 << 10

// shards is the number of shards.
const shards = 7

// TestCopies adds up all traces and 40 copies of the small ones, 2,000 in make nightly, most of which
// are damaged: by the program in one process, by its shards, one of which is killed and run
// again, merged in random orders and shapes, and by Beam. All summaries have the same bytes,
// and Beam has one dead letter for each file that cannot be read to its end.
func TestCopies(t *testing.T) {
	n := 40
	if tier.Nightly {
		n = 2000
	}
	program := filepath.Join(t.TempDir(), "nettrace")
	build := exec.Command("go", "build", "-o", program, "./cmd/nettrace")
	build.Dir, build.Env = "../..", append(os.Environ(), "GOWORK=")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	dir := t.TempDir()
	names := copies(t, dir, n)
	c := &comparison{program: program, traces: dir, sums: t.TempDir(), names: names}

	serial, failed := c.result(t, "serial.nts", "--workers", "1", dir)
	s, err := summary.Decode(serial)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d files, %d of them not read to their ends, %d events: %d bytes", len(names), len(s.Failures), events(s), len(serial))
	if !failed || len(s.Failures) < len(names)/4 {
		t.Errorf("%d of %d files could not be read: want at least a quarter, and their exit code", len(s.Failures), len(names))
	}
	if s.Files < int64(len(names)/2) {
		t.Errorf("%d of %d files were read: want at least half", s.Files, len(names))
	}
	c.want = serial
	t.Run("shards", func(t *testing.T) { c.shards(t) })
	t.Run("Beam", func(t *testing.T) { c.beam(t, s.Failures) })
}

// copies writes all traces and n copies of the small ones into a folder, compressed, and a
// file that is no trace. It returns their names.
func copies(t *testing.T, dir string, n int) (names []string) {
	t.Helper()
	z, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest))
	if err != nil {
		t.Fatal(err)
	}
	write := func(name string, data []byte) {
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, data, 0o600); err != nil {
			t.Fatal(err)
		}
		names = append(names, name)
	}
	var small [][]byte
	for _, name := range shared.Traces(t) {
		data := shared.Trace(t, name)
		write(name+".nettrace.zst", z.EncodeAll(data, nil))
		if len(data) <= copyBytes {
			small = append(small, data)
		}
	}
	write("no-trace.nettrace", []byte("<html>"))
	for i := range n {
		random := rand.New(rand.NewPCG(25, uint64(i)))
		data := slices.Clone(small[random.IntN(len(small))])
		name := fmt.Sprintf("copy-%04d", i)
		switch f := faults[random.IntN(len(faults))]; {
		case f.packed:
			write(name+"-"+f.name+".nettrace.zst", f.make(random, z.EncodeAll(data, nil)))
		default:
			write(name+"-"+f.name+".nettrace.zst", z.EncodeAll(f.make(random, data), nil))
		}
	}
	slices.Sort(names)
	return names
}

// faults are what a copy has.
var faults = []struct {
	name   string
	packed bool // the fault is in the compressed bytes
	make   func(random *rand.Rand, data []byte) []byte
}{
	{"intact", false, func(_ *rand.Rand, data []byte) []byte { return data }},
	{"truncated", false, truncated},
	{"truncated-archive", true, truncated},
	{"bytes", false, func(random *rand.Rand, data []byte) []byte {
		for range 1 + random.IntN(20) {
			data[random.IntN(len(data))] = byte(random.Uint32())
		}
		return data
	}},
	{"bytes-archive", true, func(random *rand.Rand, data []byte) []byte {
		data[random.IntN(len(data))] ^= byte(1 + random.IntN(255))
		return data
	}},
	{"zeros", false, func(random *rand.Rand, data []byte) []byte {
		from, to := part(random, data)
		clear(data[from:to])
		return data
	}},
	{"hole", false, func(random *rand.Rand, data []byte) []byte {
		from, to := part(random, data)
		return slices.Delete(data, from, to)
	}},
	{"twice", false, func(random *rand.Rand, data []byte) []byte {
		from, to := part(random, data)
		return slices.Insert(data, to, slices.Clone(data[from:to])...)
	}},
}

func truncated(random *rand.Rand, data []byte) []byte { return data[:random.IntN(len(data))] }

// part returns a range of at most 1,000 bytes.
func part(random *rand.Rand, data []byte) (from, to int) {
	from = random.IntN(len(data))
	return from, min(from+1+random.IntN(1000), len(data))
}

func events(s *summary.Summary) (n int64) {
	for _, e := range s.Events {
		n += e.Count
	}
	return n
}

// comparison compares ways to add up traces.
type comparison struct {
	program      string
	traces, sums string   // folders
	names        []string // of the traces
	want         []byte   // summary of all
}

// command returns the program, which writes a summary.
func (c *comparison) command(t *testing.T, out string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(t.Context(), c.program, append([]string{"summarize", "-o", filepath.Join(c.sums, out)}, args...)...)
	cmd.Stderr = new(bytes.Buffer)
	return cmd
}

// result runs the program, and reports whether files could not be read.
func (c *comparison) result(t *testing.T, out string, args ...string) (data []byte, failed bool) {
	t.Helper()
	cmd := c.command(t, out, args...)
	err := cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) && (exit.ExitCode() == 1 || exit.ExitCode() == 3) { // 3: one has an unknown version
		failed, err = true, nil
	}
	if err == nil {
		data, err = os.ReadFile(filepath.Join(c.sums, out))
	}
	if err != nil {
		t.Fatalf("summarize %q: %v\n%.1000s", args, err, cmd.Stderr)
	}
	return data, failed
}

// shards runs the shards in a random order, and merges them in random orders and shapes.
func (c *comparison) shards(t *testing.T) {
	random := rand.New(rand.NewPCG(25, 1))
	parts := make([]string, shards)
	for _, i := range random.Perm(shards) {
		parts[i] = filepath.Join(c.sums, fmt.Sprint("shard-", i, ".nts"))
		args := []string{"--shard", fmt.Sprintf("%d/%d", i, shards), c.traces}
		if i == 0 {
			c.kill(t, filepath.Base(parts[i]), args...)
		}
		c.result(t, filepath.Base(parts[i]), args...)
	}
	again, _ := c.result(t, "again.nts", "--shard", fmt.Sprintf("0/%d", shards), c.traces)
	if first, err := os.ReadFile(parts[0]); err != nil || !bytes.Equal(first, again) {
		t.Errorf("shard 0, run twice, has %d and %d bytes that differ: %v", len(first), len(again), err)
	}
	for round := range 5 {
		rest := slices.Clone(parts)
		for k := 0; len(rest) > 1; k++ {
			random.Shuffle(len(rest), func(i, j int) { rest[i], rest[j] = rest[j], rest[i] })
			n := 2 + random.IntN(min(4, len(rest)-1))
			out := fmt.Sprintf("merge-%d-%d.nts", round, k)
			c.result(t, out, append([]string{"--merge"}, rest[:n]...)...)
			rest = append(rest[n:], filepath.Join(c.sums, out))
		}
		got, err := os.ReadFile(rest[0])
		if err != nil || !bytes.Equal(got, c.want) {
			t.Errorf("round %d: the merge has %d bytes, want the %d of one process: %v", round, len(got), len(c.want), err)
		}
	}
}

// kill starts shard 0 and kills it while it reads one of its files, which is a pipe during
// that time.
func (c *comparison) kill(t *testing.T, out string, args ...string) {
	t.Helper()
	var mine []string
	for _, name := range c.names {
		h := fnv.New64a()
		h.Write([]byte(name))
		if h.Sum64()%shards == 0 {
			mine = append(mine, name)
		}
	}
	name, aside := mine[len(mine)/2], filepath.Join(c.sums, "aside")
	if err := os.Rename(name, aside); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(name, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := c.command(t, out, append([]string{"--workers", "1"}, args...)...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended, opened := make(chan error, 1), make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	go func() {
		f, err := os.OpenFile(name, os.O_WRONLY, 0) // returns when the shard opens the file
		defer f.Close()
		opened <- err
		<-t.Context().Done() // until then the shard waits for bytes
	}()
	select {
	case err := <-ended:
		t.Fatalf("the shard ended before it read %s: %v\n%.1000s", name, err, cmd.Stderr)
	case err := <-opened:
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	<-ended
	t.Logf("shard 0 was killed after %d of its %d files", len(mine)/2, len(mine))
	if _, err := os.Stat(filepath.Join(c.sums, out)); !os.IsNotExist(err) {
		t.Errorf("the killed shard left %s: %v", out, err)
	}
	if err := os.Rename(aside, name); err != nil { // replaces the pipe
		t.Fatal(err)
	}
}

// beam runs the pipeline in this process.
func (c *comparison) beam(t *testing.T, failures []summary.Failure) {
	out, letters := filepath.Join(c.sums, "beam.nts"), t.TempDir()
	p, s := beam.NewPipelineWithRoot()
	sums, dead := tracebeam.Summarize(s, beam.CreateList(s, c.names))
	beam.ParDo0(s, &keepFn{Name: out}, sums)
	beam.ParDo0(s, &countFn{Folder: letters}, dead)
	if _, err := prism.Execute(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(out); err != nil || !bytes.Equal(got, c.want) {
		t.Errorf("the summary has %d bytes, want the %d of one process: %v", len(got), len(c.want), err)
	}
	found, err := os.ReadDir(letters)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d dead letters", len(found))
	if len(found) != len(failures) {
		t.Errorf("%d files have dead letters, want %d", len(found), len(failures))
	}
	for _, f := range failures {
		got, err := os.ReadFile(filepath.Join(letters, filepath.Base(f.File)+".dead"))
		if want := f.Error + "\n"; err != nil || string(got) != want {
			t.Errorf("dead letters of %s: got %q, want %q: %v", f.File, got, want, err)
		}
	}
}
