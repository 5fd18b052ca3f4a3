package profile_test

import (
	"encoding/binary"
	"testing"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/gen"
	"github.com/nettrace-go/nettrace/internal/expect"
	"github.com/nettrace-go/nettrace/profile"
)

// threadTime is the payload of a ThreadTime of the collector.
func threadTime(from, to, thread, user, system uint64, name string) []byte {
	var p []byte
	for _, v := range []uint64{from, to, thread, user, system} {
		p = binary.LittleEndian.AppendUint64(p, v)
	}
	for _, c := range name {
		p = append(p, byte(c), 0)
	}
	return append(p, 0, 0)
}

// cpuProfile is the profile of 10 rounds, 1 ms apart, in which thread 7 of process
// 7 is in managed code up to the fifth and then in native code, and of some times
// of threads, which are the last events.
func cpuProfile(t *testing.T, opt profile.Options, times ...[]byte) *profile.Profile {
	t.Helper()
	const ms = 1_000_000
	b := gen.NewBuilder(gen.BuilderOptions{Format: wire.V4, Trace: codec.Trace{
		Format: wire.V4, TickFrequency: 1e9, PointerSize: 8, Properties: []codec.KeyValue{{Key: codec.ProcessIDKey, Value: "7"}},
	}})
	sample := b.Metadata(&codec.Metadata{Provider: "Microsoft-DotNETCore-SampleProfiler"})
	b.Now = ms
	for i := range 10 {
		kind := byte(2)
		if i >= 5 {
			kind = 1
		}
		b.Event(&codec.EventRow{MetadataID: sample, ThreadIndex: 7, CaptureThreadIndex: 100, Timestamp: b.Now, Payload: []byte{kind, 0, 0, 0}, StackID: b.Stack([]uint64{0x1000})})
		b.Now += ms
	}
	collector := b.Metadata(&codec.Metadata{Provider: "Nettrace-Collector", EventID: 1, Name: "ThreadTime"})
	for _, payload := range times {
		b.Event(&codec.EventRow{MetadataID: collector, CaptureThreadIndex: 1 << 32, Timestamp: b.Now, Payload: payload})
	}
	sameProfiles(t, b.Trace().Bytes(), opt)
	p, err := profile.FromReader(t.Context(), codec.NewBytesReader(b.Trace().Bytes(), codec.Options{}), opt)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// cpuSums are the sums of the samples of type CPUApprox, by thread and name of the
// leaf.
func cpuSums(p *profile.Profile) map[uint64]map[string]int64 {
	sums := map[uint64]map[string]int64{}
	for s := range p.Samples(profile.CPUApprox) {
		id, leaf := p.Threads()[s.Thread].ID, p.Function(p.Frame(p.Stack(s.Stack)[0]).Function).Name
		if sums[id] == nil {
			sums[id] = map[string]int64{}
		}
		sums[id][leaf] += s.Value
	}
	return sums
}

// TestThreadTimes: the samples of a thread get the processor time that it used in
// the time between two readings.
func TestThreadTimes(t *testing.T) {
	const ms, code = 1_000_000, "?!0x1000"
	second := codec.TimeRange{From: 6 * ms, To: 100 * ms, HasFrom: true, HasTo: true}
	for _, c := range []struct {
		name  string
		opt   profile.Options
		times [][]byte
		want  map[uint64]map[string]int64
	}{
		{"none", profile.Options{}, nil, map[uint64]map[string]int64{7: {code: 5 * ms}}},
		{"one reading", profile.Options{}, [][]byte{threadTime(ms, 10*ms, 7, 3*ms, ms, "app")}, map[uint64]map[string]int64{7: {code: 4 * ms}}},
		{"a window", profile.Options{Time: second}, [][]byte{threadTime(ms, 6*ms, 7, 3*ms, 0, "app"), threadTime(6*ms, 10*ms, 7, ms, 0, "app")},
			map[uint64]map[string]int64{7: {code: ms}}},
		{"no time", profile.Options{}, [][]byte{threadTime(ms, 10*ms, 7, ms, 0, "app"), threadTime(ms, 10*ms, 8, ms, 0, "worker")},
			map[uint64]map[string]int64{7: {code: ms}, 8: {"[worker]": ms}}},
		{"ids of another namespace", profile.Options{}, [][]byte{threadTime(ms, 10*ms, 70, ms, 0, "app"), threadTime(ms, 10*ms, 80, ms, 0, "worker")},
			map[uint64]map[string]int64{7: {code: 5 * ms}}},
		{"the garbage collector", profile.Options{}, [][]byte{threadTime(ms, 10*ms, 7, ms, 0, "app"), threadTime(ms, 10*ms, 8, ms, 0, ".NET BGC"), threadTime(ms, 10*ms, 9, ms, 0, ".NET Server GC")},
			map[uint64]map[string]int64{7: {code: ms}, 8: {"[garbage collector]": ms}, 9: {"[garbage collector]": ms}}},
		{"outside of the trace", profile.Options{}, [][]byte{threadTime(ms, 10*ms, 7, ms, 0, "app"), threadTime(20*ms, 30*ms, 7, 2*ms, 0, "app"), threadTime(0, ms, 7, 2*ms, 0, "app")},
			map[uint64]map[string]int64{7: {code: ms}}},
		{"in part outside of the trace", profile.Options{}, [][]byte{threadTime(8*ms, 12*ms, 7, 2*ms, 2*ms, "app"), threadTime(0, 3*ms, 8, 3*ms, 0, "worker")},
			map[uint64]map[string]int64{7: {code: 2 * ms}, 8: {"[worker]": 2 * ms}}},
		{"a truncated payload", profile.Options{}, [][]byte{threadTime(ms, 10*ms, 7, ms, 0, "app")[:30]}, map[uint64]map[string]int64{7: {code: 5 * ms}}},
		{"a time that ends before it begins", profile.Options{}, [][]byte{threadTime(10*ms, ms, 7, ms, 0, "app")}, map[uint64]map[string]int64{7: {code: 5 * ms}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := cpuProfile(t, c.opt, c.times...)
			got := cpuSums(p)
			expect.Equal(t, "threads", len(got), len(c.want))
			for thread, want := range c.want {
				expect.Equal(t, "leaves", len(got[thread]), len(want))
				for leaf, sum := range want {
					expect.Equal(t, leaf, got[thread][leaf], sum)
				}
			}
		})
	}
}

// TestThreadTimesNames: threads have the names of the operating system, but for
// those that inherited that of the process.
func TestThreadTimesNames(t *testing.T) {
	p := cpuProfile(t, profile.Options{}, threadTime(2e6, 3e6, 7, 5, 0, "app"), threadTime(2e6, 3e6, 8, 5, 0, "worker"), threadTime(0, 1, 8, 5, 0, "worker"), threadTime(0, 1, 9, 5, 0, "app"), threadTime(0, 1, 10, 5, 0, "early"))
	got := map[uint64]string{}
	for _, row := range p.Threads() {
		got[row.ID] = row.Name
	}
	expect.Equal(t, "thread 8", got[8], "worker")
	expect.Equal(t, "thread 9", got[9], "")
	expect.Equal(t, "thread 10, with a time before the trace", got[10], "early")
	nanos, ok := p.ThreadTime(1)
	expect.Equal(t, "time of thread 8", nanos, 5)
	expect.Equal(t, "its time is known", ok, true)
	expect.Equal(t, "HasThreadTimes", p.HasThreadTimes(), true)
}

// TestThreadTimesOfIdle: a thread that used no processor time has no samples of type CPUApprox,
// although the trace has its times.
func TestThreadTimesOfIdle(t *testing.T) {
	p := cpuProfile(t, profile.Options{}, threadTime(1e6, 11e6, 7, 0, 0, "app"))
	expect.Equal(t, "reason", p.ReasonText(profile.CPUApprox), "none of the 10 samples of type wall has processor time (no filter)")
}

// TestThreadTimesEnd: the events that were added do not make the recording longer.
func TestThreadTimesEnd(t *testing.T) {
	with, without := cpuProfile(t, profile.Options{}, threadTime(1, 2, 7, 5, 0, "app")), cpuProfile(t, profile.Options{})
	expect.Equal(t, "End", with.End, without.End)
}
