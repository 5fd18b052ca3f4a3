// Package perf records the processor time of a process on Linux: which code its
// threads ran, managed, native and in the kernel, and when they left their
// processors. It needs neither root nor eBPF nor hardware counters.
//
//	r, err := perf.Start(perf.Options{PID: pid})
//	if err != nil {
//		return err // a *perf.PermissionError names what forbids it
//	}
//	defer r.Close()
//	err = r.Run(ctx, spool.Add)
//
// # What a sample is
//
// The kernel's software clock (perf_event_open, cpu-clock) takes a sample of a
// thread after each period of its processor time, not of wall time: a thread that
// sleeps has none. The period is that of [Options].Rate samples per second. A sample
// has the call chain of the kernel and that of user code, which the kernel finds by
// frame pointers; package perf/unwind repairs what those lose.
//
// # Permissions
//
// A user may record the user code of the own processes if
// kernel.perf_event_paranoid is at most 2; code of the kernel needs 1 or
// CAP_PERFMON. [Recorder.Scope] returns what is recorded, and a *PermissionError
// says why nothing is. Containers often refuse the system call.
//
// # Clock
//
// Times are those of the CLOCK_MONOTONIC of the process, as the ticks of a session of .NET on Linux
// are: a [Trace] of the samples has the clock of the session's trace, and both can be
// merged exactly.
//
// # Traces
//
// [Trace] writes a recording as record-trace does: the events cpu and cswitch of
// Universal.Events, and mappings and symbols of Universal.System. PerfView and
// TraceEvent read them. The files of the process are read where the process has them,
// and nothing is downloaded. Code of .NET is named by the events of its session.
package perf
