package main

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/conformance/cases"
	"github.com/nettrace-go/nettrace/conformance/runner"
)

// attribute writes a table with a line for each known failure: what the reader does,
// the bytes of the trace that it is about, and who is right.
func attribute(b *bytes.Buffer, report *runner.Report) {
	head := false
	for _, r := range report.Results {
		if r.Outcome != runner.KnownFailed {
			continue
		}
		if !head {
			b.WriteString("\n| failing case | basis | bytes | the reader | right |\n|---|---|---|---|---|\n")
			head = true
		}
		fmt.Fprintf(b, "| %s | %s | `%s` | %s | %s |\n", r.Case.Name, r.Case.Basis, excerpt(r.Case, r.Reason), r.Reason, right(r.Case, r.Reason))
	}
}

// right says who is right when a reader fails a case.
func right(c *cases.Case, reason string) string {
	switch {
	case c.Basis == cases.Choice:
		return "not decided"
	case strings.Contains(reason, "not compressed"):
		return "the specification: Uncompressed events"
	case c.Basis == cases.Text:
		return fmt.Sprintf("the specification: %s", c.Heading)
	}
	return "the other writers and readers"
}

// excerpt are the bytes that a failure is about, with their offset: those of the fault
// of the case, or the header of the first block of the kind that the reason names.
func excerpt(c *cases.Case, reason string) string {
	offset := c.Fault.Offset
	if c.Fault.Rule == rule.None || strings.Contains(reason, "not compressed") {
		offset = placeOf(c, reason)
	}
	const width = 12
	end := min(offset+width, int64(len(c.Trace)))
	if offset >= end {
		return fmt.Sprintf("%d: end of the stream", offset)
	}
	return fmt.Sprintf("%d: %s", offset, hex.EncodeToString(c.Trace[offset:end]))
}

// placeOf returns the offset of the bytes that a case without a fault is about: the
// header of the first uncompressed event block if the reason names it, otherwise the
// part of the stream that the block of the case's name is about.
func placeOf(c *cases.Case, reason string) int64 {
	plain := strings.Contains(reason, "not compressed")
	kinds := map[string]wire.Kind{
		"metadata": wire.KindMetadata, "stack": wire.KindStack, "thread": wire.KindThread, "removethread": wire.KindRemoveThread,
		"labellist": wire.KindLabelList, "sequencepoint": wire.KindSequencePoint, "trace": wire.KindTrace,
	}
	kind, ok := kinds[c.Block()]
	if !ok || plain {
		kind = wire.KindEvent
	}
	r := codec.NewBytesBlockReader(c.Trace, codec.Options{OnError: codec.Skip})
	for b, ok := r.Next(); ok; b, ok = r.Next() {
		if b.Kind != kind || plain && b.Flags&wire.BlockCompressed != 0 {
			continue
		}
		at := b.BodyOffset
		if e, ok := r.NextEvent(); ok && !plain {
			at = e.Offset()
		}
		return at
	}
	return 0
}
