package perf

import (
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// Chain is the call chain of a sample in user code after repair.
type Chain struct {
	Addresses []uint64 // leaf first
	// Repairs are the frames that the kernel did not find, in order.
	Repairs []Repair
	Cut     bool // the outer end is missing
}

// Repair says how a frame was found.
type Repair struct {
	Frame int    // index in Chain.Addresses
	How   string // "caller", "osr" or "unwind"
}

// TraceOptions configure a Trace.
type TraceOptions struct {
	// Clock is the header of the trace of the same process with which the written one will be
	// merged: its sync time and ticks are used, which must be nanoseconds of CLOCK_MONOTONIC.
	// nil: a clock of its own.
	Clock *codec.Trace
	// Chain, if set, repairs the call chain of a sample. The result is valid until the next call.
	Chain func(*Record) Chain
	// Managed, if set, reports whether an address belongs to managed code, which the events of
	// the runtime name.
	Managed func(address, time uint64) bool
}

// Trace writes a recording as two traces of version 6, in the form of record-trace: the samples,
// and the mappings, symbols and switches. The second can be written after the first only, and
// belongs before it: edit.Merge puts both together.
type Trace struct {
	rec *Recording
	opt TraceOptions

	maps     Maps
	used     map[usedAddress]struct{}
	threads  map[uint32]*traceThread
	switches []switched
	dropped  uint64            // switches beyond maxSwitches
	stacks   [][]uint64        // of the places where threads left their processors; 0 is none
	stackIDs map[string]uint32 // by their bytes
	result   Result
}

// Result counts what was written.
type Result struct {
	Samples  int64  // samples of the process
	Lost     uint64 // records that had no room in the rings
	Repaired int64  // samples with a repaired chain
	// Cut are samples whose chain lacks its outer end; Limited of them have as many frames as the
	// kernel keeps, the others more than the copy of the stack has.
	Cut, Limited int64
	Switches     int64 // times in which a thread had no processor
	// Named and Unnamed are the addresses of native code and of the kernel with and without the
	// name of a function.
	Named, Unnamed int64
	// DroppedSwitches are switches that were not kept because there are too many.
	DroppedSwitches uint64
	CPU             uint64 // the sum of the periods of the samples, in nanoseconds
}

// usedAddress is an address that a mapping or a symbol names. Return addresses are kept as they
// are.
type usedAddress struct {
	address uint64 // of the instruction
	at      *placed
}

// switched is the time of a thread off a processor.
type switched struct {
	from, to  uint64
	tid       uint32
	stack     uint32 // position in Trace.stacks; 0: none
	waker     uint32 // the thread that woke it; 0: not known
	woken     uint64 // when
	preempted bool
}

// maxSwitches bounds the switches in memory: 48 bytes each.
const maxSwitches = 8 << 20

// traceThread is a thread of the recording.
type traceThread struct {
	name  string
	index uint64 // in the trace of samples, 0 before its first event
	named string // the name of that row
	out   uint64 // when it left its processor; 0: it has one, or it is not known
	plain bool   // it was not preempted
	place uint32 // the stack before that, in Trace.stacks
	waker uint32 // the thread that woke it since then; 0: not known
	woken uint64 // when
}

// NewTrace returns a Trace of a recording.
func NewTrace(rec *Recording, opt TraceOptions) *Trace {
	t := &Trace{rec: rec, opt: opt, used: map[usedAddress]struct{}{}, threads: map[uint32]*traceThread{}, stacks: make([][]uint64, 1), stackIDs: map[string]uint32{}}
	for tid, name := range rec.Threads {
		t.thread(tid).name = name
	}
	for _, m := range rec.Maps {
		t.maps.add(m, 0)
	}
	return t
}

func (t *Trace) thread(tid uint32) *traceThread {
	one := t.threads[tid]
	if one == nil {
		one = &traceThread{}
		t.threads[tid] = one
	}
	return one
}

// writer returns the Writer of one of the traces.
func (t *Trace) writer(dst io.Writer, period uint64) *codec.Writer {
	head := codec.Trace{SyncTime: time.Unix(0, int64(t.rec.StartReal)).UTC().Truncate(time.Millisecond), SyncTicks: t.rec.Start, TickFrequency: uint64(time.Second), PointerSize: 8}
	if c := t.opt.Clock; c != nil {
		head.SyncTime, head.SyncTicks = c.SyncTime, c.SyncTicks
	} else if behind := t.rec.StartReal % uint64(time.Millisecond); behind < head.SyncTicks {
		head.SyncTicks -= behind
	}
	head.Properties = []codec.KeyValue{
		{Key: codec.ProcessIDKey, Value: strconv.Itoa(t.rec.PID)},
		{Key: codec.HardwareThreadCountKey, Value: strconv.Itoa(t.rec.Processors)},
		{Key: codec.ExpectedCPUSamplingRateKey, Value: strconv.FormatUint(period, 10)},
		{Key: "SystemPageSize", Value: "4096"},
	}
	return codec.NewWriter(dst, codec.WriterOptions{Format: wire.V6, Trace: head, Ordered: true})
}

// WriteSamples writes the trace of the samples. It returns the error of dst or of the records.
func (t *Trace) WriteSamples(dst io.Writer) error {
	var w *codec.Writer
	var cpu uint32
	var payload []byte
	var stack []uint64
	period := uint64(0)
	for r, err := range t.rec.Records {
		if err != nil {
			return err
		}
		if r.PID != 0 && int(r.PID) != t.rec.PID && r.Kind != Lost {
			continue
		}
		switch r.Kind {
		case Mapped:
			t.maps.add(r.Mapping, r.Time)
		case Named:
			if t.thread(r.TID).name = r.Name; r.Exec {
				t.rec.Name = r.Name
			}
		case Lost:
			t.result.Lost += r.Count
			if w == nil {
				continue
			}
			if index, err := t.row(w, uint32(t.rec.PID)); err == nil {
				_ = w.Drop(index, uint32(min(r.Count, 1<<30)))
			}
		case SwitchedOut:
			one := t.thread(r.TID)
			one.out, one.plain, one.waker = r.Time, !r.Preempted, 0
		case Waking: // by a timer in any thread that it interrupts: those of other processes are left out above
			if one := t.thread(r.Wakee); one.out != 0 && one.plain {
				one.waker, one.woken = r.TID, r.Time
			}
		case Switching:
			t.thread(r.TID).place = t.placeOf(r)
		case SwitchedIn:
			t.switchedIn(r)
		case Sample:
			if t.opt.Clock != nil && r.Time < t.opt.Clock.SyncTicks {
				continue // before the session began
			}
			if w == nil {
				period = r.Period
				w = t.writer(dst, period)
				cpu, err = w.DefineMetadata(cpuEvent("cpu", 1))
				if err != nil {
					return err
				}
			}
			index, err := t.row(w, r.TID)
			if err != nil {
				return err
			}
			chain := Chain{Addresses: r.User, Cut: len(r.Kernel)+len(r.User) >= maxDepth}
			if t.opt.Chain != nil {
				chain = t.opt.Chain(r)
			}
			stack = append(append(stack[:0], r.Kernel...), chain.Addresses...)
			if end := slices.IndexFunc(stack, isNoCode); end >= 0 { // where the kernel's walk was wrong
				stack = stack[:end]
			}
			t.use(stack, r.Time)
			payload = (&clr.UniversalCPUFields{Value: max(1, (r.Period+period/2)/period)}).Append(payload[:0], 0, 8)
			rec := codec.Record{MetadataID: cpu, Timestamp: r.Time, Thread: index, CaptureThread: index, Processor: r.CPU, Stack: stack, Payload: payload}
			if len(chain.Repairs) > 0 {
				rec.Labels = append(rec.Labels, textLabel(clr.RepairLabel, formatRepairs(chain.Repairs, len(r.Kernel))))
				t.result.Repaired++
			}
			if chain.Cut {
				rec.Labels = append(rec.Labels, textLabel(clr.CutLabel, "true"))
				t.result.Cut++
				if len(r.Kernel)+len(r.User) >= maxDepth {
					t.result.Limited++
				}
			}
			if err := w.Write(&rec); err != nil {
				return fmt.Errorf("perf: sample at %d: %w", r.Time, err)
			}
			t.result.Samples++
			t.result.CPU += r.Period
		}
	}
	if w == nil {
		w = t.writer(dst, uint64(time.Second)/DefaultRate)
	}
	return w.Close()
}

// maxDepth is how many frames of a chain the kernel keeps, unless kernel.perf_event_max_stack
// is changed.
const maxDepth = 127

// isNoCode reports whether there can be no code at an address: the first page is never mapped.
func isNoCode(address uint64) bool { return address < 4096 }

func textLabel(key, value string) codec.Label {
	return codec.Label{Kind: wire.LabelKeyString, Key: key, Value: value}
}

func numberLabel(key string, value uint64) codec.Label {
	return codec.Label{Kind: wire.LabelKeyNumber, Key: key, Number: value}
}

// switchedIn ends the time of a thread off a processor.
func (t *Trace) switchedIn(r *Record) {
	one := t.thread(r.TID)
	if one.out == 0 || r.Time < one.out {
		return
	}
	if len(t.switches) < maxSwitches {
		t.switches = append(t.switches, switched{from: one.out, to: r.Time, tid: r.TID, stack: one.place, waker: one.waker, woken: one.woken, preempted: !one.plain})
	} else {
		t.dropped++
	}
	one.out, one.place = 0, 0
}

// placeOf keeps the stack of the place where a thread leaves its processor.
func (t *Trace) placeOf(r *Record) uint32 {
	stack := slices.Concat(r.Kernel, r.User)
	if end := slices.IndexFunc(stack, isNoCode); end >= 0 {
		stack = stack[:end]
	}
	var key []byte
	for _, address := range stack {
		key = binary.LittleEndian.AppendUint64(key, address)
	}
	id, known := t.stackIDs[string(key)]
	if !known {
		id = uint32(len(t.stacks))
		t.stacks = append(t.stacks, stack)
		t.stackIDs[string(key)] = id
		t.use(stack, r.Time)
	}
	return id
}

// row returns the index of a thread, whose row it writes with the name that it has now.
func (t *Trace) row(w *codec.Writer, tid uint32) (uint64, error) {
	one := t.thread(tid)
	if one.index != 0 && one.named == one.name {
		return one.index, nil
	}
	var err error
	one.index, err = w.AddThread(t.rowOf(tid, one.name))
	one.named = one.name
	return one.index, err
}

func (t *Trace) rowOf(tid uint32, name string) *codec.Thread {
	return &codec.Thread{Name: strings.ToValidUTF8(name, "?"), ProcessID: uint64(t.rec.PID), ThreadID: uint64(tid), HasProcessID: true, HasThreadID: true}
}

// use notes the addresses of a stack that need a name.
func (t *Trace) use(stack []uint64, time uint64) {
	for i, address := range stack {
		if i > 0 && address > 0 {
			address-- // the call that returns there
		}
		if address < kernelStart && t.opt.Managed != nil && t.opt.Managed(address, time) {
			address = address &^ 0xFFF // its mapping is enough
		}
		var at *placed
		if address < kernelStart {
			if at = t.maps.find(address, time); at == nil {
				continue
			}
		}
		t.used[usedAddress{address, at}] = struct{}{}
	}
}

// Result returns what was written.
func (t *Trace) Result() Result {
	r := t.result
	r.DroppedSwitches = t.dropped
	return r
}

// cpuEvent is the metadata of the events of Universal.Events.
func cpuEvent(name string, id uint32) *codec.Metadata {
	return &codec.Metadata{Provider: clr.UniversalEventsProvider, EventID: id, Name: name, Fields: []codec.Field{number("Value")}}
}

func number(name string) codec.Field {
	return codec.Field{Name: name, Type: codec.Type{Code: wire.VarUInt}}
}

// text is a field with a counted string: record-trace declares it as an array, as its bytes are.
func text(name string) codec.Field {
	return codec.Field{Name: name, Type: codec.Type{Code: wire.Array, Element: &codec.Type{Code: wire.UTF8CodeUnit}}}
}

// formatRepairs is the value of the label clr.RepairLabel: for each way in which frames were found,
// their indexes in the complete stack, which begins with some kernel frames: "osr:3 unwind:1,4-9".
func formatRepairs(list []Repair, kernel int) string {
	var ways []string
	byWay := map[string][]int{}
	for _, r := range list {
		if byWay[r.How] == nil {
			ways = append(ways, r.How)
		}
		byWay[r.How] = append(byWay[r.How], r.Frame+kernel)
	}
	slices.Sort(ways)
	var parts []string
	for _, way := range ways {
		at := byWay[way]
		var ranges []string
		for i := 0; i < len(at); {
			n := i + 1
			for n < len(at) && at[n] == at[n-1]+1 {
				n++
			}
			one := strconv.Itoa(at[i])
			if n > i+1 {
				one += "-" + strconv.Itoa(at[n-1])
			}
			ranges, i = append(ranges, one), n
		}
		parts = append(parts, way+":"+strings.Join(ranges, ","))
	}
	return strings.Join(parts, " ")
}

// ParseRepairs reads the value of the label clr.RepairLabel: how each frame was found, by index in
// the complete stack.
func ParseRepairs(value string) map[int]string {
	found := map[int]string{}
	for part := range strings.FieldsSeq(value) {
		way, at, _ := strings.Cut(part, ":")
		for one := range strings.SplitSeq(at, ",") {
			from, to, ranged := strings.Cut(one, "-")
			first, err := strconv.Atoi(from)
			last := first
			if err == nil && ranged {
				last, err = strconv.Atoi(to)
			}
			if err != nil || last < first || last > 1<<16 {
				continue
			}
			for i := first; i <= last; i++ {
				found[i] = way
			}
		}
	}
	return found
}
