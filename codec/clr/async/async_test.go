package async_test

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"testing"

	"github.com/nettrace-go/nettrace/codec/clr/async"
	"github.com/nettrace-go/nettrace/codec/internal/expect"
)

// Payloads of events of .NET 11.0.0: of a thread that creates two chains of
// runtime-async methods, of one that creates and resumes chains of state machines, and
// the metadata.
const (
	twoChains = "66000000 01 66000000 01000000 4501000000000000 06000000 7e4cea3604030000 8ed65b3d04030000" +
		"149e0d 0bb2e519020001 01bf838e33020002 06001300000005000200fed7ecccc0fb3ffd13c70eeb0f 01819e1e020003 06000d00000002000300fef0e9ccc0fb3f"
	describing = "87000000 01 87000000 01000000 9c10000000000000 01000000 2df335950f030000 c6f335950f030000" +
		"1699015d008094ebdc03dfd6d8a9f961bd98a3b5ede8dfee01807e2017" +
		"010101020101030100040100050101060102070102080102090100" +
		"0a01000b01010c01010d01000e01000f0101100102110100120100130102140100150100160102170101"
)

// payload makes bytes of text.
func payload(t testing.TB, text string) []byte {
	t.Helper()
	b, err := hex.DecodeString(string(bytes.ReplaceAll([]byte(text), []byte(" "), nil)))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// made makes the payload of an event with records, all at the time 1000.
func made(count int, records ...byte) []byte {
	b := binary.LittleEndian.AppendUint32(nil, uint32(37+len(records)))
	b = append(append(b, 1), b...)
	b = binary.LittleEndian.AppendUint32(b, 7)
	b = binary.LittleEndian.AppendUint64(b, 42)
	b = binary.LittleEndian.AppendUint32(b, uint32(count))
	b = binary.LittleEndian.AppendUint64(b, 1000)
	b = binary.LittleEndian.AppendUint64(b, 1000)
	return append(b, records...)
}

// read returns the records of a payload as text.
func read(r *async.Reader, payload []byte) ([]string, error) {
	if err := r.Reset(payload); err != nil {
		return nil, err
	}
	var list []string
	for r.Next() {
		rec := &r.Record
		text := fmt.Sprintf("%d +%d", rec.ID, rec.Ticks-r.Header.Start)
		for _, n := range []uint64{rec.Parent, rec.Dispatcher, rec.Unwound} {
			if n > 0 {
				text += fmt.Sprintf(" %d", n)
			}
		}
		if rec.Frames.Len() > 0 {
			text += fmt.Sprintf(" wrapper %d:", rec.Frames.FirstWrapper())
		}
		for f, ok := rec.Frames.Next(); ok; f, ok = rec.Frames.Next() {
			text += fmt.Sprintf(" %x/%d", f.Address, f.State)
		}
		list = append(list, text)
	}
	return list, r.Err()
}

// TestRuntime reads the records of runtime-async methods.
func TestRuntime(t *testing.T) {
	var r async.Reader
	got, err := read(&r, payload(t, twoChains))
	expect.NoError(t, err)
	expect.Equal(t, "header", r.Header, async.Header{Context: 1, Thread: 325, Records: 6, Start: 3316636077182, End: 3316744181390})
	expect.Slices(t, "records", got, []string{
		"20 +1694", "11 +424272 1", "1 +107608847 2",
		"6 +107608847 2 wrapper 0: 0/0 7fee04cd95ff/0 7fee04cd9100/0 7fee04cd8d5c/0 7fee04cd8966/0",
		"1 +108104208 3", "6 +108104208 3 wrapper 0: 0/0 7fee04cd3c3f/0",
	})
}

// TestMachines reads call stacks of state machines, with states and an addition.
func TestMachines(t *testing.T) {
	var r async.Reader
	got, err := read(&r, made(3,
		16, 0, 21, 0, 0, 0, 4, 0x6e, 0xe0, 0xd3, 0xb6, 0xec, 0xdd, 0xe5, 0x1f, 0, 0x9f, 0x13, 2, 0xdf, 0x17, 1, 0xff, 0x0d, 0,
		19, 0, 6, 0, 0, 0, 1, 0x6e, 0x05, 0x04,
		15, 0, 1, 1))
	expect.NoError(t, err)
	expect.Slices(t, "records", got, []string{
		"16 +0 110 wrapper 0: 7f2ddd8da9e0/0 7f2ddd8da510/1 7f2ddd8d9f20/-1 7f2ddd8d9ba0/0", "19 +0 110 wrapper 0: 5/2", "15 +0 1",
	})
}

// TestMetadata reads the metadata, and applies the list of ids to the buffers after it.
func TestMetadata(t *testing.T) {
	var r async.Reader
	_, err := read(&r, payload(t, describing))
	expect.NoError(t, err)
	expect.Equal(t, "metadata", r.Metadata, async.Metadata{Frequency: 1e9, Clock: 3365462747999, UTC: 134403506116807741, BufferSize: 16128, Wrappers: 32})

	later := []byte{22, 0, 18, 0, 0, 0, 0, 0, 32, 4, 2, 1, 2, 22, 1, 2, 77, 5, 1, 20, 1, 0}
	_, err = read(&r, made(1, later...))
	expect.NoError(t, err)
	later[9] = 5
	_, err = read(&r, made(1, later...))
	expect.Equal(t, "error of a list that is too short, which changes nothing", fmt.Sprint(err), "async: the payload of a record is malformed at byte 45 of the payload")
	got, err := read(&r, made(3, 77, 0, 3, 1, 2, 3, 2, 0, 3, 0, 9, 8, 8, 20, 0))
	expect.NoError(t, err)
	expect.Slices(t, "records with an unknown id, another width and an added field", got, []string{"77 +0", "2 +0 9", "20 +0"})
	got, err = read(&r, made(2, 20, 0, 3, 0))
	expect.Slices(t, "records before an id that is not in the list", got, []string{"20 +0"})
	expect.Equal(t, "error", fmt.Sprint(err), "async: unknown id of a record at byte 43 of the payload")
}

// TestMalformed: what breaks the layout is an error, and so is each part of a buffer.
func TestMalformed(t *testing.T) {
	whole := payload(t, twoChains)
	for n := range whole {
		if _, err := read(&async.Reader{}, whole[:n]); err == nil {
			t.Errorf("no error for %d of %d bytes", n, len(whole))
		}
	}
	change := func(at int, to byte) []byte {
		b := bytes.Clone(whole)
		b[at] = to
		return b
	}
	for what, c := range map[string]struct {
		payload []byte
		want    string
	}{
		"version":              {change(4, 2), "unknown version of the layout at byte 4"},
		"size":                 {change(5, 1), "the size is not the length before the buffer at byte 5"},
		"number of records":    {change(17+4, 5), "the number of records is not that of the header at byte 106"},
		"time of the last one": {change(29+4, 0), "the time of the last record is not that of the header at byte 106"},
		"endless number":       {made(1, 2, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 1), "a time is malformed at byte 42"},
		"time":                 {made(1, 20, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1), "a time is out of range at byte 42"},
		"length":               {made(1, 2, 0, 2, 1), "a record is truncated at byte 44"},
		"missing field":        {made(1, 1, 0, 1, 1), "the payload of a record is malformed at byte 44"},
		"missing frames":       {made(1, 7, 0, 5, 0, 0, 0, 2, 1, 9), "the payload of a record is malformed at byte 45"},
		"state out of range":   {made(1, 16, 0, 10, 0, 0, 0, 1, 1, 9, 0xff, 0xff, 0xff, 0xff, 0x7f), "the payload of a record is malformed at byte 45"},
	} {
		var r async.Reader
		_, err := read(&r, c.payload)
		var broken *async.Error
		expect.Equal(t, what+": an *Error", errors.As(err, &broken), true)
		expect.Equal(t, what, fmt.Sprint(err), "async: "+c.want+" of the payload")
		expect.Equal(t, what+": a record after the error", r.Next(), false)
	}
}

// TestAllocations: reading allocates nothing.
func TestAllocations(t *testing.T) {
	b, sum := payload(t, twoChains), uint64(0)
	var r async.Reader
	n := testing.AllocsPerRun(100, func() { sum += readAll(t, &r, b) })
	expect.Equal(t, "allocations", n, 0)
	expect.NotZero(t, "sum", sum)
}

// readAll reads all fields of a payload.
func readAll(t testing.TB, r *async.Reader, b []byte) (sum uint64) {
	if err := r.Reset(b); err != nil {
		t.Fatal(err)
	}
	for r.Next() {
		sum += r.Record.Ticks + r.Record.Dispatcher
		for f, ok := r.Record.Frames.Next(); ok; f, ok = r.Record.Frames.Next() {
			sum += f.Address
		}
	}
	if r.Err() != nil {
		t.Fatal(r.Err())
	}
	return sum
}

// BenchmarkReader reads a buffer as the runtime fills it with a chain of four
// runtime-async methods that is suspended again and again: five records each time.
func BenchmarkReader(b *testing.B) {
	var records []byte
	const times = 300
	for range times {
		records = append(records, 2, 0, 1, 5, 7, 0, 17, 0, 0, 1, 4, 5, 0xfe, 0xd7, 0xec, 0xcc, 0xc0, 0xfb, 0x3f, 0xfd, 0x13, 0xc7, 0x0e, 0xeb, 0x0f)
		records = append(records, 9, 0, 8, 0, 17, 0, 0, 0, 4, 5, 0xfe, 0xd7, 0xec, 0xcc, 0xc0, 0xfb, 0x3f, 0xfd, 0x13, 0xc7, 0x0e, 0xeb, 0x0f, 3, 0)
	}
	buffer := made(5*times, records...)
	var r async.Reader
	sum := uint64(0)
	b.SetBytes(int64(len(buffer)))
	for b.Loop() {
		sum += readAll(b, &r, buffer)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(5*times), "ns/record")
	_ = sum
}
