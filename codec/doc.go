// Package codec reads and writes NetTrace, the format of .NET's EventPipe
// (dotnet-trace, record-trace): versions 3 (netperf, read only), 4, "5" (version
// 4 whose metadata carries tags) and 6. It imports the standard library only.
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
// A stream is a header and a sequence of blocks. Blocks hold rows: event rows,
// and rows of the tables they refer to (metadata, stacks, threads, label
// lists). A sequence point is a block that ends a region: stacks and label
// lists are known up to the next one. Ticks are the unit of timestamps; Trace
// converts them.
//
// # Lifetime
//
// An Event, its payload and every slice its methods return are valid until the
// Reader's next step; Event.Clone keeps one. *Metadata, *Thread and *Trace
// values are immutable and may be kept. Input in memory is read in place and
// never written. Under the race detector blocks are copied and overwritten when
// they are spent, so that a program that keeps borrowed bytes sees it.
//
// # Order, fields, slices
//
// Events come in file order, or by time with Options.Order. Event.Fields and
// Event.Field read the payload by the fields of its type; Options.Schemas tells
// the fields of events that the trace does not describe (package clr knows those
// of the .NET runtime). NewIndex reads the block headers of a file; Index.Between
// reads a range of time without the rest.
//
// # Blocks
//
// A BlockReader reads a stream block by block, in file order. BlockReader.Rows,
// BlockReader.NextEvent and BlockReader.Columns read the rows of a block: all of them
// as they are written, its events one by one, or a column at a time for programs that
// count and sum. A stream is read by a Reader or by a BlockReader, not by both.
//
// # Writing
//
// A Writer takes events one by one and assigns ids, sequence numbers, blocks and
// sequence points. It refuses what the conformance checker calls an error, and goes
// on; WriterOptions.PassOn is for programs that write what they have read.
// DefineEvent returns an EventType, which encodes payloads field by field:
//
//	err := request.Event().Thread(thread).Timestamp(ticks).String("/cart").Float64(1.5).Write()
//
// Each value is checked against the fields that the metadata declares, and an event
// allocates nothing. Writer.Write takes a payload that is already encoded.
//
// A Recorder is a Writer that is safe for concurrent use: Record appends to a bounded
// queue and never waits for the destination. A BlockWriter writes the blocks that
// BlockReader.Rows gives, with the ids and borders they have and without checks; with
// preserve the bytes are those that were read.
//
// # Errors
//
// There are three grades. Fatal: the stream is not NetTrace, of another version,
// truncated, or its framing is malformed: the iteration ends with an *Error, or
// with the source's own error. Bad block: a row or block breaks its own layout:
// Options.OnError stops with an *Error or skips to the next block. Defect: a
// complete row refers to a row that is not there or contradicts an earlier one: the
// event is delivered without that part, Options.OnDefect sees it, Reader.Defects
// counts it; Options.Strict makes the first one fatal. Events before the error have
// already been delivered.
//
// Losses are not errors: Reader.Lost and Options.OnLost report the events that the
// writer dropped, by the sequence numbers.
//
// # Limits and hostile input
//
// No input makes the Reader panic or loop, and a size in the stream never sizes
// an allocation by itself. Limits bounds what is held; its defaults are safe
// for an agent with 64 MB.
package codec
