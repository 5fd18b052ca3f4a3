// Package async reads the records of the async profiler of .NET 11: which chains of
// suspended async methods were created, resumed, suspended and completed, on which
// thread, and with which methods.
//
// The provider [Provider] writes events with the id [EventID]. Their metadata has no
// fields; the payload is one buffer of records of one thread:
//
//	var r async.Reader
//	for _, payload := range payloads { // of one process, in the order of the file
//		err := r.Reset(payload)
//		for r.Next() {
//			use(r.Header.Thread, r.Record.Ticks, r.Record.ID, r.Record.Dispatcher)
//		}
//		if err == nil {
//			err = r.Err()
//		}
//	}
//
// # Terms
//
// A runtime-async method is suspended by the runtime; other async methods are state
// machines ([Kind]). A dispatcher runs one chain of suspended methods. A frame is one
// method of the chain.
//
// # Buffers
//
// A thread keeps its records until its buffer is full or the thread is idle, so that
// buffers come late and in any order. The buffers of one thread do not overlap:
// [Header] has their times. The records of a buffer are in order of time.
//
// # Later versions of the runtime
//
// A record of the kind [Metadata] lists the ids of the writer with the width of their
// lengths. The Reader applies it to all records after it; before, the ids are those of
// .NET 11.0. It skips ids that this package does not know, and fields that are added
// at the end of a payload. After an id that is not in the list the rest of the buffer
// cannot be read. Nor can a buffer with another version of the layout.
//
// # Cost
//
// A Reader allocates nothing for a record. It follows no length without checking it,
// and a buffer takes time in proportion to its bytes.
package async
