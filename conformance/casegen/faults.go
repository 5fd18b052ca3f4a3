package main

import (
	"strings"

	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
	"github.com/nettrace-go/nettrace/conformance/cases"
	"github.com/nettrace-go/nettrace/gen"
)

// seed determines the numbers and texts of the traces with a fault.
const seed = 1

// faults are the cases with a fault, and the trace without one for each version.
func faults() []made {
	list := faultCases()
	for _, format := range []wire.Format{wire.V4, wire.V5, wire.V6} {
		for _, c := range gen.Faults() {
			if c.In(format) {
				list = append(list, made{
					grade: cases.Valid, block: "trace", name: "nothing-wrong", version: format,
					about: "the trace that the cases with a fault were made from", trace: c.Inject(format, seed).Corrected,
				})
				break
			}
		}
	}
	return list
}

// faultCases injects each fault: in v4 or else v5, and in v6.
func faultCases() []made {
	var list []made
	for _, c := range gen.Faults() {
		for _, format := range []wire.Format{wire.V4, wire.V5, wire.V6} {
			if !c.In(format) || format.HasTags() && c.In(wire.V4) {
				continue
			}
			broken := c.Inject(format, seed)
			list = append(list, made{
				grade: gradeOf(&c), block: blockOf(c.Rule), name: c.Name, version: format,
				trace: broken.Faulty, rule: c.Rule, offset: broken.Offset,
			})
		}
	}
	return list
}

// grades are those of faults whose rule has several severities, or of which the
// text forbids only some.
var grades = map[string]cases.Grade{
	"empty-thread-block": cases.Valid, "empty-remove-block": cases.Valid, "field-tail": cases.Valid,
	"fixed-array-of-none": cases.Valid, "opcode-long": cases.Valid, "event-name-with-control": cases.Valid,
	"label-key-empty": cases.Valid, "block-reader-1": cases.Valid,
	"empty-type": cases.Invalid, "label-indexes-overflow": cases.Invalid,
}

// gradeOf returns the expected result of a reader for a fault: an error makes the
// trace invalid, unless the text does not forbid it.
func gradeOf(c *gen.Fault) cases.Grade {
	if grade := grades[c.Name]; grade != "" {
		return grade
	}
	switch c.Rule {
	case rule.MD008, rule.THR004, rule.STK005, rule.LBL005, // ids defined twice
		rule.OBJ006, // an object of another type
		rule.TYP004, // a type that the list of v6 leaves out
		rule.TYP011: // types that are nested too deeply for some
		return cases.Either
	}
	if c.Rule.Rule().Severity == rule.Error {
		return cases.Invalid
	}
	return cases.Valid
}

// groups has the folder, which is the block that they are about, of each group of
// rules.
var groups = map[string]string{
	"HDR": "header", "BLK": "framing", "OBJ": "framing", "TRC": "trace", "EVB": "event", "CMP": "event", "UNC": "event",
	"ORD": "event", "SEQ": "event", "REF": "event", "MD": "metadata", "MD4": "metadata", "TAG": "metadata", "TYP": "metadata",
	"OPT": "metadata", "STK": "stack", "THR": "thread", "RMT": "removethread", "LBL": "labellist", "SQP": "sequencepoint",
	"PAY": "payload", "EOS": "endofstream", "NP": "netperf",
}

// blockOf is the folder of the cases of a rule.
func blockOf(id rule.ID) string {
	return groups[strings.Split(id.String(), "-")[1]]
}
