// Package codec reads and writes NetTrace, the format of .NET's EventPipe
// (dotnet-trace, record-trace): versions 3 (netperf, read only), 4, "5"
// (version 4 with tags in its metadata) and 6. It imports the standard library
// only.
//
//	r := codec.NewReader(f, codec.Options{})
//	for ev, err := range r.Events() {
//		if err != nil {
//			return err // events before the error have already been delivered
//		}
//		use(ev.Time(), ev.Provider(), ev.ID(), ev.Payload())
//	}
//
// # Terms
//
// A stream is a header and a sequence of blocks. Blocks have rows: event rows,
// and rows of the tables that they refer to (metadata, stacks, threads, label
// lists). A sequence point is a block that ends a region: references to stacks
// and label lists are valid until the next one. Timestamps are in ticks; Trace
// converts them.
//
// # Lifetime
//
// An Event, its payload and every slice that its methods return are valid until
// the Reader's next step; use Event.Clone or CloneInto to keep one longer. *Metadata, *Thread and *Trace
// values are immutable and stay valid. The Reader uses input in memory without
// a copy and never writes to it. Under the race detector it copies blocks and
// overwrites them after use, to reveal programs that keep borrowed bytes.
//
// # Order, fields, slices
//
// Events come in file order, or in time order with Options.Order. Event.Fields
// and Event.Field decode the payload with the fields of its metadata;
// Options.Schemas has the fields of events that the trace does not describe
// (package clr has those of the .NET runtime). NewIndex reads the block headers
// of a file; Index.Between reads a time range without the rest of the file, and
// Index.Chunks divides the file for several goroutines.
//
// # Blocks
//
// A BlockReader reads a stream block by block, in file order. BlockReader.Rows and
// BlockReader.NextEvent read the rows of a block: all of them in the form of
// the file, or its events one by one. Use either a Reader or a BlockReader for
// a stream.
//
// # Writing
//
// A Writer takes events one by one and assigns ids, sequence numbers, blocks and
// sequence points. Writer.Write takes an encoded payload; the EventType that
// Writer.DefineEvent returns encodes the fields. A Writer returns an error for
// whatever the conformance checker reports as an error, writes nothing of it, and
// can write the next event. WriterOptions.PassOn accepts more, for programs that
// copy the events of another trace. A
// Recorder is a Writer that is safe for concurrent use: Record appends to a
// bounded queue and never waits for the destination. A BlockWriter writes the
// blocks that BlockReader.Rows returns, with their ids and boundaries and without
// checks; with Preserve the bytes are those of the source.
//
// # Errors
//
// There are three grades. Fatal: the stream is not NetTrace, has an
// unsupported version, is truncated, or has malformed framing, or the source
// fails. The iteration ends with an *Error, or with the source's own error. Bad block: a row or block is
// malformed: Options.OnError decides whether the iteration ends with an *Error
// or continues with the next block. Defect: a complete row refers to a missing
// row or contradicts an earlier one. The event is delivered without what is
// missing, such as its stack. Options.OnDefect receives the defect and
// Reader.Defects counts it; with Options.Strict the first one is fatal. Events before the error have already been delivered.
//
// Losses are not errors: Reader.Lost and Options.OnLost report the events that
// the writer dropped, according to the sequence numbers.
//
// # Limits and untrusted input
//
// No input makes the Reader panic or run without end, and a size in the stream
// never determines an allocation by itself. Limits bounds the memory; its
// defaults are safe for an agent with 64 MB.
package codec
