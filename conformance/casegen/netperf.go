package main

import (
	"bytes"

	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
)

// netperf is version 3 of the format, which is only read.
var netperf = wire.V3

// netperfRow is an event row of version 3; metadata id 0 defines metadata.
func netperfRow(metadata uint32, ticks uint64, payload, stack []byte) []byte {
	related := make([]byte, 16)
	b := bytesOf(metadata, uint32(100), ticks, guid[:], related, uint32(len(payload)), payload, uint32(len(stack)), stack)
	for len(b)%4 != 0 {
		b = append(b, 0)
	}
	return bytesOf(uint32(len(b)), b)
}

// netperfStream is a stream of version 3 with one block of rows.
func netperfStream(rows ...[]byte) []byte {
	const size = 20
	b := bytesOf(uint32(size), "!FastSerialization.1")
	object := func(version uint32, name string) {
		b = bytesOf(b, byte(4), byte(4), byte(1), version, uint32(0), uint32(len(name)), name, byte(6))
	}
	object(3, "Trace")
	moment := bytesOf(uint16(2026), uint16(11), uint16(6), uint16(21), uint16(9), uint16(30), uint16(0), uint16(250))
	b = bytesOf(b, moment, uint64(start), uint64(1e9), uint32(8), uint32(4711), uint32(8), uint32(1000000), byte(6))
	object(1, "EventBlock")
	body := bytesOf()
	for _, row := range rows {
		body = append(body, row...)
	}
	b = bytesOf(b, uint32(len(body)))
	for len(b)%4 != 0 {
		b = append(b, 0)
	}
	return bytesOf(b, body, byte(6), byte(1))
}

// netperfCases are those of version 3.
func netperfCases() []made {
	definition := bytesOf(uint32(1), wide("Contoso"), uint32(5), wide("Old"), uint64(2), uint32(1), uint32(4),
		uint32(1), uint32(wire.Int32), wide("Count"))
	define := netperfRow(0, start, definition, nil)
	stack := bytesOf(uint64(0x7F3A_0000_1000), uint64(0x7F3A_0000_2000))
	row := func(ticks uint64, stack []byte) []byte { return netperfRow(1, start+ticks, bytesOf(uint32(7)), stack) }
	two := netperfStream(define, row(100, stack), row(200, nil))
	negative := netperfRow(1, start+200, bytesOf(uint32(7)), nil)
	const payloadSize = 4 + 4 + 4 + 8 + 16 + 16
	copy(negative[payloadSize:], bytesOf(uint32(1<<32-1)))
	broken := netperfStream(define, row(100, stack), negative)
	at := len(broken) - 2 - len(negative) + payloadSize
	list := []made{
		{block: "netperf", name: "two-events", version: netperf, trace: two},
		{block: "netperf", name: "definition-only", version: netperf, trace: netperfStream(define)},
		{block: "netperf", name: "payload-size-negative", version: netperf, trace: broken, sound: two,
			rule: rule.NP005, offset: int64(at)},
		{block: "netperf", name: "unknown-metadata", version: netperf, sound: two,
			trace: netperfStream(define, row(100, stack), netperfRow(2, start+200, nil, nil)),
			rule:  rule.NP006, offset: int64(len(two) - 2 - len(row(200, nil)) + 4)},
		{block: "netperf", name: "cut", version: netperf, trace: two[:len(two)-20], sound: two,
			rule: rule.EOS006, offset: int64(len(two) - 20)},
	}
	return append(list, netperfFaults(two, len(define), len(row(100, stack)))...)
}

// netperfFaults are faults of a byte in a stream with a definition and two rows.
func netperfFaults(two []byte, define, first int) []made {
	block := bytes.Index(two, []byte("EventBlock"))
	const head, size, rows = 3 + 3*4, 10 + 1, 10 + 1 + 4 // before and after the name of the type
	body := (block + rows + 3) &^ 3
	second := body + define + first
	var list []made
	for _, f := range []struct {
		name  string
		rule  rule.ID
		at    int
		value byte
	}{
		{"object-tag", rule.NP001, block - head, 7},
		{"end-tag", rule.NP001, len(two) - 2, 5},
		{"block-version-2", rule.NP002, block - 3*4, 2},
		{"block-size-large", rule.NP003, block + size, 255},
		{"event-size-small", rule.NP004, second, 8},
		{"time-back", rule.NP007, second + 4*3, two[second+4*3] - 150},
	} {
		trace := bytes.Clone(two)
		trace[f.at] = f.value
		list = append(list, made{block: "netperf", name: f.name, version: netperf, trace: trace, sound: two, rule: f.rule, offset: int64(f.at)})
	}
	return list
}
