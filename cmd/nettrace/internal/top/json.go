package top

import (
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/jsontext"
	"github.com/nettrace-go/nettrace/cmd/nettrace/internal/samples"
	"github.com/nettrace-go/nettrace/profile"
	"github.com/nettrace-go/nettrace/profile/calltree"
)

// topJSON returns the output of top as one object on one line. Numbers are in
// the unit of the type: nanoseconds, bytes, counts.
func topJSON(d, before *topData, o *options) []byte {
	var j jsontext.Builder
	j.Open('{')
	d.jsonHead(&j, o)
	j.Key("by").Text(o.by)
	switch {
	case before != nil:
		j.Key("before").Open('{')
		before.jsonHead(&j, o)
		j.Close('}')
		j.Key("changes").Open('[')
		list := changes(d, before, o.sort)
		for _, c := range list[:o.shown(len(list))] {
			j.Open('{')
			jsonName(&j, c.now.name)
			j.Key("self").Number(c.now.self)
			j.Key("selfChange").Number(c.now.self - c.was.self)
			j.Key("selfPercent").Float(c.selfShare)
			j.Key("selfPercentBefore").Float(c.wasShare)
			j.Key("selfChangeStandardErrors").Float(c.errors)
			j.Key("total").Number(c.now.total)
			j.Key("totalChange").Number(c.now.total - c.was.total)
			j.Close('}')
		}
		j.Close(']')
	case o.isTree():
		j.Key("tree").Open('[')
		d.jsonCalls(&j, d.branches(o.minPercent))
		j.Close(']')
	default:
		j.Key("rows").Open('[')
		for _, row := range d.rows[:o.shown(len(d.rows))] {
			j.Open('{')
			jsonName(&j, row.name)
			j.Key("self").Number(row.self)
			j.Key("total").Number(row.total)
			j.Key("samples").Number(row.samples)
			j.Close('}')
		}
		j.Close(']')
	}
	j.Close('}')
	return append(j.Bytes, '\n')
}

func (d *topData) jsonHead(j *jsontext.Builder, o *options) {
	if d.summary != nil {
		d.jsonSummary(j)
		return
	}
	j.Key("file").Text(d.File)
	j.Key("process").Text(calltree.ProcessName(d.Profile, d.kind))
	j.Key("type").Text(d.kind.String())
	j.Key("unit").Text(d.kind.Value().Unit)
	j.Key("samples").Number(d.samples)
	j.Key("total").Number(d.sum)
	j.Key("intervalNs").Number(d.Interval)
	d.jsonTimes(j)
	stacks := d.CountStacks(d.kind)
	j.Key("stacks").Open('{')
	j.Key("complete").Number(stacks.Complete)
	j.Key("repaired").Number(stacks.Repaired)
	j.Key("truncated").Number(stacks.Truncated)
	j.Close('}')
	samples.AppendJoins(j, d.Profile, d.kind)
	samples.AppendNames(j, d.names)
	if n := d.CountUnfinished(d.kind); n > 0 {
		j.Key("unfinished").Number(n)
	}
	if d.kind == profile.Wall || d.kind == profile.CPUApprox {
		d.jsonNotSampled(j)
		d.jsonStates(j)
	}
}

// jsonTimes adds the begin and the end of the recording, and the bounds of the
// window if it has any, in nanoseconds since the trace's sync time.
func (d *topData) jsonTimes(j *jsontext.Builder) {
	since := func(ticks uint64) int64 { return int64(d.Trace.Since(ticks)) }
	j.Key("startNs").Number(since(d.Start))
	j.Key("endNs").Number(since(d.End))
	if d.Window.HasFrom {
		j.Key("fromNs").Number(since(d.Window.From))
	}
	if d.Window.HasTo {
		j.Key("toNs").Number(since(d.Window.To))
	}
}

// jsonNotSampled adds the time in which threads were not sampled, by thread.
func (d *topData) jsonNotSampled(j *jsontext.Builder) {
	j.Key("notSampledNs").Number(d.TotalNotSampled())
	j.Key("notSampled").Open('[')
	for i, t := range d.Threads() {
		if n := d.NotSampled(i); n > 0 && d.Selected(i) {
			j.Open('{')
			j.Key("thread").Number(int64(t.ID))
			if t.ProcessID != 0 {
				j.Key("process").Number(int64(t.ProcessID))
			}
			j.Key("ns").Number(n)
			j.Close('}')
		}
	}
	j.Close(']')
}

// jsonStates adds the time in each state, for all threads, and the samples at GC
// polls.
func (d *topData) jsonStates(j *jsontext.Builder) {
	j.Key("states").Open('{')
	for _, t := range d.TimeByState() {
		j.Key(t.State.String() + "Ns").Number(t.Nanos)
	}
	j.Close('}')
	samples.AppendOneCode(j, d.Profile)
	polls := d.GCPolls()
	j.Key("gcPolls").Open('{')
	j.Key("managedSamples").Number(polls.Managed)
	j.Key("atPolls").Number(polls.AtPolls)
	j.Close('}')
}

func jsonName(j *jsontext.Builder, name calltree.Name) {
	j.Key("name").Text(name.Text)
	if name.Module != "" {
		j.Key("module").Text(name.Module)
	}
	if name.Line > 0 {
		j.Key("file").Text(name.File)
		j.Key("line").Number(int64(name.Line))
		if name.EndLine > name.Line {
			j.Key("endLine").Number(int64(name.EndLine))
		}
	}
}

// jsonCalls adds the calls from a branch.
func (d *topData) jsonCalls(j *jsontext.Builder, b *branch) {
	for _, call := range b.calls {
		j.Open('{')
		jsonName(j, d.tree.Names.List[call.Name])
		if !d.inverted {
			j.Key("self").Number(call.Self)
		}
		j.Key("total").Number(call.Total)
		if len(call.calls) > 0 {
			j.Key("calls").Open('[')
			d.jsonCalls(j, call)
			j.Close(']')
		}
		j.Close('}')
	}
}
