package main

import (
	"github.com/nettrace-go/nettrace/profile"
	"github.com/nettrace-go/nettrace/profile/calltree"
)

// topJSON is what top shows as one object on one line. Numbers are in the unit
// of the type: nanoseconds, bytes, counts.
func topJSON(d, before *topData, o *topOptions) []byte {
	var j jsonText
	j.open('{')
	d.jsonHead(&j)
	j.key("by").text(o.by)
	switch {
	case before != nil:
		j.key("before").open('{')
		before.jsonHead(&j)
		j.close('}')
		j.key("changes").open('[')
		list := changes(d, before, o.sort)
		for _, c := range list[:o.limit(len(list))] {
			j.open('{')
			jsonName(&j, c.now.name)
			j.key("self").number(c.now.self)
			j.key("selfChange").number(c.now.self - c.was.self)
			j.key("total").number(c.now.total)
			j.key("totalChange").number(c.now.total - c.was.total)
			j.close('}')
		}
		j.close(']')
	case o.tree:
		j.key("tree").open('[')
		d.jsonCalls(&j, d.branches(o.least))
		j.close(']')
	default:
		j.key("rows").open('[')
		for _, row := range d.rows[:o.limit(len(d.rows))] {
			j.open('{')
			jsonName(&j, row.name)
			j.key("self").number(row.self)
			j.key("total").number(row.total)
			j.key("samples").number(row.samples)
			j.close('}')
		}
		j.close(']')
	}
	j.close('}')
	return append(j.b, '\n')
}

func (d *topData) jsonHead(j *jsonText) {
	j.key("file").text(d.file)
	j.key("process").text(calltree.ProcessName(d.Profile, d.kind))
	j.key("type").text(d.kind.String())
	j.key("unit").text(d.kind.Value().Unit)
	j.key("samples").number(d.samples)
	j.key("total").number(d.sum)
	j.key("intervalNs").number(d.Interval)
	d.jsonTimes(j)
	stacks := d.CountStacks(d.kind)
	j.key("stacks").open('{')
	j.key("whole").number(stacks.Complete)
	j.key("repaired").number(stacks.Repaired)
	j.key("cut").number(stacks.Truncated)
	j.close('}')
	jsonNames(j, d.names)
	if n := d.unfinished([]profile.Type{d.kind}); n > 0 {
		j.key("unfinished").number(n)
	}
	if d.kind == profile.Wall || d.kind == profile.CPUApprox {
		d.jsonNotSampled(j)
	}
}

// jsonTimes adds when the recording began and ended, and the bounds of the window
// if it has any, in nanoseconds since the trace's sync time.
func (d *topData) jsonTimes(j *jsonText) {
	since := func(ticks uint64) int64 { return int64(d.Trace.Since(ticks)) }
	j.key("startNs").number(since(d.Start))
	j.key("endNs").number(since(d.End))
	if d.window.HasFrom {
		j.key("fromNs").number(since(d.window.From))
	}
	if d.window.HasTo {
		j.key("toNs").number(since(d.window.To))
	}
}

// jsonNotSampled adds the time in which threads were not sampled, by thread.
func (d *topData) jsonNotSampled(j *jsonText) {
	j.key("notSampledNs").number(d.TotalNotSampled())
	j.key("notSampled").open('[')
	for i, t := range d.Threads() {
		if n := d.NotSampled(i); n > 0 && d.Selected(i) {
			j.open('{')
			j.key("thread").number(int64(t.ID))
			if t.ProcessID != 0 {
				j.key("process").number(int64(t.ProcessID))
			}
			j.key("ns").number(n)
			j.close('}')
		}
	}
	j.close(']')
}

func jsonName(j *jsonText, name calltree.Name) {
	j.key("name").text(name.Text)
	if name.Module != "" {
		j.key("module").text(name.Module)
	}
}

// jsonCalls adds what a branch calls.
func (d *topData) jsonCalls(j *jsonText, b *branch) {
	for _, call := range b.calls {
		j.open('{')
		jsonName(j, d.tree.Names.List[call.Name])
		j.key("self").number(call.Self)
		j.key("total").number(call.Total)
		if len(call.calls) > 0 {
			j.key("calls").open('[')
			d.jsonCalls(j, call)
			j.close(']')
		}
		j.close('}')
	}
}
