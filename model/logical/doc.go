// Package logical finds the logical stacks of async code on .NET 11: which suspended
// methods wait for the code that a thread runs, and where a chain of methods waited.
//
// Its source are the records of the async profiler, which package codec/clr/async reads:
//
//	var log logical.Log
//	for _, event := range events { // of the async profiler, of one process, in file order
//		log.Add(logical.Buffer{Ticks: event.Timestamp, Payload: event.Payload()})
//	}
//	tracker := log.Tracker(lost)
//	callers, result := tracker.Callers(tracker.At(thread, ticks), boundary, same)
//
// # How a stack is found
//
// The physical stack of a resumed method ends where the runtime resumed it, the
// [Boundary]: what lies below it has completed what the method awaited, and is no caller.
// The records say which dispatcher the thread runs at that time, and the frames of its
// chain. The frame that runs is that of the number of the wrapper on the physical stack
// (runtime-async methods), or the one after those that are completed (state machines);
// it must be the method before the boundary. The frames after it wait for it.
//
// Above the chain, the records say only which dispatcher created it, and which one goes
// on when it ends. These frames have created the chain; they need not await it.
//
// # What is not known
//
// Nothing is guessed. A [Result] is an Unknown one if the records do not cover the time of the thread, if
// buffers are lost, if the code began before the session, if a method is in the chain
// several times and no record says which of them runs, or if the chain has lost its
// outer end (the runtime keeps 255 frames) before the frame that runs.
package logical
