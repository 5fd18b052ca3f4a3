package main

import (
	"strings"

	"github.com/nettrace-go/nettrace/codec/rule"
	"github.com/nettrace-go/nettrace/codec/wire"
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
				list = append(list, made{block: "trace", name: "nothing-wrong", version: format, trace: c.Inject(format, seed).Corrected})
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
				block: blockOf(c.Rule), name: c.Name, version: format,
				trace: broken.Faulty, sound: broken.Corrected, rule: c.Rule, offset: broken.Offset,
			})
		}
	}
	return list
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
