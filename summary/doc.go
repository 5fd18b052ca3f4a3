// Package summary adds up what is in many traces: events by type, losses, the methods and
// stacks of their samples with exact counts, and the distributions of pauses, requests and
// waits. A Summary of thousands of files fits into memory, and Summaries can be merged.
//
//	b := summary.NewBuilder(summary.Options{})
//	for _, name := range names {
//		if err := b.AddTrace(ctx, summary.File{Name: name, Open: open(name)}); err != nil {
//			report(name, err) // the Summary lists it too
//		}
//	}
//	data, err := b.Summary().Encode()
//
// # Merging
//
// A Summary depends only on the set of files: the order of AddTrace and Merge, and how files
// are divided among processes, do not change a byte of Encode, as long as the programs are of
// the same version. It has no time of day, name of a machine or order of files. All sums are
// integers.
//
// # Names
//
// Methods of different processes are one method if name and module are equal. Addresses
// without a name differ between processes: they all are NoName.
//
// # Durations
//
// Distributions are DDSketches: a quantile is within 1 % of a duration of that rank. Number,
// sum, minimum and maximum are exact. Durations whose end is not in the trace, and
// requests whose duration is not known, are only counted.
//
// # Encoding
//
// Encode writes JSON, compressed with zstd: the fields of Summary and their units are the
// schema. Version is the version of the schema: Decode refuses newer ones.
package summary
