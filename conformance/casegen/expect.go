package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/clr"
	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/conformance/adapter"
	"github.com/nettrace-go/nettrace/conformance/cases"
)

// reading is what package codec reads of a trace.
type reading struct {
	lines    []byte
	faults   []codec.Error
	complete bool // no block was left out, and nothing ended the reading
}

// read reads a trace without limits.
func read(trace []byte) reading {
	var lines bytes.Buffer
	r := reading{complete: true}
	r.faults = adapter.Rows(trace, &lines, codec.Options{Schemas: clr.Schemas, Limits: codec.Limits{Nesting: -1}})
	r.lines = lines.Bytes()
	for i := range r.faults {
		r.complete = r.complete && errors.Is(&r.faults[i], codec.ErrDefect)
	}
	return r
}

// expect sets what a reader must do with a case. It returns the lines of the answers
// that an either case accepts.
func (m *made) expect(e *expectation, c *cases.Case) (answers [][]byte, err error) {
	r := read(m.trace)
	c.Lines = r.lines
	c.Uncompressed = uncompressed(m.trace)
	if !r.complete && m.sound != nil || e.result == string(cases.Stops) || e.result == string(cases.Tells) {
		c.Lines = read(m.sound).lines
		c.Uncompressed = uncompressed(m.sound)
	}
	c.Kind = cases.Kind(e.result)
	c.Uncompared = e.uncompared
	switch e.result {
	case "valid":
		c.Kind = ""
		if len(r.faults) > 0 {
			return nil, fmt.Errorf("package codec reports %v", &r.faults[0])
		}
	case string(cases.Stops), string(cases.Tells):
		m.faulty(c, r.lines)
	case string(cases.Silent):
		c.LossesOf = m.thread()
	default:
		c.Kind, c.Uncompared = "", nil
		answers, err = m.accept(e, c)
	}
	return answers, err
}

// versionRules are the rules that a reader breaks off for with exit code 3.
var versionRules = []rule.ID{rule.HDR006, rule.OBJ004, rule.OBJ005}

// faulty describes what a reader prints of a trace whose fault it must report. damaged
// are the lines that package codec reads of it.
func (m *made) faulty(c *cases.Case, damaged []byte) {
	c.Unsupported = m.block == "header" || slices.Contains(versionRules, m.rule)
	c.Truncated = m.rule == rule.EOS001 || m.rule == rule.EOS004 || m.rule == rule.EOS006
	block := blockAt(marks(m.trace), m.offset)
	forEachEvent(m.trace, func(_ *codec.Block, e *codec.Event) {
		if e.Offset() < block {
			c.Before++
		}
	})
	c.Missing = differences(c.Lines, damaged)
	switch m.rule {
	case rule.TRC008: // package codec reads addresses of eight bytes
		c.Missing = append(impossibleSize(c.Lines), c.Missing...)
	case rule.CMP007, rule.CMP014:
		if m.version.HasObjects() {
			c.Missing = withKey(c.Missing, m.numberedAfter(block), "sequence")
		}
	}
}

// numberedAfter are the events of the row with the fault and of the rows after it in its
// block. In versions 4 and 5 a compressed row of metadata id 0 does not increment the
// sequence number, and each number depends on that of the row before.
func (m *made) numberedAfter(block int64) (numbers []int) {
	first, n := -1, 0
	forEachEvent(m.sound, func(b *codec.Block, e *codec.Event) {
		if b.Offset == block && e.Offset() <= m.offset {
			first = n
		}
		if b.Offset == block {
			numbers = append(numbers, n)
		}
		n++
	})
	return numbers[slices.Index(numbers, first):]
}

// withKey adds a key of events to the keys that are not compared.
func withKey(list []cases.Missing, events []int, key string) []cases.Missing {
	for _, n := range events {
		at := slices.IndexFunc(list, func(m cases.Missing) bool { return m.Line == "event" && m.Number == n })
		if at < 0 {
			list = append(list, cases.Missing{Line: "event", Number: n, Keys: []string{key}})
			continue
		}
		list[at].Keys = append(list[at].Keys, key)
		slices.Sort(list[at].Keys)
	}
	return list
}

// impossibleSize are the keys that depend on the pointer size.
func impossibleSize(lines []byte) []cases.Missing {
	list := []cases.Missing{{Line: "trace", Keys: []string{"pointerSize"}}}
	for i, e := range parseLines(lines)["event"] {
		if e["stack"] != nil {
			list = append(list, cases.Missing{Line: "event", Number: i, Keys: []string{"stack"}})
		}
	}
	return list
}

// forEachEvent calls a function for each event that can be read.
func forEachEvent(trace []byte, visit func(*codec.Block, *codec.Event)) {
	r := codec.NewBytesBlockReader(trace, codec.Options{OnError: codec.Skip})
	for b, ok := r.Next(); ok; b, ok = r.Next() {
		for e, ok := r.NextEvent(); ok; e, ok = r.NextEvent() {
			visit(b, e)
		}
	}
}

// uncompressed returns the numbers of the events whose rows are not compressed.
func uncompressed(trace []byte) (numbers []int) {
	n := 0
	forEachEvent(trace, func(b *codec.Block, _ *codec.Event) {
		if b.Flags&wire.BlockCompressed == 0 {
			numbers = append(numbers, n)
		}
		n++
	})
	return numbers
}

// thread returns the capture thread of the row with the fault, "" if it is in none.
func (m *made) thread() (id string) {
	block := blockAt(marks(m.trace), m.offset)
	forEachEvent(m.trace, func(b *codec.Block, e *codec.Event) {
		if b.Offset == block && e.Offset() <= m.offset {
			id = strconv.FormatUint(e.CaptureThreadIndex, 10)
		}
	})
	return id
}

// differences are the keys of the trace line and of events that differ between the
// lines of the trace without a fault and those of the trace with it. Events that are
// left out have none.
func differences(sound, damaged []byte) (list []cases.Missing) {
	a, b := parseLines(sound), parseLines(damaged)
	if len(b["trace"]) == 1 {
		if keys := differingKeys(a["trace"][0], b["trace"][0]); len(keys) > 0 {
			list = append(list, cases.Missing{Line: "trace", Keys: keys})
		}
	}
	if len(a["event"]) != len(b["event"]) {
		return list
	}
	for i := range a["event"] {
		if keys := differingKeys(a["event"][i], b["event"][i]); len(keys) > 0 {
			list = append(list, cases.Missing{Line: "event", Number: i, Keys: keys})
		}
	}
	return list
}

// parseLines parses lines, by their types.
func parseLines(text []byte) map[string][]map[string]json.RawMessage {
	lines := map[string][]map[string]json.RawMessage{}
	for row := range bytes.Lines(text) {
		var l map[string]json.RawMessage
		if err := json.Unmarshal(row, &l); err != nil {
			panic(err) // package ndjson writes JSON
		}
		kind := strings.Trim(string(l["type"]), `"`)
		lines[kind] = append(lines[kind], l)
	}
	return lines
}

// differingKeys returns the keys that two lines do not share.
func differingKeys(a, b map[string]json.RawMessage) (keys []string) {
	for key, v := range a {
		if !bytes.Equal(v, b[key]) {
			keys = append(keys, key)
		}
	}
	for key := range b {
		if a[key] == nil {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return keys
}
