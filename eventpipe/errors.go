package eventpipe

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
)

// Reason is the reason why a process cannot be reached.
type Reason int

// The reasons of an [UnreachableError].
const (
	// NoProcess: no process has that number.
	NoProcess Reason = iota + 1
	// NotDotNet: the process shows no sign of a .NET runtime.
	NotDotNet
	// NoSocket: a .NET process has no diagnostics port at the expected address:
	// it is still starting, the file was deleted, or the file belongs to an
	// earlier process with the same number.
	NoSocket
	// Disabled: the process was started with diagnostics disabled.
	Disabled
	// PermissionDenied: the port belongs to another user.
	PermissionDenied
	// OtherTMPDIR: the folder of the port is unknown, because the environment
	// of the process cannot be read.
	OtherTMPDIR
	// Unreadable: the files of the process in /proc cannot be read, so it is
	// unknown whether it is a .NET process.
	Unreadable
	// OtherNamespace: the process is in a container or another namespace, and
	// its files cannot be reached.
	OtherNamespace
	// PathTooLong: the path of the port is longer than the system's limit of
	// 107 bytes, so the runtime did not create it.
	PathTooLong
	// NotAnswering: the port exists and sends no answer in time: the process is
	// stopped or hangs, or another client occupies its server.
	NotAnswering
)

// reasons has the text and the hint of each reason.
var reasons = map[Reason]struct{ text, hint string }{
	NoProcess:        {"no such process", ""},
	NotDotNet:        {"not a .NET process", ""},
	NoSocket:         {"its diagnostics port does not exist", "it may have ended or be starting, or a program that cleans its temporary folder removed the socket: then start the process again"},
	Disabled:         {"its diagnostics are turned off", "start it without that variable"},
	PermissionDenied: {"permission denied", "run as the same user or as root"},
	OtherTMPDIR:      {"its temporary folder is unknown", "set TMPDIR to the one of the process, or run as root with CAP_SYS_PTRACE"},
	Unreadable:       {"it may or may not be a .NET process: its files in /proc cannot be read", "run as its user, or as root with CAP_SYS_PTRACE; the system protects some processes from root too"},
	OtherNamespace:   {"it is in another namespace", "run in its container, or as root with CAP_SYS_PTRACE and the host's process ids"},
	PathTooLong:      {"the path of its diagnostics port is longer than 107 bytes, so the runtime did not create it", "start it with a shorter TMPDIR"},
	NotAnswering:     {"it does not answer", "it may be stopped, suspended at its start, or busy with another tool"},
}

// String describes the reason in a few words.
func (r Reason) String() string { return reasons[r].text }

// Hint returns a possible remedy, or "".
func (r Reason) Hint() string { return reasons[r].hint }

// UnreachableError reports that a process or port cannot be reached.
type UnreachableError struct {
	PID    int    // in the caller's namespace; 0 if only a port was given
	Reason Reason // never 0
	Path   string // the port's actual or expected address; may be empty
	Detail string // details of what was found; may be empty
	Err    error  // the system's error; may be nil
}

// Error names the process or port, the reason, details and the hint.
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
	case e.Reason == NoProcess:
	case e.Err != nil && e.Reason != NotAnswering && (e.Path == "" || !isSaid(e.Err)):
		text += ": " + e.Err.Error()
	case e.PID != 0 && e.Path != "":
		text += ": " + e.Path
	}
	if hint := e.Reason.Hint(); hint != "" && (e.Reason != NotAnswering || e.Detail == "") {
		text += " (" + hint + ")"
	}
	return "eventpipe: " + text
}

// isSaid reports whether the reason says as much as an error of the system about a path.
func isSaid(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission)
}

// Unwrap returns the system's error, or nil.
func (e *UnreachableError) Unwrap() error { return e.Err }

// HResult is the error number of a runtime's answer.
type HResult uint32

// The error numbers that diagnostics servers return.
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
	EnvironmentNotFound   HResult = 0x800700CB
	ProfilerNotFound      HResult = 0x8007007E
	NotAProfiler          HResult = 0x8007007F
	NoStartupHook         HResult = 0x80131522
)

var hresults = map[HResult]string{
	BadEncoding:           "the message is malformed or holds a value out of range",
	UnknownCommand:        "the runtime does not support the command",
	UnknownMagic:          "the runtime does not support the protocol's version",
	UnknownError:          "the runtime gives no reason",
	InvalidArgument:       "an argument is invalid",
	Fail:                  "the runtime failed to execute it",
	NotSupported:          "the runtime does not support it",
	ProfilerAlreadyActive: "a profiler is already active",
	NotYetAvailable:       "the runtime is not ready for it yet",
	RuntimeUninitialized:  "the runtime is not initialized",
	InsufficientBuffer:    "the runtime's buffer is too small",
	EnvironmentNotFound:   "no such environment variable",
	ProfilerNotFound:      "the file does not exist or is no library",
	NotAProfiler:          "the library is no profiler",
	NoStartupHook:         "the assembly has no class StartupHook",
}

// String returns the meaning, if it is known, and the number in hexadecimal.
func (h HResult) String() string {
	if text, ok := hresults[h]; ok {
		return fmt.Sprintf("%s (0x%08X)", text, uint32(h))
	}
	return fmt.Sprintf("0x%08X", uint32(h))
}

// CommandError reports that the runtime refused a command.
type CommandError struct {
	// Command is the refused command.
	Command Command
	// HResult is the runtime's error number.
	HResult HResult
	Message string // the runtime's complete message; most commands have none
}

// Error names the command, the meaning of the number and the message.
func (e *CommandError) Error() string {
	text := fmt.Sprintf("eventpipe: %v: %v", e.Command, e.HResult)
	if e.Command >= CollectTracing && e.Command <= CollectTracing6 && e.HResult == Fail {
		text += "; it has 64 sessions, the most at a time, or it is shutting down"
	}
	if e.Message != "" {
		text += ": " + strings.TrimSpace(e.Message)
	}
	return text
}

// UnsupportedError reports that the runtime is too old for a command. The
// runtime's state is unchanged.
type UnsupportedError struct {
	Feature string  // the request
	Command Command // the first command that supports it
}

// Error names the feature and the first version of .NET that has it.
func (e *UnsupportedError) Error() string {
	text := "eventpipe: this runtime does not support " + e.Feature
	if since := e.Command.Since(); since != "" {
		text += fmt.Sprintf(": it requires %s or later (%v)", since, e.Command)
	}
	return text
}

// ProtocolError reports an answer that violates the diagnostics protocol, or a
// message that is too long for it.
type ProtocolError struct {
	// Command is the command that was sent.
	Command Command
	// What describes the violation.
	What string
	// NoAnswer reports that the runtime closed the connection without a byte of an answer.
	NoAnswer bool
}

// Error names the command and the violation.
func (e *ProtocolError) Error() string { return fmt.Sprintf("eventpipe: %v: %s", e.Command, e.What) }
