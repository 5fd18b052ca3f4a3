// Package analysis answers questions about the program in a trace: what the
// garbage collector did, which locks were contended, which requests were slow.
//
//	parts := parts.All()
//	t, err := analysis.Read(ctx, r, analysis.Options{Parts: parts})
//	for _, p := range parts {
//		for _, report := range p.Reports(t) {
//			use(report.Rows, report.Totals, report.Findings)
//		}
//	}
//
// # Parts
//
// A [Part] is the answer to one question and has a package of its own below this
// one, such as analysis/gc; package analysis/parts lists all of them. Package model
// reads the trace, once, and has the facts that parts share.
//
// # Reports
//
// A [Report] is about one part and one process. Its JSON form is the same for
// all parts. The unit of a number is at the end of its key: times are integers
// in nanoseconds, sizes integers in bytes. A value that the trace does not have
// is left out; it is never 0. A part without events has empty rows and totals in JSON:
// NotRecorded has the provider, keywords and level that record them.
//
// # Limits
//
// Limits bounds the memory of Read. Beyond a limit stacks have no frames and
// further rows are left out; [Trace.LeftOut] and the totals of a part count
// them. A truncated trace has the reports of its events up to that place.
package analysis
