package conformance_test

import (
	"github.com/nettrace-go/nettrace/codec"
	"github.com/nettrace-go/nettrace/codec/rule"
)

// verdict is the expected result for a small stream by the text of the format,
// and for a fault by the three grades of errors. It does not depend on codec.
type verdict struct {
	name   string  // of the stream, or a pattern for several; the longest one that fits counts
	events int     // delivered when bad blocks are skipped
	lost   uint64  // events that the sequence numbers miss
	defect rule.ID // the rule that all of its defects break
	count  int64   // number of defects; 0 means 1 when there is a defect
	bad    rule.ID // the rule that its only bad block breaks
	before int     // events delivered when the bad block ends the reading
	limit  bool    // the block is bad because it exceeds a limit
	end    *end    // nil: the stream ends at its end mark
	depth  int     // of the first event's stack, where it matters
	extra  int64   // bytes after the end mark, without the three zeros of v4 builders
}

// end is an end before the end mark.
type end struct {
	err    error
	rule   rule.ID
	offset int64 // of the error; 0: not compared
	block  int64 // start of the truncated block
	row    int   // its first incomplete row
}

func cutAt(id rule.ID, offset, block int64, row int) *end {
	return &end{codec.ErrTruncated, id, offset, block, row}
}

// verdicts is in the order of the streams' names. pv-* were built by another
// reader's tests, probe-* were made for this project, each for one suspected
// weakness.
var verdicts = []verdict{
	// 01 Sequence numbers. v6 has no legal step back; the first number is 1.
	{name: "probe-01a-v6-duplicate-sequence", events: 4, defect: rule.SEQ002},                                 // 1 2 2 3
	{name: "probe-01c-v6-two-backward-steps-int-overflow", events: 3, lost: 4, defect: rule.SEQ002, count: 2}, // 5 4 3
	{name: "probe-01d-v6-all-zero-sequence", events: 2, defect: rule.SEQ002, count: 2},                        // 0 0
	{name: "probe-01[efg]-v6-two-capture-threads-*", events: 4},                                               // A1 B1 A2 B2
	{name: "probe-01h-v4-thread-id-reused-reset-to-1", events: 5},                                             // 1 2 3 1 2: the exception that v4 names
	{name: "probe-01k-v4-real-gap-3", events: 2, lost: 3},                                                     // 1 5
	{name: "probe-01[op]-v[46]-first-sequence-4", events: 1, lost: 3},                                         // 4
	{name: "probe-01q-v6-gap-larger-than-2pow31", events: 2, lost: 0x90000000 - 2},                            // 1 0x90000000
	{name: "probe-02*", events: 1},                                                                            // payloads are not compared
	{name: "probe-03*", events: 2},                                                                            // rows and metadata padded to 4 bytes
	{name: "probe-04[acde]-*", events: 2},                                                                     // indexes are removed, and reused
	{name: "probe-04f-v6-removethread-final-sequence-reports-3-lost", events: 1, lost: 3},                     // 1, removed at 4

	// 05 Types nested deeper than the limit of 32, which no text defines. The
	// event is delivered without its metadata.
	{name: "probe-05*", events: 1, bad: rule.LIM004, limit: true, defect: rule.REF001},

	// 06 Counts and sizes.
	{name: "probe-06[acd]-v4-field-count-*", bad: rule.MD4005},
	{name: "probe-06e-v6-field-count-65535-tiny-row", bad: rule.TYP002}, // the first field is too short for a name
	{name: "probe-06[fghij]-*", events: 1},
	{name: "probe-06[lm]-v6-sequence-point-thread-count-*", bad: rule.SQP001},
	{name: "probe-06[pq]-v4-block-size-minus-*", end: &end{err: codec.ErrFraming, rule: rule.OBJ008, offset: 339}},
	{name: "probe-06s-v6-string-length-int-max", bad: rule.MD004},
	{name: "probe-06t-v6-payload-size-over-2pow31", bad: rule.CMP006},
	{name: "probe-06v-v6-stack-size-int-max", bad: rule.STK002},
	{name: "probe-06w-v6-duplicate-stack-id", defect: rule.STK005}, // with another address
	{name: "probe-06x-v6-stack-70000-bytes", events: 1, depth: 8750},
	{name: "probe-06y-v6-stack-065520-bytes", events: 1, depth: 8190},
	{name: "probe-06y-v6-stack-065527-bytes", events: 1, depth: 8190, defect: rule.STK003},
	{name: "probe-06y-v6-stack-065544-bytes", events: 1, depth: 8193},

	// 07 Truncated streams: every complete row is delivered, including those of
	// the truncated block.
	{name: "probe-07a-v6-unsorted-20-events-complete", events: 20},
	{name: "probe-07[bf]-v6-*sorted-cut-before-end-block", events: 20, end: cutAt(rule.EOS001, 1282, 1282, codec.NoRow)},
	{name: "probe-07[ce]-v6-*sorted-cut-inside-second-block", events: 19, end: cutAt(rule.EOS006, 1252, 698, 9)},
	{name: "probe-07i-v6-bad-metadata-ref-after-10-good-unsorted", events: 11, defect: rule.REF001},

	// 08 Timestamps: sums modulo 2^64, in file order.
	{name: "probe-08b-v6-absolute-over-int64-max", events: 2},
	{name: "probe-08c-v6-delta-overflows-past-2pow64", events: 3},
	{name: "probe-08[de]-v6-two-threads-*", events: 4},

	// 09 References to undefined rows: the event is delivered without that part.
	{name: "probe-09a-v6-unknown-metadata-id", events: 2, defect: rule.REF001},
	{name: "probe-09c-v6-metadata-id-zero", events: 1, defect: rule.REF001},
	{name: "probe-09[dk]-v6-*", events: 1, defect: rule.STK007},
	{name: "probe-09e-v6-unknown-label-list", events: 1, defect: rule.LBL006},
	{name: "probe-09f-v6-unknown-thread-index", events: 1, defect: rule.THR009}, // the same index in both fields: one cause
	{name: "probe-09g-v6-unknown-capture-thread-first-event", events: 1, defect: rule.THR010},
	{name: "probe-09m-v6-label-list-index-0-defined", events: 1, defect: rule.LBL001},

	// 10 Blocks and versions. A minor version never matters, a major version is
	// an unsigned number, and so is -1.
	{name: "probe-10[bf]-v6-minor-*", events: 1},
	{name: "probe-10[cg]-major-*", end: &end{err: codec.ErrVersion, rule: rule.HDR006, offset: 12}},
	{name: "probe-10h-v4-unknown-object-type"},
	{name: "probe-10i-v4-block-version-3", end: &end{err: codec.ErrVersion, rule: rule.OBJ005}},
	{name: "probe-10j-v4-block-version-3-minreader-2"},
	{name: "probe-10k-v4-block-version-2-minreader-9", end: &end{err: codec.ErrVersion, rule: rule.OBJ005}},
	{name: "probe-10n-v6-bytes-after-end-block", extra: 21},
	{name: "probe-10p-v6-event-block-zero-events", defect: rule.EVB005},
	{name: "probe-10q-v6-event-block-header-size-19", bad: rule.EVB001}, // 19 bytes in all
	{name: "probe-10s-v6-invalid-month-13", defect: rule.TRC002},
	{name: "probe-10t-v4-end-tag-single-byte", events: 1},
	{name: "probe-11-*", events: 2}, // payloads of more than 65,535 bytes

	// 12 Every type code in every position. The stream does not depend on the
	// content of payloads; a malformed description makes its block bad. Codes
	// that are new in v6 are harmless in descriptions of v4 as long as they need
	// no element type.
	{name: "probe-12-*", events: 1},
	{name: "probe-12-v4-v1list-0*-code[02]", events: 1, bad: rule.MD4008, defect: rule.REF001},
	{name: "probe-12-v5-v2params-0*-code[02]", events: 1, bad: rule.MD4008, defect: rule.REF001},
	{name: "probe-12-v6-scalar-*-code*", events: 1, bad: rule.TYP003, defect: rule.REF001},
	{name: "probe-12-v6-scalar-02-code2", events: 1, bad: rule.TYP004, defect: rule.REF001},
	{name: "probe-12-v6-dataloc-18-utf16z", events: 1, bad: rule.TYP008, defect: rule.REF001},
	{name: "probe-12-v6-relloc-18-utf16z", events: 1, bad: rule.TYP008, defect: rule.REF001},
	{name: "probe-12-v6-relloc-of-nulstring", events: 1, bad: rule.TYP008, defect: rule.REF001},

	// 13, 14 Found on the way.
	{name: "probe-13b-v3-related-activity-id", events: 1, depth: 2},
	{name: "probe-13c-v6-64bit-tid-pid-processor-300", events: 1},
	{name: "probe-13[de]-v6-*", events: 2},
	{name: "probe-13j-v6-optional-metadata-kind-2", bad: rule.OPT003},
	{name: "probe-13k-v6-metadata-row-without-optional-size", bad: rule.MD004},
	{name: "probe-13m-v6-second-trace-block", events: 1, defect: rule.BLK006},
	{name: "probe-14a-v6-sort-merge-with-equal-timestamps", events: 8},

	{name: "pv-all-events-round-trip", events: 481},
	{name: "pv-allocation-sampled-*", events: 1},
	{name: "pv-can-read-v4-event-pipe-trace-bigger-than4-gb-reduced", events: 6},
	{name: "pv-convert-nettrace-with-*-symbol-range-does-not-throw", events: 2},
	{name: "pv-event-source-events-dispatched-*", events: 4},
	{name: "pv-history-parse-v6-length-prefixed-strings", events: 2, bad: rule.TYP005, defect: rule.REF001, count: 2},
	{name: "pv-invalid-v6-rel-loc-and-data-loc-array-bounds-*", events: 1},
	{name: "pv-malformed-il-to-native-map-payload-*", events: 1},
	{name: "pv-minor-version-increments-are-supported"},
	{name: "pv-musl-rooted-stack-is-not-broken-*", events: 5},
	{name: "pv-negative-object-type-length-*", end: &end{err: codec.ErrFraming, rule: rule.OBJ007, offset: 43}},
	{name: "pv-parse-minimal-trace-v6"},
	{name: "pv-parse-v6-compressed-event-headers", events: 7, lost: 6},
	{name: "pv-parse-v6-fixed-length-array-*", events: 1},
	{name: "pv-parse-v6-metadata", events: 3},
	{name: "pv-parse-v6-metadata-*", events: 1},
	{name: "pv-parse-v6-nested-var-ints-and-strings", events: 1},
	{name: "pv-parse-v6-optional-metadata"},
	{name: "pv-parse-v6-rel-loc-and-data-loc-*", events: 1},
	{name: "pv-parse-v6-trace-block-*"},
	{name: "pv-parse-v6-utf8-char", events: 1},
	{name: "pv-parse-v6-var-ints", events: 4},

	// v3, which no text describes. A stack of 65,528 bytes is as good as any.
	{name: "pv-read-from-format-v3-accepts-maximum-stack-size-under-u-short-boundary", events: 1, depth: 8190},
	{name: "pv-read-from-format-v3-accepts-stack-contained-in-event", events: 1, depth: 1},
	{name: "pv-read-from-format-v3-rejects-event-size-overflow", bad: rule.NP004},
	{name: "pv-read-from-format-v3-rejects-negative-payload-size", bad: rule.NP004}, // its EventSize leads out of the block already
	{name: "pv-read-from-format-v3-rejects-negative-stack-size", bad: rule.NP005},
	{name: "pv-read-from-format-v3-rejects-stack-bytes-extending-past-event", bad: rule.NP005},
	{name: "pv-read-from-format-v3-rejects-stack-size-that-overflows-extended-data-u-short", events: 1, depth: 8191},

	{name: "pv-recursive-calls-with-mutable-trace-event-stack-source", events: 1},
	{name: "pv-skip-extra-block-header-space-v5", events: 1},
	{name: "pv-skip-extra-metadata-parameter-space-v5", events: 1},
	{name: "pv-skip-extra-metadata-space-v6"},
	{name: "pv-skip-extra-metadata-tag-space-v5", events: 3},
	{name: "pv-throws-exception-on-unsupported-major-version", end: &end{err: codec.ErrVersion, rule: rule.HDR006, offset: 12}},
	{name: "pv-v5-incomplete-trace-throws-exception", end: cutAt(rule.EOS004, 102, 102, codec.NoRow)},
	{name: "pv-v5-start-stop-opcode-removed-from-event-names", events: 4},
	{name: "pv-v6-*-returns-lookup-exception", events: 1},
	{name: "pv-v6-*-throws-on-variable-sized-element-type", bad: rule.TYP008},
	{name: "pv-v6-double-remove-thread-block-throws-exception", events: 1, bad: rule.RMT003, before: 1},
	{name: "pv-v6-incomplete-trace-throws-exception", end: cutAt(rule.EOS001, 64, 64, codec.NoRow)},
	{name: "pv-v6-label-list-can-override-*", events: 3},
	{name: "pv-v6-mismatched-remove-thread-block-throws-exception", events: 1, bad: rule.RMT002, before: 1},
	{name: "pv-v6-missing-thread-block-throws-exception", events: 1, defect: rule.THR009},
	{name: "pv-v6-parse-event-label-lists-*", events: 6},
	{name: "pv-v6-parse-multiple-thread-blocks", events: 8},
	{name: "pv-v6-parse-optional-thread-data", events: 1},
	{name: "pv-v6-parse-simple-thread-block", events: 3},
	{name: "pv-v6-redefined-metadata-index-throws-format-exception", defect: rule.MD008},
	{name: "pv-v6-redefined-thread-index-throws-format-exception", defect: rule.THR004},
	{name: "pv-v6-ref-after-remove-thread-block-throws-exception", events: 1, defect: rule.THR009},
	{name: "pv-v6-sequence-point-can-flush-*", events: 1},
	{name: "pv-v6-sequence-point-detects-dropped-events", lost: 5},
	{name: "pv-v6-sequence-point-does-not-flush-*", events: 1},
	{name: "pv-v6-start-stop-opcode-removed-from-event-names", events: 4},
	{name: "pv-v6-unrecognized-block-types-are-skipped"},
	{name: "pv-well-known-diagnostic-source-events-have-payloads", events: 7},
}
