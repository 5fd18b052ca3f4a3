package seekable_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/iotest"
	"testing/synctest"

	"github.com/klauspost/compress/zstd"

	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/seekable"
)

const window = 8 << 20

// text returns n bytes that can be compressed.
func text(n int) []byte {
	b := make([]byte, 0, n+20)
	for i := 0; len(b) < n; i++ {
		b = fmt.Appendf(b, "line %d\n", i*i)
	}
	return b[:n]
}

// written compresses plain with a Writer of frames of a given size.
func written(t *testing.T, plain []byte, frame int) []byte {
	t.Helper()
	return writtenBy(t, plain, frame, 1)
}

// writtenBy does the same with a number of goroutines.
func writtenBy(t *testing.T, plain []byte, frame, workers int) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := seekable.NewWriterOf(&out, frame, workers)
	expect.NoError(t, err)
	_, err = io.Copy(w, iotest.HalfReader(bytes.NewReader(plain)))
	expect.NoError(t, err)
	expect.NoError(t, w.Close())
	return out.Bytes()
}

// open returns a Reader of a file in memory.
func open(t *testing.T, file []byte) (*seekable.Reader, error) {
	t.Helper()
	r, err := seekable.NewReader(bytes.NewReader(file), int64(len(file)), window)
	if err == nil {
		t.Cleanup(func() { r.Close() })
	}
	return r, err
}

// streamed decompresses a file from its start.
func streamed(t *testing.T, file []byte) ([]byte, error) {
	t.Helper()
	d, err := zstd.NewReader(bytes.NewReader(file), zstd.WithDecoderConcurrency(1))
	expect.NoError(t, err)
	defer d.Close()
	return io.ReadAll(d)
}

// tableOf returns the length of a file's seek table.
func tableOf(file []byte) int {
	return 8 + 8*int(binary.LittleEndian.Uint32(file[len(file)-9:])) + 9
}

func TestRoundTrip(t *testing.T) {
	for _, n := range []int{0, 1, 255, 999, 1000, 1001, 100_000} {
		for _, frame := range []int{1000, 1 << 20} {
			t.Run(fmt.Sprintf("%d bytes, frames of %d", n, frame), func(t *testing.T) {
				plain := text(n)
				file := written(t, plain, frame)
				got, err := streamed(t, file)
				expect.NoError(t, err)
				expect.Equal(t, "streamed", string(got), string(plain))
				expect.Equal(t, "frames", (tableOf(file)-17)/8, (n+frame-1)/frame)
				r, err := open(t, file)
				expect.NoError(t, err)
				expect.Equal(t, "size", r.Size(), int64(n))
				if err := iotest.TestReader(io.NewSectionReader(r, 0, r.Size()), plain); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// TestCommandZstd: the command zstd decompresses what a Writer writes.
func TestCommandZstd(t *testing.T) {
	command, err := exec.LookPath("zstd")
	if err != nil {
		t.Skip("no command zstd on this machine")
	}
	plain := text(100_000)
	c := exec.Command(command, "-d", "-c")
	c.Stdin, c.Stderr = bytes.NewReader(written(t, plain, 1000)), os.Stderr
	got, err := c.Output()
	expect.NoError(t, err)
	expect.Equal(t, "zstd -d", string(got), string(plain))
}

// TestWalk: without a usable table the headers of the frames have the sizes.
func TestWalk(t *testing.T) {
	plain := text(10_000)
	file := written(t, plain, 3000)
	frames := file[:len(file)-tableOf(file)]
	encoder, err := zstd.NewWriter(nil)
	expect.NoError(t, err)
	unsized := encoder.EncodeAll([]byte("end"), nil) // without its content size
	for name, c := range map[string]struct {
		file  []byte
		plain string
	}{
		"no table":      {frames, string(plain)},
		"a small frame": {slices.Concat(frames, unsized), string(plain) + "end"},
		"skippable":     {slices.Concat([]byte{0x50, 0x2A, 0x4D, 0x18, 2, 0, 0, 0, 'h', 'i'}, file), string(plain)},
		"two files":     {slices.Concat(file, file), string(plain) + string(plain)},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := open(t, c.file)
			expect.NoError(t, err)
			got, err := io.ReadAll(io.NewSectionReader(r, 0, r.Size()))
			expect.NoError(t, err)
			expect.Equal(t, "content", string(got), c.plain)
		})
	}
}

// TestNotSeekable: files that must be decompressed from their start.
func TestNotSeekable(t *testing.T) {
	file := written(t, text(10_000), 20_000)
	one := file[:len(file)-tableOf(file)]
	var stream bytes.Buffer
	w, err := zstd.NewWriter(&stream)
	expect.NoError(t, err)
	for range 2 {
		_, err = w.Write(text(2 << 20))
		expect.NoError(t, err)
		expect.NoError(t, w.Close())
		w.Reset(&stream)
	}
	large := binary.LittleEndian.AppendUint32([]byte{0x28, 0xB5, 0x2F, 0xFD, 0xA0}, seekable.MaxFrame+1)
	for name, file := range map[string][]byte{
		"empty":               nil,
		"no zstd":             text(1000),
		"one frame":           one,
		"sizes not in header": stream.Bytes(),
		"truncated frame":     slices.Concat(one, one[:100]),
		"truncated header":    slices.Concat(one, one[:3]),
		"large frames":        slices.Concat(large, []byte{3, 0, 0}, one),
		"reserved block":      slices.Concat(one, []byte{0x28, 0xB5, 0x2F, 0xFD, 0x20, 1, 7, 0, 0}),
	} {
		t.Run(name, func(t *testing.T) {
			_, err := open(t, file)
			expect.Equal(t, "error", err, seekable.ErrNotSeekable)
		})
	}
}

// TestDamagedTable: a table that is not exactly right is not used. The headers of the
// frames are, and give the same bytes.
func TestDamagedTable(t *testing.T) {
	plain := text(10_000)
	file := written(t, plain, 3000)
	table := len(file) - tableOf(file)
	set := func(at int, v uint32) []byte {
		b := bytes.Clone(file)
		binary.LittleEndian.PutUint32(b[at:], v)
		return b
	}
	get := func(at int) uint32 { return binary.LittleEndian.Uint32(file[at:]) }
	swapped := set(table+8, get(table+8)+1)
	binary.LittleEndian.PutUint32(swapped[table+16:], get(table+16)-1)
	descriptor := bytes.Clone(file)
	descriptor[len(file)-5] = 4
	empty := slices.Concat(file[:table], binary.LittleEndian.AppendUint32([]byte{0x5E, 0x2A, 0x4D, 0x18, 9, 0, 0, 0, 0, 0, 0, 0, 0}, 0x8F92EAB1))
	hidden := set(table+12, 0) // the first frame is empty, by the table
	for name, c := range map[string]struct {
		file []byte
		err  error // of reading: what is wrong is found when a frame is decompressed
	}{
		"magic number of the frame": {set(table, 0x184D2A5D), nil},
		"frame size":                {set(table+4, get(table+4)-8), seekable.ErrNotSeekable},
		"stored size too small":     {set(table+8, get(table+8)-1), nil},
		"stored size too large":     {set(table+8, get(table+8)+1), nil},
		"stored size is 0":          {set(table+8, 0), nil},
		"stored size of 4 GB":       {set(table+8, 1<<32-1), nil},
		"plain size of 4 GB":        {set(table+12, 1<<32-1), nil},
		"an entry of 0 bytes":       {hidden, nil},
		"no entry":                  {empty, nil},
		"number of frames":          {set(len(file)-9, 3), nil},
		"number of frames 4 G":      {set(len(file)-9, 1<<32-1), nil},
		"reserved bits":             {descriptor, nil},
		"magic number of the table": {set(len(file)-4, 0), nil},
		"plain size too small":      {set(table+12, 2999), seekable.ErrSize},
		"plain size far too small":  {set(table+12, 1), seekable.ErrSize},
		"plain size too large":      {set(table+12, 3001), seekable.ErrSize},
		"frames begin elsewhere":    {swapped, io.ErrUnexpectedEOF},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := open(t, c.file)
			var got []byte
			if err == nil {
				got, err = io.ReadAll(io.NewSectionReader(r, 0, r.Size()))
			}
			if c.err != nil {
				expect.ErrorIs(t, err, c.err)
				return
			}
			expect.NoError(t, err)
			expect.Equal(t, "content", string(got), string(plain))
		})
	}
}

// TestReservedBits: a table with a reserved bit is not used. The headers of these frames
// have no sizes, so that nothing else can be.
func TestReservedBits(t *testing.T) {
	var file bytes.Buffer
	var table seekable.Table
	plain := text(60_000)
	for part := range slices.Chunk(plain, 20_000) {
		before := file.Len()
		w, err := zstd.NewWriter(&file, zstd.WithEncoderConcurrency(1))
		expect.NoError(t, err)
		_, err = w.Write(part[:9000])
		expect.NoError(t, err)
		expect.NoError(t, w.Flush()) // without the size of the frame
		_, err = w.Write(part[9000:])
		expect.NoError(t, err)
		expect.NoError(t, w.Close())
		table.Add(file.Len()-before, len(part))
	}
	b := table.AppendTo(file.Bytes())
	r, err := open(t, b)
	expect.NoError(t, err)
	expect.Equal(t, "size without a reserved bit", r.Size(), int64(len(plain)))
	for bit := 2; bit <= 6; bit++ {
		t.Run(fmt.Sprintf("bit %d", bit), func(t *testing.T) {
			damaged := bytes.Clone(b)
			damaged[len(damaged)-5] = 1 << bit
			_, err := open(t, damaged)
			expect.Equal(t, "error", err, seekable.ErrNotSeekable)
		})
	}
}

// TestEmptyFrames: the headers of many empty frames are read with one decompressor.
func TestEmptyFrames(t *testing.T) {
	const count = 2000
	w, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithZeroFrames(true))
	expect.NoError(t, err)
	empty := w.EncodeAll(nil, nil)
	expect.NotZero(t, "bytes of an empty frame", len(empty))
	frame := w.EncodeAll(text(1000), nil)
	file := slices.Concat(frame, bytes.Repeat(empty, count), frame)
	var r *seekable.Reader
	allocs := testing.AllocsPerRun(1, func() { r, err = open(t, file) })
	expect.NoError(t, err)
	expect.Equal(t, "size", r.Size(), 2000)
	expect.AtMost(t, "allocations", allocs, 5*count)
}

// TestChecksums: a table of another program may have checksums, and bits without
// a meaning.
func TestChecksums(t *testing.T) {
	plain := text(10_000)
	file := written(t, plain, 3000)
	table := len(file) - tableOf(file)
	b := bytes.Clone(file[:table+8])
	binary.LittleEndian.PutUint32(b[table+4:], 4*12+9)
	for entry := range slices.Chunk(file[table+8:len(file)-9], 8) {
		b = append(append(b, entry...), 1, 2, 3, 4)
	}
	b = append(append(b, 4, 0, 0, 0, 0x83), file[len(file)-4:]...)
	r, err := open(t, b)
	expect.NoError(t, err)
	got, err := io.ReadAll(io.NewSectionReader(r, 0, r.Size()))
	expect.NoError(t, err)
	expect.Equal(t, "content", string(got), string(plain))
}

// TestRandomReads: goroutines read ranges in any order.
func TestRandomReads(t *testing.T) {
	const frame = 16 << 10
	plain := text(100 * frame)
	r, err := open(t, written(t, plain, frame))
	expect.NoError(t, err)
	var wait sync.WaitGroup
	for i := range 4 {
		wait.Go(func() {
			dice := rand.New(rand.NewPCG(1, uint64(i)))
			for range 50 {
				at, b := dice.IntN(len(plain)), make([]byte, dice.IntN(2*frame))
				n, err := r.ReadAt(b, int64(at))
				want := plain[at:min(at+len(b), len(plain))]
				if !bytes.Equal(b[:n], want) || (err == io.EOF) != (n < len(b)) {
					t.Errorf("%d bytes at %d: got %d bytes and %v, want %d", len(b), at, n, err, len(want))
				}
			}
		})
	}
	wait.Wait()
	n, _ := r.Kept()
	expect.AtMost(t, "frames that are kept", n, seekable.MaxKept+seekable.MaxAhead)
}

// TestBlockedAhead: the frames that are decompressed ahead are bounded also if none of them
// becomes ready.
func TestBlockedAhead(t *testing.T) {
	const frame = 16 << 10
	plain := text(100 * frame)
	stored := written(t, plain, frame)
	synctest.Test(t, func(t *testing.T) {
		src := &blocking{ReaderAt: bytes.NewReader(stored)}
		r, err := seekable.NewReader(src, int64(len(stored)), window)
		expect.NoError(t, err)
		read := func(i int) {
			_, _ = r.ReadAt(make([]byte, frame), int64(i*frame)) // the result of a blocked read does not matter
		}
		for i := range 5 {
			read(10 * i)
		}
		src.open = make(chan struct{})
		for i := range 5 {
			go read(10*i + 1) // the first read after the frame before it
		}
		synctest.Wait()
		expect.Equal(t, "blocked reads", src.blocked.Load(), 5+seekable.MaxAhead)
		close(src.open)
		synctest.Wait()
		expect.NoError(t, r.Close())
	})
}

// blocking is a file whose reads block.
type blocking struct {
	io.ReaderAt
	open    chan struct{} // closed: reads return; nil: they do not block
	blocked atomic.Int64
}

func (b *blocking) ReadAt(p []byte, at int64) (int, error) {
	if b.open != nil {
		b.blocked.Add(1)
		<-b.open
		b.blocked.Add(-1)
	}
	return b.ReaderAt.ReadAt(p, at)
}

// TestKeptBytes: frames are removed when others are read.
func TestKeptBytes(t *testing.T) {
	const frame = 4 << 20
	plain := make([]byte, 12*frame)
	r, err := open(t, written(t, plain, frame))
	expect.NoError(t, err)
	n, err := io.Copy(io.Discard, io.NewSectionReader(r, 0, r.Size()))
	expect.NoError(t, err)
	expect.Equal(t, "bytes", n, int64(len(plain)))
	_, kept := r.Kept()
	expect.AtMost(t, "bytes that are kept", kept, seekable.MaxKeptBytes+seekable.MaxAhead*frame)
}

// TestErrorsOfTheFile are returned unchanged, and are not kept.
func TestErrorsOfTheFile(t *testing.T) {
	plain := text(10_000)
	src := &failing{ReaderAt: bytes.NewReader(written(t, plain, 3000))}
	r, err := seekable.NewReader(src, int64(len(written(t, plain, 3000))), window)
	expect.NoError(t, err)
	src.err = errors.New("disk")
	b := make([]byte, 10)
	_, err = r.ReadAt(b, 5000)
	expect.Equal(t, "error", err, src.err)
	src.err = nil
	_, err = r.ReadAt(b, 5000)
	expect.NoError(t, err)
	expect.Equal(t, "bytes", string(b), string(plain[5000:5010]))
	expect.NoError(t, r.Close())
	_, err = r.ReadAt(b, 5000)
	expect.Equal(t, "error after Close", err, os.ErrClosed)
}

// failing is a file whose reads fail if err is set.
type failing struct {
	io.ReaderAt
	err error
}

func (f *failing) ReadAt(b []byte, offset int64) (int, error) {
	if f.err != nil {
		return 0, f.err
	}
	return f.ReaderAt.ReadAt(b, offset)
}

// TestTableWithoutAllFrames: there is no table if one frame does not fit into it, and the
// entries take no memory then.
func TestTableWithoutAllFrames(t *testing.T) {
	large := uint64(1) << 32
	if uint64(int(large)) != large {
		t.Skip("a slice has less than 4 GiB")
	}
	var table seekable.Table
	table.Add(10, 20)
	table.Add(10, int(large))
	table.Add(10, 20)
	expect.Equal(t, "bytes of the table", len(table.AppendTo(nil)), 0)
	expect.Equal(t, "bytes of the entries", table.EntryBytes(), 0)
}
