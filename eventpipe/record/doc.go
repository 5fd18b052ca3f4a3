// Package record keeps the stream of a session: in a file that is whole
// whatever happens, or of the last part only, in a ring.
//
//	file, err := record.NewFile(f, record.Plain)
//	report, err := record.New(record.Options{}).Run(ctx, session, file)
//	err = file.Close()
//
// The stream is any io.Reader of NetTrace: a session of package eventpipe, a
// pipe, a file. It is read to its end mark even when the destination takes no
// more, because a runtime whose reader stops blocks the threads of its process.
// Where the stream is malformed Run returns at once: close the session then.
//
// # Whole files
//
// A trace is whole when it ends with an end mark. A [File] has one behind it
// from the first block on: blocks are written together with a mark behind
// them, and the next ones overwrite it. What stands in the file at rest can be
// read to its end without an error. Only a write that is itself cut, because
// the collector is killed in the middle of it, leaves a trace that is truncated.
//
// A stream that ends inside a block, because its process was killed, gives the
// rows of that block that have come whole. A destination that takes no more is
// cut behind its last whole block.
//
// # The ring
//
// A [Ring] holds what a stream has said of late in memory, for as long as the
// stream goes on. [Ring.Snapshot] takes what is there, and [Snapshot.Write]
// makes a trace of it that can be read alone.
//
// # Trust
//
// The stream comes from a process. Nothing in it makes this package panic, but
// a process can make it hold what it sends: the types of its events, and in a
// ring the stacks between two sequence points.
package record
