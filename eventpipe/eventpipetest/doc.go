//go:build unix

// Package eventpipetest is a runtime that is not one: a diagnostics server for
// tests of programs that use package eventpipe. It answers every command as
// the runtime of the release it plays would, streams recorded traces as fast as
// they were recorded or at once, and goes wrong where it is told to.
//
//	r := eventpipetest.Start(t, eventpipetest.Config{Trace: eventpipetest.Trace{Data: recorded}})
//	session, err := r.Client().StartSession(ctx, config)
//
// It is like the real one in what hurts: one thread serves one connection after
// the other, a client that is silent keeps all others out, StopTracing is
// answered when the session's stream has been read, a refused message leaves
// the connection open, and the id of a session that has ended is used again.
//
// [Runtime.Requests] has the messages that came, byte by byte, and
// [Session.Sent] the bytes of the stream that left.
//
// A session streams the trace it is given whatever it asks for; the
// configuration is decoded and checked, and there for the test to look at. The
// last byte of a trace, its end mark, is held back until the session is
// stopped, as what stands before is sent at once when it is. So a trace with a
// rundown is one that was recorded with it.
package eventpipetest
