// Package eventpipe talks to the diagnostics server that every .NET runtime
// since Core 3.0 has: it finds processes, asks them about themselves, and opens
// sessions whose stream is NetTrace. It needs nothing of .NET.
//
//	process, err := eventpipe.Find(pid)
//	session, err := process.Client().StartSession(ctx, eventpipe.SessionConfig{
//		Providers: []eventpipe.Provider{{Name: "Microsoft-Windows-DotNETRuntime", Keywords: 0x8000, Level: 4}},
//	})
//	go func() { <-enough; session.Stop(ctx) }()
//	r := codec.NewReader(session, codec.Options{})
//
// # Terms
//
// A diagnostics port is where a runtime listens: a Unix socket in the temporary
// folder of the process, or a named pipe. A [Client] sends commands to one port.
// A [Session] is one CollectTracing command that goes on: what the runtime
// sends after its answer is the trace. A reverse connection is one that the
// runtime makes to a port of ours, see [Listener] and [Launch].
//
// # What a runtime is like to talk to
//
// The server is one thread that serves one connection after the other, one
// command each. A client that connects and is silent keeps all others out, so
// a Client sends each message whole, has a deadline for every step, and keeps
// no connection but that of a session. A stopped process (SIGSTOP, a debugger)
// accepts connections and never answers: that is [NotAnswering].
//
// StopTracing is answered when the session's stream has been read to its end,
// and until then the server answers nobody. So whoever stops a session reads on
// until io.EOF; the rundown, with the names of all methods, comes in that time.
// See [Session.Stop] and [Session.Drain].
//
// Commands that a runtime is too old for are never replaced by a lesser one
// that says something else: see [UnsupportedError].
//
// # Platforms
//
// Linux is where the tests run. macOS and Windows are compiled by the tests and
// have never been run.
package eventpipe
