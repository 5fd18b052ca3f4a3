// Package eventpipe is a client of the diagnostics server that every .NET
// runtime since Core 3.0 has. It finds processes, queries their properties, and
// opens sessions whose stream is a NetTrace trace. It needs no .NET
// installation.
//
//	process, err := eventpipe.Find(pid)
//	session, err := process.Client().StartSession(ctx, eventpipe.SessionConfig{
//		Providers: []eventpipe.Provider{{Name: "Microsoft-Windows-DotNETRuntime", Keywords: 0x8000, Level: 4}},
//		NoRundown: true,
//	})
//	for event, err := range session.Events(ctx, eventpipe.EventsOptions{}) {
//		if err != nil {
//			return err // of ctx, or eventpipe.ErrProcessEnded, or another one
//		}
//		use(event)
//	}
//
// # Terms
//
// A diagnostics port is the address where a runtime listens: a Unix socket in
// the temporary folder of the process, or a named pipe. A [Client] sends
// commands to one port. A [Session] is one CollectTracing command: after its
// answer the runtime sends the trace on the same connection. A reverse
// connection is one that the runtime opens to a port of this process, see
// [Listener] and [Launch].
//
// # Processes that come and go
//
// [Find] and [Processes] look once. [Watch] yields the processes that a [Selector]
// chooses as they start and end: by name, command line, environment, container or
// pod. Container and pod come from /proc/PID/cgroup, versions 1 and 2, and if a
// cgroup namespace hides them from the mounts of the container.
//
// # How a runtime serves connections
//
// The server is one thread. It serves one connection after another, and one
// command on each. A client that connects and sends nothing blocks all others.
// A Client therefore sends each message in one piece, sets a deadline for every
// step, and keeps only the connections of sessions open. A stopped process
// (SIGSTOP, a debugger) accepts connections and never answers: the reason of
// the error is [NotAnswering].
//
// The runtime answers StopTracing when the client has read the session's stream
// to its end, and serves no other connection until then. A program that stops a
// session must therefore read until io.EOF. The rundown, which has the names of
// all methods, is sent in that time. See [Session.Stop] and [Session.Drain].
//
// # The end of a session
//
// [Session.Events] reads the events of a session and ends it: when its context or the process
// ends, the last value is an error that says which. A program that reads the stream itself ends
// the session with one of these:
//
//   - [Session.Stop] asks the runtime to end the session. It is for a program that has
//     another goroutine which reads to the end.
//   - [Session.Finish] is Stop, and waits until that goroutine has read to the end.
//   - [Session.Drain] is Finish for the goroutine that reads: it discards the rest.
//   - [Session.Close] closes the connection, and what was not read is lost. It is always
//     necessary, also after the others.
//
// A Client never replaces a command that the runtime is too old for by an older
// command with a different meaning: it returns an [*UnsupportedError].
//
// # Platforms
//
// Recording .NET processes is tested on Linux only. The workflow ci of the
// repository runs the code on macOS against package eventpipetest. On Windows it is
// compiled only, because eventpipetest needs a Unix system.
package eventpipe
