//go:build unix

// Package eventpipetest has a fake .NET runtime: a diagnostics server for tests
// of programs that use package eventpipe. It answers every command like the
// runtime of a chosen release, streams a recorded trace at once or at the pace
// of its recording, and simulates faults.
//
//	r := eventpipetest.Start(t, eventpipetest.Config{Trace: eventpipetest.Trace{Data: recorded}})
//	session, err := r.Client().StartSession(ctx, config)
//
// It has the limits of a real runtime of that release: one thread serves one
// connection after another, a client that sends nothing blocks all others, a
// request that crashes the real one ends it, StopTracing is answered when the
// session's stream has been read, and the id of an ended session is reused.
// It writes no dump and no perf map, and loads no startup hook.
//
// [Runtime.Requests] returns the messages received, byte by byte, and
// [Session.Sent] the bytes of the stream that were sent.
//
// A session always streams the given trace. It decodes and checks its
// configuration, which the test can read, but does not apply it. It sends the
// last byte of the trace, the end mark, when the session is stopped. For a
// session with a rundown, use a trace that was recorded with one; its HeldBack
// bytes come after the stop too.
package eventpipetest
