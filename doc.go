// Package nettrace opens traces in NetTrace, the trace format of .NET (versions 3
// to 6). Open and NewReader recognize zstd and gzip and know the fields of .NET's
// own events:
//
//	r, err := nettrace.Open("trace.nettrace.zst")
//	if err != nil {
//		return err
//	}
//	defer r.Close()
//	for event, err := range r.Events() {
//		if err != nil {
//			return err // events before the error have already been delivered
//		}
//		use(event.Time(), event.Provider(), event.ID())
//	}
//
// Package codec, which this package builds on, has all options of reading, writes
// traces, and needs the standard library only.
//
// # Packages
//
// A package imports packages of its own folder and of lower levels only. A test
// checks every import.
//
//	9  cmd/nettrace                    the program
//	   fuzz                            proofs of robustness
//	8  bench  conformance              proofs of speed and correctness
//	7  gen                             generates traces
//	   view                            the documents that the viewer in the browser shows
//	   columns                         a trace as tables, for queries and other formats
//	   summary                         the sums of many traces, which can be merged
//	   agent                           many running processes: their profiles, sent to servers
//	   telemetry                       the metrics, logs and spans of a process in the data model of OpenTelemetry, for hosts
//	6  profile                         the samples and stacks of a trace as profiles
//	   analysis                        reports: what was wrong with the program in a trace; rules (trigger)
//	5  model                           what happened in a recorded process: each fact once, from events
//	   perf                            the processor time of a process: samples of Linux, repaired and written as a trace
//	4  nettrace                        opens traces, compressed or not
//	   heap  gcdump                    the graph of a heap dump: what was in memory and what kept it there; .gcdump files
//	   edit  eventpipe                 makes a trace from another; talks to running processes
//	   symbols                         names and source lines by the files of modules: PDBs, images
//	3  codec/clr                       what the events of .NET mean: schemas, symbols, counters
//	2  codec                           Reader and Writer: events, tables, time order, losses
//	1  codec/raw  codec/layout         blocks of bytes; the fields of every header and row
//	0  codec/wire  codec/rule          primitives and tables of the format; the rules by number
//
// docs/development.md describes the packages of the program, which are in
// cmd/nettrace/internal.
//
// The folder corpora has traces, docs the documentation and its site, deploy the
// container image and manifests; no package imports them. Packages in internal are
// helpers of tests and generators. Twelve are for more than tests: internal/archive
// unpacks the conformance cases; internal/corpora reads the traces for benchmarks
// and tools; internal/chunks reads a file with several goroutines; internal/seekable
// reads and writes zstd files with a seek table;
// internal/shortwrite reports incomplete writes; internal/timens reads clocks of time
// namespaces; internal/rowtable finds what belongs to a metadata row; internal/recording and
// internal/blocking have what profile and analysis share, internal/sampling and internal/bytesize
// what analysis and the program share; internal/guid makes ids of clients for the agent
// and the program. The command internal/oracle compares what package codec reads with
// TraceEvent.
//
// # The way of an event
//
// Package raw splits the stream into blocks. The row loop of the stream's version
// in package codec decodes one row after another and looks up the ids of a row in
// tables that earlier blocks filled. The caller gets a view of the event that is
// valid until the next one. Clone keeps it.
package nettrace
