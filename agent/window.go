package agent

import (
	"crypto/sha256"
	"fmt"
	"math"
	"time"

	pb "github.com/google/pprof/profile"

	"github.com/nettrace-go/nettrace/eventpipe"
	"github.com/nettrace-go/nettrace/profile"
	"github.com/nettrace-go/nettrace/profile/pprof"
)

// Window is the profile of one kind of a process in a window of time.
type Window struct {
	// Process is the profiled process.
	Process eventpipe.Process
	// Info is what its runtime reported.
	Info *eventpipe.ProcessInfo
	// Kind is the kind of the profile.
	Kind Kind
	// Start is the beginning of the window.
	Start time.Time
	// End is its end.
	End time.Time
	// Share is the part of the window in which the kind was measured: 1, but for kinds whose
	// samples are taken for Options.Sample.
	Share float64
	// Samples is the number of samples in the profile, before equal ones became
	// one.
	Samples int64
	// Pprof is the profile. Its samples have no labels.
	Pprof *pb.Profile
}

// ID returns a UUID of the process, the kind and the start of the window: the same
// for each call, and for nothing else. host distinguishes machines.
func (w *Window) ID(host string) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%d\x00%s\x00%x\x00%v\x00%d", host, w.Process.PID, w.Process.Address,
		w.Info.Cookie, w.Kind, w.Start.UnixNano()))
	sum[6], sum[8] = sum[6]&0x0F|0x80, sum[8]&0x3F|0x80 // version 8, of any content
	return fmt.Sprintf("%x-%x-%x-%x-%x", sum[:4], sum[4:6], sum[6:8], sum[8:10], sum[10:16])
}

// Program returns the name of the program: of its entry assembly if the runtime
// reports one.
func (w *Window) Program() string { return program(&w.Process, w.Info) }

func program(p *eventpipe.Process, info *eventpipe.ProcessInfo) string {
	if info != nil && info.EntryAssembly != "" {
		return info.EntryAssembly
	}
	return p.Name
}

// setPprof makes the profile of the window's kind. sampled is the time in which
// samples were taken, and scaled is Options.Scaled.
func (w *Window) setPprof(p *profile.Profile, sampled time.Duration, scaled bool) {
	k := &kinds[w.Kind]
	if w.Samples = p.CountNonZero(k.of); w.Samples == 0 {
		return
	}
	// A server makes a series of each set of labels.
	out := pprof.New(p, pprof.Options{Types: []profile.Type{k.of}, NoLabels: true})
	out.SampleType = []*pb.ValueType{{Type: k.value.name, Unit: k.value.unit}}
	if k.count.name != "" {
		out.SampleType = append(out.SampleType, &pb.ValueType{Type: k.count.name, Unit: k.count.unit})
	}
	out.DefaultSampleType = k.value.name
	out.PeriodType = &pb.ValueType{Type: k.period.name, Unit: k.period.unit}
	out.TimeNanos, out.DurationNanos = w.Start.UnixNano(), int64(w.End.Sub(w.Start))
	w.Share = 1
	if k.sampled && sampled > 0 {
		w.Share = min(float64(sampled)/float64(out.DurationNanos), 1)
		out.Period = int64(float64(p.Interval) * float64(out.DurationNanos) / float64(sampled))
		if scaled {
			for _, s := range out.Sample {
				s.Value[0] = int64(math.Round(float64(s.Value[0]) / w.Share))
			}
		}
		out.Comments = append(out.Comments, fmt.Sprintf("sampled for %v of %v", sampled.Round(time.Millisecond), w.End.Sub(w.Start).Round(time.Millisecond)))
	}
	w.Pprof = out
}
