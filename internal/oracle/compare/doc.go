// Package compare holds the events that codec reads from a trace against
// another reader's answer.
//
// The other reader is the program te (TraceEvent 4.0.0, the .NET library). Its
// answer is a table of one event a line in an order of its own, so the two are
// compared as multisets: each line must find its event and each event its line.
// Where the other reader is known to say something else than the bytes do,
// a column is left out; [Exceptions] lists every case and its reason.
package compare
