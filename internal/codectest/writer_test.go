package codectest_test

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/internal/shared"
)

// rewriter writes the events of a Reader with a Writer.
type rewriter struct {
	w        *codec.Writer
	metadata map[*codec.Metadata]uint32
	threads  map[uint64]uint64
	rec      codec.Record
	indexed  bool
}

func newRewriter(dst *bytes.Buffer, trace *codec.Trace, opt codec.WriterOptions) *rewriter {
	opt.Trace, opt.PassOn = *trace, true
	return &rewriter{
		w: codec.NewWriter(dst, opt), metadata: map[*codec.Metadata]uint32{}, threads: map[uint64]uint64{},
		indexed: opt.Format.IsZero() || opt.Format.HasThreadTable(),
	}
}

func (r *rewriter) thread(id uint64) (uint64, error) {
	if !r.indexed {
		return id, nil
	}
	index, ok := r.threads[id]
	if ok {
		return index, nil
	}
	index, err := r.w.DefineThread(&codec.Thread{ThreadID: id, HasThreadID: true})
	r.threads[id] = index
	return index, err
}

func (r *rewriter) write(e *codec.Event) error {
	m := e.Metadata()
	id, ok := r.metadata[m]
	var err error
	if !ok {
		if id, err = r.w.DefineMetadata(m); err != nil {
			return err
		}
		r.metadata[m] = id
	}
	rec := &r.rec
	if rec.Thread, err = r.thread(e.ThreadIndex); err != nil {
		return err
	}
	if rec.CaptureThread, err = r.thread(e.CaptureThreadIndex); err != nil {
		return err
	}
	rec.MetadataID, rec.Timestamp, rec.Processor, rec.Sequence = id, e.Timestamp, e.Processor, e.Sequence
	rec.Stack, rec.Payload, rec.Activity, rec.Related = e.Stack(), e.Payload(), e.Activity(), e.RelatedActivity()
	return r.w.Write(rec)
}

// said is the content of an event, independent of its version.
func said(e *codec.Event) string {
	thread, _ := e.ThreadID()
	capture, _ := e.CaptureThreadID()
	b := fmt.Appendf(nil, "%s %q ", e.Provider(), e.Name())
	for _, n := range append([]uint64{
		e.Timestamp, uint64(e.ID()), uint64(e.Version()), uint64(e.Level()), uint64(e.Opcode()), e.Keywords(),
		thread, capture, uint64(e.Processor), uint64(e.Sequence),
	}, e.Stack()...) {
		b = append(strconv.AppendUint(b, n, 16), ' ')
	}
	activity, related := e.Activity(), e.RelatedActivity()
	return string(append(append(append(b, activity[:]...), related[:]...), e.Payload()...))
}

func allCalls(t *testing.T, b []byte) []string {
	t.Helper()
	var list []string
	for e, err := range codec.NewBytesReader(b, codec.Options{Strict: true}).Events() {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, said(e))
	}
	return list
}

// TestWriterOnRealTraces writes real traces anew, in each version and form, and
// reads the same events back, without a defect and with the same losses.
func TestWriterOnRealTraces(t *testing.T) {
	for _, name := range []string{"azmcp-net10-startup.v4", "net10-mix-locks.v4", "net10-tpl-activities.v4", "net10-types.v4", "net10-burst-dropped.v4"} {
		t.Run(name, func(t *testing.T) {
			data := shared.Trace(t, name)
			want := allCalls(t, data)
			for _, opt := range []codec.WriterOptions{
				{Format: wire.V5}, {}, {Uncompressed: true}, {Format: wire.V5, Uncompressed: true},
				{BlockBytes: 300, PointEvents: 100}, {BlockTicks: 1e6, PointTicks: 1e8, PointEvents: -1, PointBytes: -1},
			} {
				var out bytes.Buffer
				r := codec.NewBytesReader(data, codec.Options{})
				trace, _ := r.Trace()
				if trace.Format.HasThreadTable() {
					t.Fatal("not a trace of v4")
				}
				rw := newRewriter(&out, trace, opt)
				for e, err := range r.Events() {
					if err == nil {
						err = rw.write(e)
					}
					if err != nil {
						if errors.Is(err, codec.ErrOrder) { // the region of the source ends elsewhere
							break
						}
						t.Fatalf("%s %+v: %v", name, opt.Format, err)
					}
				}
				if err := rw.w.Close(); err != nil {
					t.Fatal(err)
				}
				got := allCalls(t, out.Bytes())
				if len(got) < len(want) && opt.PointEvents == 0 || !slices.Equal(got, want[:len(got)]) {
					t.Errorf("v%v, uncompressed %v: %d events, want %d", opt.Format, opt.Uncompressed, len(got), len(want))
					for i := range got {
						if got[i] != want[i] {
							t.Fatalf("event %d\n%q\n%q", i, got[i], want[i])
						}
					}
				}
			}
		})
	}
}
