package fuzz

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/rule"
)

// row checks an event row that was read as columns or as rows.
func (m *mixed) row(offset int64, ticks uint64, sequence uint32) error {
	if want, ok := m.plain[offset]; !ok || want.Timestamp != ticks || want.Sequence != sequence {
		return fmt.Errorf("row at %d, time %d, sequence number %d: the event is %+v", offset, ticks, sequence, want)
	}
	if m.seen[offset] {
		return fmt.Errorf("row at %d repeated", offset)
	}
	m.seen[offset], m.last = true, offset
	return nil
}

// got checks an event that was delivered.
func (m *mixed) got(e *codec.Event) error {
	if m.ended {
		return fmt.Errorf("event at %d after the end, %w", e.Offset(), m.err)
	}
	got, want := m.digest.event(e), m.plain[e.Offset()]
	if got != want {
		return fmt.Errorf("event\n%+v\nof a plain reading\n%+v", got, want)
	}
	switch at := e.Offset(); {
	case m.seen[at]:
		return fmt.Errorf("event at %d repeated", at)
	case (m.b != nil || m.opt.Order == codec.FileOrder) && at < m.last:
		return fmt.Errorf("event at %d after the one at %d", at, m.last)
	case m.sliced && !m.within.Contains(e.Timestamp):
		return fmt.Errorf("event at time %d outside of %+v", e.Timestamp, m.within)
	}
	m.seen[e.Offset()], m.last = true, e.Offset()
	if m.sliced || m.moved || m.delivered >= 1<<10 {
		return nil
	}
	switch {
	case m.delivered >= len(m.ordered):
		return fmt.Errorf("event at %d is one more than a plain reading has", e.Offset())
	case m.ordered[m.delivered] != got && !(m.opt.Strict && m.opt.Order == codec.ByTime && !m.wholeRegion()):
		return fmt.Errorf("event %d is\n%+v\nof a plain reading\n%+v", m.delivered, got, m.ordered[m.delivered])
	}
	m.delivered++
	return nil
}

// wholeRegion reports whether the Reader reads a region to its end before the
// error of a strict reading: the definitions of another block may end it earlier,
// and then fewer events are put in order.
func (m *mixed) wholeRegion() bool {
	for _, d := range m.in.Defects() {
		switch d.Rule {
		case rule.REF001, rule.STK007, rule.THR009, rule.THR010, rule.LBL006, rule.EVB008, rule.SEQ002, rule.SEQ004:
		default:
			return false
		}
	}
	return true
}

// fields reads the fields of an event, and FieldsError.
func (m *mixed) fields(e *codec.Event) error {
	if e == nil {
		return nil
	}
	for _, v := range e.Fields() {
		v.Bytes()
	}
	before := len(m.in.Defects())
	bad := codec.RuleOf(e.FieldsError())
	if bad == rule.None || bad == rule.LIM009 || !m.opt.Strict || len(m.in.Defects()) == 0 {
		return nil
	}
	if before == len(m.in.Defects()) && !slices.ContainsFunc(m.in.Defects(), func(d codec.Defect) bool { return d.Rule == bad }) {
		return fmt.Errorf("event at %d breaks %v, which is no defect", e.Offset(), bad)
	}
	m.event, m.moved = nil, true
	return nil
}

// end checks that the Reader stays at its end.
func (m *mixed) end(err error) error {
	if m.ended && err != m.err {
		return fmt.Errorf("ended with %v, then with %v", m.err, err)
	}
	m.ended, m.err, m.event = true, err, nil
	if m.b != nil {
		return m.endOfBlocks(err)
	}
	if e, ok := m.r.Next(); ok {
		return fmt.Errorf("event at %d after the end", e.Offset())
	}
	for e, loop := range m.r.Events() {
		if e != nil || loop != err {
			return fmt.Errorf("a loop after the end yields %v, the end was %v", loop, err)
		}
	}
	if m.r.Err() != err {
		return fmt.Errorf("the Reader has the error %v, the end was %v", m.r.Err(), err)
	}
	return nil
}

// endOfBlocks checks that the BlockReader stays at its end.
func (m *mixed) endOfBlocks(err error) error {
	if b, ok := m.b.Next(); ok {
		return fmt.Errorf("block at %d after the end", b.Offset)
	}
	if e, ok := m.b.NextEvent(); ok {
		return fmt.Errorf("event at %d after the end", e.Offset())
	}
	var rows codec.BlockRows
	if m.b.Rows(&rows); len(rows.Events) > 0 {
		return errors.New("event rows after the end")
	}
	if m.b.Err() != err {
		return fmt.Errorf("the BlockReader has the error %v, the end was %v", m.b.Err(), err)
	}
	return nil
}

// inside calls methods that must panic inside a loop over Events.
func (m *mixed) inside(op byte) (err error) {
	calls := []struct {
		method string
		call   func()
	}{
		{"Next", func() { m.r.Next() }}, {"ResetBytes", func() { m.r.ResetBytes(m.stream) }},
		{"Reset", func() { m.r.Reset(bytes.NewReader(m.stream)) }},
		{"Events", func() {
			for range m.r.Events() {
			}
		}},
	}
	c := calls[int(op>>2)%len(calls)]
	want := "codec: Reader." + c.method + " called inside a loop over Reader.Events"
	defer func() {
		if got := recover(); got != want {
			err = fmt.Errorf("inside a loop %s panics with %v, want %q", c.method, got, want)
		}
	}()
	c.call()
	return nil
}
