package jit

import (
	"slices"

	"github.com/nettrace-go/nettrace/analysis"
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/codec/clr/symbols"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// method is a compilation of a method.
type method struct {
	id                         uint64
	thread                     uint64
	namespace, name, signature string
	start, end                 uint64 // ticks
	hasStart, hasEnd           bool
	il, native                 uint32
	flags                      uint32
	version                    uint64
	startup                    bool // it began in the startup of the process
}

// Bits of MethodFlags.
const (
	isDynamic           = 0x1
	isJitted            = 0x8
	readyToRunRejected  = 0x40
	tierShift, tierMask = 7, 7
)

// tiers is the number of tiers.
const tiers = tierMask + 1

// osr is the tier of code that replaces a running loop.
const osr = 5

// tierNames are the names of the tiers by number; before .NET Core 3.0 the tier is
// unknown.
var tierNames = [tiers]string{
	"Unknown", "MinOptJitted", "Optimized", "QuickJitted", "OptimizedTier1", "OptimizedTier1OSR", "QuickJittedInstrumented", "OptimizedTier1Instrumented",
}

// tier returns the number of the tier of the code.
func (m *method) tier() uint32 { return m.flags >> tierShift & tierMask }

// background reports whether tiered compilation compiled the method, on a thread of
// its own.
func (m *method) background() bool { return m.version != 0 && m.tier() != osr }

// maxNested bounds the open compilations of a thread: their ends are lost.
const maxNested = 64

// jittingStarted handles MethodJittingStarted.
func (p *process) jittingStarted(ev *codec.Event) {
	e := clr.MethodJittingStarted(ev)
	if e.Short() {
		return
	}
	m := &method{id: e.MethodID(), start: ev.Timestamp, hasStart: true, il: e.MethodILSize(), startup: p.inStartup()}
	m.setName(e.MethodNamespace(), e.MethodName(), e.MethodSignature())
	p.started = true
	thread := p.trace.Thread(ev)
	m.thread = thread.ID
	if m.startup && p.starter == (analysis.Thread{}) {
		p.starter = thread
	}
	if _, known := p.open[thread]; !known && int64(len(p.open)) >= p.trace.Limits().Threads {
		clear(p.open)
	}
	open := append(p.open[thread], m)
	if len(open) > maxNested {
		open = slices.Delete(open, 0, 1)
	}
	p.open[thread] = open
}

// methodLoad handles MethodLoadVerbose of a compiled method.
func (p *process) methodLoad(ev *codec.Event) {
	e := clr.MethodLoadVerbose(ev)
	if e.Short() || e.MethodFlags()&isJitted == 0 {
		return
	}
	loaded := method{id: e.MethodID(), end: ev.Timestamp, hasEnd: true, native: e.MethodSize(), flags: e.MethodFlags(), version: e.ReJITID()}
	loaded.setName(e.MethodNamespace(), e.MethodName(), e.MethodSignature())
	p.ended = true
	thread := p.trace.Thread(ev)
	loaded.thread = thread.ID
	open := p.open[thread]
	for i := len(open) - 1; i >= 0; i-- {
		if open[i].id != loaded.id {
			continue
		}
		for _, without := range open[i+1:] { // compilations that did not end in code
			p.add(without)
		}
		begun := open[i]
		loaded.start, loaded.hasStart, loaded.il, loaded.startup = begun.start, true, begun.il, begun.startup
		p.open[thread] = slices.Delete(open, i, len(open))
		break
	}
	if loaded.background() {
		p.endStartup(ev)
	}
	p.count(&loaded)
	if loaded.startup && !loaded.background() && thread == p.starter {
		p.countStartup(&loaded, len(p.open[thread]) > 0)
	}
	p.add(&loaded)
}

// countStartup counts a compilation of the starting thread. The time of one within another is in
// that of the other.
func (p *process) countStartup(m *method, within bool) {
	t := &p.methods.startup
	t.Count++
	if !within {
		t.DurationNs = t.DurationNs.Add(p.trace.Between(m.start, m.end))
	}
}

// setName reads the three parts of a method's name.
func (m *method) setName(namespace, name, signature []byte) {
	m.namespace, m.name, m.signature = string(wire.AppendUTF16(nil, namespace)), string(wire.AppendUTF16(nil, name)), string(wire.AppendUTF16(nil, signature))
}

// methodName returns the name of the method as in a stack.
func (m *method) methodName() string {
	s := symbols.Symbol{Namespace: m.namespace, Method: m.name, Signature: m.signature}
	return s.Name()
}

// add adds a row.
func (p *process) add(m *method) {
	bytes := int64(len(m.namespace) + len(m.name) + len(m.signature))
	if int64(len(p.rows)) >= p.trace.Limits().Rows || p.names+bytes > p.trace.Limits().Symbols {
		p.methods.RowsLeftOut++
		return
	}
	p.names += bytes
	p.rows = append(p.rows, m)
}

// count adds a compilation to the totals.
func (p *process) count(m *method) {
	t := &p.methods
	all := []*TierTotals{&p.tiers[m.tier()], &t.Foreground, &t.All}
	if m.background() {
		all[1] = &t.Background
	}
	for _, sum := range all {
		sum.Count++
		sum.NativeBytes += int64(m.native)
		if m.hasStart {
			length := p.trace.Between(m.start, m.end)
			sum.DurationNs, sum.ILBytes = sum.DurationNs.Add(length), sum.ILBytes.Add(int64(m.il))
			if length > sum.LongestNs.Or(-1) {
				sum.LongestNs = analysis.Known(length)
			}
		}
	}
	for _, c := range []struct {
		is    bool
		count *int64
	}{
		{!m.hasStart, &t.WithoutStart}, {m.flags&isDynamic != 0, &t.Dynamic}, {m.flags&readyToRunRejected != 0, &t.ReadyToRunRejected},
	} {
		if c.is {
			*c.count++
		}
	}
}
