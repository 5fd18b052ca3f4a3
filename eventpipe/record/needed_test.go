package record_test

import (
	"bytes"
	"context"
	"iter"
	"testing"
	"time"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/eventpipe/record"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/internal/shared"
	"github.com/nettrace-go/nettrace/profile"
)

// TestNamesFor: the names of the addresses of a trace give its frames the same
// names as all names do, and are fewer.
func TestNamesFor(t *testing.T) {
	const name = "net10-deep.v4"
	data := shared.Trace(t, name)
	names := record.NewNames(0)
	_, err := names.Read(bytes.NewReader(data))
	expect.NoError(t, err)
	addresses, err := record.Addresses(bytes.NewReader(data))
	expect.NoError(t, err)
	expect.AtLeast(t, "addresses", len(addresses), 100)
	few := count(names.For(addresses))
	expect.AtLeast(t, "names of the addresses", few, 100)
	expect.AtMost(t, "names of the addresses", few, count(names.All())/2)
	want, got := functions(t, withNames(t, data, names.All())), functions(t, withNames(t, data, names.For(addresses)))
	expect.AtLeast(t, "functions", len(want), 50)
	expect.Equal(t, "number of functions", len(got), len(want))
	for function, value := range want {
		expect.Equal(t, "wall time of "+function, got[function], value)
	}
}

// TestSnapshotAddresses: the addresses of a snapshot are those of the trace that it writes.
func TestSnapshotAddresses(t *testing.T) {
	data := shared.Trace(t, "net10-deep.v4")
	for _, c := range []struct {
		name string
		opt  record.RingOptions
	}{
		{"the complete trace", record.RingOptions{Time: time.Hour}},
		{"the last part", record.RingOptions{Size: int64(len(data) / 3)}},
		{"compressed", record.RingOptions{Time: time.Hour, Compressed: true}},
	} {
		t.Run(c.name, func(t *testing.T) {
			ring := record.NewRing(c.opt)
			_, err := record.New(record.Options{}).Run(t.Context(), bytes.NewReader(data), ring)
			expect.NoError(t, err)
			snapshot, err := ring.Snapshot()
			expect.NoError(t, err)
			got := snapshot.Addresses()
			var out bytes.Buffer
			_, err = snapshot.Write(&out, nil)
			expect.NoError(t, err)
			want, err := record.Addresses(bytes.NewReader(append(out.Bytes(), wire.TagNull)))
			expect.NoError(t, err)
			expect.AtLeast(t, "addresses", len(got), 100)
			expect.Slices(t, "addresses", got, want)
		})
	}
}

// TestConcat: the additions of all lists come in their order, and a nil list has none.
func TestConcat(t *testing.T) {
	list := func(payloads ...string) iter.Seq[record.Addition] {
		return func(yield func(record.Addition) bool) {
			for _, p := range payloads {
				if !yield(record.Addition{Payload: []byte(p)}) {
					return
				}
			}
		}
	}
	all := record.Concat(list("a", "b"), nil, list("c"))
	for _, c := range []struct {
		name string
		stop int
		want string
	}{{"all", 9, "abc"}, {"stopped in the first list", 1, "a"}, {"stopped in the last list", 3, "abc"}} {
		t.Run(c.name, func(t *testing.T) {
			got := ""
			for one := range all {
				if got += string(one.Payload); len(got) == c.stop {
					break
				}
			}
			expect.Equal(t, "payloads", got, c.want)
		})
	}
}

func count(list iter.Seq[record.Addition]) (n int) {
	for range list {
		n++
	}
	return n
}

// withNames returns a trace without its rundown, followed by names.
func withNames(t *testing.T, data []byte, list iter.Seq[record.Addition]) []byte {
	t.Helper()
	var out bytes.Buffer
	file, err := record.NewStream(&out, record.Uncompressed)
	expect.NoError(t, err)
	_, err = record.New(record.Options{Additions: func(*record.Report) iter.Seq[record.Addition] { return list }}).
		Run(context.Background(), bytes.NewReader(withoutRundown(t, data)), file)
	expect.NoError(t, err)
	expect.NoError(t, file.Close())
	return out.Bytes()
}

// withoutRundown returns a trace without the events of its rundown.
func withoutRundown(t *testing.T, data []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	r := codec.NewBytesBlockReader(data, codec.Options{})
	trace, err := r.Trace()
	expect.NoError(t, err)
	w := codec.NewBlockWriter(&out, codec.BlockWriterOptions{Format: trace.Format})
	var rows codec.BlockRows
	for _, ok := r.Next(); ok; _, ok = r.Next() {
		r.Rows(&rows)
		kept := rows.Events[:0]
		for _, e := range rows.Events {
			if m := r.Metadata(e.MetadataID); m == nil || m.Provider != "Microsoft-Windows-DotNETRuntimeRundown" {
				kept = append(kept, e)
			}
		}
		rows.Events = kept
		expect.NoError(t, w.WriteBlock(&rows))
	}
	expect.NoError(t, r.Err())
	return out.Bytes()
}

// functions returns the wall time of the leaves of a trace.
func functions(t *testing.T, data []byte) map[string]int64 {
	t.Helper()
	p, err := profile.FromReader(context.Background(), codec.NewBytesReader(data, codec.Options{}), profile.Options{NoRepair: true})
	expect.NoError(t, err)
	sums := map[string]int64{}
	for s := range p.Samples(profile.Wall) {
		if stack := p.Stack(s.Stack); len(stack) > 0 {
			sums[p.Function(p.Frame(stack[0]).Function).RawName] += s.Value
		}
	}
	return sums
}
