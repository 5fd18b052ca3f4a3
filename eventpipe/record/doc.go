// Package record copies the stream of a session: to a file that is readable at
// any time, or to a ring buffer that keeps the last part.
//
//	file, err := record.NewFile(f, record.Uncompressed)
//	report, err := record.New(record.Options{}).Run(ctx, session, file)
//	err = file.Close()
//
// The source is any io.Reader of a NetTrace stream: a session of package
// eventpipe, a pipe, a file. Run reads it to the end mark even if the
// destination fails, because a runtime whose client stops reading blocks the
// threads of its process. Where the stream is malformed, Run returns at once:
// close the session then.
//
// # Files
//
// A trace is complete if it ends with an end mark. A [File] has an end mark
// from the first block on: it writes blocks together with an end mark, which
// the next blocks overwrite. Between two writes the file can therefore be read
// to its end without an error. The trace is truncated only if the program is
// killed during a write.
//
// Of a stream that ends inside a block, because its process was killed, the
// File keeps the complete rows of that block. If a write fails, the File is
// truncated after its last complete block.
//
// # The ring
//
// A [Ring] keeps the last part of a running stream in memory. [Ring.Snapshot]
// returns the current content, and [Snapshot.Write] writes it as a trace of its
// own.
//
// # Names of a process that is killed
//
// A runtime sends the names of its methods at the end of a session, and a
// process that is killed sends none. [Names] reads them earlier, from sessions
// of their own, and [Options].Additions and [Snapshot.Append] write them after
// the recording, with a sequence point after them.
//
// # Processor time
//
// [ThreadTimes] reads how much processor time each thread of a process uses, which
// no event of the runtime has. Its events are written like names.
//
// # Untrusted streams
//
// The stream comes from another process. No stream makes this package panic. A
// stream can however make it keep much memory: the metadata of all its events,
// the numbers of the threads between two sequence points, and in a Ring the stacks
// between them. Names are bounded.
package record
