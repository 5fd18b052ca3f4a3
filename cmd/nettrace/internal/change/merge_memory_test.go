//go:build linux && !race

package change_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/change"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/exit"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/memory"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/programtest"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/testfile"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/internal/tier"
)

// mergedFiles is the variable in the environment of the child that merges files.
const mergedFiles = "NETTRACE_MERGED_FILES"

// TestMergeMemory measures the peak of the memory of a child process that merges
// six files: at most 64 MB, the region of each and twice the window of each.
func TestMergeMemory(t *testing.T) {
	tier.NeedsCheck(t) // merges files of 40 MB
	const files = 6
	made := map[[2]int][]byte{} // by events of a region and bytes of a payload
	for _, c := range []struct {
		name   string
		events int   // of a region
		size   int   // bytes of a payload
		region int64 // bytes at most
		window int   // of zstd, 0: not compressed
	}{
		{"small regions", 1000, 100, 1 << 20, 0},
		{"large regions", 90_000, 100, change.MergeRegion, 0},
		{"large payloads", 1600, 20_000, change.MergeRegion, 0},
		{"regions above the limit", 300_000, 100, change.MergeRegion, 0},
		{"compressed, window 1 MiB", 1000, 100, 1 << 20, 1 << 20},
		{"compressed, window 32 MiB", 1000, 100, 1 << 20, 32 << 20},
		{"compressed, large payloads, window 32 MiB", 1600, 20_000, change.MergeRegion, 32 << 20},
	} {
		t.Run(c.name, func(t *testing.T) {
			folder := t.TempDir()
			form := [2]int{c.events, c.size}
			if made[form] == nil {
				made[form] = regions(t, 0, c.events, c.size, 40<<20)
			}
			var names []string
			for i := range files {
				name := filepath.Join(folder, strconv.Itoa(i)+".nettrace")
				data := startedLater(t, made[form], i)
				if c.window > 0 {
					name += ".zst"
					data = packed(t, data, c.window)
				}
				if err := os.WriteFile(name, data, 0o600); err != nil {
					t.Fatal(err)
				}
				names = append(names, name)
			}
			most := change.MergeMemory + files*(c.region+2*int64(c.window))
			got := mergePeak(t, names)
			t.Logf("%d MB at the peak, %d MB allowed", got>>20, most>>20)
			if got > most {
				t.Errorf("got %d MB at the peak, want at most %d MB", got>>20, most>>20)
			}
		})
	}
}

// regions is a trace of v6 of about size bytes, with payloads of a size and a
// sequence point after so many events, none of which is marked as sorted but the last ones.
func regions(t *testing.T, seed uint64, events, payloads, size int) []byte {
	t.Helper()
	var out bytes.Buffer
	w := codec.NewWriter(&out, codec.WriterOptions{PointEvents: -1, PointBytes: -1, Trace: codec.Trace{
		SyncTime: time.Date(2026, 11, 22, 10, 0, 0, int(seed)*1e6, time.UTC), TickFrequency: 1e9,
	}})
	id, err := w.DefineMetadata(&codec.Metadata{Provider: "P", EventID: 1})
	if err != nil {
		t.Fatal(err)
	}
	var threads [4]uint64
	for i := range threads {
		if threads[i], err = w.DefineThread(&codec.Thread{ThreadID: uint64(i + 1), HasThreadID: true}); err != nil {
			t.Fatal(err)
		}
	}
	random := rand.New(rand.NewPCG(seed, 1))
	payload := make([]byte, payloads)
	now := uint64(1000)
	for out.Len() < size {
		for i := range events {
			for at := 0; at+8 <= len(payload)/2; at += 8 {
				binary.LittleEndian.PutUint64(payload[at:], random.Uint64())
			}
			thread := threads[i%len(threads)]
			now += 1000
			if err := w.Write(&codec.Record{MetadataID: id, Thread: thread, CaptureThread: thread, Timestamp: now, Payload: payload}); err != nil {
				t.Fatal(err)
			}
		}
		now++
		if err := w.SequencePoint(now); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// startedLater returns a copy of a trace of v6 that began some milliseconds later:
// the start is 16 bytes, of which the last two are the milliseconds.
func startedLater(t *testing.T, data []byte, ms int) []byte {
	t.Helper()
	trace, err := codec.NewBytesReader(data, codec.Options{}).Trace()
	if err != nil {
		t.Fatal(err)
	}
	start := wire.AppendSystemTime(nil, trace.SyncTime)
	at := bytes.Index(data[:1000], start)
	if at < 0 {
		t.Fatal("no start in the trace block")
	}
	data = bytes.Clone(data)
	binary.LittleEndian.PutUint16(data[at+len(start)-2:], uint16(ms))
	return data
}

// packed compresses with a window of a size.
func packed(t *testing.T, data []byte, window int) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := zstd.NewWriter(&out, zstd.WithWindowSize(window), zstd.WithSingleSegment(false), zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// mergePeak returns the most memory that a child has resident that merges files.
func mergePeak(t *testing.T, names []string) int64 {
	t.Helper()
	child := exec.Command(os.Args[0], "-test.run=^TestMergeMemoryChild$")
	child.Env = append(os.Environ(), mergedFiles+"="+strings.Join(names, "\n"))
	out, err := child.CombinedOutput()
	_, after, found := strings.Cut(string(out), "memory ")
	if err != nil || !found {
		t.Fatalf("%v\n%s", err, out)
	}
	kilobytes, err := strconv.ParseInt(strings.Fields(after)[0], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return kilobytes << 10
}

// TestMergeMemoryChild is the child of TestMergeMemory.
func TestMergeMemoryChild(t *testing.T) {
	names := os.Getenv(mergedFiles)
	if names == "" {
		t.Skip("runs as a child of TestMergeMemory only")
	}
	args := append([]string{"merge", "-o", "-"}, strings.Split(names, "\n")...)
	if code := programtest.RunContext(t.Context(), args, nil, io.Discard, os.Stderr); code != exit.Done {
		t.Fatalf("exit code %d", code)
	}
	fmt.Println(memory.Usage())
}

// TestMergeWindows checks that merge names large windows of zstd as what takes
// memory, and says nothing of usual ones.
func TestMergeWindows(t *testing.T) {
	data := regions(t, 1, 1000, 100, 20<<20)
	folder := t.TempDir()
	file := func(name string, window int) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, packed(t, data, window), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	usual, large := file("usual.nettrace.zst", 8<<20), file("large.nettrace.zst", 16<<20)
	for _, c := range []struct {
		name  string
		files []string
		want  string
	}{
		{"usual", []string{usual, testfile.Archive(t, "net10-counters.v4")}, ""},
		{"large", []string{usual, large}, "warning: zstd windows take up to 48 MiB of memory: large.nettrace.zst has one of 16 MiB ("},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := programtest.Run(t, nil, append([]string{"merge", "-o", filepath.Join(t.TempDir(), "o.nettrace")}, c.files...)...)
			r.Exits(t, exit.Done)
			r.Complains(t, c.want)
		})
	}
}
