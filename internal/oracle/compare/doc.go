// Package compare compares the events that codec reads from a trace with another
// reader's answer.
//
// The other reader is the program te (TraceEvent 4.0.0, the .NET library). Its
// answer is a table with one event on each line, in an order of its own, so the
// two are compared as multisets: each line must have its event and each event its
// line. If the other reader is known to differ from the bytes, a column is left
// out; [Exceptions] lists every case and its reason.
package compare
