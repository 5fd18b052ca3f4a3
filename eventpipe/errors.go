package eventpipe

import "fmt"

// Reason says why there is no way into a process.
type Reason int

const (
	// NoProcess: nothing runs under that number.
	NoProcess Reason = iota + 1
	// NotDotNet: the process shows no sign of a .NET runtime.
	NotDotNet
	// NoSocket: a .NET process whose diagnostics port is not where it should
	// be: it is only starting, its file was deleted, or only one of an
	// earlier process with this number is there.
	NoSocket
	// Disabled: the process was started with its diagnostics turned off.
	Disabled
	// PermissionDenied: the port is another user's.
	PermissionDenied
	// OtherTMPDIR: the port is in a folder that cannot be found out, because
	// the environment of the process cannot be read.
	OtherTMPDIR
	// Unreadable: the files of the process in /proc cannot be read, so that it is
	// not known whether it is a .NET process.
	Unreadable
	// OtherNamespace: the process is in a container or another namespace, and
	// its files cannot be reached.
	OtherNamespace
	// PathTooLong: the name of the port does not fit the 108 bytes that the
	// system has for it, so that the runtime has made none.
	PathTooLong
	// NotAnswering: the port is there, and nothing comes from it in time: the
	// process is stopped, hangs, or another tool keeps its server busy.
	NotAnswering
)

// reasons has a text for a person, and what to do about it.
var reasons = map[Reason]struct{ text, hint string }{
	NoProcess:        {"no such process", ""},
	NotDotNet:        {"not a .NET process", ""},
	NoSocket:         {"its diagnostics port is not there", ""},
	Disabled:         {"its diagnostics are turned off", "start it without that variable"},
	PermissionDenied: {"permission denied", "run as the same user or as root"},
	OtherTMPDIR:      {"its temporary folder cannot be found out", "set TMPDIR to the one of the process, or run as root with CAP_SYS_PTRACE"},
	Unreadable:       {"cannot tell whether it is a .NET process: its files in /proc cannot be read", "run as its user, or as root with CAP_SYS_PTRACE; the system protects some processes from root too"},
	OtherNamespace:   {"it is in another namespace", "run in its container, or as root with CAP_SYS_PTRACE and the host's process ids"},
	PathTooLong:      {"its diagnostics port has a path over 108 bytes, so that the runtime made none", "start it with a shorter TMPDIR"},
	NotAnswering:     {"it does not answer", "it may be stopped, suspended at its start, or busy with another tool"},
}

// String is the reason in a few words.
func (r Reason) String() string { return reasons[r].text }

// Hint says what may be done about it, or is empty.
func (r Reason) Hint() string { return reasons[r].hint }

// UnreachableError says that there is no way into a process, and why.
type UnreachableError struct {
	PID    int    // as the caller sees the process; 0 when only a port was named
	Reason Reason // what is in the way
	Path   string // the port, or where it should be; may be empty
	Detail string // what was seen, if that helps
	Err    error  // the system's error, if there was one
}

func (e *UnreachableError) Error() string {
	text := e.Reason.String()
	if e.PID != 0 {
		text = fmt.Sprintf("process %d: %s", e.PID, text)
	} else if e.Path != "" {
		text = fmt.Sprintf("%s: %s", e.Path, text)
	}
	switch {
	case e.Detail != "":
		text += ": " + e.Detail
	case e.Err != nil && e.Reason != NotAnswering:
		text += ": " + e.Err.Error()
	case e.PID != 0 && e.Path != "":
		text += ": " + e.Path
	}
	if hint := e.Reason.Hint(); hint != "" {
		text += " (" + hint + ")"
	}
	return text
}

func (e *UnreachableError) Unwrap() error { return e.Err }

// HResult is the number a runtime gives with an error.
type HResult uint32

// What the diagnostics server is known to answer.
const (
	BadEncoding           HResult = 0x80131384
	UnknownCommand        HResult = 0x80131385
	UnknownMagic          HResult = 0x80131386
	UnknownError          HResult = 0x80131387
	InvalidArgument       HResult = 0x80070057
	Fail                  HResult = 0x80004005
	NotSupported          HResult = 0x80131515
	ProfilerAlreadyActive HResult = 0x8013136A
	NotYetAvailable       HResult = 0x8013135B
	RuntimeUninitialized  HResult = 0x80131371
	InsufficientBuffer    HResult = 0x8007007A
	EnvironmentNotFound   HResult = 0x800000CB
)

var hresults = map[HResult]string{
	BadEncoding:           "the message is malformed or holds a value out of range",
	UnknownCommand:        "the runtime does not know the command",
	UnknownMagic:          "the runtime does not know the protocol's version",
	UnknownError:          "the runtime gives no reason",
	InvalidArgument:       "an argument is invalid",
	Fail:                  "the runtime failed to do it",
	NotSupported:          "the runtime does not support it",
	ProfilerAlreadyActive: "a profiler is already active",
	NotYetAvailable:       "the runtime is not ready for it yet",
	RuntimeUninitialized:  "the runtime is not initialized",
	InsufficientBuffer:    "the runtime's buffer is too small",
	EnvironmentNotFound:   "no such environment variable",
}

// String is the number, and what it means where that is known.
func (h HResult) String() string {
	if text, ok := hresults[h]; ok {
		return fmt.Sprintf("%s (0x%08X)", text, uint32(h))
	}
	return fmt.Sprintf("0x%08X", uint32(h))
}

// CommandError is a runtime's refusal.
type CommandError struct {
	Command Command
	HResult HResult
	Message string // the runtime's own words, whole; most commands have none
}

func (e *CommandError) Error() string {
	text := fmt.Sprintf("%v: %v", e.Command, e.HResult)
	if e.Command >= CollectTracing && e.Command <= CollectTracing6 && e.HResult == Fail {
		text += "; a runtime has at most 64 sessions at a time"
	}
	if e.Message != "" {
		text += ": " + e.Message
	}
	return text
}

// UnsupportedError says what this runtime cannot do. Nothing was done instead.
type UnsupportedError struct {
	Feature string  // what was asked for
	Command Command // the first command that can say it
}

func (e *UnsupportedError) Error() string {
	text := "this runtime cannot do " + e.Feature
	if since := e.Command.Since(); since != "" {
		text += fmt.Sprintf(": it takes %s or later (%v)", since, e.Command)
	}
	return text
}

// ProtocolError is an answer that is not as the protocol has it.
type ProtocolError struct {
	Command Command
	What    string
}

func (e *ProtocolError) Error() string { return fmt.Sprintf("%v: %s", e.Command, e.What) }
